// A model of single characters: three knobs, the next character's bars, and a text that grows character by character.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { seedField, textField } from "./shared/field.js";
import { formatCount, formatPercent, legible, tokenLabel } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { rowAfter } from "./shared/rows.js";
import { look, uncut } from "./shared/look.js";
import { configure, ranked, readySampler, samplerFor } from "./shared/sampling.js";
import { due, paceField, replay } from "./shared/pace.js";
import { isRecorded, numbersIn, tokensOf } from "./shared/recording.js";
import { tintLegend, tokenText } from "./shared/token-text.js";
import { bits, ids as recordedIds, labels, row, settings as recorded, tokens } from "./recorded/characters.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {{ id: number, text: string, probability: number }} Drawn */

const recordedRow = Float32Array.from(numbersIn(row), (logit) => logit / 100);

const ROWS = 12;
const LONGEST = 2000;

/**
 * Text character by character: the distribution of the next character under the knobs, and the draw.
 * @tagname lastinch-characters
 */
export class LastInchCharacters extends LastInchElement {
  static words = {
    title: "One character at a time",
    lead: "This model knows nothing but characters of Shakespeare's plays. Look at what may come next, reshape it with the knobs, and let the text grow.",
    prompt: "The text begins",
    look: "Show the next character",
    one: "Sample one",
    many: "Sample {count}",
    caption: "The next character: as the model has it, and as the knobs leave it",
    model: "Model",
    after: "With the knobs",
    drawn: "Drawn: “{token}”, which then had {share}.",
    summary: "{kept} of {count} characters can come next; likeliest: “{token}”, {share}.",
  };
  static chinese = () => import("./chinese/characters.js");
  static honesty = "live";
  static properties = {
    prompt: { share: true, attribute: "prompt" },
    temperature: knob("temperature"),
    topK: knob("topK"),
    topP: knob("topP"),
    seed: knob("seed"),
    pace: knob("pace"),
    logits: { state: true },
    written: { state: true },
  };

  #live = new Live(this, { shakespeare: () => import("../models/shakespeare.js") });

  constructor() {
    super();
    /** How the text begins. */
    this.prompt = recorded.prompt;
    this.temperature = recorded.temperature;
    /** Only the k most likely characters; 0 is all. */
    this.topK = 0;
    this.topP = 1;
    /** Decides all draws. */
    this.seed = recorded.seed;
    /** Most characters a second; 0 shows all at once. @type {number | undefined} */
    this.pace = undefined;
    /** The row of the next character. @type {Float32Array | undefined} */
    this.logits = undefined;
    /** What has been drawn. @type {Drawn[]} */
    this.written = [];
  }

  prepare() {
    const { prompt, seed } = recorded;
    this.isRecorded = isRecorded(this, { prompt, seed });
    if (!this.isRecorded) return;
    this.logits = recordedRow;
    this.written = this.#recorded();
  }

