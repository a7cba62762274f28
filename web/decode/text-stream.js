// Turns a stream of tokens into text.

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
 * How many bytes at the end begin a character that is not complete: 0 to 3.
 * @param {ArrayLike<number>} bytes of which the last 3 count
 */
export function unfinishedBytes(bytes) {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back];
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}
