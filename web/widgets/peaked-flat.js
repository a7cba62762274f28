// A sure context beside an open context: the effect of a fixed k on both, and the size of the nucleus along a text.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { readTable } from "./shared/data.js";
import { formatCount, formatPercent, legible } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { paceField } from "./shared/pace.js";
import { restOf, sumBut, survivors, uncut } from "./shared/look.js";
import { configure, readySampler, samplerFor, topOf } from "./shared/sampling.js";
import { tintLegend, tokenText } from "./shared/token-text.js";
import { seedField } from "./shared/field.js";
import { promptIds, write } from "./shared/writing.js";

/** @typedef {import("./shared/models.js").Model} Model */
/** @typedef {import("./shared/writing.js").Written} Written */
/** @typedef {import("./shared/data.js").Row} Row */
/** @typedef {import("./shared/look.js").Survivors} Survivors */
/** @typedef {{ tokens: string[], kept: Survivors[], order: number[], probabilities: ArrayLike<number> }} Looked */
/** @typedef {{ context: string, looked: Looked | null }} Look a row, and what each rule keeps of it */

const SHOWN = 12;
const LONGEST = 200;
const rules = ["topK", "topP", "minP"];
const peaked = [0.97, 0.008, 0.006, 0.004, 0.003, 0.0025, 0.002, 0.0015, 0.001, 0.001, 0.0006, 0.0004];
/** In the flat row, each word has this share of the word before it. */
const FALL = 0.953;

/**
 * Two rows of tokens, peaked and flat, and the tokens that top-k, top-p and min-p keep of each; and, live, how many tokens
 * top-p keeps at each step of a text.
 * @tagname lastinch-peaked-flat
 * @slot - two `<table>`s of tokens and logits (or probabilities); their captions are the contexts
 */
export class LastInchPeakedFlat extends LastInchElement {
  static words = {
    title: "One number for every context?",
    lead: "On the left the model is sure; on the right many words fit. Top-k keeps the same number of tokens in both. Top-p and min-p keep as many as there are good ones.",
    both: "The two rows are made up, what is kept of them is computed here by the sampler. The passage is live: a real model writes it in your browser.",
    peaked: "The capital of France is …",
    flat: "She opened the door and saw a …",
    peakedTokens: "Paris Lyon the now a Nice called known not in Rome Berlin",
    flatTokens:
      "man woman dog cat child light girl boy room stranger box letter bird garden figure table tree shadow friend face car flower horse street house crowd hallway bed fire policeman chair neighbour book package star cake rabbit mirror staircase ghost soldier cloud window bag fox nurse painting suitcase bear wall lamp forest lake ladder bicycle puppy queen robot piano dragon",
    kept: "Kept of {count} tokens: {topK} by top-k, {topP} by top-p, {minP} by min-p.",
    caption: "{context} Tokens and the rules that keep them",
    others: "{count} others",
    live: "How many tokens top-p keeps at each step of a text",
    run: "Write a passage",
    size: "Tokens kept",
    steps: "Steps",
    spread:
      "In {steps} steps top-p {p} kept from {least} to {most} tokens; in half of them {median} or fewer. No fixed k does that.",
  };
  static styles = [
    ...LastInchElement.styles,
    css`
      .panels {
        grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr));
      }
      /* Both tables have the same columns, so their bars have one scale. */
      .panels table {
        table-layout: fixed;
      }
      .panels .bars.bars .bar {
        width: 26%;
      }
      .panels th:first-child {
        width: 22%;
        overflow-wrap: anywhere;
      }
      .panels th:nth-child(3) {
        width: 21%;
      }
      .panels td:not(.bar) {
        padding-inline: 0.125rem;
      }
    `,
  ];
  static chinese = () => import("./chinese/peaked-flat.js");
  static honesty = "both";
  static properties = {
    topK: knob("topK"),
    topP: knob("topP"),
    minP: knob("minP"),
    seed: knob("seed"),
    pace: knob("pace"),
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** @type {(Written & { logits: Float32Array })[]} */
  #steps = [];
  /** How many tokens are kept at each step, at a top-p. @type {{ p: number, counts: number[] }} */
  #sizes = { p: 1, counts: [] };

  constructor() {
    super();
    this.topK = 3;
    this.topP = 0.9;
    this.minP = 0.1;
    /** Seed of the passage. */
    this.seed = 1;
    /** Most tokens a second; 0 shows the whole passage at once. @type {number | undefined} */
    this.pace = undefined;
  }

  async prepare() {
    await Promise.all([samplerFor(peaked.length), samplerFor(this.say("flatTokens").split(" ").length)]);
  }

  /** @returns {{ context: string, row: Row }[]} */
  get #rows() {
    const tables = this.querySelectorAll("table");
    return ["peaked", "flat"].map((name, i) => {
      const table = tables[i];
      const given = (i ? undefined : this.data) ?? (table && readTable(table));
      const context = (given && table?.caption?.textContent?.trim()) || this.say(name);
      if (given) return { context, row: given };
      const tokens = this.say(name + "Tokens").split(" ");
      const logits = tokens.map((_, id) => (i ? id * Math.log(FALL) : Math.log(peaked[id])));
      return { context, row: { tokens, logits: Float32Array.from(logits) } };
    });
  }

