// Top-p, cut and scaled up: which tokens the nucleus keeps, and how a random number walks it.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { formatPercent, legible } from "./shared/format.js";
import { look, ranked, readySampler } from "./shared/sampling.js";

/**
 * Top-p on a row: the running sum, the cut, the survivors scaled up to 100 %, and a draw that walks them.
 * @tagname lastinch-nucleus
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchNucleus extends LastInchElement {
  static words = {
    title: "The nucleus: top-p",
    lead: "From the top, tokens are kept until together they reach p. The rest is cut, what is left is scaled up to 100% and drawn from.",
    original: "Probability",
    sum: "Running sum",
    scaled: "Scaled up",
    caption: "Tokens from the most likely down, with the running sum and what the nucleus makes of them",
    draw: "Draw",
    drawn:
      "The random number {u} falls into “{token}”: the first whose running sum, of the scaled numbers by token number, exceeds it.",
    summary: "{kept} of {count} tokens kept, mass {mass}. Most likely: {token}, now {share}.",
  };
  static chinese = () => import("./chinese/nucleus.js");
  static properties = {
    topP: knob("topP"),
    temperature: knob("temperature"),
    u: { type: Number, share: true, attribute: "u", knob: "uniform" },
  };
  static example = {
    tokens: ["store", "park", "beach", "gym", "office", "movies", "airport", "doctor", "bank", "moon"],
    logits: Float32Array.from([0.33, 0.22, 0.14, 0.11, 0.07, 0.055, 0.035, 0.025, 0.01, 0.005], Math.log),
  };

  constructor() {
    super();
    /** Share of the probability that the kept tokens reach together. */
    this.topP = 0.9;
    this.temperature = 1;
    /** The random number of the draw that is shown, in [0, 1). @type {number | undefined} */
    this.u = undefined;
  }

  #look() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const view = look(sampler, logits, { topP: this.topP, temperature: this.temperature });
    return { tokens, view, chosen: this.u === undefined ? -1 : sampler.pick(this.u, logits) };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, view, chosen } = looked;
    const { probabilities, shares } = view;
    const order = ranked(probabilities);
    let sum = 0;
    const rows = order.map((id, i) => {
      sum += probabilities[id];
      const isKept = view.removedBy[id] === null;
      const next = order[i + 1];
      return {
        kind: isKept ? "kept" : "cut",
        isMarked: id === chosen,
        hasLine: isKept && next !== undefined && view.removedBy[next] !== null,
        cells: [
          legible(tokens[id]),
          { bar: probabilities[id] },
          formatPercent(probabilities[id]),
          formatPercent(Math.min(1, sum + 1e-12)),
          { bar: shares[id] },
          isKept ? formatPercent(shares[id]) : `✕ ${this.say("cut")}`,
        ],
      };
    });
    const heads = ["token", "", "original", "sum", "", "scaled"].map((key) => key && this.say(key));
    return html`<div class="knobs">${this.slider("topP")}${this.slider("temperature")}</div>
      ${barTable({ caption: this.say("caption"), heads, rows })}
      <div class="actions">
        <button @click=${() => this.turn("u", Math.random(), true)}>${this.say("draw")}</button>
        ${chosen < 0 ? nothing : html`<p>${this.say("drawn", { u: this.u?.toFixed(3) ?? "", token: legible(tokens[chosen]) })}</p>`}
      </div>`;
  }

  summary() {
    const looked = this.#look();
    if (!looked) return "";
    const { tokens, view } = looked;
    const mass = view.kept.reduce((total, id) => total + view.probabilities[id], 0);
    const [top] = view.kept;
    return this.say("summary", {
      kept: view.kept.length,
      count: tokens.length,
      mass: mass.toFixed(3),
      token: legible(tokens[top]),
      share: formatPercent(view.shares[top]),
    });
  }
}

define("nucleus", LastInchNucleus);
