// Writes text with an onnxruntime session, which only computes logits. This file adds the loop, the cache, the sampler,
// groups, beams and prompt lookup.
import {
  checkBoolean,
  checkNames,
  checkObject,
  checkWhole,
  createBeamSearch,
  createGroup,
  lookupDraft,
  rangeError,
  readGenerateOptions,
  readLoopStop,
  tokenList,
  typeError,
} from "../engine.js";
import { LastInchError, createSampler } from "../sampler.js";
import { settledAll } from "./device-tensors.js";
import { SessionModel } from "./onnx-session.js";
import { encodeText } from "./tokenizer-vocabulary.js";
import { WrittenText } from "./written-text.js";

export { vocabularyOf } from "./tokenizer-vocabulary.js";

/** @typedef {import("../index.js").Sampler} Sampler */
/** @typedef {import("../index.js").GrammarVocabulary} GrammarVocabulary */
/** @typedef {import("../index.js").Grammar} Grammar */
/** @typedef {import("../index.js").GenerateAliases} GenerateAliases */
/** @import { GenerateSettings } from "../engine.js" */
/** @typedef {import("./onnx-session.js").OnnxSession} OnnxSession */
/** @typedef {import("./onnx-session.js").OnnxTensor} OnnxTensor */
/** @typedef {import("./onnx-session.js").TensorClass} TensorClass */
/** @typedef {import("./tokenizer-vocabulary.js").TokenizerSource} TokenizerSource */
/** @typedef {import("./tokenizer-vocabulary.js").TokenizerVocabulary} TokenizerVocabulary */
/** @typedef {import("../index.js").SamplerOptions} SamplerOptions */
/** @typedef {import("../index.js").SamplerAliases} SamplerAliases */
/** @typedef {import("./onnx-session.js").Cache} Cache */
/** @typedef {import("./onnx-session.js").Logits} Logits */
/** @typedef {import("./onnx-session.js").Row} Row */
/** @typedef {import("./written-text.js").WrittenToken} WrittenToken */

/** @typedef {import("./onnxruntime-types.js").SessionOptions} SessionOptions */
/** @typedef {import("./onnxruntime-types.js").OwnSessionGenerateOptions} OwnSessionGenerateOptions */
/** @typedef {import("./onnxruntime-types.js").SessionGenerateAliases} SessionGenerateAliases */
/** @typedef {import("./onnxruntime-types.js").SessionGenerateOptions} SessionGenerateOptions */
/** @typedef {import("./onnxruntime-types.js").SessionToken} SessionToken */
/** @typedef {import("./onnxruntime-types.js").SessionChunk} SessionChunk */

/** Number of tokens that lookup proposes. Wrong ones waste computation. */
const USUAL_DRAFT = 8;

/** Options of model.generate that need more than a session offers. */
const refused = /** @type {const} */ ([
  "heal",
  "guidance",
  "contrast",
  "dola",
  "penaltyAlpha",
  "captureDrafts",
  "captureBeams",
  "echo",
]);

/**
 * Writes text with a session that has the inputs of Optimum's exports: input_ids, past_key_values.… and possibly
 * attention_mask, position_ids and num_logits_to_keep.
 *
 * ```js
 * const session = await InferenceSession.create("model.onnx");
 * const model = openSession(session, { Tensor, vocabulary: vocabularyOf({ tokenizer }) });
 * for await (const { text } of model.generate(tokenizer.encode("Once upon a time").ids, { maxTokens: 60, topP: 0.9 }))
 *   document.body.append(text);
 * ```
 * @param {import("./onnx-session.js").OnnxSession} session owned and released by the caller
 * @param {SessionOptions} options
 * @returns {SessionGenerator}
 * @throws {TypeError} "bad-type": the session has other inputs; the message says which
 */
