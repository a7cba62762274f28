// One step, worked out: logits in, a distribution out. Editing a logit changes the example of every widget of the page.
import { css, html, nothing } from "lit";
import { LastInchElement, define } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { changeExample } from "./shared/data.js";
import { formatChoices, formatPercent, legible } from "./shared/format.js";
import { uncut } from "./shared/look.js";
import { entropyOf, readySampler, topOf } from "./shared/sampling.js";

const SHOWN = 20;

/**
 * Logits, which can be edited, and their softmax.
 * @tagname lastinch-worked-example
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchWorkedExample extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    css`
      table input[type="number"] {
        width: 5.5rem;
        padding-inline: 0.5rem;
      }
    `,
  ];
  static formula = "pᵢ = exp(zᵢ) / Σⱼ exp(zⱼ)";
  static words = {
    title: "One step: logits in, probabilities out",
    lead: "The model scores every token it knows. Softmax turns the scores into shares. Change a score and see which tokens pay for it.",
    caption: "Tokens with their logits and their probabilities",
    edit: "Logit of {token}",
    entropy: "Entropy {bits} bits: as uncertain as {choices} equally likely tokens.",
    context: "The cat sat on the …",
    summary: "Most likely: {token}, {share}. Entropy {bits} bits.",
  };
  static chinese = () => import("./chinese/worked-example.js");

  #look() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    return sampler && { tokens, ...uncut(sampler, logits) };
  }

  /** @param {number} id @param {Event} event */
  #edit(id, { target, type }) {
    const input = /** @type {HTMLInputElement} */ (target);
    const value = input.valueAsNumber;
    const { tokens, logits } = this.row;
    if (!Number.isFinite(value)) {
      // A number that is being typed may be incomplete; a number at rest is complete.
      if (type === "change") input.value = String(logits[id]);
      return;
    }
    logits[id] = value;
    if (this.data || this.querySelector("table")) this.data = { tokens, logits };
    else changeExample({ tokens, logits });
    this.turn("data", this.data, type === "change");
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, logits, probabilities } = looked;
    // In the author's order, so that a row does not jump away while a reader edits it.
    const rows = tokens.slice(0, SHOWN).map((token, id) => ({
      cells: [
        legible(token),
        html`<input
          type="number"
          step="0.5"
          aria-label=${this.say("edit", { token: legible(token) })}
          .value=${String(Number(logits[id].toFixed(3)))}
          @input=${(/** @type {Event} */ event) => this.#edit(id, event)}
          @change=${(/** @type {Event} */ event) => this.#edit(id, event)}
        />`,
        { bar: probabilities[id] },
        formatPercent(probabilities[id]),
      ],
    }));
    if (tokens.length > SHOWN) {
      const rest = probabilities.subarray(SHOWN).reduce((a, b) => a + b, 0);
      const name = this.say("everythingElse", { count: tokens.length - SHOWN });
      rows.push({ cells: [name, "", { bar: rest }, formatPercent(rest)] });
    }
    const heads = [this.say("token"), this.say("logit"), "", this.say("probability")];
    const bits = entropyOf(probabilities);
    return html`${this.data || this.querySelector("table") ? nothing : html`<p class="text">${this.say("context")}</p>`}
      ${barTable({ caption: this.say("caption"), heads, rows })}
      <p>${this.say("entropy", { bits: bits.toFixed(2), choices: formatChoices(2 ** bits) })}</p>`;
  }

  summary() {
    const looked = this.#look();
    if (!looked) return "";
    const [top] = topOf(looked.probabilities, 1);
    return this.say("summary", {
      token: legible(looked.tokens[top]),
      share: formatPercent(looked.probabilities[top]),
      bits: entropyOf(looked.probabilities).toFixed(2),
    });
  }
}

define("worked-example", LastInchWorkedExample);
