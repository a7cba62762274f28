// The same logits at three temperatures, side by side, and the effect of a small tail over a long text.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { formatCount, formatPercent, legible } from "./shared/format.js";
import { look, sumBut, uncut } from "./shared/look.js";
import { readySampler, topOf } from "./shared/sampling.js";
import { threePanels } from "./shared/three-panels.js";

const SHOWN = 12;
const panels = ["low", "middle", "high"];

/**
 * Three temperatures on the same row and the same axis, and the chance that the least likely token appears at least
 * once.
 * @tagname lastinch-temperature-panels
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchTemperaturePanels extends LastInchElement {
  static styles = [...LastInchElement.styles, threePanels];
  static formula = "pᵢ = exp(zᵢ / T) / Σⱼ exp(zⱼ / T)";
  static words = {
    title: "Three temperatures",
    lead: "The logits are divided by the temperature before softmax. Their order stays; how far apart they are does not.",
    panel: "T = {temperature}",
    low: "First temperature",
    middle: "Second temperature",
    high: "Third temperature",
    rolls: "Tokens in the text",
    derail: "The odds of “{token}” at least once in {rolls} tokens, if every step looked like this one:",
    odds: "T = {temperature}: {share} a step, {total} in all",
    summary: "Most likely at the three temperatures: {tops}.",
  };
  static chinese = () => import("./chinese/temperature-panels.js");
  static properties = {
    low: knob("temperature", "low"),
    middle: knob("temperature", "middle"),
    high: knob("temperature", "high"),
    rolls: knob("rolls"),
  };

  constructor() {
    super();
    /** The first panel's temperature. */
    this.low = 0.5;
    /** The second panel's temperature. */
    this.middle = 1;
    /** The third panel's temperature. */
    this.high = 2;
    /** Length of the text in tokens. */
    this.rolls = 200;
  }

  #look() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const temperatures = [this.low, this.middle, this.high];
    const shares = temperatures.map((temperature) =>
      temperature
        ? uncut(sampler, logits, { temperature }).probabilities
        : look(sampler, logits, { temperature }).shares,
    );
    const last = logits.reduce((least, logit, id) => (logit <= logits[least] ? id : least), 0);
    return { tokens, temperatures, shares, last, order: topOf(logits, SHOWN) };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, temperatures, shares, last, order } = looked;
    const others = tokens.length - order.length;
    const heads = [this.say("token"), "", this.say("probability")];
    return html`<div class="knobs">${panels.map((name) => this.slider(name))}</div>
      <div class="panels three">
        ${temperatures.map((temperature, i) => {
          const rows = order.map((id) => ({
            cells: [legible(tokens[id]), { bar: shares[i][id] }, formatPercent(shares[i][id])],
          }));
          if (others) {
            const share = sumBut(shares[i], order);
            rows.push({
              cells: [this.say("everythingElse", { count: formatCount(others) }), { bar: share }, formatPercent(share)],
            });
          }
          const title = this.say("panel", { temperature });
          return html`<div>
            <p><b>${title}</b></p>
            ${barTable({ caption: title, heads, rows })}
          </div>`;
        })}
      </div>
      <div class="knobs">${this.slider("rolls")}</div>
      <div>
        <p>${this.say("derail", { token: legible(tokens[last]), rolls: this.rolls })}</p>
        <ul>
          ${temperatures.map((temperature, i) => {
            const share = shares[i][last];
            const total = formatPercent(1 - (1 - share) ** this.rolls);
            return html`<li>${this.say("odds", { temperature, share: formatPercent(share), total })}</li>`;
          })}
        </ul>
      </div>`;
  }

  summary() {
    const looked = this.#look();
    if (!looked) return "";
    const { tokens, shares, order } = looked;
    const tops = shares.map((share) => `${legible(tokens[order[0]])} ${formatPercent(share[order[0]])}`);
    return this.say("summary", { tops: this.list(tops) });
  }
}

define("temperature-panels", LastInchTemperaturePanels);
