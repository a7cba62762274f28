// loadTokenizer: the tokenizer of a GGUF file, from its header alone.
import { checkNames } from "../core/arguments.js";
import { disposeSymbol } from "../core/dispose.js";
import { LastInchError, typeError } from "../core/errors.js";
import { unlessAborted } from "../core/signal.js";
import { tokenList } from "../sampler/options.js";
import { openModel } from "./open-model.js";
import { unpackVocabulary } from "./packed-vocabulary.js";
import { checkReadOptions, howToRead } from "./read-options.js";
import { givePiece, openSource } from "./source.js";
import { tokenizeRequest } from "./tokenize-request.js";

/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./worker/lone-tokenizer.js").LoneTokenizerInfo} Info */
/** @typedef {import("./worker/tokenizer.js").TokenizerTrace} TokenizerTrace */

/** @typedef {Omit<import("./read-options.js").ReadOptions, "contextLength" | "cacheType">} LoadTokenizerOptions */

const names = ["signal", "worker", "preTokenizer", "stallTimeout", "headers", "fetch"];

/**
 * Reads the tokenizer of a .gguf file, and no weights: a download stops after the header, which has 1 to 10 MB for the
 * usual vocabularies. A stream is cancelled. The tokens are those that the model itself would read. Files of every
 * architecture are read, also those whose models loadModel refuses.
 * @param {import("./source.js").ModelSource} source
 * @param {LoadTokenizerOptions} [options]
 * @returns {Promise<Tokenizer>}
 * @throws {LastInchError} "file-…" and "gguf-…" like loadModel, "model-tokenizer" and "model-pre-tokenizer"
 */
export async function loadTokenizer(source, options = {}) {
  checkNames("loadTokenizer", options, names);
  checkReadOptions(options);
  const opened = await openSource(source, options);
  return openModel(opened, options, async (link, model, leave) => {
    const info = await unlessAborted(options.signal, read(link, model, opened, options));
    const canReload = !("size" in opened.source);
    link.keep(model, canReload ? async () => void (await read(link, model, opened, options)) : undefined);
    return new Tokenizer(link, leave, model, info);
  });
}

/**
 * @param {Link} link
 * @param {number} model its number
 * @param {import("./source.js").Opened} opened
 * @param {LoadTokenizerOptions} options
 * @returns {Promise<Info>}
 */
function read(link, model, { source, pump }, options) {
  const { preTokenizer, stallTimeout } = howToRead(options);
  return link.wait(
    new Promise((done, failed) => {
      const pull = () => pump && void givePiece(link, call, pump);
      const request = { kind: /** @type {const} */ ("tokenizer"), model, source, preTokenizer, stallTimeout };
      const call = link.begin(request, { model, done, failed, pull });
    }),
  );
}

export class Tokenizer {
  #link;
  #leave;
  #id;
  #info;
  #isDisposed = false;
  /** @type {import("./packed-vocabulary.js").Vocabulary | undefined} */
  #vocabulary;

  /**
   * Use loadTokenizer.
   * @internal
   * @param {Link} link
   * @param {() => void} leave
   * @param {number} id
   * @param {Info} info
   */
  constructor(link, leave, id, info) {
    this.#link = link;
    this.#leave = leave;
    this.#id = id;
    this.#info = info;
  }

  /** @returns {Readonly<import("./worker/lone-tokenizer.js").TokenizerConfig>} */
  get config() {
    return this.#info.config;
  }

  /** @returns {import("./packed-vocabulary.js").Vocabulary} */
  get vocabulary() {
    const { vocabulary, eos, special } = this.#info;
    return (this.#vocabulary ??= { tokens: unpackVocabulary(vocabulary), eos, special });
  }

  /**
   * Token ids of a text, or of a list of texts and ids of control tokens: model.tokenize of the same file.
   * @param {string | (string | number)[]} text
   * @param {{ bos?: boolean, special?: boolean }} [options] bos: begin with the BOS token. special: names of control tokens
   *   in the text, like `<|im_end|>`, become these tokens; do not use this for untrusted text
   * @returns {Promise<number[]>}
   */
  async tokenize(text, options = {}) {
    this.#checkLive();
    return this.#link.ask({ model: this.#id, ...tokenizeRequest(text, options, this.config.vocabSize) });
  }

  /**
   * The text of tokens. Invalid UTF-8 becomes U+FFFD; control tokens have no text.
   * @param {import("./model.js").Ids} ids
   * @returns {Promise<string>}
   */
  async detokenize(ids) {
    this.#checkLive();
    const list = Uint32Array.from(tokenList("detokenize", ids, this.config.vocabSize));
    return this.#link.ask({ kind: "detokenize", model: this.#id, ids: list });
  }

  /**
   * How a text is cut: the pieces that are cut by themselves, and every merge of each, as the tokenizer makes them. A
   * piece starts as single bytes, SentencePiece's as single characters. What no merge has made a token becomes the tokens
   * of its bytes. Names of control tokens are cut as text, as `tokenize` cuts them without `special`. Phi-3's tokenizer
   * is not traced ("model-tokenizer"): it drops white space.
   * @param {string} text
   * @returns {Promise<TokenizerTrace>}
   */
  async trace(text) {
    this.#checkLive();
    if (typeof text !== "string") throw typeError("bad-type", `trace takes text, not ${typeof text}.`);
    return this.#link.ask({ kind: "trace", model: this.#id, text });
  }

  /** Frees the memory. Running calls are rejected, and using the tokenizer afterwards throws. */
  dispose() {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#link.endModel(this.#id, new LastInchError("disposed"));
    this.#leave();
  }

  [disposeSymbol]() {
    this.dispose();
  }

  #checkLive() {
    if (this.#isDisposed) throw new LastInchError("disposed");
  }
}
