// SentencePiece BPE with byte fallback, from a GGUF's own vocabulary; and text out of tokens, as a stream.
import { BPE } from "@huggingface/tokenizers";

/**
 * What a GGUF says of its tokenizer.
 * @typedef {object} TokenizerData
 * @property {Uint8Array[]} pieces as stored: UTF-8, U+2581 for a space, `<0x0A>` for a byte
 * @property {Float32Array} scores
 * @property {Int32Array} types see `type`
 * @property {number} bos -1: none
 * @property {number[]} eos
 * @property {boolean} addBos text begins with `bos`
 * @property {boolean} spacePrefix a space is put before text, and taken away again
 */

/**
 * @typedef {object} Vocabulary
 * @property {Uint8Array[]} tokens the bytes that each token stands for; control tokens stand for none
 * @property {number[]} eos the tokens that end a text
 */

const type = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 };
const SPACE = "\u2581";

/**
 * Pieces with spaces and bytes in place of their stand-ins, all in one buffer.
 * @param {TokenizerData} data
 * @returns {{ bytes: Uint8Array, ends: Uint32Array }} token i is the bytes from the end of i - 1 to the end of i
 */
export function packVocabulary({ pieces, types }) {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  const ends = new Uint32Array(pieces.length);
  const ascii = new TextDecoder();
  let at = 0;
  pieces.forEach((piece, id) => {
    const byte = types[id] === type.byte ? /^<0x([0-9A-F]{2})>$/.exec(ascii.decode(piece)) : null;
    if (byte) bytes[at++] = parseInt(byte[1], 16);
    else if (types[id] === type.normal || types[id] === type.userDefined)
      for (let i = 0; i < piece.length; i++) {
        const isSpace = piece[i] === 0xe2 && piece[i + 1] === 0x96 && piece[i + 2] === 0x81;
        bytes[at++] = isSpace ? 0x20 : piece[i];
        if (isSpace) i += 2;
      }
    ends[id] = at;
  });
  return { bytes: bytes.slice(0, at), ends };
}

/**
 * @param {{ bytes: Uint8Array, ends: Uint32Array }} packed
 * @returns {Uint8Array[]}
 */
export function unpackVocabulary({ bytes, ends }) {
  return Array.from(ends, (end, id) => bytes.subarray(id ? ends[id - 1] : 0, end));
}

export class Tokenizer {
  #bpe;
  /** @type {Map<string, number>} */
  #ids = new Map();
  /** @type {RegExp | null} */
  #whole = null;
  #splitsAtSpaces = true;
  #spacePrefix;
  #tokens;

  /** @param {TokenizerData} data */
  constructor(data) {
    const { pieces, scores, types, spacePrefix } = data;
    this.#spacePrefix = spacePrefix;
    this.packed = packVocabulary(data);
    this.#tokens = unpackVocabulary(this.packed);

    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const distinct = [...new Set(scores)].sort((a, b) => b - a);
    const rankOf = new Map(distinct.map((score, rank) => [score, rank]));
    /** @type {Map<string, number>} */
    const ranks = new Map();
    const whole = [];
    let unknown;
    let hasBytes = false;
    for (let id = 0; id < pieces.length; id++) {
      const text = decoder.decode(pieces[id]);
      if (types[id] === type.unknown) unknown = text;
      if (types[id] === type.byte) hasBytes = true;
      if (types[id] === type.control || types[id] === type.unused) continue;
      this.#ids.set(text, id);
      if (types[id] === type.normal) {
        ranks.set(text, /** @type {number} */ (rankOf.get(scores[id])));
        if (/[^\u2581]\u2581/.test(text)) this.#splitsAtSpaces = false;
      }
      if (types[id] === type.userDefined && text) whole.push(text);
    }
    if (whole.length) {
      const escaped = whole
        .sort((a, b) => b.length - a.length)
        .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
      this.#whole = new RegExp(`(${escaped.join("|")})`);
    }

    // SentencePiece joins any two neighbours that make a piece, the best score first and the leftmost among
    // equals, which no list of merges can say: two ways to the same piece are equals. So the queue asks here.
    this.#bpe = new BPE({
      type: "BPE",
      vocab: Object.fromEntries(this.#ids),
      merges: [],
      unk_token: unknown,
      byte_fallback: hasBytes,
      fuse_unk: !hasBytes,
    });
    Object.assign(this.#bpe, {
      /** @param {{ push(node: object): void }} queue @param {any} node */
      add_node(queue, node) {
        const rank = ranks.get(node.token + node.next.token);
        if (rank === undefined) return;
        node.score = rank + node.bias;
        queue.push(node);
      },
    });
  }

  /**
   * Token ids of a text, without the token that begins a sequence. Control tokens never come from text.
   * @param {string} text
   * @returns {number[]}
   */
  encode(text) {
    if (!text) return [];
    const spaced = (this.#spacePrefix ? " " : "") + text.replace(/\p{Surrogate}/gu, "\ufffd");
    const normal = spaced.replaceAll(" ", SPACE);
    const parts = this.#whole ? normal.split(this.#whole) : [normal];
    return parts.flatMap((part, i) => {
      if (!part) return [];
      const pieces = i % 2 ? [part] : this.#bpe._call(this.#split(part));
      return pieces.map((piece) => /** @type {number} */ (this.#ids.get(piece)));
    });
  }

  /**
   * Where no piece has a space after anything else, nothing is joined across the beginning of a word, and words
   * one by one are faster than one long text.
   * @param {string} text
   * @returns {string[]}
   */
  #split(text) {
    return (this.#splitsAtSpaces && text.match(/\u2581*[^\u2581]+|\u2581+/g)) || [text];
  }

  /** @returns {TextStream} */
  stream() {
    return new TextStream(this.#tokens, this.#spacePrefix);
  }

  /**
   * @param {Iterable<number>} ids
   * @returns {string}
   */
  decode(ids) {
    const stream = this.stream();
    let text = "";
    for (const id of ids) text += stream.push(id);
    return text + stream.end();
  }
}

/** Text out of tokens, given out when it is whole: a character may be spread over several tokens. */
export class TextStream {
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #tokens;
  #dropSpace;

  /**
   * @param {Uint8Array[]} tokens
   * @param {boolean} dropSpace the first space is not part of the text
   */
  constructor(tokens, dropSpace) {
    this.#tokens = tokens;
    this.#dropSpace = dropSpace;
  }

  /**
   * @param {number} id
   * @returns {string}
   */
  push(id) {
    let bytes = this.#tokens[id];
    if (!bytes?.length) return "";
    if (this.#dropSpace && bytes[0] === 0x20) bytes = bytes.subarray(1);
    this.#dropSpace = false;
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** What was held back: bytes that never became a character come out as U+FFFD. */
  end() {
    return this.#decoder.decode();
  }
}
