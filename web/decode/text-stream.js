// Turns a stream of tokens into text, and finds how much of it a healed prompt has shown.

/** Turns tokens into text in whole characters, which may be spread over several tokens. */
export class TextStream {
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #bytesOf;
  #dropSpace;

  /**
   * @param {(id: number) => Uint8Array | undefined} bytesOf a token; undefined if there is no such token
   * @param {boolean} dropSpace the first space is not part of the text
   */
  constructor(bytesOf, dropSpace) {
    this.#bytesOf = bytesOf;
    this.#dropSpace = dropSpace;
  }

  /**
   * @param {number} id
   * @param {number} [skip] bytes of the token that are already in the text
   * @returns {string}
   */
  push(id, skip = 0) {
    let bytes = this.#bytesOf(id);
    if (!bytes?.length) return "";
    if (this.#dropSpace && bytes[0] === 0x20) bytes = bytes.subarray(1);
    this.#dropSpace = false;
    return this.#decoder.decode(bytes.subarray(skip), { stream: true });
  }

  /** The rest of the text. An incomplete character becomes U+FFFD. */
  end() {
    return this.#decoder.decode();
  }
}

/**
 * The bytes of the last token if healing removes it. It never removes a control token, or the only token of a prompt.
 * @param {ArrayLike<number>} ids the prompt
 * @param {readonly Uint8Array[]} tokens
 * @returns {Uint8Array | undefined}
 */
export function bytesToHeal(ids, tokens) {
  const bytes = ids.length > 1 ? tokens[ids[ids.length - 1]] : undefined;
  if (!bytes?.length) return undefined;
  return tokens.some((token) => token.length > bytes.length && beginsWith(token, bytes, 0)) ? bytes : undefined;
}

/**
 * Whether a token and the bytes from `at` on agree: one is a prefix of the other.
 * @param {Uint8Array} token
 * @param {Uint8Array} bytes
 * @param {number} at
 */
export function beginsWith(token, bytes, at) {
  const end = Math.min(token.length, bytes.length - at);
  for (let i = 0; i < end; i++) if (token[i] !== bytes[at + i]) return false;
  return true;
}
