// Why the second word comes faster than the first: what a model computes again if it keeps no keys and values.
import { html, nothing, svg } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { drawStyles, picture, words } from "./shared/draw.js";
import { textField } from "./shared/field.js";
import { formatCount, formatSize, tokenLabel } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { cacheTypes, keptNumbers, leastTime, multiplications } from "./shared/pass-cost.js";
import { plot, plotStyles } from "./shared/plot.js";
import { isRecorded } from "./shared/recording.js";
import { tokenText } from "./shared/token-text.js";
import {
  labels as recordedLabels,
  prompt as recordedPrompt,
  settings as recorded,
  shape as recordedShape,
} from "./recorded/cache.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {import("./shared/pass-cost.js").Shape} Shape */
/** A pass that gave a token: milliseconds with the cache and without. @typedef {{ kept: number, again?: number }} Times */

/** Large models and their longest texts, by their config.json. @type {[name: string, shape: import("./shared/pass-cost.js").Kept, positions: number][]} */
const LARGE = [
  ["Llama 3.1 8B", { layers: 32, kvHeads: 8, headDim: 128, valueDim: 128 }, 131072],
  ["Llama 3.1 405B", { layers: 126, kvHeads: 8, headDim: 128, valueDim: 128 }, 131072],
];
const MOST = 24;
const [CELL, LEFT, TOP] = [13, 64, 20];

/**
 * A text written with its keys and values kept, and again without them: what each pass computes, the multiplications, the
 * milliseconds in this browser, and the memory that the cache takes.
 * @tagname lastinch-cache
 */
export class LastInchCache extends LastInchElement {
  static styles = [...LastInchElement.styles, drawStyles, plotStyles];
  static words = {
    title: "Why the second word comes faster",
    lead: "To write a token, a model looks back at every token before it. It may compute their keys and values anew each time, or keep them: that store is the KV cache.",
    prompt: "Prompt",
    count: "Tokens to write",
    run: "Write with the cache and without",
    with: "With the cache",
    without: "Without",
    picture:
      "{name}: a row is a pass, a column a token of the text. {computed} tokens are computed, {read} are read from the cache.",
    pass: "Pass",
    computedNow: "computed now",
    fromCache: "read from the cache",
    first: "prompt",
    passes: "The passes in numbers",
    operations: "Multiplications",
    ms: "ms",
    said: "With the cache the pass for the first token takes {first} million multiplications, because it reads the {prompt} tokens of the prompt; each later one takes about {later} million. All {count} tokens: {kept} million with the cache, {again} million without, {ratio} times as many.",
    timed:
      "Measured here: {first} ms for the prompt, then {next} ms a token with the cache. Without it the last token took {last} ms.",
    phases:
      "So there are two phases. Prefill reads the whole prompt in one pass, with much arithmetic for each weight that it loads. Decoding reads one token a pass and loads every weight for it.",
    curve: "Multiplications of each pass",
    millions: "Millions",
    text: "Tokens in the text",
    memory: "What the cache takes",
    positions: "Tokens in the text, for its memory",
    type: "Numbers",
    f32: "floats (f32)",
    f16: "halves (f16)",
    q8_0: "bytes (q8_0)",
    each: "Bytes a token",
    all: "{count} tokens",
    formula: "A token keeps {layers} layers × {kvHeads} heads × ({headDim} + {valueDim}) numbers = {numbers}.",
    large: "{name} in halves: {each} bytes a token, {size} for {count} tokens.",
    why: "Keeping costs memory. Kept as floats, the numbers are those that would be computed again, and so the text is the same. Halves and bytes round them.",
    same: "Both texts are the same, and so is every logit, to the last bit.",
    different: "The texts differ. Perhaps another widget of this page has used the model meanwhile.",
    uncounted: "Multiplications are counted only for models of the family llama.",
  };
  static chinese = () => import("./chinese/cache.js");
  static honesty = "live";
  static properties = {
    prompt: { share: true, attribute: "prompt" },
    count: knob("count"),
    positions: knob("positions"),
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** The tokens that were written, as labels. @type {string[]} */
  #labels = [];
  /** Number of tokens of the prompt. */
  #read = 0;
  /** @type {Times[]} */
  #times = [];
  /** @type {boolean | undefined} */
  #isSame;

  constructor() {
    super();
    /** How the text begins. */
    this.prompt = recorded.prompt;
    /** Tokens to write, at most 24. */
    this.count = recorded.count;
    /** Tokens of the text whose memory is shown. */
    this.positions = 512;
  }

  prepare() {
    this.isRecorded = isRecorded(this, recorded);
    if (!this.isRecorded) return;
    this.#labels = recordedLabels.split("|");
    this.#read = recordedPrompt;
  }

  /** @returns {Shape} */
  get #shape() {
    return this.#live.models?.[0].config ?? recordedShape;
  }

