// Beam search for pages that run their own model.
import { checkObject, checkWhole } from "../../core/arguments.js";
import { disposeSymbol } from "../../core/dispose.js";
import { LastInchError, rangeError, typeError } from "../../core/errors.js";
import { canonicalNames, resolveOptions, tokenList } from "../../sampler/options.js";
import { splitOptions } from "../../sampler/split-options.js";
import { beamNames, checkSearchable, readBeams } from "../beam/beam-options.js";
import { BeamSamplers } from "../beam/samplers.js";
import { openDecode } from "../../sampler/decode-module.js";
import { listRows } from "./logit-rows.js";

/** @typedef {import("../../sampler/option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("../../sampler/option-table.js").SamplerAliases} SamplerAliases */
/** @typedef {import("../../core/wasm.js").DecodeInstance} Instance */
/** @typedef {import("./logit-rows.js").Rows} Rows */

/**
 * @typedef {object} OwnBeamSearchOptions
 * @property {number} beams 1 to 32
 * @property {number} [lengthPenalty] a text's log-probability is divided by its length to this power. Default: 1
 * @property {boolean | "never"} [earlyStopping] when the search ends. true: when it has as many finished texts as
 *   beams; false, the default: when no beam at its current length is better; "never": when no beam can ever be better
 * @property {number} [beamGroups] groups of beams that avoid each other's tokens. Default: 1
 * @property {number} [diversityPenalty] cost of a token that an earlier group has chosen at the same step
 * @property {number} [maxTokens] every text ends at this length
 * @property {number} [n] number of texts to return. Default: as many as beams
 * @property {readonly number[] | Uint32Array | Int32Array} [prompt] the prompt that the texts continue; penalties count
 *   it
 * @property {(tokens: number[]) => boolean} [isStop] whether a text ends here, although not at eos: for stop strings
 */

/** @typedef {OwnBeamSearchOptions & Omit<SamplerOptions, "maxTokens">} BeamSearchOptions */

/**
 * A running beam.
 * @typedef {object} RunningBeam
 * @property {number} parent the beam of the previous step that this one continues, and whose keys and values it starts
 *   with
 * @property {number} token the last token; -1 before the first step
 * @property {number[]} tokens all tokens, without the prompt
 * @property {number} score sum of their log-probabilities, less the diversity penalties
 */

/**
 * A finished text.
 * @typedef {object} FoundText
 * @property {number[]} tokens without the prompt, including the eos that ended it
 * @property {number[]} logprobs of the tokens
 * @property {number} score the rank of the text: sum of log-probabilities / length ** lengthPenalty
 * @property {"eos" | "stop" | "length"} finishReason
 */

/** @type {Record<string, string>} */
const aliases = {
  ...beamNames,
  maxTokens: "maxTokens",
  max_tokens: "maxTokens",
  max_new_tokens: "maxTokens",
  n: "n",
  num_return_sequences: "n",
  prompt: "prompt",
  isStop: "isStop",
};

/**
 * A beam search on the logits of any engine. The search begins with one beam. Each step takes a row for every beam, and
 * chooses the beams that go on. Bias, penalties, bans and a grammar apply to each beam separately.
 *
 * ```js
 * // A stand-in for a model: probabilities of what follows nothing, A (0), B (1) or C (2).
 * const after = { "": [0.4, 0.35, 0.25], 0: [0.5, 0.3, 0.2], 1: [0.9, 0.05, 0.05], 2: [0.4, 0.3, 0.3] };
 * const rowAfter = (tokens) => Float32Array.from(after[tokens.join()], Math.log);
 *
 * const search = await createBeamSearch({ vocabSize: 3, beams: 2, maxTokens: 2, lengthPenalty: 0 });
 * while (!search.isOver) search.step(search.beams.map(({ tokens }) => rowAfter(tokens)));
 * search.results[0]; // { tokens: [1, 0], score: ln 0.315, … }: greedy takes A first and ends with 0.2
 * search.dispose();
 * ```
 * @param {BeamSearchOptions & SamplerAliases} options
 * @returns {Promise<BeamSearch>}
 */
