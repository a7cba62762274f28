// Top-p, cut and scaled up: which tokens the nucleus keeps, and how a random number picks one.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable, headOf } from "./shared/bars.js";
import { drawStyles, strip } from "./shared/draw.js";
import { formatCount, formatPercent, legible } from "./shared/format.js";
import { restOf, sumBut, survivors, uncut } from "./shared/look.js";
import { readySampler, topOf } from "./shared/sampling.js";

const SHOWN = 20;

/**
 * @typedef {object} Looked
 * @property {string[]} tokens
 * @property {ArrayLike<number>} probabilities
 * @property {import("./shared/look.js").Survivors} kept
 * @property {number[]} order
 * @property {number} chosen -1: nothing is drawn
 * @property {Map<number, number>} sums of the scaled shares, by token number; empty if too many are left to show
 */

/**
 * Top-p on a row: the running sum, the cut, the survivors scaled up to 100 %, and a draw that walks them.
 * @tagname lastinch-nucleus
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchNucleus extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    drawStyles,
    css`
      /* On a phone only the strip shows these sums. */
      @container (max-width: 33rem) {
        .sums :is(th, td):last-child {
          display: none;
        }
      }
      @container (max-width: 20rem) {
        .scroll :is(th, td) {
          padding-inline-end: 0.2rem;
        }
      }
    `,
  ];
  static formula = "S = the smallest set with Σ p ≥ top-p;  p′ᵢ = pᵢ / Σₛ p for i in S";
  static words = {
    title: "The nucleus: top-p",
    lead: "From the top, tokens are kept until together they reach p. The rest is cut. The survivors are rescaled to 100%, and one is drawn.",
    original: "Probability",
    sum: "Running sum",
    scaled: "Scaled up",
    caption: "Tokens from the most likely down, with the running sum and what the nucleus makes of them",
    draw: "Draw",
    scaledSum: "Their sum",
    strip: "What is left, scaled up and laid side by side: {parts}",
    between: "The random number {u} falls between {from} and {to}: on “{token}”.",
    drawn: "The random number {u} falls on “{token}”, the first token at which the sum exceeds it.",
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

  #draws = 0;

  /** @returns {Looked | null} */
  #look() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const { temperature, topP, u } = this;
    const { probabilities } = uncut(sampler, logits, { temperature });
    const kept = survivors(sampler, logits, { temperature, topP }, { top: SHOWN });
    const chosen = u === undefined ? -1 : sampler.pick(u, logits);
    // A draw walks the survivors by their token numbers.
    const sums = new Map();
    let sum = 0;
    if (kept.count <= SHOWN)
      for (const id of [...kept.shares.keys()].sort((a, b) => a - b)) sums.set(id, (sum += kept.shares.get(id) ?? 0));
    // The last sum is 1 but for rounding.
    const last = [...sums.keys()].at(-1);
    if (last !== undefined) sums.set(last, 1);
    return { tokens, probabilities, kept, order: topOf(logits, SHOWN), chosen, sums };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, probabilities, kept, order, chosen, sums } = looked;
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
          { bars: [{ bar: probabilities[id], kind: "hollow" }, { bar: share }] },
          formatPercent(probabilities[id]),
          formatPercent(Math.min(1, sum + 1e-12)),
          isKept ? formatPercent(share) : `✕ ${this.say("cut")}`,
          ...(sums.size ? [isKept ? formatPercent(sums.get(id) ?? 0) : ""] : []),
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
          { bars: [{ bar: all, kind: "hollow" }, { bar: rest.share }] },
          formatPercent(all),
          formatPercent(1),
          rest.count ? formatPercent(rest.share) : `✕ ${this.say("cut")}`,
          ...(sums.size ? [""] : []),
        ],
      });
    }
    const heads = [
      this.say("token"),
      "",
      headOf(this.say("original"), "hollow"),
      this.say("sum"),
      headOf(this.say("scaled"), "kept"),
      ...(sums.size ? [this.say("scaledSum")] : []),
    ];
    return html`<div class="knobs">${this.slider("topP")}${this.slider("temperature")}</div>
      <div class=${sums.size ? "sums" : nothing}>${barTable({ caption: this.say("caption"), heads, rows })}</div>
      ${sums.size ? this.#strip(looked) : nothing}
      <div class="actions">
        <button @click=${this.#draw}>${this.say("draw")}</button>
        ${chosen < 0 ? nothing : html`<p>${this.#tell(looked)}</p>`}
      </div>`;
  }

  #draw = () => {
    this.#draws++;
    this.turn("u", Math.random(), true);
  };

  /** @param {Looked} looked */
  #strip({ tokens, kept, chosen, sums }) {
    const parts = [...sums.keys()].map((id) => ({
      text: legible(tokens[id]),
      share: kept.shares.get(id) ?? 0,
      isMarked: id === chosen,
    }));
    const said = parts.map(({ text, share }) => `${text} ${formatPercent(share)}`);
    const { u } = this;
    return strip({
      label: this.say("strip", { parts: this.list(said) }),
      parts,
      mark: u === undefined ? undefined : { at: u, text: u.toFixed(3), count: this.#draws },
    });
  }

  /** Where the random number has fallen. @param {Looked} looked */
  #tell({ tokens, kept, chosen, sums }) {
    const values = { u: this.u?.toFixed(3) ?? "", token: legible(tokens[chosen]) };
    const to = sums.get(chosen);
    if (to === undefined) return this.say("drawn", values);
    return this.say("between", {
      ...values,
      from: (to - (kept.shares.get(chosen) ?? 0)).toFixed(3),
      to: to.toFixed(3),
    });
  }

  summary() {
    const looked = this.#look();
    if (!looked) return "";
    if (looked.chosen >= 0) return this.#tell(looked);
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
