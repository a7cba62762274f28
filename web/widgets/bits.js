// Fewer bits for each weight: the storyteller is written again in the page with 16 to 2 bits, and tells the same story.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { seedField, textField } from "./shared/field.js";
import { formatCount, formatSize } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { plot, plotStyles } from "./shared/plot.js";
import { isRecorded } from "./shared/recording.js";
import { tokenText } from "./shared/token-text.js";
import { levels as recordedLevels, settings as recorded } from "./recorded/bits.js";

/** @typedef {import("../index.js").Model} Model */
/**
 * The model with so many bits: its size in bytes, its surprise at a text that it has never seen, in bits a token, and the
 * tokens of its story.
 * @typedef {{ bits: number, size: number, surprise: number, tokens: string[] }} Level
 */

const LEVELS = [16, 8, 6, 5, 4, 3, 2];
const MOST = 80;

/**
 * A model with 16, 8, 6, 5, 4, 3 and 2 bits for each weight: its size, its surprise at a text that it has never seen,
 * and the same story with the same seed.
 * @tagname lastinch-bits
 */
export class LastInchBits extends LastInchElement {
  static styles = [...LastInchElement.styles, plotStyles];
  static formula = "weight ≈ scale × whole number of so many bits; 32 weights share a scale";
  static words = {
    title: "Fewer bits",
    lead: "A model is a list of numbers. Rounded to fewer bits each, the list is shorter and faster to load. How far does that go until the story falls apart?",
    prompt: "Beginning of the story",
    count: "Tokens to write",
    run: "Round the weights and tell the story with each",
    bits: "Bits a weight",
    story: "The story with {bits} bits",
    shipped: "The story with 8 bits, as the model is shipped",
    eight: "The story with 8 bits",
    parts: "After {count} tokens it parts from the story with 8 bits.",
    never: "It is the story with 8 bits, token for token.",
    levels: "Bits, size and surprise",
    size: "File",
    surprise: "Surprise, bits a token",
    chart: "Surprise against the size of the file",
    megabytes: "Size in MB",
    more: "More than with 8",
    perplexity: "As if choosing from",
    luck: "As if choosing from: the number of equally likely tokens that would surprise as much (perplexity). Where a story parts depends on the seed: one token that is drawn otherwise changes all that follow. The surprise says more.",
    tooLarge: "This file is too large to be rounded in the page: at most {size}.",
    guessing: "A model that knows nothing and takes all {count} tokens for equally likely has {bits} bits.",
    honest:
      "The shipped file has 8 bits already. 16 bits come within 1/2048 of the same numbers: what the first rounding has taken does not come back. 5 and 4 bits are the formats Q5_0 and Q4_0 of GGUF; 6, 3 and 2 follow the same rule, but files have no such format for rows of this length, so the page keeps their numbers in bytes and counts the size that they would have.",
    text: "Surprise is measured on a story that was written for this page, so no model was trained on it: {count} tokens.",
    read: "Read that text",
    honestLearnt:
      "The model that learnt here has 32 bits a weight. Its rows of 48 weights are no whole blocks of 32, so the last block of a row is shorter. Files have no such format: the page keeps the rounded numbers as floats and counts the size that they would have.",
    textLearnt: "Surprise is measured on the end of the text, which the model never saw: {count} characters.",
    working: "Now {bits} bits …",
    badWeights: "This model’s weights have a type that cannot be rounded here: F32, F16 or Q8_0 is needed.",
    summary: "With {bits} bits: {size}, {surprise} bits of surprise a token. {parts}",
  };
  static chinese = () => import("./chinese/bits.js");
  static honesty = "live";
  static properties = {
    prompt: { share: true, attribute: "prompt" },
    bits: { share: true, type: Number, attribute: "bits", oneOf: LEVELS },
    count: knob("count"),
    temperature: knob("temperature"),
    seed: knob("seed"),
    working: { state: true },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** @type {Level[]} */
  #levels = [];
  /** Tokens of the text that the models have never seen. */
  #heldOut = 0;
  #vocabulary = 0;
  /** That text, if the models have read it here. */
  #unseen = "";
  /** That text, once a reader has opened it. */
  #read = "";
  /** Whether the model learnt in this page. */
  #isLearnt = false;

  constructor() {
    super();
    /** How the story begins. */
    this.prompt = recorded.prompt;
    /** Bits of a weight whose story is shown: 16, 8, 6, 5, 4, 3 or 2. */
    this.bits = 4;
    /** Tokens of each story, at most 80. */
    this.count = recorded.count;
    this.temperature = recorded.temperature;
    this.seed = recorded.seed;
    /** Bits of the model that is computed now; 0: none. */
    this.working = 0;
  }

  prepare() {
    this.isRecorded = isRecorded(this, recorded);
    if (!this.isRecorded) return;
    const { heldOut: count, vocabulary, sizes } = recordedLevels;
    this.#heldOut = count;
    this.#vocabulary = vocabulary;
    this.#levels = LEVELS.map((bits, i) => ({
      bits,
      size: sizes[i],
      surprise: recordedLevels.surprise[i] / 100,
      tokens: recordedLevels.stories[i].split("|"),
    }));
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (name !== "bits") {
      this.#live.stop();
      this.working = 0;
      this.isRecorded = false;
      this.#levels = [];
    }
    super.turn(name, value, isFinal);
  }

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    const [{ measure, fileOf, unseenOf }, { heldOut }] = await Promise.all([
      import("./shared/bit-levels.js"),
      import("./shared/held-out.js"),
    ]);
    const { file: learnt, text } = this.#live.entry ?? {};
    this.#isLearnt = text !== undefined;
    this.#read = "";
    this.#unseen = text === undefined ? heldOut : unseenOf(text);
    this.#levels = [];
    const { prompt, count, temperature, seed } = this;
    const settings = { prompt, count: Math.min(count, MOST), temperature, seed, signal };
    this.#vocabulary = model.config.vocabSize;
    try {
      const file = await fileOf(learnt ?? this.src ?? (await import("../models/storyteller.js")).default);
      // 8 bits first: the others are compared with it.
      for (const bits of [8, ...LEVELS.filter((one) => one !== 8)]) {
        this.working = bits;
        await this.onscreen();
        const { count: read, ...level } = await measure(file, bits, this.#unseen, settings);
        if (signal.aborted) return;
        this.#heldOut = read;
        this.#levels = [...this.#levels, { bits, ...level }].sort((a, b) => b.bits - a.bits);
      }
    } catch (/** @type {any} */ error) {
      if (error.code === "bad-weights") throw new Error(this.say("badWeights"));
      if (error.code === "too-large") throw new Error(this.say("tooLarge", { size: formatSize(error.limit) }));
      throw error;
    } finally {
      if (!signal.aborted) this.working = 0;
    }
    this.announce(this.summary());
  };

  /** After how many tokens a story parts from that with 8 bits; -1: never. @param {Level} level */
  #parting({ tokens }) {
    const shipped = this.#levels.find(({ bits }) => bits === 8)?.tokens ?? tokens;
    const at = tokens.findIndex((token, i) => token !== shipped[i]);
    return at < 0 && tokens.length !== shipped.length ? tokens.length : at;
  }

  view() {
    const options = LEVELS.map((bits) => /** @type {[number, string]} */ ([bits, String(bits)]));
    const { working } = this;
    return html`${textField(this, "prompt")}
      <div class="knobs">${this.slider("temperature", { max: 2 })}${this.slider("count", { max: MOST })}</div>
      ${seedField(this)} ${this.#live.button(this.say("run"), this.#run)}
      ${working ? html`<p>${this.say("working", { bits: working })}</p>` : nothing}
      ${this.#levels.length ? html`${this.choice("bits", this.say("bits"), options)} ${this.#result()}` : nothing}`;
  }

  #result() {
    const guess = Math.log2(this.#vocabulary || 2).toFixed(1);
    const level = this.#levels.find(({ bits }) => bits === this.bits);
    const shipped = this.#levels.find(({ bits }) => bits === 8);
    const eight = this.#isLearnt ? "eight" : "shipped";
    const story = (/** @type {Level} */ { tokens }, at = -1) =>
      tokenText([{ text: this.prompt }, ...tokens.map((text, i) => ({ text, isMarked: i === at }))]);
    return html`<div class="panels">
        ${
          level
            ? html`<section aria-label=${this.say("story", { bits: level.bits })}>
                <p class="name">${this.say("story", { bits: level.bits })}</p>
                ${story(level, this.#parting(level))}
                <p class="hint">${this.#parts(level)}</p>
              </section>`
            : nothing
        }
        ${
          shipped && level !== shipped
            ? html`<section aria-label=${this.say(eight)}>
                <p class="name">${this.say(eight)}</p>
                ${story(shipped)}
              </section>`
            : nothing
        }
      </div>
      ${this.#table()}
      <details>
        <summary>${this.say("chart")}</summary>
        ${this.#chart()}
        <p class="hint">
          ${this.say("guessing", { count: formatCount(this.#vocabulary), bits: guess })} ${this.say("luck")}
        </p>
      </details>
      <p class="hint">${this.say(this.#isLearnt ? "honestLearnt" : "honest")}</p>
      <details @toggle=${this.#showHeldOut}>
        <summary>${this.say("read")}</summary>
        <p class="hint">${this.say(this.#isLearnt ? "textLearnt" : "text", { count: this.#heldOut })}</p>
        <p class="text" lang=${this.#isLearnt ? nothing : "en"}>${this.#read}</p>
      </details>`;
  }

  #showHeldOut = async () => {
    this.#read = this.#unseen || (await import("./shared/held-out.js")).heldOut;
    this.requestUpdate();
  };

  /** @param {Level} level */
  #parts(level) {
    const at = this.#parting(level);
    return at < 0 ? this.say("never") : this.say("parts", { count: at });
  }

  #table() {
    const shipped = this.#levels.find(({ bits }) => bits === 8)?.surprise ?? 0;
    const most = Math.max(0.1, ...this.#levels.map(({ surprise }) => surprise - shipped));
    const rows = this.#levels.map((level) => {
      const more = level.surprise - shipped;
      return {
        kind: "kept",
        isMarked: level.bits === this.bits,
        cells: [
          String(level.bits),
          formatSize(level.size),
          level.surprise.toFixed(2),
          { bar: Math.max(0, more / most), kind: "cut" },
          `${more < -0.005 ? "−" : "+"}${Math.abs(more).toFixed(2)}`,
          (2 ** level.surprise).toFixed(1),
        ],
      };
    });
    const heads = ["bits", "size", "surprise", "", "more", "perplexity"].map((key) => key && this.say(key));
    return barTable({ caption: this.say("levels"), heads, rows });
  }

  #chart() {
    if (this.#levels.length < 2) return nothing;
    const sizes = this.#levels.map(({ size }) => size / 1e6);
    const surprises = this.#levels.map(({ surprise }) => surprise);
    const [least, most] = [Math.floor(5 * Math.min(...surprises)) / 5, Math.ceil(5 * Math.max(...surprises)) / 5];
    return plot({
      label: this.say("chart"),
      x: [0, Math.ceil(Math.max(...sizes))],
      y: [least, most],
      formatY: (value) => value.toFixed(1),
      xLabel: this.say("megabytes"),
      yLabel: this.say("surprise"),
      lines: [
        {
          name: this.say("surprise"),
          hasDots: true,
          points: this.#levels.map(({ size, surprise }) => /** @type {[number, number]} */ ([size / 1e6, surprise])),
        },
      ],
    });
  }

  summary() {
    const level = this.#levels.find(({ bits }) => bits === this.bits);
    if (!level) return "";
    const { bits, size, surprise } = level;
    const values = { bits, size: formatSize(size), surprise: surprise.toFixed(2), parts: this.#parts(level) };
    return this.say("summary", values);
  }
}

define("bits", LastInchBits);