export function openSession(session, options) {
  checkNames("openSession", options, ["Tensor", "vocabulary", "contextLength", "vocabSize", "device", "wake"]);
  const { Tensor, vocabulary, contextLength = Infinity, device, wake } = options;
  checkBoolean("wake", wake);
  if (device !== undefined && typeof device?.createBuffer !== "function")
    throw typeError("bad-type", "device must be a GPUDevice: await env.webgpu.device, with env of onnxruntime-web.");
  if (options.contextLength !== undefined) checkWhole("contextLength", contextLength, 1, 2 ** 32 - 1);
  if (vocabulary !== undefined) checkObject("vocabulary", vocabulary);
  const model = new SessionModel(session, Tensor, { vocabSize: options.vocabSize, device, wake });
  const { vocabSize } = model;
  if (vocabSize === undefined)
    throw typeError("bad-type", "The session does not say how long a row of logits is: give vocabSize.");
  if (options.vocabSize !== undefined && options.vocabSize !== vocabSize)
    throw rangeError("conflict", `vocabSize is ${options.vocabSize}, but the session's rows have ${vocabSize} logits.`);
  return new SessionGenerator(model, vocabSize, contextLength, vocabulary);
}

export class SessionGenerator {
  #model;
  #vocabulary;
  #contextLength;
  /** Length of a row of logits. */
  vocabSize;

  /**
   * Use openSession.
   * @internal
   * @param {SessionModel} model
   * @param {number} vocabSize
   * @param {number} contextLength
   * @param {GrammarVocabulary} [vocabulary]
   */
  constructor(model, vocabSize, contextLength, vocabulary) {
    this.#model = model;
    this.#vocabulary = vocabulary;
    this.#contextLength = contextLength;
    this.vocabSize = vocabSize;
  }

