// Top-k, top-p and min-p as three rulers on the same bars: where each cuts, and where they disagree.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { formatCount, formatPercent, legible } from "./shared/format.js";
import { restOf, sumBut, survivors, uncut } from "./shared/look.js";
import { readySampler, topOf } from "./shared/sampling.js";

const SHOWN = 20;
const rulers = /** @type {const} */ (["topK", "topP", "minP"]);

/**
 * Three rules for the cut on one chart: top-k counts bars, top-p adds them up, min-p sets a height.
 * @tagname lastinch-rulers
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchRulers extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    css`
      @media (max-width: 36rem) {
        td i {
          font-size: 0;
        }
      }
      i {
        font-style: normal;
      }
    `,
  ];
  static formula = "top-k: rank ≤ k;  top-p: Σ p of those before < top-p;  min-p: pᵢ ≥ min-p · max p";
  static words = {
    title: "Three rulers on the same bars",
    lead: "Top-k counts bars. Top-p adds them up. Min-p sets a height that depends on the tallest. Move each and see which tokens it keeps.",
    caption: "Tokens from the most likely down, and which rule keeps each",
    sum: "Running sum",
    bar: "Min-p's height here: {floor} ({minP} of {top}).",
    agree: "All three keep the same {count}: {tokens}.",
    differ: "They agree on {both}. Kept by some only: {some}.",
    none: "none",
    summary: "Top-k keeps {topK}, top-p {topP}, min-p {minP}.",
  };
  static chinese = () => import("./chinese/rulers.js");
  static properties = {
    topK: knob("topK"),
    topP: knob("topP"),
    minP: knob("minP"),
    temperature: knob("temperature"),
  };

  constructor() {
    super();
    /** How many tokens top-k keeps; 0 switches it off. */
    this.topK = 3;
    /** Probability that the kept tokens reach together; 1 switches it off. */
    this.topP = 0.9;
    /** Fraction of the most likely token's probability; 0 switches it off. */
    this.minP = 0.1;
    /** Divides the logits before any of the three. */
    this.temperature = 1;
  }

  #look() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const { temperature } = this;
    const { probabilities } = uncut(sampler, logits, { temperature });
    const views = rulers.map((rule) => survivors(sampler, logits, { temperature, [rule]: this[rule] }, { top: SHOWN }));
    return { tokens, views, probabilities, order: topOf(logits, SHOWN) };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, views, probabilities, order } = looked;
    const keeps = (/** @type {number} */ rule, /** @type {number} */ id) => views[rule].shares.has(id);
    let sum = 0;
    const floor = this.minP * probabilities[order[0]];
    const rows = order.map((id, i) => {
      sum += probabilities[id];
      // A phone shows the sign; a screen reader reads the word.
      const marks = rulers.map((_, rule) =>
        keeps(rule, id) ? html`✓<i> ${this.say("kept")}</i>` : html`✕<i> ${this.say("cut")}</i>`,
      );
      const isKept = rulers.some((_, rule) => keeps(rule, id));
      // Top-k and top-p cut below a bar, min-p cuts across all bars.
      const ends = [0, 1].filter((rule) => keeps(rule, id) && views[rule].count === i + 1 && i + 1 < tokens.length);
      return {
        kind: isKept ? "kept" : "cut",
        hasLine: ends.length > 0 && ends.map((rule) => this.say(rulers[rule])).join(" · "),
        cells: [
          legible(tokens[id]),
          { bar: probabilities[id], line: floor },
          formatPercent(probabilities[id]),
          formatPercent(Math.min(1, sum + 1e-12)),
          ...marks,
        ],
      };
    });
    const rest = tokens.length - order.length;
    const beyond = views.map((kept) => restOf(kept, order).count);
    if (rest) {
      const share = sumBut(probabilities, order);
      rows.push({
        kind: "plain",
        hasLine: false,
        cells: [
          this.say("everythingElse", { count: formatCount(rest) }),
          { bar: share, line: floor },
          formatPercent(share),
          formatPercent(1),
          ...beyond.map(formatCount),
        ],
      });
    }
    const heads = ["token", "", "probability", "sum", ...rulers].map((key) => key && this.say(key));
    const top = probabilities[order[0]];
    const list = (/** @type {number[]} */ ids, /** @type {number} */ others) =>
      this.list(ids.map((id) => legible(tokens[id]))) + (others ? ` … (+${formatCount(others)})` : "") ||
      this.say("none");
    const both = order.filter((id) => rulers.every((_, rule) => keeps(rule, id)));
    const some = order.filter((id) => !both.includes(id) && rulers.some((_, rule) => keeps(rule, id)));
    // Each rule keeps the likeliest tokens, so all rules keep the tokens of the strictest rule.
    const [least, most] = [Math.min(...beyond), Math.max(...beyond)];
    return html`<div class="knobs">
        ${this.slider("topK", { max: Math.min(tokens.length, 1000) })}${this.slider("topP")}${this.slider("minP")}${this.slider("temperature")}
      </div>
      ${barTable({ caption: this.say("caption"), heads, rows })}
      <p>
        ${this.say("bar", { floor: formatPercent(floor), minP: this.minP, top: formatPercent(top) })}
        ${
          some.length || most > least
            ? this.say("differ", { both: list(both, least), some: list(some, most - least) })
            : this.say("agree", { count: formatCount(both.length + least), tokens: list(both, least) })
        }
      </p>`;
  }

  summary() {
    const views = this.#look()?.views;
    if (!views) return "";
    const [topK, topP, minP] = views.map(({ count }) => count);
    return this.say("summary", { topK, topP, minP });
  }
}

define("rulers", LastInchRulers);
