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
import { configure, readySampler, samplerFor } from "./shared/sampling.js";

/** @typedef {import("../index.js").Model} Model */

const heats = /** @type {number[]} */ (knobs.temperature.stops);

/**
 * How many tokens top-p and min-p keep at each temperature: a row of the model, or of the author.
 * @tagname lastinch-min-p-heat
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities, instead of the model's row
 */
export class LastInchMinPHeat extends LastInchElement {
  static styles = [...LastInchElement.styles, plotStyles];
  static words = {
    title: "Min-p and top-p in the heat",
    lead: "A real row has thousands of unlikely tokens. Heat lifts them all: top-p lets in hundreds, since together they fill its share; min-p asks each to stand up to the best one. Raise the temperature.",
    prompt: "What the model reads first",
    read: "Take the model's next row",
    label: "Number of tokens kept at temperatures from 0 to 5: top-p {topP} and min-p {minP}",
    kept: "Tokens kept",
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

  #live = new Live(this, "storyteller");
  /** @type {{ key: string, counts: [number, number][] } | undefined} */
  #curves;

  constructor() {
    super();
    this.temperature = 1.5;
    this.topP = 0.9;
    this.minP = 0.1;
    /** What the model reads first: a text after which much can follow. */
    this.prompt = "Once upon a time, there was a";
    /** The model's row. @type {Float32Array | undefined} */
    this.logits = undefined;
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
    if (name === "prompt") {
      this.#live.stop();
      this.logits = undefined;
    }
    super.turn(name, value, isFinal);
  }

  #look() {
    const logits = (this.data ?? readTable(this))?.logits ?? this.logits;
    const sampler = logits && readySampler(this, logits.length);
    if (!sampler) return null;
    const { topP, minP } = this;
    const keptBy = (/** @type {import("./shared/sampling.js").Settings} */ settings) => {
      configure(sampler, settings);
      return sampler.distribution(logits);
    };
    const key = JSON.stringify([topP, minP, [...logits.slice(0, 8)], logits.length, this.prompt]);
    if (this.#curves?.key !== key) {
      const counts = heats.map((temperature) => {
        const [p, m] = [keptBy({ temperature, topP }), keptBy({ temperature, minP })];
        return /** @type {[number, number]} */ ([p.tokens.length, m.tokens.length]);
      });
      this.#curves = { key, counts };
    }
    const { temperature } = this;
    const [p, m] = [keptBy({ temperature, topP }), keptBy({ temperature, minP })];
    const strict = new Set(m.tokens);
    const share = p.probabilities.reduce((sum, value, i) => (strict.has(p.tokens[i]) ? sum : sum + value), 0);
    return { size: logits.length, counts: this.#curves.counts, p: p.tokens.length, m: m.tokens.length, share };
  }

  view() {
    const looked = this.#look();
    const isOwn = this.data ?? readTable(this);
    return html`<div class="knobs">${this.slider("temperature")}${this.slider("topP")}${this.slider("minP")}</div>
      ${isOwn ? nothing : html`${textField(this, "prompt")}${this.#live.button(this.say("read"), this.#read)}`}
      ${looked ? this.#picture(looked) : nothing}`;
  }

  /** @param {{ size: number, counts: [number, number][] }} looked */
  #picture({ size, counts }) {
    const top = Math.log10(size);
    const { temperature, topP, minP } = this;
    const names = [this.say("topP"), this.say("minP")];
    const line = (/** @type {number} */ which) =>
      heats.map((heat, i) => /** @type {[number, number]} */ ([heat, Math.log10(counts[i][which])]));
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
      ${this.statusText ? nothing : html`<p>${this.summary()}</p>`}
      <details>
        <summary>${this.say("numbers")}</summary>
        ${barTable({
          caption: this.say("caption"),
          heads: [this.say("temperature"), ...names],
          rows: heats.map((heat, i) => ({
            isMarked: heat === temperature,
            cells: [String(heat), ...counts[i].map(formatCount)],
          })),
        })}
      </details>`;
  }

  summary() {
    const looked = this.#look();
    if (!looked) return "";
    const { size, p, m, share } = looked;
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
