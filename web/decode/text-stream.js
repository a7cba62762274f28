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
