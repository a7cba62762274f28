// Softmax, one phase at a time: the logits, divided by the temperature, exponentiated, divided by their sum.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { checkStyles } from "./shared/check-styles.js";
import { barTable } from "./shared/bars.js";
import { formatPercent, legible } from "./shared/format.js";
import { Player } from "./shared/player.js";
import { look } from "./shared/look.js";
import { readySampler } from "./shared/sampling.js";

const PHASES = 4;
const temperatures = [0.2, 0.7, 1, 2];
/** @type {Record<string, import("./shared/data.js").Row>} */
const examples = {
  weather: {
    tokens: ["sunny", "cloudy", "warm", "cold", "nice", "rainy", "mild", "grey"],
    logits: Float32Array.of(3.1, 2.4, 1.9, 1.2, 0.9, 0.4, -0.2, -0.8),
  },
  close: { tokens: ["a", "b", "c"], logits: Float32Array.of(5, 4.9, 1) },
  clear: { tokens: ["a", "b", "c"], logits: Float32Array.of(8, 4.9, 1) },
};

/**
 * The four phases of softmax with a temperature, step by step, with or without subtracting the largest logit first.
 * @tagname lastinch-softmax-steps
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchSoftmaxSteps extends LastInchElement {
  static styles = [...LastInchElement.styles, checkStyles];
  static words = {
    title: "Softmax, phase by phase",
    lead: "Press Step. Scores become positive numbers, and these become shares. The favourite stays the favourite throughout.",
    phase0: "z: the scores, as the model gave them. Some may be below zero.",
    phase1: "z ÷ T: divided by the temperature {temperature}.",
    phase1max: "z ÷ T − the largest: softmax does not notice, and now nothing is above 0.",
    phase2: "e to the power of that: everything is positive.",
    phase3: "Divided by their sum: shares that add up to 100%.",
    overflow:
      "In 32 bits the largest of these is infinite already, and its share would be no number. So the largest is subtracted first.",
    value0: "z",
    value1: "z ÷ T",
    value1max: "z ÷ T − max",
    value2: "e to that",
    value3: "Share",
    example: "Example",
    weather: "Today will be …",
    close: "5, 4.9, 1",
    clear: "8, 4.9, 1",
    argmax:
      "Two close leaders share; a clear one takes nearly all: softmax is a smooth way of pointing at the largest.",
    stable: "Subtract the largest logit",
    caption: "Tokens with their number in this phase",
    zero: "Nothing can be divided by a temperature of 0: a sampler then takes the largest score.",
    summary: "Phase {phase} of 4. {text}",
  };
  static chinese = () => import("./chinese/softmax-steps.js");
  static properties = {
    temperature: knob("temperature"),
    example: { share: true, attribute: "example", oneOf: Object.keys(examples) },
    isStable: { type: Boolean, share: true, attribute: "stable" },
    phase: knob("phase"),
    pace: knob("pace"),
  };

  /** @type {Player} */
  #player = new Player(this, () => PHASES - 1);

  constructor() {
    super();
    this.temperature = 0.7;
    /** `weather`, `close` (5, 4.9, 1) or `clear` (8, 4.9, 1). */
    this.example = "weather";
    /** Whether the largest quotient is subtracted from all quotients. */
    this.isStable = false;
    /** The phase that is shown at first: 0 to 3. */
    this.phase = 0;
    /**
     * Pace of Play in tokens a second: a phase takes as long as 20 tokens; 0 goes to the last phase.
     * @type {number | undefined}
     */
    this.pace = undefined;
  }

  firstUpdated() {
    this.#player.position = this.phase;
  }

  get row() {
    return this.data || this.querySelector("table") ? super.row : examples[this.example];
  }

  view() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return nothing;
    const { temperature, isStable } = this;
    if (!temperature) throw new RangeError(this.say("zero"));
    const phase = this.#player.position;
    const { shares } = look(sampler, logits, { temperature });
    const divided = Array.from(logits, (z) => z / temperature);
    const top = Math.max(...divided);
    const powers = divided.map((z) => (isStable ? z - top : z));
    // As most engines do.
    const exponentials = powers.map((power) => Math.fround(Math.exp(power)));
    const columns = [Array.from(logits), powers, exponentials, Array.from(shares)].slice(0, phase + 1);
    const values = columns[phase];
    const largest = Math.max(...values);
    const show = (/** @type {number} */ value, /** @type {number} */ column) =>
      column === 3 ? formatPercent(value) : number(value);
    const rows = tokens.slice(0, 20).map((token, id) => ({
      cells: [
        legible(token),
        ...columns.map((column, i) => show(column[id], i)),
        { bar: phase < 2 ? 0 : phase === 3 ? values[id] : values[id] / largest },
      ],
    }));
    const name = (/** @type {number} */ i) => this.say(`value${i}${i === 1 && isStable ? "max" : ""}`);
    const heads = [this.say("token"), ...columns.map((_, i) => name(i)), ""];
    /** @type {[string, string][]} */
    const choices = Object.keys(examples).map((name) => [name, this.say(name)]);
    const isOwn = this.data || this.querySelector("table");
    return html`<div class="knobs">
        ${isOwn ? nothing : this.choice("example", this.say("example"), choices)}
        ${this.choice(
          "temperature",
          this.say("temperature"),
          temperatures.map((value) => [value, String(value)]),
        )}
        <label class="check"
          ><input
            type="checkbox"
            .checked=${isStable}
            @change=${() => this.turn("isStable", !isStable, true)}
          />${this.say("stable")}</label
        >
      </div>
      ${this.#player.controls()}
      <p>${this.summary()}</p>
      ${barTable({ caption: this.say("caption"), heads, rows })}
      ${exponentials.includes(Infinity) ? html`<p>${this.say("overflow")}</p>` : nothing}
      ${phase === 3 && this.example !== "weather" && !isOwn ? html`<p>${this.say("argmax")}</p>` : nothing}`;
  }

  #describe() {
    const phase = this.#player.position;
    const text = this.say(`phase${phase}`, { temperature: this.temperature });
    return phase === 1 && this.isStable ? `${text} ${this.say("phase1max")}` : text;
  }

  summary() {
    return this.say("summary", { phase: this.#player.position + 1, text: this.#describe() });
  }
}

/** @param {number} value four digits, and no more */
const number = (value) =>
  !Number.isFinite(value) || Math.abs(value) < 1e5 ? String(Number(value.toPrecision(4))) : value.toExponential(2);

define("softmax-steps", LastInchSoftmaxSteps);