  /** @returns {Drawn[]} */
  #recorded() {
    const ids = numbersIn(recordedIds);
    return tokensOf({ tokens, bits }).map((token, i) => ({ ...token, id: ids[i] }));
  }

  #replay = async (/** @type {AbortSignal} */ signal) => {
    this.written = [];
    for await (const token of replay(this, this.#recorded(), signal)) this.written = [...this.written, token];
    this.written = this.#recorded();
  };

  get #settings() {
    const { temperature, topK, topP } = this;
    return { temperature, topK, topP };
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (["prompt", "seed", "model"].includes(name)) this.#begin();
    super.turn(name, value, isFinal);
  }

  #begin() {
    this.#live.stop();
    this.isRecorded = false;
    this.logits = undefined;
    this.written = [];
    this.announce("");
  }

  /** Draws this many characters, and shows each. @param {number} count */
  #sample(count) {
    return async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
      const { eos } = model.vocabulary;
      const plain = new TextDecoder();
      // Less than the whole context, so that a text can go on when the context is full.
      const window = Math.floor(model.config.contextLength * 0.75);
      const sampler = await samplerFor(model.config.vocabSize);
      const prompt = await model.tokenize(this.prompt, { bos: model.config.addBos });
      // The text and the row after it change together, or not at all.
      const show = async (/** @type {typeof this.written} */ written) => {
        const ids = [...prompt, ...written.map(({ id }) => id)];
        const { logits } = await rowAfter(model, ids.slice(-window), signal);
        this.written = written;
        this.logits = logits;
        await this.updateComplete;
      };
      if (!this.logits || this.logits === recordedRow) await show([]);
      for (let i = 0; i < count && this.logits && this.written.length < LONGEST; i++) {
        await this.onscreen();
        const history = this.written.map(({ id }) => id);
        if (eos.includes(history.at(-1) ?? -1)) break;
        configure(sampler, { ...this.#settings, seed: this.seed }, history);
        const id = sampler.sample(this.logits);
        const { lastProbability: probability } = sampler;
        const text = eos.includes(id) ? `⟨${this.say("endOfText")}⟩` : plain.decode(model.vocabulary.tokens[id]);
        await show([...this.written, { id, text, probability }]);
        if (count > 1) await due(this, signal);
      }
      this.announce(this.summary());
    };
  }

  view() {
    const [model] = this.#live.models ?? [];
    const isRead = model && this.logits && !this.isRecorded;
    const go = (/** @type {number} */ count) => () => this.#live.run(this.#sample(count));
    return html`${textField(this, "prompt", 2)}
      <div class="knobs">
        ${this.slider("temperature")}
        ${this.slider("topK", { max: Math.min(1000, model?.config.vocabSize ?? 68) })}${this.slider("topP")}
      </div>
      ${seedField(this)}
      ${
        isRead
          ? html`<div class="actions">
              <button class="primary" @click=${go(1)}>${this.say("one")}</button>
              <button @click=${go(100)}>${this.say("many", { count: 100 })}</button>
              ${
                this.#live.state === "idle"
                  ? nothing
                  : html`<button @click=${() => this.#live.stop()}>${this.say("stop")}</button>`
              }
              <button ?disabled=${!this.written.length} @click=${() => this.#begin()}>${this.say("reset")}</button>
              ${paceField(this)}
            </div>`
          : this.#live.button(this.say("look"), this.#sample(0), { replay: this.#replay, pace: paceField(this) })
      }
      ${this.logits ? this.#next() : nothing}`;
  }

  #next() {
    const last = this.written.length - 1;
    const pieces = this.written.map(({ text, probability }, i) => ({ text, probability, isMarked: i === last }));
    const view = this.#look();
    return html`${tokenText([{ text: this.prompt }, ...pieces])} ${this.written.length ? tintLegend(this) : nothing}
    ${view ? this.#bars(view) : nothing}`;
  }

  /** @param {number} id */
  #label = (id) => {
    const [model] = this.#live.models ?? [];
    return model ? tokenLabel(id, model, (key) => this.say(key)) : legible(labels[id]) || this.say("endOfText");
  };

  #look() {
    const sampler = this.logits && readySampler(this, this.logits.length);
    if (!sampler || !this.logits) return null;
    // The model's own distribution, before the knobs.
    const { probabilities } = uncut(sampler, this.logits);
    return { ...look(sampler, this.logits, this.#settings), probabilities };
  }

  /** @param {import("./shared/look.js").View} view */
  #bars({ probabilities, shares, removedBy }) {
    const order = ranked(probabilities);
    const row = (/** @type {string} */ name, /** @type {number[]} */ ids) => {
      const sum = (/** @type {Float64Array} */ values) => ids.reduce((total, id) => total + values[id], 0);
      const isKept = ids.some((id) => removedBy(id) === null);
      const [before, after] = [sum(probabilities), sum(shares)];
      return {
        kind: isKept ? "kept" : "cut",
        cells: [
          name,
          formatPercent(before),
          { bar: isKept ? after : before },
          isKept ? formatPercent(after) : `✕ ${this.say("cut")}`,
        ],
      };
    };
    const rows = order.slice(0, ROWS).map((id) => row(this.#label(id), [id]));
    const rest = order.slice(ROWS);
    if (rest.length) rows.push(row(this.say("everythingElse", { count: formatCount(rest.length) }), rest));
    const heads = ["token", "model", "", "after"].map((key) => key && this.say(key));
    return barTable({ caption: this.say("caption"), heads, rows });
  }

  summary() {
    const view = this.#look();
    if (!view) return "";
    const label = this.#label;
    const last = this.written.at(-1);
    const drawn = last
      ? this.say("drawn", { token: label(last.id), share: formatPercent(last.probability) }) + " "
      : "";
    const [top] = view.kept;
    const values = { kept: formatCount(view.kept.length), count: formatCount(view.shares.length) };
    return drawn + this.say("summary", { ...values, token: label(top), share: formatPercent(view.shares[top]) });
  }
}

define("characters", LastInchCharacters);
