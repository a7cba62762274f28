// One beginning and one row of random numbers at three temperatures: where the texts diverge, and how heat adds up.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { legible } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { plot, plotStyles } from "./shared/plot.js";
import { configure, samplerFor } from "./shared/sampling.js";
import { replay, paceField } from "./shared/pace.js";
import { isRecorded, tokensOf } from "./shared/recording.js";
import { tintLegend, tokenText } from "./shared/token-text.js";
import { seedField, textField } from "./shared/field.js";
import { promptIds, write } from "./shared/writing.js";
import { threePanels } from "./shared/three-panels.js";
import { settings as recorded, texts as recordedTexts } from "./recorded/same-seed.js";

/** @typedef {import("./shared/models.js").Model} Model */
/** @typedef {{ text: string, rawLogprob?: number }} Step */

const names = ["low", "middle", "high"];
const LONGEST = 120;
/** Texts of the curve, and the first position of each of its points. */
const TEXTS = 16;
const starts = [1, 2, 3, 5, 9, 17, 33];
const END = 65;

/** @param {string} name */
const heat = (/** @type {string} */ name) => knob("temperature", name);

/**
 * The same beginning and seed at three temperatures, recorded and live, with the first token at which the texts differ; and
 * the surprise of hot draws, position by position, in their own text and in a sound text.
 * @tagname lastinch-same-seed
 */
export class LastInchSameSeed extends LastInchElement {
  static styles = [...LastInchElement.styles, plotStyles, threePanels];
  static words = {
    title: "Same seed, three temperatures",
    lead: "Three texts, one beginning, the same random numbers. Only the temperature differs.",
    prompt: "Beginning",
    count: "Tokens to write",
    run: "Run",
    heading: "Text {number}: T = {temperature}",
    heat: "Temperature {number}",
    same: "The same as text 1 so far.",
    parts: "Leaves text 1 at token {place}: “{token}” instead of “{other}”.",
    toRun: "Press Run to see them.",
    growth:
      "What a draw at T = {high} costs in surprise: in its own text, and in a sound one (T = {middle}). The gap is what earlier slips have done: errors compound.",
    own: "in its own text",
    sound: "in a sound text",
    position: "Token",
    bits: "Surprise (bits)",
    numbers: "The curves' numbers",
    mean: "Mean of {texts} texts, by the model's probabilities at T = 1.",
  };
  static chinese = () => import("./chinese/same-seed.js");
  static honesty = "live";
  static properties = {
    prompt: { share: true, attribute: "prompt" },
    count: knob("count"),
    seed: knob("seed"),
    pace: knob("pace"),
    low: heat("low"),
    middle: heat("middle"),
    high: heat("high"),
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** The settings of the last run, and its texts. @type {{ key: string, texts: Step[][] } | undefined} */
  #ran;
  /** Mean bits at each of starts. @type {{ key: string, own: number[], sound: number[] } | undefined} */
  #growth;

  constructor() {
    super();
    /** The prompt of all texts. */
    this.prompt = recorded.prompt;
    /** Tokens of a text, at most 120. */
    this.count = recorded.count;
    this.seed = recorded.seed;
    /** Most tokens a second; 0 shows the whole texts at once. @type {number | undefined} */
    this.pace = undefined;
    /** Temperature of text 1. */
    this.low = recordedTexts[0].temperature;
    /** Temperature of text 2. */
    this.middle = recordedTexts[1].temperature;
    /** Temperature of text 3. */
    this.high = recordedTexts[2].temperature;
  }

  get #key() {
    const { prompt, count, seed, low, middle, high } = this;
    return JSON.stringify([prompt, count, seed, low, middle, high]);
  }

