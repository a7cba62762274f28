// Beam search with a model. Beams share the slots of their common prefix, and one pass a step runs all beams.
import { exponential } from "../../core/power.js";
import { isEdited } from "../beam/mechanisms.js";
import { BeamSamplers } from "../beam/samplers.js";
import { Continuation } from "../continuation.js";
import { Scratch, copyFloats } from "../scratch.js";

/** @typedef {import("../decode-types.js").Chunk} Chunk */
/** @typedef {import("../decode-types.js").Sequence} Sequence */
/** @typedef {import("../beam/scorer.js").Beam} Beam */
/** @typedef {import("../beam/scorer.js").Finished} Finished */
/** @typedef {import("../loop.js").Call} Call */

export class BeamStrategy {
  #call;
  #samplers;
  #eos;
  #isEdited;
  /** Sequence of the prompt. @type {Sequence | undefined} */
  #base;
  #cached = 0;
  /** Sequences of the beams. @type {Sequence[]} */
  #sequences = [];
  #scratch;
  #passes = 0;
  /** How many bytes before a token to search for the beginning of a stop string. */
  #reach;
  #isOver = false;

  /** @param {Call} call */
  static open(call) {
    const beams = new BeamStrategy(call);
    try {
      beams.#begin();
      return beams;
    } catch (error) {
      beams.dispose();
      throw error;
    }
  }

  /** @param {Call} call */
  constructor(call) {
    const { engine, settings, constraint, source, ids } = call;
    const { sampler, maxTokens, stop } = settings;
    const beams = /** @type {import("../beam/beam-options.js").BeamSettings} */ (settings.beams);
    this.#call = call;
    this.#isEdited = isEdited(sampler.given);
    this.#eos = new Set(/** @type {number[]} */ (sampler.given.eos));
    this.#reach = stop.length && 4 * Math.max(...stop.map(({ length }) => length));
    const room = source.contextLength - ids.length + 1;
    const search = { ...beams, maxTokens: Math.min(maxTokens, room), endings: this.#eos.size };
    this.#scratch = new Scratch(engine.instance);
    this.#samplers = new BeamSamplers(engine.instance, sampler, search, constraint?.matcher);
  }

  #begin() {
    const { source, ids } = this.#call;
    this.#samplers.root.accept(ids, { prompt: true });
    this.#base = source.open(ids);
    this.#cached = this.#base.tokens.length;
    this.#sequences = [this.#base];
  }

  isOver() {
    return this.#isOver;
  }