  get #count() {
    return Math.min(this.count, MOST);
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (name !== "positions") {
      this.#live.stop();
      this.isRecorded = false;
      this.#begin();
    }
    super.turn(name, value, isFinal);
  }

  #begin() {
    this.#labels = [];
    this.#times = [];
    this.#isSame = undefined;
  }

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    this.#begin();
    const prompt = await model.tokenize(this.prompt, { bos: model.config.addBos });
    const count = Math.min(this.#count, model.config.contextLength - prompt.length);
    this.#read = prompt.length;
    /** Of each way, the text and its rows. @type {{ ids: number[], rows: Float32Array[] }[]} */
    const [kept, again] = [true, false].map(() => ({ ids: [...prompt], rows: [] }));
    for (const way of [kept, again])
      for (let n = 0; n < count; n++) {
        await this.onscreen();
        const { ids, rows } = way;
        const keep = way === kept && n ? ids.length - 1 : 0;
        const ms = await leastTime(async () => (rows[n] = await model.forward(ids.slice(keep), { keep })));
        if (signal.aborted) return;
        const token = rows[n].indexOf(Math.max(...rows[n]));
        ids.push(token);
        if (way === kept) {
          this.#labels.push(tokenLabel(token, model, (key) => this.say(key)));
          this.#times.push({ kept: ms });
        } else this.#times[n].again = ms;
        this.requestUpdate();
      }
    const isEqual = (/** @type {ArrayLike<number>} */ one, /** @type {ArrayLike<number>} */ other) =>
      Array.from(one).every((value, i) => value === other[i]);
    this.#isSame = isEqual(kept.ids, again.ids) && kept.rows.every((row, i) => isEqual(row, again.rows[i]));
    this.announce(this.summary());
  };

  view() {
    const { length } = this.#labels;
    return html`${textField(this, "prompt")}
      <div class="knobs">${this.slider("count", { max: MOST })}</div>
      ${this.#live.button(this.say("run"), this.#run)} ${length ? this.#result(length) : nothing} ${this.#memory()}`;
  }

  /** @param {number} length passes so far */
  #result(length) {
    const pieces = [{ text: this.prompt }, ...this.#labels.map((label) => ({ text: label.replaceAll("␣", " ") }))];
    const name = (/** @type {string} */ key) => this.say(key);
    return html`${tokenText(pieces)}
      <div class="panels">
        ${[true, false].map(
          (isKept) =>
            html`<section aria-label=${name(isKept ? "with" : "without")}>
              <p class="name">${name(isKept ? "with" : "without")}</p>
              ${this.#grid(isKept, length)}
            </section>`,
        )}
      </div>
      <ul class="legend">
        <li><i class="swatch kept"></i> ${name("computedNow")}</li>
        <li><i class="swatch hollow"></i> ${name("fromCache")}</li>
      </ul>
      <p>${this.#said()}</p>
      ${this.#isSame === undefined ? nothing : html`<p>${name(this.#isSame ? "same" : "different")}</p>`}
      <p class="hint">${name("phases")}</p>
      ${this.#isCounted ? this.#numbers(length) : nothing}`;
  }

  /** The passes: which tokens each computes, and which it reads from the cache. @param {boolean} isKept @param {number} length */
  #grid(isKept, length) {
    const read = this.#read;
    const total = read + length - 1;
    /** @type {unknown[]} */
    const cells = [];
    let computed = 0;
    let fromCache = 0;
    for (let pass = 0; pass < length; pass++) {
      const end = read + pass;
      const first = isKept && pass ? end - 1 : 0;
      const y = TOP + pass * CELL;
      cells.push(words(LEFT - 6, y + CELL / 2, pass ? String(pass + 1) : this.say("first"), "soft", "end"));
      const rect = (/** @type {number} */ from, /** @type {number} */ to, /** @type {string} */ kind) =>
        Array.from(
          { length: to - from },
          (_, i) =>
            svg`<rect class="shape ${kind}" x=${LEFT + (from + i) * CELL + 1} y=${y + 1} width=${CELL - 2} height=${CELL - 2} />`,
        );
      cells.push(rect(0, first, "hollow"), rect(first, end, "kept"));
      computed += end - first;
      fromCache += first;
    }
    const label = this.say("picture", {
      name: this.say(isKept ? "with" : "without"),
      computed: formatCount(computed),
      read: formatCount(fromCache),
    });
    return picture({
      label,
      width: LEFT + total * CELL + 2,
      height: TOP + length * CELL + 2,
      content: [
        words(LEFT - 6, TOP / 2, this.say("pass"), "soft", "end"),
        words(LEFT, TOP / 2, this.say("text"), "soft"),
        cells,
      ],
    });
  }

  /** Multiplications of each pass, with the cache and without. @param {number} length */
  #operations(length) {
    return Array.from({ length }, (_, pass) => {
      const end = this.#read + pass;
      return {
        end,
        kept: multiplications(this.#shape, pass ? end - 1 : 0, end),
        again: multiplications(this.#shape, 0, end),
      };
    });
  }

  /** Whether the formula is that of the model. */
  get #isCounted() {
    return (this.#live.models?.[0].config.family ?? "llama") === "llama";
  }

  #said() {
    const { length } = this.#labels;
    if (!this.#isCounted) return this.say("uncounted");
    const operations = this.#operations(length);
    const sums = operations.reduce((sum, { kept, again }) => ({ kept: sum.kept + kept, again: sum.again + again }), {
      kept: 0,
      again: 0,
    });
    const millions = (/** @type {number} */ count) => formatCount(Math.round(count / 1e6));
    const said = this.say("said", {
      count: length,
      prompt: this.#read,
      first: (operations[0].kept / 1e6).toFixed(1),
      later: (operations[length - 1].kept / 1e6).toFixed(1),
      kept: millions(sums.kept),
      again: millions(sums.again),
      ratio: (sums.again / sums.kept).toFixed(1),
    });
    const [first, ...rest] = this.#times;
    if (!rest.length) return said;
    const next = rest.reduce((sum, { kept }) => sum + kept, 0) / rest.length;
    const { again } = rest[rest.length - 1];
    if (again === undefined) return said;
    const timed = { first: first.kept, next, last: again };
    const values = Object.fromEntries(Object.entries(timed).map(([key, ms]) => [key, ms.toFixed(1)]));
    return `${said} ${this.say("timed", values)}`;
  }

  /** @param {number} length */
  #numbers(length) {
    const operations = this.#operations(length);
    const most = Math.max(...operations.map(({ again }) => again)) / 1e6;
    const points = (/** @type {"kept" | "again"} */ key) =>
      operations.map((pass) => /** @type {[number, number]} */ ([pass.end, pass[key] / 1e6]));
    const [withCache, without] = [this.say("with"), this.say("without")];
    const isTimed = this.#times.length > 0;
    const heads = [
      this.say("pass"),
      `${this.say("operations")}: ${withCache}`,
      without,
      ...(isTimed ? [`${this.say("ms")}: ${withCache}`, without] : []),
    ];
    const rows = operations.map(({ kept, again }, pass) => {
      const times = this.#times[pass];
      return {
        cells: [
          pass ? String(pass + 1) : this.say("first"),
          formatCount(kept),
          formatCount(again),
          ...(isTimed ? [times.kept, times.again].map((ms) => ms?.toFixed(2) ?? "") : []),
        ],
      };
    });
    return html`${
        length > 1
          ? plot({
              label: this.say("curve"),
              x: [operations[0].end, operations[length - 1].end],
              y: [0, Math.ceil(most)],
              xLabel: this.say("text"),
              yLabel: `${this.say("operations")} (${this.say("millions")})`,
              formatY: formatCount,
              lines: [
                { name: without, points: points("again"), dash: "dashed", kind: "cut" },
                { name: withCache, points: points("kept") },
              ],
            })
          : nothing
      }
      <details>
        <summary>${this.say("passes")}</summary>
        ${barTable({ caption: this.say("passes"), heads, rows })}
      </details>`;
  }

  #memory() {
    const shape = this.#shape;
    const numbers = keptNumbers(shape);
    const { positions } = this;
    const types = /** @type {["f32", "f16", "q8_0"]} */ (Object.keys(cacheTypes));
    const rows = types.map((type) => {
      const bytes = numbers * cacheTypes[type];
      return {
        kind: "kept",
        cells: [this.say(type), { bar: cacheTypes[type] / 4 }, formatCount(bytes), formatSize(bytes * positions)],
      };
    });
    const large = LARGE.map(([name, one, count]) => {
      const each = 2 * keptNumbers(one);
      const size = `${((each * count) / 1e9).toFixed(1)} GB`;
      return html`<li>${this.say("large", { name, each: formatCount(each), size, count: formatCount(count) })}</li>`;
    });
    const { layers, kvHeads, headDim, valueDim } = shape;
    const values = { layers, kvHeads, headDim, valueDim, numbers: formatCount(numbers) };
    return html`<details>
      <summary>${this.say("memory")}</summary>
      <p>${this.say("formula", values)}</p>
      <div class="knobs">${this.slider("positions")}</div>
      ${barTable({
        caption: this.say("memory"),
        heads: [this.say("type"), "", this.say("each"), this.say("all", { count: formatCount(positions) })],
        rows,
      })}
      <ul>
        ${large}
      </ul>
      <p class="hint">${this.say("why")}</p>
    </details>`;
  }

  summary() {
    return this.#labels.length ? this.#said() : "";
  }
}

define("cache", LastInchCache);
