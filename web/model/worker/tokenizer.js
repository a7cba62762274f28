// SentencePiece BPE with byte fallback, from a GGUF's own vocabulary.
import { BPE } from "@huggingface/tokenizers";
import { TextStream } from "../../decode/text-stream.js";
import { packVocabulary, specialTokens, tokenType as type, unpackVocabulary } from "../vocabulary.js";

/** @typedef {import("../vocabulary.js").TokenizerData} TokenizerData */

const SPACE = "\u2581";

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
    this.special = specialTokens(data);
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

    // SentencePiece joins any two neighbours that form a piece, best score first, leftmost among equals. A list of merges
    // cannot express this: two ways to one piece are equal. So the queue asks this function.
    this.#bpe = new BPE({
      type: "BPE",
      vocab: Object.fromEntries(this.#ids),
      merges: [],
      unk_token: unknown,
      byte_fallback: hasBytes,
      fuse_unk: !hasBytes,
      ignore_merges: false,
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
   * @param {boolean} [continues] the text goes on after others: nothing is put before it
   * @returns {number[]}
   */
  encode(text, continues = false) {
    if (!text) return [];
    const spaced = (this.#spacePrefix && !continues ? " " : "") + text.replace(/\p{Surrogate}/gu, "\ufffd");
    const normal = spaced.replaceAll(" ", SPACE);
    const parts = this.#whole ? normal.split(this.#whole) : [normal];
    return parts.flatMap((part, i) => {
      if (!part) return [];
      const pieces = i % 2 ? [part] : this.#bpe._call(this.#split(part));
      return pieces.map((piece) => /** @type {number} */ (this.#ids.get(piece)));
    });
  }

  /**
   * If no piece has a space after another character, no join crosses the beginning of a word. Then words are encoded one
   * by one, which is faster than one long text.
   * @param {string} text
   * @returns {string[]}
   */
  #split(text) {
    return (this.#splitsAtSpaces && text.match(/\u2581+[^\u2581]*|[^\u2581]+/g)) || [text];
  }

  /** The bytes of each token. */
  get tokens() {
    return this.#tokens;
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