export async function createBeamSearch(options) {
  checkObject("Options", options);
  const { own, others } = splitOptions(options, aliases);
  if (own.beams === undefined)
    throw typeError("bad-type", "beams is required: the number of texts to continue at a time.");
  const { beams, maxTokens = Infinity, n = beams, prompt = [], isStop, earlyStopping, lengthPenalty = 1 } = own;
  if (own.n !== undefined) checkWhole("n", n, 1, 2 ** 32 - 1);
  const settings = readBeams(own, n);
  if (maxTokens !== Infinity) checkWhole("maxTokens", maxTokens, 1, 2 ** 32 - 1);
  if (isStop !== undefined && typeof isStop !== "function") throw typeError("bad-type", "isStop must be a function.");
  const given = canonicalNames(others);
  if (given.forcedLast !== undefined) given.maxTokens = own.maxTokens;
  const resolved = resolveOptions(/** @type {SamplerOptions} */ (given));
  checkSearchable(resolved.given);
  const ids = tokenList("prompt", prompt, resolved.vocabSize);
  const eos = /** @type {number[]} */ (resolved.given.eos ?? []);
  if (maxTokens === Infinity && !eos.length && !isStop)
    throw typeError("conflict", "Nothing would end the texts: give eos, maxTokens or isStop.");
  if (maxTokens === Infinity && earlyStopping === "never" && lengthPenalty > 0)
    throw typeError(
      "conflict",
      'earlyStopping "never" needs maxTokens: without it a longer text could always be better.',
    );
  const search = { ...settings, maxTokens, endings: eos.length };
  return new BeamSearch(await openDecode(), resolved, search, { n, ids, eos, isStop });
}

export class BeamSearch {
  #samplers;
  #n;
  #eos;
  #isStop;
  /** @type {RunningBeam[] | undefined} */
  #beams;
  #isDisposed = false;

  /**
   * Use createBeamSearch.
   * @internal
   * @param {Instance} instance
   * @param {import("../../sampler/options.js").ResolvedOptions} options
   * @param {import("../beam/scorer.js").Settings} settings
   * @param {{ n: number, ids: number[], eos: number[], isStop?: (tokens: number[]) => boolean }} own
   */
  constructor(instance, options, settings, { n, ids, eos, isStop }) {
    const { grammar, ...given } = options.given;
    this.#n = n;
    this.#eos = new Set(eos);
    this.#isStop = isStop;
    this.#samplers = new BeamSamplers(instance, { ...options, given }, settings, grammar);
    try {
      this.#samplers.root.accept(ids, { prompt: true });
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /**
   * The running beams: step takes a row for each of them. Empty when the search is over.
   * @returns {readonly RunningBeam[]}
   */
  get beams() {
    this.#checkLive();
    this.#beams ??= this.#samplers.scorer.beams.map((beam) => {
      const { parent, token, score, path } = beam;
      return { parent, token, score, tokens: path.map((one) => one.token) };
    });
    return this.#beams;
  }

  get isOver() {
    this.#checkLive();
    return this.#samplers.scorer.isOver;
  }

  /**
   * The finished texts, best first. There are fewer than `n` if the options allow no more.
   * @returns {FoundText[]}
   */
  get results() {
    this.#checkLive();
    return this.#samplers.scorer.best(this.#n).map(({ beam, score }) => ({
      tokens: beam.path.map(({ token }) => token),
      logprobs: beam.path.map(({ logprob }) => logprob),
      score,
      finishReason: /** @type {"eos"} */ (beam.finishReason),
    }));
  }

  /**
   * One step of the search.
   * @param {Rows} rows the logits after each of the beams, in their order
   * @returns {readonly RunningBeam[]} the beams
   * @throws {LastInchError} "logits-nan", "logits-infinite"; "nothing-left": no beam has a continuation, and no text is
   *   finished
   */
  step(rows) {
    if (this.isOver) throw new LastInchError("bad-argument", "(The search is over: read its results.)");
    const { scorer, root } = this.#samplers;
    const list = listRows(rows, root.vocabSize);
    if (list.length !== scorer.beams.length)
      throw rangeError("wrong-length", `There are ${list.length} rows, but ${scorer.beams.length} beams.`);
    this.#samplers.step(
      (beam) => root.place(list[beam]),
      (before, token) => {
        if (this.#eos.has(token)) return "eos";
        return this.#isStop?.([...before.path.map((one) => one.token), token]) ? "stop" : undefined;
      },
    );
    this.#beams = undefined;
    return this.beams;
  }

  /** Frees the memory. Using the search afterwards throws. */
  dispose() {
    this.#isDisposed = true;
    this.#samplers.dispose();
  }

  [disposeSymbol]() {
    this.dispose();
  }

  #checkLive() {
    if (this.#isDisposed) throw new LastInchError("disposed");
  }
}
