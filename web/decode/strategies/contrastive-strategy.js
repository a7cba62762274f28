// Contrastive search (Su et al., "A contrastive framework for neural text generation", 2022): of the topK likeliest tokens,
// chooses the token with the largest (1 - alpha) * probability - alpha * similarity. The similarity is the largest cosine
// between the hidden state after the token, which takes a pass, and the hidden states before.
import { exponential } from "../../core/power.js";
import { Sampler } from "../../sampler/sampler.js";
import { resolveOptions } from "../../sampler/options.js";
import { Continuation } from "../continuation.js";
import { Scratch, copyFloats } from "../scratch.js";

/** @typedef {import("../loop.js").Call} Call */

export class ContrastiveStrategy {
  #call;
  #alpha;
  #most;
  #sampler;
  #continuation;
  #sequence;
  /** Hidden states of the sequence's tokens and of the best candidate so far. (tokens + 1, dim) */
  #states;
  /** The row after the sequence, and the row after that candidate. (2, vocabSize) */
  #rows;
  #current = 0;

  /** @param {Call} call */
  static async open(call) {
    const search = new ContrastiveStrategy(call);
    try {
      await search.#begin();
      return search;
    } catch (error) {
      search.dispose();
      throw error;
    }
  }

  /** @param {Call} call */
  constructor(call) {
    const { engine, settings, constraint } = call;
    const { topK, ...given } = settings.sampler.given;
    this.#call = call;
    this.#sequence = engine.sequences.open([]);
    this.#alpha = /** @type {number} */ (settings.penaltyAlpha);
    this.#most = /** @type {number} */ (topK);
    this.#continuation = new Continuation(call);
    this.#states = new Scratch(engine.instance);
    this.#rows = new Scratch(engine.instance);
    // Probabilities are normalised over all tokens that the other options leave, not only the topK.
    this.#sampler = new Sampler(engine.instance, resolveOptions({ ...given, grammar: constraint?.matcher }));
  }

  isOver() {
    return this.#continuation.isOver;
  }

  dispose() {
    this.#sampler.dispose();
    this.#states.dispose();
    this.#rows.dispose();
  }

  /** Runs the whole prompt. The search needs the states of all its tokens, so it shares nothing with earlier texts. */
  async #begin() {
    const { engine, ids, job } = this.#call;
    const { sequences, config, instance } = engine;
    this.#rows.reserve(2 * config.vocabSize);
    this.#sampler.accept(ids, { prompt: true });
    this.#continuation.usage.passes++;
    const see = (/** @type {number} */ _, /** @type {number} */ position, /** @type {number} */ place) =>
      this.#keepState(position, place);
    await sequences.run(
      [{ sequence: this.#sequence, ids, wanted: 1 }],
      job,
      (_run, _row, logits, place) => {
        this.#keepState(this.#sequence.tokens.length - 1, place);
        copyFloats(instance, logits, this.#row(0), config.vocabSize);
      },
      { layers: [config.layers], see },
    );
  }

  async step() {
    const { engine, settings } = this.#call;
    const { vocabSize } = engine.config;
    const row = this.#row(this.#current);
    const logits = engine.instance.views().floats.subarray(row / 4, row / 4 + vocabSize);
    const forced = this.#continuation.thought?.forced();
    const candidates = forced
      ? [{ token: forced[0], logprob: 0 }]
      : this.#sampler.information(logits, { top: Math.min(this.#most, vocabSize) }).processed.top;
    // With a full context no candidate can run, so chooses the likeliest token.
    const isFull = this.#sequence.tokens.length === engine.config.contextLength;
    const { length } = this.#sequence.tokens;
    const { token: id, logprob } = candidates[isFull ? 0 : await this.#best(candidates)];
    this.#sampler.accept([id]);
    this.#continuation.write(engine.token(id, row, exponential(logprob), settings.captureLogits), length);
  }

  /**
   * Runs all candidates, continues with the best and returns its index.
   * @param {{ token: number, logprob: number }[]} candidates the likeliest first
   */
  async #best(candidates) {
    const { engine, job } = this.#call;
    const { sequences, instance, config } = engine;
    const { li_degeneration: degeneration } = instance.exports;
    const base = this.#sequence;
    const { length } = base.tokens;
    // A sequence that lost its slots to other texts runs again before the candidates share it.
    await sequences.run([{ sequence: base, ids: [], wanted: 0 }], job);
    const forks = candidates.map(() => sequences.fork(base));
    this.#continuation.usage.passes++;
    let best = 0;
    let largest = -Infinity;
    try {
      await sequences.run(
        candidates.map(({ token }, i) => ({ sequence: forks[i], ids: [token], wanted: 1 })),
        job,
        (run, _row, logits, place) => {
          const likeness = degeneration(sequences.state(place), this.#states.at, length, config.dim);
          const score = (1 - this.#alpha) * exponential(candidates[run].logprob) - this.#alpha * likeness;
          if (!(score > largest)) return;
          largest = score;
          best = run;
          this.#keepState(length, place);
          copyFloats(instance, logits, this.#row(1 - this.#current), config.vocabSize);
        },
        { layers: [config.layers] },
      );
      this.#sequence = forks[best];
      this.#current = 1 - this.#current;
    } finally {
      for (const fork of [base, ...forks]) if (fork !== this.#sequence) sequences.drop(fork);
    }
    return best;
  }

  /**
   * @param {number} position
   * @param {number} place
   */
  #keepState(position, place) {
    const { instance, config, sequences } = this.#call.engine;
    const states = this.#states.reserve((position + 1) * config.dim);
    copyFloats(instance, sequences.state(place), states + 4 * position * config.dim, config.dim);
  }

  /** @param {number} index */
  #row(index) {
    return this.#rows.at + 4 * index * this.#call.engine.config.vocabSize;
  }
}