  /** @param {Row} row @returns {Look["looked"]} */
  #look({ tokens, logits }) {
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const kept = rules.map((name) =>
      survivors(sampler, logits, { [name]: /** @type {any} */ (this)[name] }, { top: SHOWN }),
    );
    return { tokens, kept, order: topOf(logits, SHOWN), probabilities: uncut(sampler, logits).probabilities };
  }

  /** @returns {Look[]} */
  get #looks() {
    return this.#rows.map(({ context, row }) => ({ context, looked: this.#look(row) }));
  }

  view() {
    const looks = this.#looks;
    return html`<div class="knobs">${this.slider("topK", { max: 60 })}${this.slider("topP")}${this.slider("minP")}</div>
      <div class="panels">${looks.map((look) => this.#panel(look))}</div>
      <p>${this.#sayLooks(looks)}</p>
      <p><strong>${this.say("live")}</strong></p>
      ${seedField(this)} ${this.#live.button(this.say("run"), this.#run, { pace: paceField(this) })}
      ${this.#steps.length ? this.#passage() : nothing}`;
  }

  /** @param {Look} given */
  #panel({ context, looked }) {
    if (!looked) return nothing;
    const { tokens, kept, order, probabilities } = looked;
    const rows = order.map((id) => ({
      kind: kept.some(({ shares }) => shares.has(id)) ? "kept" : "cut",
      cells: [
        legible(tokens[id]),
        { bar: probabilities[id] },
        formatPercent(probabilities[id]),
        ...kept.map(({ shares }) => (shares.has(id) ? "✓" : "✕")),
      ],
    }));
    const rest = tokens.length - order.length;
    if (rest) {
      const counts = kept.map((one) => restOf(one, order).count);
      const mass = sumBut(probabilities, order);
      rows.push({
        kind: counts.some(Boolean) ? "kept" : "cut",
        cells: [
          this.say("others", { count: formatCount(rest) }),
          { bar: mass },
          formatPercent(mass),
          ...counts.map((count) => (count ? formatCount(count) : "✕")),
        ],
      });
    }
    const heads = ["token", "", "probability", ...rules].map((key) => key && this.say(key));
    return html`<section aria-label=${context}>
      <p class="name">${context}</p>
      ${barTable({ caption: this.say("caption", { context }), heads, rows })}
    </section>`;
  }

  /** @param {NonNullable<Look["looked"]>} looked */
  #sayKept({ tokens, kept: [topK, topP, minP] }) {
    return this.say("kept", { count: tokens.length, topK: topK.count, topP: topP.count, minP: minP.count });
  }

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    this.#steps = [];
    this.#sizes = { p: this.topP, counts: [] };
    const ids = await promptIds(model, "Once upon a time");
    const options = { seed: this.seed, maxTokens: LONGEST, captureLogits: true, signal };
    for await (const { tokens } of write(this, model, ids, options)) this.#steps.push(.../** @type {any[]} */ (tokens));
    this.announce(this.#spread());
  };

  /** @returns {number[]} */
  #counts() {
    const steps = this.#steps;
    if (this.#sizes.p !== this.topP) this.#sizes = { p: this.topP, counts: [] };
    const { counts } = this.#sizes;
    const sampler = steps.length && readySampler(this, steps[0].logits.length);
    if (!sampler) return [];
    configure(sampler, { topP: this.topP });
    while (counts.length < steps.length) counts.push(sampler.distribution(steps[counts.length].logits).tokens.length);
    return counts;
  }

  #spread() {
    const counts = [...this.#counts()].sort((a, b) => a - b);
    if (!counts.length) return "";
    const median = counts[Math.ceil(counts.length / 2) - 1];
    const ends = { least: counts[0], most: counts[counts.length - 1] };
    return this.say("spread", { steps: counts.length, p: this.topP, median, ...ends });
  }

  #passage() {
    const counts = this.#counts();
    // 1, 2 to 3, 4 to 7 and so on.
    const bins = Array(1 + Math.floor(Math.log2(Math.max(1, ...counts)))).fill(0);
    for (const count of counts) bins[Math.floor(Math.log2(count))]++;
    const most = Math.max(...bins);
    const rows = bins.map((steps, i) => ({
      cells: [i ? `${2 ** i}–${2 ** (i + 1) - 1}` : "1", { bar: steps / most }, String(steps)],
    }));
    const pieces = this.#steps.map(({ text, rawLogprob }) => ({ text, probability: Math.exp(rawLogprob) }));
    const heads = ["size", "", "steps"].map((key) => key && this.say(key));
    return html`${tokenText([{ text: "Once upon a time" }, ...pieces])} ${tintLegend(this)}
      <p>${this.#spread()}</p>
      ${barTable({ caption: this.say("live"), heads, rows })}`;
  }

  /** @param {Look[]} looks */
  #sayLooks(looks) {
    return looks.map(({ context, looked }) => (looked ? `${context} ${this.#sayKept(looked)}` : "")).join(" ");
  }

  summary() {
    return this.#sayLooks(this.#looks);
  }
}

define("peaked-flat", LastInchPeakedFlat);
