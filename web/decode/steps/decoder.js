// Steps on the logits of a page's own model: they verify drafts, take steps of beam search and combine rows. They are
// synchronous and call no model.
import { checkNames, checkNumber, checkObject, checkWhole } from "../../core/arguments.js";
import { ERROR_BAD_ARGUMENT } from "../../core/layouts.js";
import { allocate, allocated } from "../../core/memory.js";
import { LastInchError, check, rangeError, typeError } from "../../core/errors.js";
import { Sampler } from "../../sampler/sampler.js";
import { resolveOptions } from "../../sampler/options.js";
import { BeamStep } from "../beam/step.js";
import { openDecode } from "../../sampler/decode-module.js";
import { checkRow, listRows } from "./logit-rows.js";

/** @typedef {import("../../sampler/option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("../../sampler/option-table.js").SamplerAliases} SamplerAliases */
/** @typedef {import("../../sampler/sampler-types.js").Logits} Logits */
/** @typedef {import("../../core/wasm.js").DecodeInstance} Instance */
/** @typedef {import("../beam/scorer.js").Candidate} Candidate */
/** @typedef {import("./logit-rows.js").Rows} Rows */

/**
 * A sampler that also verifies drafts, takes steps of beam search and combines rows.
 * @param {SamplerOptions & SamplerAliases} options those of createSampler
 * @returns {Promise<Decoder>}
 * @throws as createSampler
 */
export async function createDecoder(options) {
  const resolved = resolveOptions(options);
  return new Decoder(await openDecode(), resolved);
}

/** @param {string} name @param {unknown} u */
function checkUniform(name, u) {
  if (u === undefined) return -1;
  if (typeof u !== "number") throw typeError("bad-type", `${name} must be a number.`);
  if (!(u >= 0 && u < 1)) throw rangeError("out-of-range", `${name} is ${u}, but must be at least 0 and below 1.`);
  return u;
}

export class Decoder extends Sampler {
  #instance;
  #proposal = 0;
  /** @type {BeamStep | undefined} */
  #step;
  #capacity = 0;
  /** Room for rows and states. */
  #room = 0;
  #size = 0;

  /**
   * Use createDecoder.
   * @internal
   * @param {Instance} instance
   * @param {import("../../sampler/options.js").ResolvedOptions} options
   * @param {number} [beside]
   */
  constructor(instance, options, beside) {
    super(instance, options, beside);
    this.#instance = instance;
  }

  /**
   * An independent decoder in the same state.
   * @param {Partial<SamplerOptions> & SamplerAliases} [changes]
   * @returns {Decoder}
   */
  clone(changes) {
    return /** @type {Decoder} */ (super.clone(changes));
  }

