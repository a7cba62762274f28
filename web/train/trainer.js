// A small transformer that learns a text in a Worker.
import { checkNames, checkWhole, checkNumber } from "../core/arguments.js";
import { disposeSymbol } from "../core/dispose.js";
import { LastInchError, rangeError, typeError } from "../core/errors.js";
import { checkSignal, unlessAborted } from "../core/signal.js";
import { blockWeights } from "./block-weights.js";
import { readCharacters } from "./text-characters.js";
import { ggufFile } from "./gguf-file.js";
import { filesToSend, startTrainThread } from "./train-thread.js";

/** @typedef {import("./train-types.js").TrainerShape} TrainerShape */
/** @typedef {import("./train-types.js").TrainerOptions} TrainerOptions */
/** @typedef {import("./train-types.js").LearnOptions} LearnOptions */
/** @typedef {import("./train-types.js").LearnReport} LearnReport */
/** @typedef {import("./train-host.js").TrainReply} TrainReply */

const DEFAULTS = { seed: 0, layers: 2, dim: 48, hidden: 96, heads: 4, context: 64, batch: 16 };

/** The largest of each, and what it must be a multiple of. @type {[keyof typeof DEFAULTS, number, number, number][]} */
const LIMITS = [
  ["seed", 0, 2 ** 53 - 1, 1],
  ["layers", 1, 8, 1],
  ["heads", 1, 64, 1],
  ["dim", 4, 512, 4],
  ["hidden", 4, 2048, 4],
  ["context", 16, 512, 16],
  ["batch", 1, 256, 1],
];

const LEARNING_RATE = 0.003;

/**
 * Begins a model that learns a text, character by character, in a Worker. Nothing leaves the page. The last tenth of the
 * text is held out. The same text, options and rates give the same losses, bit for bit, in every browser.
 * @param {string} text 2,000 to 2,000,000 characters; of its characters the 509 most frequent are told apart
 * @param {TrainerOptions} [options]
 * @returns {Promise<Trainer>}
 * @throws {TypeError | RangeError | LastInchError} "bad-type", "out-of-range", "unknown-option", "out-of-memory",
 *   "worker-unavailable"
 */
export async function createTrainer(text, options = {}) {
  checkNames("createTrainer", options, [...Object.keys(DEFAULTS), "signal"]);
  const { signal, ...given } = options;
  checkSignal(signal);
  const isGiven = (/** @type {[string, unknown]} */ [, value]) => value !== undefined;
  const settings = { ...DEFAULTS, ...Object.fromEntries(Object.entries(given).filter(isGiven)) };
  for (const [name, least, most, step] of LIMITS) {
    checkWhole(name, settings[name], least, most);
    if (settings[name] % step) throw rangeError("out-of-range", `${name} must be a multiple of ${step}.`);
  }
  if (settings.dim % (4 * settings.heads)) throw rangeError("out-of-range", "dim must be a multiple of 4 times heads.");
  const { characters, tokens, replaced } = readCharacters(text);
  const { seed, ...rest } = settings;
  const least = 2 * (rest.context + 1);
  if (tokens.length < least)
    throw rangeError(
      "out-of-range",
      `The text has ${tokens.length} characters; a context of ${rest.context} needs ${least}.`,
    );
  const trainer = new Trainer({ vocabSize: characters.vocabSize, ...rest }, characters, replaced);
  try {
    await unlessAborted(signal, trainer.begin(seed, tokens));
  } catch (error) {
    trainer.dispose();
    throw error;
  }
  return trainer;
}

/** A model that learns: see createTrainer. */
export class Trainer {
  /** @type {import("./train-thread.js").TrainThread | undefined} */
  #thread;
  #shape;
  #characters;
  #isLearning = false;
  /** Why there is no thread any more. @type {Error | undefined} */
  #ended;
  #learningRate = LEARNING_RATE;
  #lastCall = 0;
  /** @type {Map<number, { done: (value: any) => void, failed: (error: Error) => void, report?: (report: LearnReport) => void }>} */
  #calls = new Map();
  /** Steps taken, by the last report. */
  steps = 0;

  /**
   * @internal
   * @param {TrainerShape} shape
   * @param {import("./text-characters.js").Characters} characters
   * @param {number} replaced
   */
  constructor(shape, characters, replaced) {
    this.#shape = shape;
    this.#characters = characters;
    /** The characters that are told apart, by id from 3 on. */
    this.characters = characters.list;
    /** Characters of the text that became one, because they are too rare. */
    this.replaced = replaced;
  }

  /** Tokens: the characters and three more. */
  get vocabSize() {
    return this.#shape.vocabSize;
  }

  /** Numbers that it learns. */
  get weightCount() {
    return this.#shape.vocabSize * this.#shape.dim + blockWeights(this.#shape);
  }

  /** The size of a step of AdamW, 0 to 10; it may be changed while the model learns. */
  get learningRate() {
    return this.#learningRate;
  }

  set learningRate(rate) {
    checkNumber("learningRate", rate, 0, 10);
    this.#learningRate = rate;
    this.#thread?.post({ kind: "rate", rate });
  }

