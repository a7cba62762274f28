// Min-p against top-p as the temperature rises, on a distribution with a real tail.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { readTable } from "./shared/data.js";
import { textField } from "./shared/field.js";
import { formatCount, formatPercent } from "./shared/format.js";
import { knobs } from "./shared/knobs.js";
import { Live } from "./shared/live.js";
import { plot, plotStyles } from "./shared/plot.js";
import { isSame, survivors } from "./shared/look.js";
import { isRecorded, numbersIn } from "./shared/recording.js";
import { falls, first, settings as recorded } from "./recorded/min-p-heat.js";
import { readySampler, samplerFor } from "./shared/sampling.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {{ size: number, counts: number[][], p: number, m: number, share: number }} Looked */

const heats = /** @type {number[]} */ (knobs.temperature.stops);
/** Their indices, a few spread-out ones first, so that the curve follows its slider even for a large vocabulary. */
const FIRST = 5;
const inTurn = [...heats.keys()].sort((a, b) => Math.sign(a % 9) - Math.sign(b % 9));
/** How many logits to handle at a time. */
const WORK = 2 ** 18;
/** The curves are completed when the slider has rested for this many milliseconds. */
const PAUSE = 60;
const rules = /** @type {const} */ (["topP", "minP"]);

/**
 * How many tokens top-p and min-p keep at each temperature: a row of the model, or of the author.
 * @tagname lastinch-min-p-heat
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities, instead of the model's row
 */