  /**
   * Speculative sampling: verifies a token that was drawn from a draft's distribution, so that the result has the
   * target's distribution (Leviathan et al. 2023, Chen et al. 2023). The token is accepted with probability min(1,
   * target / draft); otherwise another token is drawn from max(0, target - draft). This decoder's options apply to both
   * distributions, at its current position in the text. Changes nothing: accept the returned token, and stop after the
   * first token that was not accepted.
   *
   * ```js
   * const decoder = await createDecoder({ vocabSize: 4, temperature: 0.8, topK: 3, seed: 1 });
   * // Stand-ins for two models: a row of logits after any text.
   * const large = (ids) => Float32Array.of(2, 1, 0, ids.length % 3);
   * const small = (ids) => Float32Array.of(2, 1, 1, ids.length % 2);
   *
   * let text = [0];
   * decoder.accept(text, { prompt: true });
   * while (text.length < 20) {
   *   // The draft's options are the decoder's, its random numbers are not.
   *   const drafter = decoder.clone({ stream: text.length });
   *   const drafts = [];
   *   const guess = [];
   *   while (guess.length < 4) {
   *     drafts.push(small([...text, ...guess]));
   *     guess.push(drafter.sample(drafts.at(-1)));
   *   }
   *   drafter.dispose();
   *   // One pass of the large model gives a row after the text and one after each guess.
   *   const targets = [0, 1, 2, 3, 4].map((count) => large([...text, ...guess.slice(0, count)]));
   *   for (let i = 0; i < 5; i++) {
   *     const verdict = i < 4 ? decoder.acceptDraft(targets[i], drafts[i], guess[i]) : undefined;
   *     const token = verdict ? verdict.token : decoder.sample(targets[i]);
   *     if (verdict) decoder.accept(token);
   *     text.push(token);
   *     if (verdict && !verdict.isAccepted) break;
   *   }
   * }
   * ```
   * @param {Logits} target the target's row
   * @param {Logits} draft the row that the token was drawn from
   * @param {number} token
   * @param {{ u?: number, v?: number }} [options] uniform numbers in [0, 1): u for the acceptance, v for the other draw.
   *   Default: the seed's numbers for this step
   * @returns {{ isAccepted: boolean, token: number, probability: number }} probability: the target's, of that token
   * @throws {LastInchError} "logits-nan", "logits-infinite", "nothing-left"; "bad-argument": the token is not in the draft's
   *   distribution
   */
  acceptDraft(target, draft, token, options = {}) {
    checkNames("acceptDraft", options, ["u", "v"]);
    const [u, v] = [checkUniform("u", options.u), checkUniform("v", options.v)];
    checkRow("target", target);
    checkRow("draft", draft);
    checkWhole("token", token, 0, this.vocabSize - 1);
    const { exports } = this.#instance;
    this.#proposal ||= allocated(exports.li_proposal_create());
    this.fillMask();
    check(exports.li_proposal_keep(this.#proposal, this.address, this.place(draft)));
    const chosen = exports.li_sampler_verify(this.address, this.place(target), this.#proposal, token, u, v);
    if (chosen === ERROR_BAD_ARGUMENT)
      throw new LastInchError("bad-argument", `(The options leave the draft no token ${token}.)`);
    check(chosen);
    const probability = exports.li_sampler_chosen_probability(this.address);
    return { isAccepted: chosen === token, token: chosen, probability };
  }

  /**
   * One step of beam search: the best of all continuations of some beams. A continuation's score is the beam's plus the
   * token's log-probability after this decoder's edits (bias, penalties). Masked and banned tokens do not count, and
   * the others are not renormalised. Changes nothing. For a whole search see createBeamSearch.
   *
   * ```js
   * const decoder = await createDecoder({ vocabSize: 3 });
   * const logs = (...probabilities) => Float32Array.from(probabilities, Math.log);
   * const first = decoder.beamStep([logs(0.4, 0.35, 0.25)], [0], { count: 2 });
   * // [{ beam: 0, token: 0, score: ln 0.4 }, { beam: 0, token: 1, score: ln 0.35 }]
   * const rows = [logs(0.5, 0.3, 0.2), logs(0.9, 0.05, 0.05)];
   * const second = decoder.beamStep(rows, first.map(({ score }) => score), { count: 2 });
   * // [{ beam: 1, token: 0, score: ln 0.315 }, { beam: 0, token: 0, score: ln 0.2 }]
   * ```
   * @param {Rows} rows one for each beam
   * @param {ArrayLike<number>} scores of the beams
   * @param {object} [options]
   * @param {number} [options.count] the most candidates that are returned. Default: twice the beams, so that enough beams go
   *   on if eos ends the others; with more than one eos ask for more
   * @param {readonly Decoder[]} [options.decoders] one for each beam, if penalties or a grammar depend on the text: clones of
   *   this decoder that have accepted the beams' tokens
   * @param {Iterable<readonly [number, number]>} [options.penalties] tokens and amounts by which their scores are lowered, for
   *   tokens that other groups of beams have chosen at this step (Vijayakumar et al. 2018)
   * @returns {Candidate[]} best first, ties by beam, then token
   */
  beamStep(rows, scores, options = {}) {
    checkNames("beamStep", options, ["count", "decoders", "penalties"]);
    const { vocabSize } = this;
    const list = listRows(rows, vocabSize);
    checkObject("scores", scores);
    if (scores.length !== list.length)
      throw rangeError("wrong-length", `There are ${list.length} rows, but ${scores.length} scores.`);
    for (let i = 0; i < scores.length; i++) checkNumber("A score", scores[i], -Number.MAX_VALUE, Number.MAX_VALUE);
    const { count = Math.max(1, 2 * list.length), decoders, penalties = [] } = options;
    checkWhole("count", count, 1, 2 ** 20);
    if (decoders && decoders.length !== list.length)
      throw rangeError("wrong-length", `There are ${list.length} rows, but ${decoders.length} decoders.`);
    for (const decoder of decoders ?? []) this.#checkDecoder(decoder);
    const lowered = [...penalties];
    for (const pair of lowered) {
      checkObject("A penalty", pair);
      checkWhole("The token of a penalty", pair[0], 0, vocabSize - 1);
      checkNumber("A penalty", pair[1], 0, Number.MAX_VALUE);
    }
    if (count > this.#capacity) {
      this.#step?.dispose();
      this.#step = undefined;
      this.#step = new BeamStep(this.#instance, count);
      this.#capacity = count;
    }
    const step = /** @type {BeamStep} */ (this.#step);
    step.begin(count, lowered);
    list.forEach((row, i) => {
      const decoder = decoders?.[i] ?? this;
      decoder.fillMask();
      step.add(decoder, decoder.place(row), i, scores[i]);
    });
    return step.best();
  }

  /** @param {unknown} decoder */
  #checkDecoder(decoder) {
    if (!(decoder instanceof Decoder)) throw typeError("bad-type", "decoders must come from createDecoder or clone.");
    if (decoder.vocabSize !== this.vocabSize)
      throw rangeError("wrong-length", `A decoder is for ${decoder.vocabSize} tokens, this one for ${this.vocabSize}.`);
  }

  /**
   * Classifier-free guidance (Sanchez et al. 2023): unconditional + `scale` * (conditional - unconditional), in
   * log-probabilities. The unconditional row is the model's without the prompt, or with a negative prompt. 1 gives the
   * conditional row, 0 the unconditional row.
   *
   * ```js
   * const decoder = await createDecoder({ vocabSize: 3, temperature: 0 });
   * const guided = decoder.guide(Float32Array.of(1, 0.9, 0), Float32Array.of(1, 0, 0), 1.5);
   * decoder.sample(guided); // 1: the token that the prompt has made likelier
   * ```
   * @param {Logits} conditional
   * @param {Logits} unconditional
   * @param {number} scale 0 to 1000
   * @returns {Float32Array} a new row
   */
  guide(conditional, unconditional, scale) {
    checkNumber("scale", scale, 0, 1000);
    return this.#combine(conditional, unconditional, (a, b, into) =>
      this.#instance.exports.li_guide(a, b, this.vocabSize, scale, into),
    );
  }

  /**
   * Contrastive decoding (Li et al. 2023): log-probabilities less those of a weaker model, for the plausible tokens.
   * With the row of the early layer that diverges most, this is DoLa (Chuang et al. 2024).
   *
   * ```js
   * const decoder = await createDecoder({ vocabSize: 3, temperature: 0 });
   * const strong = Float32Array.of(2, 1.8, -3);
   * decoder.sample(decoder.contrast(strong, Float32Array.of(2, 0, -9))); // 1: token 2 is not plausible
   * ```
   * @param {Logits} strong
   * @param {Logits} weak
   * @param {{ weight?: number, plausibility?: number }} [options] weight: factor of the weaker model's
   *   log-probabilities, 0 to 100 (default 1); plausibility: the least share of the likeliest token's probability, 0 to
   *   1 (default .1)
   * @returns {Float32Array} a new row
   */
  contrast(strong, weak, options = {}) {
    checkNames("contrast", options, ["weight", "plausibility"]);
    const { weight = 1, plausibility = 0.1 } = options;
    checkNumber("weight", weight, 0, 100);
    checkNumber("plausibility", plausibility, 0, 1);
    return this.#combine(strong, weak, (a, b, into) =>
      this.#instance.exports.li_contrast(a, b, this.vocabSize, weight, plausibility, into),
    );
  }

  /**
   * Jensen-Shannon divergence of two rows' softmaxes in nats, from 0 to ln 2.
   *
   * ```js
   * const decoder = await createDecoder({ vocabSize: 2 });
   * decoder.divergence(Float32Array.of(0, 0), Float32Array.of(0, 0)); // 0
   * decoder.divergence(Float32Array.of(99, 0), Float32Array.of(0, 99)); // 0.693…
   * ```
   * @param {Logits} a
   * @param {Logits} b
   * @returns {number}
   */
  divergence(a, b) {
    const [first, second] = this.#pair(a, b);
    const result = this.#instance.exports.li_divergence(first, second, this.vocabSize);
    if (Number.isNaN(result)) throw this.#refusal([first, second]);
    return result;
  }

  /**
   * The largest cosine similarity of a hidden state to the earlier states. Contrastive search (Su et al. 2022) chooses, of
   * the k likeliest tokens, the token with the largest (1 - alpha) * probability - alpha * similarity.
   *
   * ```js
   * const decoder = await createDecoder({ vocabSize: 2 });
   * decoder.degeneration(Float32Array.of(1, 0), [Float32Array.of(0, 1), Float32Array.of(3, 0)]); // 1
   * ```
   * @param {Float32Array} state
   * @param {Float32Array | readonly Float32Array[]} states a list, or all states in one array
   * @returns {number} -1 to 1; 0 without earlier states
   */
  degeneration(state, states) {
    void this.vocabSize; // throws if the decoder is disposed
    const list = states instanceof Float32Array ? [states] : states;
    if (!(state instanceof Float32Array) || !Array.isArray(list) || list.some((one) => !(one instanceof Float32Array)))
      throw typeError(
        "bad-type",
        "A hidden state must be a Float32Array; several, a list of these or one after another in one.",
      );
    const { length } = state;
    if (!length) throw rangeError("wrong-length", "The hidden state is empty.");
    if (!state.every(Number.isFinite)) throw rangeError("out-of-range", "The hidden state is not finite.");
    const isWrong = (/** @type {Float32Array} */ one) => (one === states ? one.length % length : one.length !== length);
    if (list.some(isWrong)) throw rangeError("wrong-length", `All hidden states must have ${length} numbers.`);
    const count = list.reduce((sum, one) => sum + one.length, 0) / length;
    const address = this.#reserve(4 * length * (count + 1));
    const { floats } = this.#instance.views();
    let at = address / 4;
    for (const one of [state, ...list]) {
      floats.set(one, at);
      at += one.length;
    }
    return this.#instance.exports.li_degeneration(address, address + 4 * length, count, length);
  }

  /** Frees the memory. Using the decoder afterwards throws. */
  dispose() {
    const { exports } = this.#instance;
    if (this.#proposal) exports.li_proposal_destroy(this.#proposal);
    if (this.#room) exports.li_memory_free(this.#room);
    this.#step?.dispose();
    this.#step = undefined;
    this.#proposal = this.#room = this.#size = this.#capacity = 0;
    super.dispose();
  }

  /**
   * Address of `size` bytes. The next call may overwrite them.
   * @param {number} size
   */
  #reserve(size) {
    const { exports } = this.#instance;
    if (size <= this.#size) return this.#room;
    const former = this.#room;
    this.#room = this.#size = 0;
    if (former) exports.li_memory_free(former);
    this.#room = allocate(this.#instance, size);
    this.#size = size;
    return this.#room;
  }

  /**
   * Addresses of two rows; the first may be overwritten.
   * @param {Logits} a
   * @param {Logits} b
   */
  #pair(a, b) {
    checkRow("Logits", a);
    checkRow("Logits", b);
    const size = 4 * this.vocabSize;
    const from = this.place(a);
    const into = this.#reserve(size);
    this.#instance.views().bytes.copyWithin(into, from, from + size);
    return [into, this.place(b)];
  }

  /**
   * @param {Logits} a
   * @param {Logits} b
   * @param {(a: number, b: number, into: number) => number} combine
   */
  #combine(a, b, combine) {
    const [into, second] = this.#pair(a, b);
    check(combine(into, second, into));
    return this.#instance.views().floats.slice(into / 4, into / 4 + this.vocabSize);
  }

  /**
   * The error for rows that cannot be used.
   * @param {number[]} addresses
   */
  #refusal(addresses) {
    const { floats } = this.#instance.views();
    const rows = addresses.map((at) => floats.subarray(at / 4, at / 4 + this.vocabSize));
    if (rows.some((row) => row.some(Number.isNaN))) return new LastInchError("logits-nan");
    return new LastInchError(rows.some((row) => row.includes(Infinity)) ? "logits-infinite" : "nothing-left");
  }
}
