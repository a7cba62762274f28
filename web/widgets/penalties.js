// Penalties edit the logits of tokens that the text has: before and after, and the effect of a strong penalty on a story.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable, headOf } from "./shared/bars.js";
import { formatPercent, legible } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { uncut } from "./shared/look.js";
import { readySampler, topOf } from "./shared/sampling.js";

const SHOWN = 20;
const HERO = "Lily";
const PROMPT = `Once upon a time, there was a little girl named ${HERO}.`;
const LENGTH = 120;
const knobNames = ["repetitionPenalty", "frequencyPenalty", "presencePenalty", "shift"];

/**
 * Repetition, frequency and presence penalty on a row, with the counts of a text; live: a story under a penalty that is too
 * strong.
 * @tagname lastinch-penalties
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchPenalties extends LastInchElement {
  static formula = "z > 0: z / r, else z · r;  then z − count · frequency − (count > 0) · presence";
  static words = {
    title: "Penalties: the history edits the logits",
    lead: "Write what has been said so far. Tokens that occur in it are pushed down before softmax.",
    said: "Said so far",
    frequencyPenalty: "Frequency penalty",
    presencePenalty: "Presence penalty",
    caption: "Tokens with their count, their logit before and after the penalties, and both probabilities",
    count: "Count",
    before: "Before",
    after: "After",
    shift: "Lower all logits by",
    asymmetry:
      "The same shift on all logits changes no probability, but the repetition penalty cares: it divides what is above zero and multiplies what is below. With {shift} taken off, “{token}” goes from {before} to {after}.",
    flip: "The leader changed: “{first}” had {was}, now “{second}” leads with {now}.",
    same: "“{first}” leads, with {was} before and {now} after.",
    over: "Too much: a story about {hero}",
    try: "Write it twice",
    written: "Repetition penalty {penalty}: “{hero}” × {count}, in at most {length} tokens",
    note: "Both are drawn at temperature 0.7 from the same seed. A penalty does not know that a name must come back.",
    summary: "“{second}” leads with {now}.",
  };
  static chinese = () => import("./chinese/penalties.js");
  static honesty = "both";
  static properties = {
    said: { share: true, attribute: "said" },
    repetitionPenalty: knob("repetitionPenalty"),
    frequencyPenalty: knob("frequencyPenalty"),
    presencePenalty: knob("presencePenalty"),
    shift: knob("shift"),
    strong: knob("repetitionPenalty", "strong"),
    stories: { state: true },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** Ids of a row's tokens by their words. @type {{ tokens: string[], ids: Map<string, number> } | undefined} */
  #names;

  constructor() {
    super();
    /** The text whose words are counted. */
    this.said = "mat";
    /** Divides logits above zero, multiplies logits below zero; 1 is off. */
    this.repetitionPenalty = 1.25;
    /** Subtracted for each occurrence of a token. */
    this.frequencyPenalty = 0;
    /** Subtracted once from the logit of each token that occurs. */
    this.presencePenalty = 0;
    /** Subtracted from all logits first, which changes no probability. */
    this.shift = 0;
    /** The penalty of the second story. */
    this.strong = 1.6;
    /** @type {{ penalty: number, text: string, count: number }[]} */
    this.stories = [];
  }

  /** Ids of the row's tokens, in the order of the text. @param {string[]} tokens */
  #history(tokens) {
    if (this.#names?.tokens !== tokens)
      this.#names = { tokens, ids: new Map(tokens.map((token, id) => [token.trim().toLowerCase(), id])) };
    const { ids } = this.#names;
    return this.said
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}\p{Emoji_Presentation}']+/u)
      .flatMap((word) => ids.get(word) ?? []);
  }

  #look() {
    const { tokens, logits: given } = this.row;
    const sampler = readySampler(this, given.length);
    if (!sampler) return null;
    const history = this.#history(tokens);
    const { repetitionPenalty, frequencyPenalty, presencePenalty, shift } = this;
    const logits = shift ? given.map((logit) => logit - shift) : given;
    const before = uncut(sampler, logits, {}, history);
    const after = uncut(sampler, logits, { repetitionPenalty, frequencyPenalty, presencePenalty }, history);
    const order = topOf(before.logits, SHOWN);
    return { tokens, history, before, after, order, leaders: [order[0], topOf(after.logits, 1)[0]] };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, history, before, after, order, leaders } = looked;
    const rows = order.map((id) => ({
      isMarked: id === leaders[1],
      kind: history.includes(id) ? "cut" : "kept",
      cells: [
        legible(tokens[id]),
        String(history.filter((other) => other === id).length),
        `${number(before.logits[id])} → ${number(after.logits[id])}`,
        { bars: [{ bar: before.probabilities[id], kind: "hollow" }, { bar: after.probabilities[id] }] },
        formatPercent(before.probabilities[id]),
        formatPercent(after.probabilities[id]),
      ],
    }));
    const heads = [
      ...["token", "count", "logit", ""].map((key) => key && this.say(key)),
      headOf(this.say("before"), "hollow"),
      headOf(this.say("after"), "kept"),
    ];
    const [first, second] = leaders.map((id) => legible(tokens[id]));
    const values = {
      first,
      second,
      was: formatPercent(before.probabilities[leaders[0]]),
      now: formatPercent(after.probabilities[leaders[1]]),
    };
    const type = (/** @type {Event} */ event) =>
      this.turn("said", /** @type {HTMLInputElement} */ (event.target).value, event.type === "change");
    const [said] = history;
    return html`<label
        >${this.say("said")} <input type="text" .value=${this.said} @input=${type} @change=${type}
      /></label>
      <div class="knobs">${knobNames.map((name) => this.slider(name))}</div>
      ${barTable({ caption: this.say("caption"), heads, rows })}
      <p>${this.say(first === second ? "same" : "flip", values)}</p>
      ${
        said !== undefined && this.shift
          ? html`<p>
              ${this.say("asymmetry", {
                shift: this.shift,
                token: legible(tokens[said]),
                before: number(before.logits[said]),
                after: number(after.logits[said]),
              })}
            </p>`
          : nothing
      }
      <p><b>${this.say("over", { hero: HERO })}</b></p>
      <div class="knobs">${this.slider("strong", { label: this.say("repetitionPenalty") })}</div>
      ${this.#live.button(this.say("try"), (signal, model) => this.#write(signal, model))}
      <div class="panels">
        ${this.stories.map(
          ({ penalty, text, count }) =>
            html`<div>
              <p>${this.say("written", { penalty, hero: HERO, count, length: LENGTH })}</p>
              <p class="text">${text}</p>
            </div>`,
        )}
      </div>
      ${this.stories.length ? html`<p class="hint">${this.say("note")}</p>` : nothing}`;
  }

  /**
   * @param {AbortSignal} signal
   * @param {import("./shared/models.js").Model} model
   */
  async #write(signal, model) {
    this.stories = [];
    for (const penalty of [1, this.strong]) {
      const story = { penalty, text: "", count: 0 };
      this.stories = [...this.stories, story];
      const options = { maxTokens: LENGTH, temperature: 0.7, seed: 4, repetitionPenalty: penalty, signal };
      for await (const chunk of model.generate(PROMPT, options)) {
        await this.onscreen();
        story.text += chunk.text;
        story.count = story.text.split(HERO).length - 1;
        this.stories = [...this.stories];
      }
    }
  }

  summary() {
    const looked = this.#look();
    if (!looked) return "";
    const { tokens, after, leaders } = looked;
    return this.say("summary", {
      second: legible(tokens[leaders[1]]),
      now: formatPercent(after.probabilities[leaders[1]]),
    });
  }
}

/** @param {number} logit */
const number = (logit) => String(Number(logit.toFixed(2)));

define("penalties", LastInchPenalties);
