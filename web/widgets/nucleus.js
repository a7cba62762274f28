// Top-p, cut and scaled up: which tokens the nucleus keeps, and how a random number walks it.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { formatCount, formatPercent, legible } from "./shared/format.js";
import { restOf, sumBut, survivors, uncut } from "./shared/look.js";
import { readySampler, topOf } from "./shared/sampling.js";

const SHOWN = 20;

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
    const { temperature, topP, u } = this;
    const { probabilities } = uncut(sampler, logits, { temperature });
    const kept = survivors(sampler, logits, { temperature, topP }, { top: SHOWN });
    const chosen = u === undefined ? -1 : sampler.pick(u, logits);
    return { tokens, probabilities, kept, order: topOf(logits, SHOWN), chosen };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, probabilities, kept, order, chosen } = looked;
    const { shares } = kept;
    let sum = 0;
    const rows = order.map((id, i) => {
      sum += probabilities[id];
      const share = shares.get(id) ?? 0;
      const isKept = shares.has(id);
      const next = order[i + 1];
      return {
        kind: isKept ? "kept" : "cut",
        isMarked: id === chosen,
        hasLine: isKept && next !== undefined && !shares.has(next),
        cells: [
          legible(tokens[id]),
          { bar: probabilities[id] },
          formatPercent(probabilities[id]),
          formatPercent(Math.min(1, sum + 1e-12)),
          { bar: share },
          isKept ? formatPercent(share) : `✕ ${this.say("cut")}`,
        ],
      };
    });
    const count = tokens.length - order.length;
    if (count) {
      const [all, rest] = [sumBut(probabilities, order), restOf(kept, order)];
      rows.push({
        kind: rest.count ? "kept" : "cut",
        isMarked: chosen >= 0 && !order.includes(chosen),
        hasLine: false,
        cells: [
          this.say("everythingElse", { count: formatCount(count) }),
          { bar: all },
          formatPercent(all),
          formatPercent(1),
          { bar: rest.share },
          rest.count ? formatPercent(rest.share) : `✕ ${this.say("cut")}`,
        ],
      });
    }
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
    const { tokens, probabilities, kept } = looked;
    const [[top, share]] = kept.shares;
    return this.say("summary", {
      kept: kept.count,
      count: tokens.length,
      mass: (probabilities[top] / share).toFixed(3),
      token: legible(tokens[top]),
      share: formatPercent(share),
    });
  }
}

define("nucleus", LastInchNucleus);