export class LastInchMinPHeat extends LastInchElement {
  static styles = [...LastInchElement.styles, plotStyles];
  static words = {
    title: "Min-p and top-p in the heat",
    lead: "A real row has thousands of unlikely tokens. Heat lifts them all: top-p lets in hundreds, since together they fill its share; min-p measures each against the best one. Raise the temperature.",
    prompt: "What the model reads first",
    read: "Take the model's next row",
    label: "Number of tokens kept at temperatures from 0 to 5: top-p {topP} and min-p {minP}",
    kept: "Tokens kept (logarithmic axis)",
    here: "T = {t}",
    caption: "Tokens kept at each temperature",
    numbers: "The numbers of the curve",
    summary:
      "At temperature {t}, top-p keeps {p} and min-p {m} of {count} tokens. Under top-p, {share} of all draws are tokens that min-p cuts.",
  };
  static chinese = () => import("./chinese/min-p-heat.js");
  static honesty = "live";
  static properties = {
    temperature: knob("temperature"),
    topP: knob("topP"),
    minP: knob("minP"),
    prompt: { share: true, attribute: "prompt" },
    logits: { state: true },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /**
   * How many tokens a rule keeps at each heat, as far as known.
   * @type {Record<string, { value: number, row: Float32Array, counts: number[] }>}
   */
  #curves = {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #rest;

  constructor() {
    super();
    this.temperature = 1.5;
    this.topP = 0.9;
    this.minP = 0.1;
    /** The prompt: a text after which many tokens can follow. */
    this.prompt = recorded.prompt;
    /** The model's row. @type {Float32Array | undefined} */
    this.logits = undefined;
  }

  async prepare() {
    this.isRecorded = isRecorded(this, recorded) && !this.data && !readTable(this);
    if (!this.isRecorded) return;
    // Largest first, in hundredths; each is this much below the one before.
    let logit = first;
    this.logits = Float32Array.from([0, ...numbersIn(falls)], (fall) => (logit -= fall) / 100);
    await samplerFor(this.logits.length);
  }

  #read = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    const ids = await model.tokenize(this.prompt, { bos: model.config.addBos });
    const logits = await model.forward(ids);
    signal.throwIfAborted();
    await samplerFor(logits.length);
    this.logits = logits;
    this.announce(this.summary());
  };

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (name === "prompt" || name === "model") {
      this.#live.stop();
      this.isRecorded = false;
      this.logits = undefined;
    }
    super.turn(name, value, isFinal);
  }

  #look() {
    const logits = (this.data ?? readTable(this))?.logits ?? this.logits;
    const sampler = logits && readySampler(this, logits.length);
    if (!sampler) return null;
    const curves = rules.map((rule) => {
      const keptAt = (/** @type {number} */ temperature) =>
        survivors(sampler, logits, { temperature, [rule]: this[rule] }, { top: 1 });
      const { count, shares } = keptAt(this.temperature);
      const [top] = shares.values();
      return { count, top, counts: this.#counts(rule, logits, (heat) => keptAt(heat).count) };
    });
    clearTimeout(this.#rest);
    if (curves.some(({ counts }) => Object.keys(counts).length < heats.length))
      this.#rest = setTimeout(() => this.requestUpdate(), PAUSE);
    const [p, m] = curves;
    // Each rule scales up the tokens it keeps, so the likeliest token's share tells how much probability was kept.
    const share = p.count > m.count ? Math.max(1 - p.top / m.top, Number.MIN_VALUE) : 0;
    return { size: logits.length, counts: curves.map(({ counts }) => counts), p: p.count, m: m.count, share };
  }

  /** @param {"topP" | "minP"} rule @param {Float32Array} row @param {(heat: number) => number} count */
  #counts(rule, row, count) {
    let curve = this.#curves[rule];
    if (curve?.value !== this[rule] || !isSame(curve.row, row))
      curve = this.#curves[rule] = { value: this[rule], row: row.slice(), counts: [] };
    const { counts } = curve;
    const missing = inTurn.filter((i) => counts[i] === undefined);
    for (const i of missing.splice(0, Math.max(FIRST, WORK / row.length))) counts[i] = count(heats[i]);
    return counts;
  }

  view() {
    const looked = this.#look();
    const isOwn = this.data ?? readTable(this);
    return html`<div class="knobs">${this.slider("temperature")}${this.slider("topP")}${this.slider("minP")}</div>
      ${isOwn ? nothing : html`${textField(this, "prompt")}${this.#live.button(this.say("read"), this.#read)}`}
      ${looked ? this.#picture(looked) : nothing}`;
  }

  /** @param {Looked} looked */
  #picture(looked) {
    const { size, counts } = looked;
    const top = Math.log10(size);
    const { temperature, topP, minP } = this;
    const names = [this.say("topP"), this.say("minP")];
    const known = [...heats.keys()].filter((i) => counts.every((curve) => curve[i] !== undefined));
    const line = (/** @type {number} */ which) =>
      known.map((i) => /** @type {[number, number]} */ ([heats[i], Math.log10(counts[which][i])]));
    return html`${plot({
        label: this.say("label", { topP, minP }),
        x: [0, heats[heats.length - 1]],
        y: [0, top],
        xLabel: this.say("temperature"),
        yLabel: this.say("kept"),
        formatY: (value) => formatCount(Math.round(10 ** value)),
        lines: [
          { name: names[0], points: line(0), dash: "dashed", kind: "cut" },
          { name: names[1], points: line(1) },
          {
            name: this.say("here", { t: temperature }),
            points: [
              [temperature, 0],
              [temperature, top],
            ],
            dash: "dotted",
          },
        ],
      })}
      <p>${this.#tell(looked)}</p>
      <details>
        <summary>${this.say("numbers")}</summary>
        ${barTable({
          caption: this.say("caption"),
          heads: [this.say("temperature"), ...names],
          rows: known.map((i) => ({
            isMarked: heats[i] === temperature,
            cells: [String(heats[i]), ...counts.map((curve) => formatCount(curve[i]))],
          })),
        })}
      </details>`;
  }

  summary() {
    const looked = this.#look();
    return looked ? this.#tell(looked) : "";
  }

  /** @param {Looked} looked */
  #tell({ size, p, m, share }) {
    return this.say("summary", {
      t: this.temperature,
      p: formatCount(p),
      m: formatCount(m),
      count: formatCount(size),
      share: formatPercent(share),
    });
  }
}

define("min-p-heat", LastInchMinPHeat);
