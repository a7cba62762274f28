// A group of texts for one prompt: how alike the texts are at a temperature, and how much training can learn from them.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { textField } from "./shared/field.js";
import { formatCount, legible } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { plot, plotStyles } from "./shared/plot.js";
import { votesOf, wordsOf } from "./shared/votes.js";
import { isRecorded } from "./shared/recording.js";
import { groups as recordedGroups, settings as recorded } from "./recorded/group.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {{ temperature: number, texts: string[], rewards: number[], mean: number, spread: number, distinct: number, alike: { answer: string, indices: number[] }[], vote: import("../index.js").Vote<string> }} Group */

const LENGTH = 36;
/** Words of a sentence, on average, that earn the whole reward. */
const WANTED = 8;
const SWEEP = [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5];

/**
 * A group of continuations as the temperature moves: answers, rewards and advantages.
 * @tagname lastinch-group
 */
export class LastInchGroup extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    plotStyles,
    css`
      dl {
        display: grid;
        grid-template-columns: max-content 1fr;
        gap: 0.25rem 0.75rem;
        margin: 0;
      }
      dt {
        max-width: 6rem;
        color: var(--soft);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      @media (max-width: 36rem) {
        dl {
          font-size: 0.875rem;
          line-height: 1.4;
        }
      }
    `,
  ];
  static formula = "advantage = (reward − mean) / spread";
  static words = {
    title: "A group, and what it can learn",
    lead: "Reinforcement learning lets a model write several texts for one prompt, scores each, and favours those above the group's average. If all texts are alike, none is above it. Move the temperature.",
    prompt: "Prompt for all",
    size: "Texts in the group",
    run: "Write the group",
    sweep: "Try temperatures 0 to 5",
    rule: "A toy reward, for a teacher who wants sentences of {wanted} words: 1 if a text's sentences have that many on average, less for each word more or fewer, 0 if none ends. Training makes texts with a bar to the right likelier, and texts with a bar to the left less likely.",
    text: "Text",
    word: "Next word",
    reward: "Reward",
    advantage: "Advantage",
    caption: "The group's texts with their rewards and advantages",
    found: "Different texts: {distinct} of {size}. Mean reward {mean}, spread {spread}.",
    nothing: "All rewards are equal, so every advantage is 0: nothing to learn.",
    vote: "Majority vote on the next word: “{answer}”, {votes} of {size}{others}.",
    tie: " (a tie)",
    other: ", then {list}",
    curve: "Spread of the reward and share of different texts, by temperature",
    spreadLine: "spread of the reward",
    distinctLine: "share of different texts",
    distinct: "Different",
    mean: "Mean",
    spread: "Spread",
    numbers: "Temperatures tried so far",
  };
  static chinese = () => import("./chinese/group.js");
  static honesty = "live";
  static properties = {
    temperature: knob("temperature"),
    size: knob("group", "size"),
    seed: knob("seed"),
    prompt: { share: true, attribute: "prompt" },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** By temperature, for this prompt, size and seed. @type {Map<number, Group>} */
  #groups = new Map();
  /** Whether the groups are recorded, so that a run starts over. */
  #isFromRecord = false;

  constructor() {
    super();
    this.temperature = recorded.temperature;
    /** Texts of a group, 2 to 16. */
    this.size = recorded.size;
    /** Seed; the texts draw from streams 0, 1, … of the seed. */
    this.seed = recorded.seed;
    /** The prompt of all texts. */
    this.prompt = recorded.prompt;
  }

  prepare() {
    this.isRecorded = isRecorded(this, recorded);
    this.#isFromRecord = this.isRecorded;
    if (this.isRecorded)
      for (const { temperature, texts, votes } of recordedGroups) this.#judge(temperature, texts, votes);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (!this.#groups.size) return;
    if (this.isRecorded) {
      if (isRecorded(this, recorded)) return;
      // No reader has asked for a model yet.
      this.isRecorded = false;
      this.#groups.clear();
      this.requestUpdate();
      return;
    }
    if (["size", "seed", "prompt"].some((name) => changed.has(name))) this.#groups.clear();
    else if (!changed.has("temperature") || this.#groups.has(this.temperature)) return;
    void this.#live.run(this.#write);
  }

  /** @param {AbortSignal} signal @param {Model} model */
  #write = async (signal, model) => {
    if (this.#isFromRecord) this.#groups.clear();
    this.#isFromRecord = false;
    // A second request with the same settings takes other random numbers.
    if (this.#groups.has(this.temperature)) return this.turn("seed", Math.floor(Math.random() * 1e6), true);
    // A moving slider passes many temperatures; only the last counts.
    await new Promise((go) => setTimeout(go, 150));
    if (!signal.aborted) await this.#add(this.temperature, signal, model);
    if (!signal.aborted) this.announce(this.summary());
  };

  /** @param {AbortSignal} signal @param {Model} model */
  #sweep = async (signal, model) => {
    for (const temperature of [...SWEEP, this.temperature]) {
      await this.onscreen();
      if (signal.aborted) return;
      if (!this.#groups.has(temperature)) await this.#add(temperature, signal, model);
    }
    this.announce(this.summary());
  };

  /**
   * @param {number} temperature
   * @param {AbortSignal} signal
   * @param {Model} model
   */
  async #add(temperature, signal, model) {
    const { size: n, seed, prompt } = this;
    const texts = new Array(n).fill("");
    const options = { n, seed, temperature, maxTokens: LENGTH, signal };
    for await (const { index = 0, text } of model.generate(prompt, options)) texts[index] += text;
    const { majorityVote } = await import("../index.js");
    if (!signal.aborted) this.#judge(temperature, texts, await votesOf(majorityVote, texts));
  }

  /** @param {number} temperature @param {string[]} texts @param {import("./shared/votes.js").Votes} votes */
  #judge(temperature, texts, { alike, first }) {
    const rewards = texts.map(reward);
    const mean = average(rewards);
    this.#groups.set(temperature, {
      temperature,
      texts,
      rewards,
      mean,
      // The spread of equal rewards is exactly 0; rounding would hide that.
      spread: new Set(rewards).size > 1 ? Math.sqrt(average(rewards.map((one) => (one - mean) ** 2))) : 0,
      alike: alike.counts,
      distinct: alike.counts.length + Math.sign(alike.abstained),
      vote: first,
    });
    this.requestUpdate();
  }

  view() {
    const group = this.#groups.get(this.temperature);
    return html`${textField(this, "prompt")}
      <div class="knobs">${this.slider("temperature")}${this.slider("size")}</div>
      <p class="hint">${this.say("rule", { wanted: WANTED })}</p>
      ${this.#live.button(this.say("run"), this.#write)} ${group ? this.#groupView(group) : nothing}
      ${this.#groups.size && !this.isRecorded ? html`<div class="actions"><button @click=${() => this.#live.run(this.#sweep)}>${this.say("sweep")}</button></div>` : nothing}
      ${this.#groups.size > 1 ? this.#curve() : nothing}`;
  }

  /** @param {Group} group */
  #groupView({ texts, rewards, mean, spread, alike, vote }) {
    const rows = texts.map((text, i) => {
      const advantage = spread ? (rewards[i] - mean) / spread : 0;
      return {
        kind: "kept",
        cells: [
          String(i + 1),
          legible(wordsOf(text)[0] ?? "–"),
          rewards[i].toFixed(2),
          { signed: advantage / 3 },
          (advantage > 0 ? "+" : "") + advantage.toFixed(2),
        ],
      };
    });
    const heads = ["text", "word", "reward", "", "advantage"].map((key) => key && this.say(key));
    const list = vote.counts
      .slice(1)
      .map(({ answer, votes }) => `“${answer}” ${votes}`)
      .join(", ");
    const others = (vote.isTie ? this.say("tie") : "") + (list ? this.say("other", { list }) : "");
    return html`<p>${this.summary()} ${spread ? "" : this.say("nothing")}</p>
      <p>${this.say("vote", { answer: vote.answer ?? "–", votes: vote.votes, size: texts.length, others })}</p>
      ${barTable({ caption: this.say("caption"), heads, rows })}
      <dl>
        ${alike.map(
          ({ answer, indices }) =>
            html`<dt>${indices.map((index) => index + 1).join(", ")}</dt>
              <dd>… ${answer}</dd>`,
        )}
      </dl>`;
  }

  #curve() {
    const groups = [...this.#groups.values()].sort((a, b) => a.temperature - b.temperature);
    const points = (/** @type {(group: Group) => number} */ of) =>
      groups.map((group) => /** @type {[number, number]} */ ([group.temperature, of(group)]));
    return html`${plot({
        label: this.say("curve"),
        x: [0, Math.max(2, groups[groups.length - 1].temperature)],
        y: [0, 1],
        xLabel: this.say("temperature"),
        yLabel: "",
        lines: [
          { name: this.say("spreadLine"), points: points(({ spread }) => spread), hasDots: true },
          {
            name: this.say("distinctLine"),
            points: points(({ distinct, texts }) => distinct / texts.length),
            dash: "dashed",
            kind: "cut",
          },
        ],
      })}
      <details>
        <summary>${this.say("numbers")}</summary>
        ${barTable({
          caption: this.say("numbers"),
          heads: ["temperature", "distinct", "mean", "spread"].map((key) => this.say(key)),
          rows: groups.map(({ temperature, distinct, mean, spread }) => ({
            cells: [String(temperature), formatCount(distinct), mean.toFixed(2), spread.toFixed(2)],
          })),
        })}
      </details>`;
  }

  summary() {
    const group = this.#groups.get(this.temperature);
    if (!group) return "";
    const { texts, distinct, mean, spread } = group;
    return this.say("found", { distinct, size: texts.length, mean: mean.toFixed(2), spread: spread.toFixed(2) });
  }
}

/**
 * How close the sentences come to the wanted length. Words without an end are not a sentence.
 * @param {string} text
 */
function reward(text) {
  const sentences = text.split(/[.!?]/).slice(0, -1).filter(Boolean);
  return sentences.length
    ? Math.max(0, 1 - Math.abs(average(sentences.map((one) => wordsOf(one).length)) - WANTED) / WANTED)
    : 0;
}

/** @param {number[]} numbers */
const average = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

define("group", LastInchGroup);