  /** @returns {Step[][] | undefined} */
  get #texts() {
    return this.#ran?.key === this.#key ? this.#ran.texts : undefined;
  }

  prepare() {
    const temperatures = names.map((name, i) => [name, recordedTexts[i].temperature]);
    this.isRecorded = isRecorded(this, { ...recorded, ...Object.fromEntries(temperatures) });
    if (this.isRecorded) this.#ran = { key: this.#key, texts: recordedTexts.map(tokensOf) };
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (this.isRecorded && name !== "pace") {
      this.#live.stop();
      this.isRecorded = false;
    }
    super.turn(name, value, isFinal);
  }

  #replay = async (/** @type {AbortSignal} */ signal) => {
    const texts = names.map(() => /** @type {Step[]} */ ([]));
    this.#ran = { key: this.#key, texts };
    await Promise.all(
      recordedTexts.map(async (recorded, i) => {
        for await (const token of replay(this, tokensOf(recorded), signal)) texts[i].push(token);
      }),
    );
  };

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    const { seed, middle, high } = this;
    const key = this.#key;
    const texts = names.map(() => /** @type {Step[]} */ ([]));
    this.#ran = { key, texts };
    this.#growth = undefined;
    const ids = await promptIds(model, this.prompt);
    const maxTokens = Math.min(this.count, LONGEST);
    await Promise.all(
      names.map(async (name, i) => {
        const options = { temperature: /** @type {any} */ (this)[name], seed, maxTokens, signal };
        for await (const { tokens } of write(this, model, ids, options)) texts[i].push(...tokens);
      }),
    );
    this.announce(this.summary());
    const own = await this.#surprise(model, ids, { temperature: high, seed, signal }, high);
    const sound = await this.#surprise(model, ids, { temperature: middle, seed, signal }, high);
    if (!signal.aborted) this.#growth = { key, own, sound };
  };

  /**
   * How much surprise a draw at a temperature is expected to cost at each position of texts.
   * @param {Model} model
   * @param {number[]} ids
   * @param {{ temperature: number, seed: number, signal: AbortSignal }} how the texts are written
   * @param {number} temperature of the draw
   */
  async #surprise(model, ids, how, temperature) {
    const sampler = await samplerFor(model.config.vocabSize);
    const places = new Uint32Array(TEXTS);
    const sums = starts.map(() => [0, 0]);
    const options = { ...how, n: TEXTS, maxTokens: END - 1, captureLogits: true };
    for await (const { tokens, index = 0 } of model.generate(ids, options)) {
      await this.onscreen();
      configure(sampler, { temperature, tokenCount: model.vocabulary.tokens.length });
      for (const { id, rawLogprob, logits } of tokens) {
        if (!logits) continue;
        const drawn = sampler.distribution(logits);
        // log p of a token is log p of the taken token plus the difference of their logits.
        let logarithm = rawLogprob - logits[id];
        drawn.tokens.forEach((token, i) => (logarithm += drawn.probabilities[i] * logits[token]));
        const place = ++places[index];
        const sum = sums[starts.findLastIndex((start) => start <= place)];
        sum[0] -= logarithm / Math.LN2;
        sum[1]++;
      }
    }
    return sums.map(([bits, count]) => bits / count);
  }

  /**
   * Where a text first differs from the first one; -1: nowhere.
   * @param {Step[][]} texts
   * @param {number} number
   */
  #fork(texts, number) {
    return texts[number].findIndex(({ text }, i) => texts[0][i] && texts[0][i].text !== text);
  }

  /** @param {Step[][]} texts @param {number} number */
  #parting(texts, number) {
    const at = this.#fork(texts, number);
    if (at < 0) return this.say("same");
    const [token, other] = [texts[number][at], texts[0][at]].map(({ text }) => legible(text));
    return this.say("parts", { place: at + 1, token, other });
  }

  view() {
    const texts = this.#texts;
    return html`${textField(this, "prompt")}
      <div class="knobs">${this.slider("count", { max: LONGEST })}${seedField(this)}</div>
      ${this.#live.button(this.say("run"), this.#run, { replay: this.#replay, pace: paceField(this) })}
      <div class="panels three">${names.map((name, i) => this.#panel(name, i, texts))}</div>
      ${texts ? tintLegend(this) : html`<p>${this.say("toRun")}</p>`}
      ${this.#growth?.key === this.#key ? this.#growthView(this.#growth) : nothing}`;
  }

  /** @param {string} name @param {number} number @param {Step[][] | undefined} texts */
  #panel(name, number, texts) {
    const fork = texts ? this.#fork(texts, number) : -1;
    const words = { number: number + 1, temperature: /** @type {any} */ (this)[name] };
    const pieces = texts?.[number].map(({ text, rawLogprob }, i) => ({
      text,
      probability: rawLogprob === undefined ? undefined : Math.exp(rawLogprob),
      isMarked: i === fork,
    }));
    return html`<section aria-label=${this.say("heading", words)}>
      ${this.slider(name, { label: this.say("heat", words) })}
      ${pieces ? tokenText([{ text: this.prompt }, ...pieces]) : nothing}
      ${number && texts?.[number].length ? html`<p class="hint">${this.#parting(texts, number)}</p>` : nothing}
    </section>`;
  }

  /** @param {{ own: number[], sound: number[] }} growth */
  #growthView({ own, sound }) {
    // There is no mean after the end of all texts.
    const points = (/** @type {number[]} */ bits) =>
      bits.map((y, x) => /** @type {[number, number]} */ ([x, y])).filter(([, y]) => !Number.isNaN(y));
    const show = (/** @type {number} */ bits) => (Number.isNaN(bits) ? "–" : bits.toFixed(2));
    const top = Math.ceil(Math.max(...[...points(own), ...points(sound)].map(([, y]) => y)));
    const label = this.say("growth", { high: this.high, middle: this.middle });
    const rows = starts.map((start, i) => {
      const last = (starts[i + 1] ?? END) - 1;
      return { cells: [start === last ? `${start}` : `${start}–${last}`, show(own[i]), show(sound[i])] };
    });
    const heads = ["position", "own", "sound"].map((key) => this.say(key));
    return html`<p>${label}</p>
      ${plot({
        label,
        x: [0, starts.length - 1],
        y: [0, top],
        xLabel: this.say("position"),
        yLabel: this.say("bits"),
        formatX: (x) => rows[x].cells[0],
        lines: [
          { name: heads[1], points: points(own), kind: "cut", hasDots: true },
          { name: heads[2], points: points(sound), dash: "dashed", hasDots: true },
        ],
      })}
      <details>
        <summary>${this.say("numbers")}</summary>
        ${barTable({ caption: label, heads, rows })}
      </details>
      <p class="hint">${this.say("mean", { texts: TEXTS })}</p>`;
  }

  summary() {
    const texts = this.#texts;
    if (!texts) return this.say("toRun");
    return `${this.say("heading", { number: 3, temperature: this.high })}. ${this.#parting(texts, 2)}`;
  }
}

define("same-seed", LastInchSameSeed);