  /**
   * Continues a prompt. Iterate over the result; leaving the loop stops the model. Several running calls take turns,
   * pass by pass.
   * @param {string | readonly number[] | Uint32Array | Int32Array | BigInt64Array} prompt ids, or a text if the
   *   vocabulary comes from vocabularyOf
   * @param {SessionGenerateOptions & SessionGenerateAliases} [options]
   * @returns {AsyncGenerator<SessionChunk, void, void>}
   */
  generate(prompt, options = {}) {
    const ids = tokenList(
      "prompt",
      typeof prompt === "string" ? encodeText(this.#vocabulary, prompt) : prompt,
      this.vocabSize,
    );
    if (!ids.length) throw rangeError("out-of-range", "The prompt has no tokens: a model needs at least one.");
    if (ids.length > this.#contextLength)
      throw rangeError(
        "out-of-range",
        `The prompt has ${ids.length} tokens, the model ${this.#contextLength} positions.`,
      );
    const { settings, signal, hasLogprobs } = this.#settings(options);
    const call = new Call(
      this.#model,
      ids,
      { ...settings, hasLogprobs },
      {
        vocabulary: this.#vocabulary,
        stop: settings.stop,
        loops: settings.loops,
        eos: /** @type {number[]} */ (settings.sampler.given.eos),
        maxTokens: settings.maxTokens,
        contextLength: this.#contextLength,
      },
    );
    return call.write(signal);
  }

  /** @param {SessionGenerateOptions & SessionGenerateAliases} options */
  #settings({ logprobs, ...options }) {
    checkBoolean("logprobs", logprobs);
    const { vocabSize } = this;
    const { tokens, eos = [] } = this.#vocabulary ?? {};
    const read = readGenerateOptions(options, {
      vocabSize,
      tokenCount: Math.min(vocabSize, tokens?.length ?? vocabSize),
      eos: [...eos],
      suppressed: [],
      layers: 2,
      neighbour: refuseDraft,
      checkMtp: refuseDraft,
      input: () => "",
      // It stays in this thread.
      grammar: checkGrammar,
    });
    const { settings, direct, compileBans } = read;
    if (direct)
      throw typeError("conflict", `${direct.kind} works only in model.generate: compile it and pass the grammar.`);
    readLoopStop(options.loops);
    if (settings.bans.length || compileBans) throw typeError("conflict", "bannedStrings works only in model.generate.");
    for (const name of refused)
      if (settings[name]) throw typeError("conflict", `${name} works only in model.generate.`);
    const { draft, n, beams, stop } = settings;
    if (draft && draft.by !== "lookup" && draft.by !== "auto") refuseDraft();
    if (draft && n > 1) throw typeError("conflict", "draft works for one text: n must be 1.");
    if (stop.length && !this.#vocabulary)
      throw typeError("conflict", "stop needs the option vocabulary of openSession.");
    if (!this.#model.hasBatches && (beams?.width ?? n) > 1)
      throw typeError("conflict", "The session takes one text at a time: export it with a variable batch size.");
    return { ...read, hasLogprobs: logprobs ?? (!this.#model.isFar || settings.captureLogits || !!beams) };
  }
}

/** @returns {never} */
function refuseDraft() {
  throw typeError("conflict", 'Of drafts and other models a session can only use "lookup", also as "auto".');
}

/** @param {any} grammar */
function checkGrammar(grammar) {
  if (typeof grammar?.matcher !== "function") throw typeError("bad-type", "grammar must come from compileGrammar.");
  if (grammar.isEmpty) throw new LastInchError("grammar-empty");
  return grammar;
}

/** One call of generate: one text or several. */
class Call {
  #model;
  #ids;
  #settings;
  #ending;
  #passes = 0;
  /** @type {Cache | undefined} */
  #cache;
  /** Objects to dispose of. @type {{ dispose: () => void }[]} */
  #owned = [];
  /** Computes the model's own log-probabilities. @type {Sampler | undefined} */
  #meter;

  /**
   * @param {SessionModel} model
   * @param {number[]} ids
   * @param {GenerateSettings & { hasLogprobs: boolean }} settings
   * @param {import("./written-text.js").Ending} ending
   */
  constructor(model, ids, settings, ending) {
    this.#model = model;
    this.#ids = ids;
    this.#settings = settings;
    this.#ending = ending;
  }

  /**
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<SessionChunk, void, void>}
   */
  async *write(signal) {
    const { maxTokens, beams, n } = this.#settings;
    try {
      if (!maxTokens) {
        for (let index = 0; index < n; index++) yield this.#last("", [], "length", this.#usage(0), index);
        return;
      }
      this.#meter = this.#own(await createSampler({ vocabSize: this.#settings.sampler.vocabSize }));
      this.#cache = this.#model.emptyCache();
      const steps = beams ? this.#search(beams) : this.#sample();
      for (;;) {
        if (signal?.aborted) return yield { text: "", tokens: [], finishReason: "abort" };
        const { value, done } = await steps.next();
        if (signal?.aborted) return yield { text: "", tokens: [], finishReason: "abort" };
        if (done) return;
        for (const chunk of value) yield chunk;
      }
    } finally {
      if (this.#cache) this.#model.drop(this.#cache);
      for (const one of this.#owned.reverse()) one.dispose();
    }
  }

  /**
   * Sampling: the chunks of each pass.
   * @returns {AsyncGenerator<SessionChunk[], void, void>}
   */
  async *#sample() {
    const { n, draft, sampler } = this.#settings;
    const grammar = this.#matcher();
    const group = this.#own(await createGroup(n, { ...sampler.given, grammar }));
    const most = draft ? (draft.tokens === "auto" ? USUAL_DRAFT : draft.tokens) : 0;
    group.accept(this.#ids, { prompt: true });
    let lanes = group.samplers.map((sampler, index) => ({
      sampler,
      index,
      written: new WrittenText(this.#ending, this.#ids),
      usage: this.#usage(0),
      text: [...this.#ids],
    }));
    // Reads the prompt once.
    let pending = [this.#ids];
    while (lanes.length) {
      const [{ text, written, usage }] = lanes;
      const { maxTokens = Infinity, contextLength = Infinity } = this.#ending;
      const count = Math.min(most, maxTokens - written.tokens.length - 1, contextLength - text.length);
      const guess = count > 0 ? lookupDraft(text, { count }) : [];
      const rows = await this.#run(guess.length ? [[...pending[0], ...guess]] : pending, guess.length + 1);
      usage.draftedTokens += guess.length;
      const chunks = [];
      const read = lanes.map((lane, i) => this.#read(lane, rows[rows.length > 1 ? i : 0], guess));
      for (const added of await settledAll(read)) chunks.push(...added);
      // Drops finished texts from the batch, and wrong guesses from the cache.
      const going = lanes.filter((lane) => !lane.written.finishReason);
      const stay = going.map((lane) => (rows.length > 1 ? lanes.indexOf(lane) : 0));
      const cache = /** @type {Cache} */ (this.#cache);
      if (going.length) this.#cache = await this.#model.select(cache, stay, going[0].text.length - 1);
      lanes = going;
      pending = going.map((lane) => lane.text.slice(-1));
      yield chunks;
    }
  }

  /**
   * Reads the rows after a text and after each guess, up to the first wrong guess.
   * @param {{ sampler: import("../index.js").GpuSampler, index: number, written: WrittenText, usage: import("../index.js").Usage, text: number[] }} lane
   * @param {Row[]} rows
   * @param {number[]} guess
   * @returns {Promise<SessionChunk[]>}
   */
  async #read({ sampler, index, written, usage, text }, rows, guess) {
    /** @type {SessionChunk[]} */
    const chunks = [];
    usage.passes++;
    for (const [i, row] of rows.entries()) {
      const id = await this.#model.choose(sampler, row);
      const token = this.#token(id, sampler.lastProbability, row);
      const added = written.write(token);
      text.push(id);
      usage.completionTokens++;
      if (id === guess[i]) usage.acceptedTokens++;
      const { finishReason } = written;
      chunks.push(
        finishReason
          ? { ...this.#last(added, [token], finishReason, usage, index), ...(written.loop && { loop: written.loop }) }
          : this.#next(added, token, index),
      );
      if (finishReason || id !== guess[i]) break;
    }
    return chunks;
  }

  /**
   * Beam search: all chunks come at the end.
   * @param {NonNullable<GenerateSettings["beams"]>} beams
   * @returns {AsyncGenerator<SessionChunk[], void, void>}
   */
  async *#search({ width, lengthPenalty, earlyStopping, groups, diversityPenalty }) {
    const { n, sampler, maxTokens } = this.#settings;
    const { maxTokens: _, ...given } = sampler.given;
    const room = (this.#ending.contextLength ?? Infinity) - this.#ids.length + 1;
    const search = this.#own(
      await createBeamSearch({
        ...given,
        grammar: this.#matcher(),
        beams: width,
        ...{ lengthPenalty, earlyStopping, n },
        ...(groups > 1 && { beamGroups: groups, diversityPenalty }),
        maxTokens: Math.min(maxTokens, room),
        prompt: this.#ids,
        isStop: (tokens) => this.#meetsStop(tokens),
      }),
    );
    /**
     * The model's log-probability of the last token of each text, by all its tokens.
     * @type {Map<string, WrittenToken>}
     */
    const known = new Map();
    let pending = [this.#ids];
    for (;;) {
      const { beams: former } = search;
      const rows = (await this.#run(pending, 1)).map(([row]) => /** @type {Logits} */ (row));
      search.step(rows);
      for (const { tokens } of [...search.beams, ...search.results]) {
        if (known.has(tokens.join())) continue;
        const id = tokens[tokens.length - 1];
        const before = tokens.slice(0, -1).join();
        const row = rows[former.findIndex((beam) => beam.tokens.join() === before)];
        known.set(tokens.join(), this.#token(id, 0, row));
      }
      if (search.isOver) break;
      const parents = search.beams.map(({ parent }) => parent);
      this.#cache = await this.#model.select(/** @type {Cache} */ (this.#cache), parents);
      pending = search.beams.map(({ token }) => [token]);
      yield [];
    }
    yield search.results.map(({ tokens, logprobs, score }, index) => {
      const written = new WrittenText(this.#ending, this.#ids);
      tokens.forEach((_, i) => {
        const token = /** @type {WrittenToken} */ (known.get(tokens.slice(0, i + 1).join()));
        written.write({ ...token, probability: Math.exp(logprobs[i]) });
      });
      const usage = { ...this.#usage(tokens.length), passes: this.#passes };
      const finishReason = /** @type {"eos"} */ (written.finishReason);
      return { ...this.#last(written.text, written.tokens, finishReason, usage, index), score };
    });
  }

  /** @param {number[]} tokens */
  #meetsStop(tokens) {
    if (!this.#ending.stop.length) return false;
    const written = new WrittenText({ ...this.#ending, maxTokens: Infinity, contextLength: Infinity }, this.#ids);
    for (const id of tokens) written.write({ id, probability: 0, rawLogprob: 0 });
    return written.finishReason === "stop";
  }

  /**
   * @param {readonly (readonly number[])[]} texts
   * @param {number} wanted
   */
  async #run(texts, wanted) {
    const { rows, cache } = await this.#model.run(/** @type {Cache} */ (this.#cache), texts, wanted);
    this.#passes++;
    this.#cache = cache;
    const { captureLogits, hasLogprobs, beams } = this.#settings;
    if (!(captureLogits || hasLogprobs || beams || wanted > 1)) return rows;
    // One round trip for all of them; the rows after guesses too, of which each would take its own.
    const read = await this.#model.read(rows.flat());
    return rows.map((list, i) => list.map((_, j) => read[i * wanted + j]));
  }

  #matcher() {
    const grammar = /** @type {Grammar | undefined} */ (/** @type {unknown} */ (this.#settings.grammar));
    return grammar && this.#own(grammar.matcher());
  }

  /**
   * @template {{ dispose: () => void }} Owned
   * @param {Owned} one
   */
  #own(one) {
    this.#owned.push(one);
    return one;
  }

  /**
   * @param {number} id
   * @param {number} probability
   * @param {Row} row
   * @returns {SessionToken}
   */
  #token(id, probability, row) {
    const { captureLogits, hasLogprobs } = this.#settings;
    /** @type {SessionToken} */
    const token = { id, probability };
    const logits = /** @type {Logits} */ (row); // if one of these is asked for
    if (hasLogprobs) token.rawLogprob = this.#meter?.information(logits, { token: id }).raw.logprob ?? -Infinity;
    if (captureLogits) token.logits = logits.slice();
    return token;
  }

  /** @param {number} completionTokens */
  #usage(completionTokens) {
    const usage = { completionTokens, passes: 0, draftedTokens: 0, acceptedTokens: 0 };
    return { promptTokens: this.#ids.length, cachedTokens: 0, ...usage };
  }

  /**
   * @param {string} text
   * @param {WrittenToken} token
   * @param {number} index
   * @returns {SessionChunk}
   */
  #next(text, token, index) {
    return this.#settings.n > 1 ? { text, tokens: [token], index } : { text, tokens: [token] };
  }

  /**
   * @param {string} text
   * @param {WrittenToken[]} tokens
   * @param {SessionChunk["finishReason"]} finishReason
   * @param {import("../index.js").Usage} usage
   * @param {number} index
   * @returns {SessionChunk}
   */
  #last(text, tokens, finishReason, usage, index) {
    const chunk = { text, tokens, finishReason, usage };
    return this.#settings.n > 1 || this.#settings.beams ? { ...chunk, index } : chunk;
  }
}
