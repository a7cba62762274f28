// Sampling as a die: expected counts, rolled counts, and a test of whether the two agree.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { formatCount, formatPercent, legible } from "./shared/format.js";
import { seedField } from "./shared/field.js";
import { isSame, look, restOf, sumBut, survivors, uncut } from "./shared/look.js";
import { configure, readySampler, topOf } from "./shared/sampling.js";

const MOST = 10_000;
/** Faces that are shown; the others have a bar together. */
const FACES = 12;

/**
 * A distribution as a weighted die: knobs reshape the die, and the counts of the rolls stand beside the expected counts.
 * @tagname lastinch-die
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchDie extends LastInchElement {
  static words = {
    title: "The weighted die",
    lead: "The model's numbers are a die with uneven faces. Reshape it, then roll: few rolls wander, many come close to what was expected.",
    roll: "Roll {count}",
    rolls: "Rolls so far: {count}.",
    before: "Before",
    expected: "Die",
    observed: "Rolled",
    caption: "Each face of the die: its share before and after the knobs, and how often it fell",
    chi: "χ² = {chi} with {free} degrees of freedom. A fair die of these weights strays at least this far in {p} of all tries.",
    few: "χ² says little yet: a face is expected fewer than 5 times.",
  };
  static chinese = () => import("./chinese/die.js");
  static properties = {
    temperature: knob("temperature"),
    topK: knob("topK"),
    topP: knob("topP"),
    rolls: { type: Number, share: true, attribute: "rolls", knob: "count" },
    seed: knob("seed"),
  };
  static example = {
    tokens: ["the", "a", "that", "one"],
    logits: Float32Array.from([0.6, 0.25, 0.1, 0.05], Math.log),
  };

  /** @type {{ key: string, row: Float32Array, counts: Uint32Array } | undefined} */
  #rolled;

  constructor() {
    super();
    this.temperature = 1;
    /** Only the k most likely faces; 0 is all. */
    this.topK = 0;
    this.topP = 1;
    /** How often the die has been rolled. @type {number | undefined} */
    this.rolls = undefined;
    /** Decides all rolls. */
    this.seed = 1;
  }

  #look() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const { temperature, topK, topP, seed, rolls = 0 } = this;
    const settings = { temperature, topK, topP };
    const { probabilities } = uncut(sampler, logits);
    const kept = survivors(sampler, logits, settings, { top: FACES });
    const key = JSON.stringify([settings, seed, rolls]);
    if (this.#rolled?.key !== key || !isSame(this.#rolled.row, logits)) {
      const counts = new Uint32Array(logits.length);
      configure(sampler, { ...settings, seed });
      for (let i = 0; i < rolls; i++) counts[sampler.sample(logits)]++;
      this.#rolled = { key, row: logits.slice(), counts };
    }
    const all = () => look(sampler, logits, settings);
    return { tokens, rolls, probabilities, kept, all, order: topOf(logits, FACES), counts: this.#rolled.counts };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, rolls, probabilities, kept, order, counts } = looked;
    const share = (/** @type {number} */ count) => (rolls ? formatPercent(count / rolls) : "");
    const row = (
      /** @type {string} */ name,
      /** @type {number} */ before,
      /** @type {number | undefined} */ after,
      /** @type {number} */ count,
    ) => ({
      kind: after === undefined ? "cut" : "kept",
      cells: [
        name,
        formatPercent(before),
        { bar: after ?? before },
        after === undefined ? `✕ ${this.say("cut")}` : formatPercent(after),
        { bar: rolls ? count / rolls : NaN, kind: "plain" },
        share(count),
      ],
    });
    const rows = order.map((id) => row(legible(tokens[id]), probabilities[id], kept.shares.get(id), counts[id]));
    const others = tokens.length - order.length;
    if (others) {
      const name = this.say("everythingElse", { count: formatCount(others) });
      const rest = restOf(kept, order);
      rows.push(row(name, sumBut(probabilities, order), rest.count ? rest.share : undefined, sumBut(counts, order)));
    }
    const heads = ["token", "before", "", "expected", "", "observed"].map((key) => key && this.say(key));
    return html`<div class="knobs">
        ${this.slider("temperature")}${this.slider("topK", { max: Math.min(1000, tokens.length) })}${this.slider("topP")}
      </div>
      ${barTable({ caption: this.say("caption"), heads, rows })}
      <div class="actions">
        ${[1, 100, MOST].map(
          (count) =>
            html`<button
              ?disabled=${rolls >= MOST}
              @click=${() => this.turn("rolls", Math.min(MOST, rolls + count), true)}
            >
              ${this.say("roll", { count: formatCount(count) })}
            </button>`,
        )}
        <button ?disabled=${!rolls} @click=${() => this.turn("rolls", undefined, true)}>${this.say("reset")}</button>
      </div>
      ${seedField(this)} ${rolls && !this.statusText ? html`<p>${this.summary()}</p>` : nothing}`;
  }

  summary() {
    const looked = this.#look();
    if (!looked?.rolls) return "";
    const { rolls, kept, all, counts } = looked;
    const said = this.say("rolls", { count: formatCount(rolls) });
    const free = kept.count - 1;
    if (!free) return said;
    const few = `${said} ${this.say("few")}`;
    // The least likely face has no more than an even share.
    if (rolls < 5 * kept.count) return few;
    const { kept: faces, shares } = all();
    if (rolls * shares[faces[free]] < 5) return few;
    const chi = faces.reduce((sum, id) => sum + (counts[id] - rolls * shares[id]) ** 2 / shares[id], 0) / rolls;
    return `${said} ${this.say("chi", { chi: chi.toFixed(2), free, p: formatPercent(chiSquareTail(chi, free)) })}`;
  }
}

/**
 * The probability that χ² is at least this: one minus the series of the lower incomplete gamma function.
 * @param {number} chi
 * @param {number} free degrees of freedom
 */
function chiSquareTail(chi, free) {
  const [a, x] = [free / 2, chi / 2];
  // Γ(a + 1), up from Γ(1) or Γ(1/2), in logarithms.
  let log = free % 2 ? Math.log(Math.PI) / 2 : 0;
  for (let i = free % 2 ? 0.5 : 1; i <= a; i++) log += Math.log(i);
  let term = x ? Math.exp(a * Math.log(x) - x - log) : 0;
  let sum = term;
  for (let n = 1; term > sum * 1e-15; n++) sum += term *= x / (a + n);
  return Math.max(0, 1 - sum);
}

define("die", LastInchDie);
