// A model that learns for a widget: its curve, and the lines that it writes on the way. Fetched when a reader presses
// “Learn”. Nothing here waits for the screen, so a tab in the background goes on.
import { createSampler, loadModel } from "../../index.js";
import { createCounts, createTrainer } from "../../train.js";
import { registry, trainedKey } from "./models.js";
import { nextTask } from "./next-task.js";

/** @typedef {{ step: number, loss: number, heldOut: number }} Point losses in nats a character */
/** @typedef {{ step: number, loss: number, text: string }} Sample */
/** banned: tokens that are no characters. @typedef {{ vocabSize: number, banned?: number[], characterOf(token: number): string, logits(text: string): Float32Array | Promise<Float32Array> }} Writer */

/** Steps between two reports. */
const EVERY = 20;
/** Characters of a line. */
const LENGTH = 60;
/** Steps between two lines, at most: the first come sooner. */
const APART = 200;
/** What is kept of a long run. */
const MOST_POINTS = 300;
const MOST_SAMPLES = 7;

/**
 * As many characters as asked, drawn one by one.
 * @param {Writer} writer
 * @param {string} start what stands before
 * @param {{ temperature: number, seed: number, length?: number, signal?: AbortSignal }} how
 */
export async function writeLine(writer, start, { temperature, seed, length = LENGTH, signal }) {
  const { vocabSize, banned } = writer;
  const sampler = await createSampler({ vocabSize, bannedTokens: banned, temperature, seed });
  try {
    let text = "";
    for (let i = 0; i < length; i++) {
      await nextTask(); // counts of a long text take milliseconds
      signal?.throwIfAborted();
      text += writer.characterOf(sampler.sample(await writer.logits(start + text)));
    }
    return text;
  } finally {
    sampler.dispose();
  }
}

/** Where a line begins in a text: after the end of another. @param {string} text */
const startIn = (text) => (text.includes("\n") ? "\n" : String.fromCodePoint(text.codePointAt(0) ?? 32));

/**
 * A line by counts.
 * @param {string} text
 * @param {number} order
 * @param {{ temperature: number, seed: number, signal?: AbortSignal }} how
 */
export const countedLine = (text, order, how) => writeLine(createCounts(text, { order }), startIn(text), how);

export class Learning {
  /** @type {Point[]} */
  points = [];
  /** @type {Sample[]} */
  samples = [];
  /** Steps a minute, by the last report. */
  speed = 0;
  #text;
  #trainer;
  #how;

  /**
   * @param {string} text
   * @param {{ temperature: number, seed: number, signal: AbortSignal }} how of the lines; the seed decides the weights too
   */
  static async open(text, how) {
    // Twice the usual context at half the batch: other widgets write longer texts with it, and a step costs the same.
    const options = { seed: how.seed, context: 128, batch: 8, signal: how.signal };
    return new Learning(text, await createTrainer(text, options), how);
  }

  /** @param {string} text @param {import("../../train.js").Trainer} trainer @param {{ temperature: number, seed: number }} how */
  constructor(text, trainer, { temperature, seed }) {
    this.#text = text;
    this.#trainer = trainer;
    this.#how = { temperature, seed };
  }

  get steps() {
    return this.#trainer.steps;
  }

  /** The loss of a model that knows nothing. */
  get ignorance() {
    return Math.log(this.#trainer.vocabSize);
  }

  get weightCount() {
    return this.#trainer.weightCount;
  }

  /** Characters of the text that became one. */
  get replaced() {
    return this.#trainer.replaced;
  }

  /** @param {number} rate */
  set rate(rate) {
    this.#trainer.learningRate = rate;
  }

  /**
   * Learns until so many steps are taken.
   * @param {number} steps
   * @param {AbortSignal} signal
   * @param {() => void} show
   */
  async run(steps, signal, show) {
    if (!this.samples.length) await this.#write({ step: 0, loss: this.ignorance });
    show();
    // A few steps at a time: else it would have learnt more when a line is written.
    while (this.steps < steps && !signal.aborted) {
      for await (const { stepsPerMinute, ...point } of this.#trainer.learn({
        steps: Math.min(EVERY, steps - this.steps),
        every: EVERY,
        signal,
      })) {
        this.speed = stepsPerMinute;
        await this.#note(point, steps);
      }
      show();
    }
  }

  /** @param {Point} point @param {number} steps of the run */
  async #note(point, steps) {
    this.points.push(point);
    if (this.points.length > MOST_POINTS) this.points = this.points.filter((_, i) => i % 2 || i === MOST_POINTS);
    const { step } = this.samples[this.samples.length - 1];
    const isDue = point.step >= step + Math.min(APART, Math.max(EVERY, step)) || point.step >= steps;
    if (isDue) await this.#write(point);
  }

  /** @param {{ step: number, loss: number }} point */
  async #write({ step, loss }) {
    this.samples.push({ step, loss, text: await writeLine(this.#trainer, startIn(this.#text), this.#how) });
    if (this.samples.length <= MOST_SAMPLES) return;
    // The line goes whose step is the least beyond the one before it; the first and the last stay.
    const ratios = this.samples.map(({ step }, i, all) =>
      i && i < all.length - 1 ? step / all[i - 1].step : Infinity,
    );
    this.samples.splice(ratios.indexOf(Math.min(...ratios)), 1);
  }

  /** @param {string} name */
  save(name) {
    return this.#trainer.save(name);
  }

  /** Gives the model to the page's widgets, in place of the one that they had. @param {string} name */
  async share(name) {
    const file = await this.save(name);
    const model = await loadModel(file);
    const models = registry();
    const former = trainedKey();
    const key = `trained ${former ? Number(former.slice(8)) + 1 : 1}`;
    const abort = new AbortController();
    // The page is its user, until another comes.
    const entry = { model: Promise.resolve(model), loaded: model, users: 1, listeners: new Set(), abort, file };
    models.set(key, { ...entry, text: this.#text });
    const old = former && models.get(former);
    if (old && !--old.users) {
      models.delete(former);
      old.loaded?.dispose();
    }
    dispatchEvent(new CustomEvent("lastinch-trained", { detail: { file, name } }));
  }

  dispose() {
    this.#trainer.dispose();
  }
}