  async step() {
    const { engine, ids, source, settings, job } = this.#call;
    const { vocabSize } = engine.config;
    const samplers = this.#samplers;
    const { scorer } = samplers;
    const { beams } = scorer;
    const isFirst = !this.#passes++;
    const runs = this.#sequences.map((sequence, i) => ({
      sequence,
      ids: isFirst ? ids.subarray(this.#cached) : [beams[i].token],
      wanted: 1,
    }));
    // Keep the rows of all beams together and, if a source combines rows, the model's own rows too.
    const rows = this.#scratch.reserve(2 * vocabSize * runs.length);
    const rowOf = (/** @type {number} */ beam) => rows + 4 * vocabSize * beam;
    let shift = 0;
    await source.run(runs, job, (run, _row, logits, _place, raw) => {
      copyFloats(engine.instance, logits, rowOf(run), vocabSize);
      if (raw === undefined) return;
      shift = runs.length;
      copyFloats(engine.instance, raw, rowOf(run + shift), vocabSize);
    });
    const rawOf = shift ? (/** @type {number} */ beam) => rowOf(beam + shift) : undefined;
    samplers.step(rowOf, (before, token) => this.#endOf(before, token), rawOf);
    // The search already has the model's probabilities, unless the options or the source change them.
    const isKnown = !shift && !this.#isEdited && !settings.captureLogits;
    for (const beam of [...scorer.beams, ...scorer.ended]) {
      const { parent, token: id, logprob } = beam;
      const probability = exponential(logprob);
      beam.data = isKnown
        ? { id, probability, rawLogprob: logprob }
        : engine.token(id, rowOf(parent + shift), probability, settings.captureLogits);
    }
    this.#move(scorer.beams);
    if (settings.captureBeams) this.#show([...scorer.beams, ...scorer.ended]);
    if (scorer.isOver) this.#finish(scorer.best(settings.n));
  }

  /**
   * @param {Beam} before
   * @param {number} token
   */
  #endOf(before, token) {
    if (this.#eos.has(token)) return "eos";
    return this.#reach && this.#meetsStop(before, token) ? "stop" : undefined;
  }

  /**
   * Whether this token completes a stop string.
   * @param {Beam} before
   * @param {number} token
   */
  #meetsStop(before, token) {
    const { engine, settings, prompt, heal } = this.#call;
    const { tokens } = engine.tokenizer;
    const ids = [token];
    let bytes = 0;
    let beam = before;
    for (; beam.before && bytes < this.#reach; beam = beam.before) {
      ids.push(beam.token);
      bytes += tokens[beam.token]?.length ?? 0;
    }
    const stream = engine.tokenizer.stream();
    let hidden = 0;
    if (!beam.before) {
      for (const id of prompt) stream.push(id);
      hidden = heal?.length ?? 0;
    }
    let text = "";
    for (const id of ids.reverse()) {
      const skip = Math.min(hidden, tokens[id]?.length ?? 0);
      hidden -= skip;
      text += stream.push(id, skip);
    }
    return settings.stop.some((stop) => text.includes(stop));
  }

  /**
   * Gives every beam a fork of its parent's sequence; the last child of a parent takes the sequence itself. The prompt's
   * sequence is kept.
   * @param {Beam[]} beams
   */
  #move(beams) {
    const { source } = this.#call;
    const former = this.#sequences;
    const heirs = new Map();
    beams.forEach(({ parent }, i) => former[parent] !== this.#base && heirs.set(parent, i));
    this.#sequences = beams.map(({ parent }, i) =>
      heirs.get(parent) === i ? former[parent] : source.fork(former[parent]),
    );
    former.forEach((sequence, i) => sequence !== this.#base && !heirs.has(i) && source.drop(sequence));
  }

  /** @param {Beam[]} beams */
  #show(beams) {
    const { job, emit } = this.#call;
    job.takeRoom();
    const shown = beams.map(({ parent, token, score, finishReason }) => {
      const beam = { parent, token, score };
      return finishReason ? { ...beam, finishReason: /** @type {"eos"} */ (finishReason) } : beam;
    });
    emit({ text: "", tokens: [], beams: shown });
  }

  /** @param {Finished[]} found */
  #finish(found) {
    this.#isOver = true;
    const results = found.map(({ beam, score }, index) => {
      /** @type {Chunk[]} */
      const chunks = [];
      const call = { ...this.#call, emit: (/** @type {Chunk} */ chunk) => void chunks.push(chunk) };
      const continuation = new Continuation(call, index);
      continuation.usage.cachedTokens = this.#cached;
      continuation.usage.passes = this.#passes;
      const { length } = this.#call.ids;
      beam.path.forEach(({ data }, i) => continuation.isOver || continuation.write(ownToken(data), length + i));
      const text = chunks.map((chunk) => chunk.text).join("");
      const tokens = chunks.flatMap((chunk) => chunk.tokens);
      return { ...chunks[chunks.length - 1], text, tokens, score };
    });
    results.forEach(this.#call.emit);
  }

  dispose() {
    const { source } = this.#call;
    for (const sequence of this.#sequences) if (sequence !== this.#base) source.drop(sequence);
    this.#sequences = [];
    this.#samplers.dispose();
    this.#scratch.dispose();
  }
}

/**
 * Texts with a common prefix share token objects. Each text gets copies of its rows, because they are posted.
 * @param {import("../decode-types.js").Token} token
 */
function ownToken(token) {
  return token.logits ? { ...token, logits: token.logits.slice() } : token;
}