  /** @internal @param {number} seed @param {Uint16Array} tokens */
  async begin(seed, tokens) {
    const thread = await startTrainThread(
      (reply) => this.#receive(reply),
      (error) => this.#end(error),
    );
    if (this.#ended) {
      thread.end();
      throw this.#ended;
    }
    this.#thread = thread;
    return this.#ask({ kind: "begin", shape: this.#shape, seed, tokens, files: filesToSend() });
  }

  /**
   * Takes steps, and reports after every few of them; it waits where 16 reports are not read. Leaving the loop ends it
   * after the step that runs. Losses are NaN once a learning rate was so high that the weights broke. Then only a new
   * trainer helps.
   * @param {LearnOptions} [options]
   * @returns {AsyncGenerator<LearnReport>}
   * @throws {TypeError | RangeError | LastInchError} "conflict": it is learning; "bad-type", "out-of-range",
   *   "unknown-option", "disposed"
   */
  async *learn(options = {}) {
    checkNames("learn", options, ["steps", "every", "signal"]);
    const { steps = Infinity, every = 20, signal } = options;
    if (steps !== Infinity) checkWhole("steps", steps, 1, 1e9);
    checkWhole("every", every, 1, 1e6);
    checkSignal(signal);
    if (this.#isLearning) throw new LastInchError("conflict", "The trainer is learning.");
    this.#isLearning = true;
    /** @type {LearnReport[]} */
    const reports = [];
    let wake = () => {};
    const stop = () => this.#thread?.post({ kind: "stop" });
    signal?.addEventListener("abort", stop);
    /** @type {Promise<void> | undefined} */
    let over;
    try {
      if (signal?.aborted) return;
      let isOver = false;
      over = this.#ask({ kind: "learn", steps, every, rate: this.#learningRate }, (report) => {
        this.steps = report.step;
        reports.push(report);
        wake();
      }).finally(() => {
        isOver = true;
        wake();
      });
      over.catch(() => {}); // thrown below
      while (!isOver || reports.length) {
        const report = reports.shift();
        if (report) {
          this.#thread?.post({ kind: "read" });
          yield report;
        } else await new Promise((resolve) => (wake = () => resolve(undefined)));
      }
      await over;
    } finally {
      signal?.removeEventListener("abort", stop);
      stop();
      await over?.catch(() => {});
      this.#isLearning = false;
    }
  }

  /**
   * The logits of the character after a text. While it learns, they are those between two steps.
   * @param {string} text of which it sees the last `context` characters; one or more
   * @returns {Promise<Float32Array>} (vocabSize)
   */
  async logits(text) {
    const tokens = this.#characters.tokens(text);
    if (!tokens.length) throw rangeError("out-of-range", "The text must have a character.");
    return this.#ask({ kind: "logits", tokens: tokens.slice(-this.#shape.context) });
  }

  /**
   * The character of a token; "\ufffd" for the three that are none.
   * @param {number} token
   */
  characterOf(token) {
    return this.#characters.of(token);
  }

  /**
   * The model as a GGUF file, which `loadModel` and llama.cpp read.
   * @param {string} [name] of the model
   * @returns {Promise<Blob>}
   */
  async save(name = "trained") {
    if (typeof name !== "string") throw typeError("bad-type", `name must be a string, not ${typeof name}.`);
    const weights = await this.#ask({ kind: "weights" });
    return new Blob([ggufFile(this.#shape, this.characters, weights, name)], { type: "application/octet-stream" });
  }

  dispose() {
    this.#end(new LastInchError("disposed"));
  }

  [disposeSymbol]() {
    this.dispose();
  }

  /**
   * @param {any} request without its call
   * @param {(report: LearnReport) => void} [report]
   * @returns {Promise<any>}
   */
  #ask(request, report) {
    return new Promise((done, failed) => {
      if (!this.#thread) throw this.#ended ?? new LastInchError("disposed");
      const call = ++this.#lastCall;
      this.#calls.set(call, { done, failed, report });
      this.#thread.hold(true);
      this.#thread.post({ ...request, call });
    });
  }

  /** @param {TrainReply} reply */
  #receive(reply) {
    const call = reply.kind === "ready" ? undefined : this.#calls.get(reply.call);
    if (!call || reply.kind === "ready") return;
    if (reply.kind === "report") return call.report?.(reply.report);
    this.#calls.delete(reply.call);
    if (!this.#calls.size) this.#thread?.hold(false);
    if (reply.kind === "done") return call.done(reply.value);
    const { code, message, name } = reply.error;
    const error = code
      ? new LastInchError(/** @type {import("../core/error-table.js").ErrorCode} */ (code))
      : new Error();
    call.failed(Object.assign(error, { message, name }));
  }

  /** @param {Error} error of the calls that wait, and of later ones */
  #end(error) {
    if (this.#ended) return;
    this.#ended = error;
    this.#thread?.end();
    this.#thread = undefined;
    for (const { failed } of this.#calls.values()) failed(error);
    this.#calls.clear();
  }
}
