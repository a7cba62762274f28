// A text taken apart: at each step the other tokens, the effect of other settings, and a way to continue with another token.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { formatChoices, formatCount, formatPercent, legible, tokenLabel } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { look, survivors } from "./shared/look.js";
import { entropyOf, readySampler, topOf } from "./shared/sampling.js";
import { replay, paceField } from "./shared/pace.js";
import { isRecorded } from "./shared/recording.js";
import { RowDetails } from "./shared/row-details.js";
import { tintLegend, tokenText } from "./shared/token-text.js";
import { settings as recorded, size, steps as recordedSteps } from "./recorded/inspector.js";
import { seedField, textField } from "./shared/field.js";
import { promptIds, write } from "./shared/writing.js";

/** @typedef {import("./shared/models.js").Model} Model */
/** @typedef {import("./shared/writing.js").Written & { logits: Float32Array }} Step */
/** A text, by the ids of its prompt and its tokens. @typedef {{ model: Model, ids: number[], steps: Step[] }} Text */

/**
 * @typedef {object} Looked
 * @property {Model} model
 * @property {Step} step
 * @property {import("./shared/row-reader.js").Asked} asked the row with its settings and history
 * @property {import("./shared/look.js").View} view
 * @property {number[]} top the likeliest tokens
 * @property {{ bits: number, bitsLeft: number }} uncertainty before and after the cuts
 * @property {{ count: number, times: number }} agreement steps, and how often a draw would take their greedy tokens
 */

const SHOWN = 16;
/** So many rows are shown however unlikely they are; further rows have at least this probability. */
const LEAST = 4;
const RARE = 0.001;
const LONGEST = 60;
/** Logits of the steps whose draws are compared: more would hold a slider up. */
const COMPARED = 2 ** 21;
const sliders = ["temperature", "topK", "topP", "minP", "repetitionPenalty"];
/** @type {Record<string, string>} */
const stageWords = {
  mask: "vocabulary",
  repetition: "repetitionPenalty",
  temperature: "temperature",
  top_k: "topK",
  top_p: "topP",
  min_p: "minP",
};

/**
 * Every step of a text that a model writes: the likeliest tokens over the whole vocabulary, under settings that can be
 * changed afterwards. A reader who chooses another token continues the text from that token.
 * @tagname lastinch-inspector
 */
export class LastInchInspector extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    css`
      .beside {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr));
        gap: 1rem;
        align-items: start;
      }
      .beside > *,
      details > div {
        display: grid;
        gap: 0.5rem;
        min-width: 0;
      }
      .bars tbody th button {
        min-height: 1.5rem;
        padding-block: 0;
      }
    `,
  ];
  static words = {
    title: "Step inspector",
    lead: "Let the model write, then look into any step. The sliders rework the logits of that step, so the model need not run again. Choose another token to go on with that token instead.",
    prompt: "Beginning",
    count: "Tokens to write",
    run: "Write",
    written: "The text, token by token: choose one",
    previous: "‹ Previous",
    next: "Next ›",
    place: "Step {step} of {count}",
    caption: "The likeliest tokens of this step and all others together",
    left: "After the cuts",
    taken: "in the text",
    branch: "Go on with {token}",
    stages: "What each stage left",
    stage: "Stage",
    vocabulary: "Vocabulary",
    passed: "Tokens",
    floor: "Cut below",
    mass: "Probability kept",
    uncertain: "Uncertainty: {bits} bits, like {choices} equal choices.",
    uncertainty:
      "Uncertainty: {bits} bits, like {choices} equal choices. After the cuts: {bitsLeft} bits, like {choicesLeft}.",
    gap: "{first} leads {second} by {gap} percentage points.",
    agree:
      "At the {count} steps around this one and with these settings, a draw would take the greedy token {times} times on average: {share}.",
    branched: "From step {step} on with {token}. Of the {length} tokens before, {cached} were not computed again.",
    export: "Save the logits (JSON)",
    onGpu: "If this row lay on a GPU: what is read of it",
  };
  static chinese = () => import("./chinese/inspector.js");
  static honesty = "live";
  static properties = {
    prompt: { share: true, attribute: "prompt" },
    count: knob("count"),
    temperature: knob("temperature"),
    topK: knob("topK"),
    topP: knob("topP"),
    minP: knob("minP"),
    repetitionPenalty: knob("repetitionPenalty"),
    seed: knob("seed"),
    step: knob("count", "step"),
    pace: knob("pace"),
    written: { attribute: false },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** Of the prompt. @type {number[]} */
  #ids = [];
  /** @type {Step[]} */
  #steps = [];
  /** Whether the reader has chosen a step. */
  #isChosen = false;
  /** How many of the recorded steps are shown. */
  #played = 0;
  /** What was looked at last, which a summary asks for again. @type {{ key: string, steps: Step[], looked: Looked } | undefined} */
  #last;
  #rowDetails = new RowDetails(this);

  constructor() {
    super();
    /** The prompt. */
    this.prompt = recorded.prompt;
    /** Tokens that are written, at most 60. */
    this.count = recorded.count;
    this.temperature = recorded.temperature;
    this.topK = 0;
    this.topP = 1;
    this.minP = 0;
    this.repetitionPenalty = 1;
    this.seed = recorded.seed;
    /** The step that is shown, from 1. At 1 the widget's own text opens at its most surprising step. */
    this.step = 1;
    /** Tokens a second, at most; 0 shows the text all at once. @type {number | undefined} */
    this.pace = undefined;
    /**
     * A text of the page's own to look into: `{ model, ids, steps }`, the ids of its prompt, and its tokens as `generate`
     * gives them with `captureLogits`, each with its `text`. The widget then writes nothing.
     * @type {Text | undefined}
     */
    this.written = undefined;
  }

  prepare() {
    const off = { topK: 0, topP: 1, minP: 0, repetitionPenalty: 1 };
    this.isRecorded = !this.written && isRecorded(this, { ...recorded, ...off });
    this.#played = recordedSteps.length;
  }

  willUpdate() {
    // A page's own text takes the place of the recorded one.
    if (this.written) this.isRecorded = false;
  }

  #replay = async (/** @type {AbortSignal} */ signal) => {
    this.#played = 0;
    this.step = 1;
    this.#isChosen = false;
    for await (const _ of replay(this, recordedSteps, signal)) this.#played++;
    this.#played = recordedSteps.length;
  };

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (name === "step") this.#isChosen = true;
    if (this.isRecorded && name !== "pace" && name !== "step") {
      this.#live.stop();
      this.isRecorded = false;
    }
    super.turn(name, value, isFinal);
  }

  get #settings() {
    return Object.fromEntries(sliders.map((name) => [name, /** @type {any} */ (this)[name]]));
  }

  get #index() {
    const { length } = this.isRecorded ? recordedSteps.slice(0, this.#played) : this.#text.steps;
    const isOpen = this.step === 1 && !this.#isChosen && !this.written;
    return Math.min(isOpen ? this.#interesting(length) : this.step, length) - 1;
  }

  /** The step of the most surprising token, from 1. @param {number} length */
  #interesting(length) {
    const surprises = this.isRecorded
      ? recordedSteps.slice(0, this.#played).map(({ surprise }) => surprise)
      : this.#text.steps.map(({ rawLogprob }) => -rawLogprob);
    return length ? surprises.indexOf(Math.max(...surprises)) + 1 : 1;
  }

  /** What is looked into. @returns {Text | { model: undefined, ids: [], steps: [] }} */
  get #text() {
    const [model] = this.#live.models ?? [];
    return this.written ?? (model ? { model, ids: this.#ids, steps: this.#steps } : { model, ids: [], steps: [] });
  }

  /** The steps around the present one: in a long text, a slider could not keep up with all of them. @param {number} most */
  #near(most) {
    const { length } = this.#text.steps;
    const from = Math.max(0, Math.min(this.#index - Math.floor(most / 2), length - most));
    return { from, to: Math.min(length, from + most) };
  }

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    this.#steps = [];
    this.step = 1;
    this.#isChosen = false;
    this.#ids = await promptIds(model, this.prompt);
    await this.#goOn(signal, model);
    this.announce(this.summary());
  };

  /**
   * Writes the missing tokens, and tells how many of the present tokens the model still had in its cache.
   * @param {AbortSignal} signal
   * @param {Model} model
   */
  async #goOn(signal, model) {
    const prompt = [...this.#ids, ...this.#steps.map(({ id }) => id)];
    const steps = this.#steps;
    const maxTokens = Math.min(this.count, LONGEST) - steps.length;
    const options = { ...this.#settings, seed: this.seed, maxTokens, captureLogits: true, signal };
    let cached = 0;
    for await (const { tokens, usage } of write(this, model, prompt, options)) {
      steps.push(.../** @type {Step[]} */ (tokens));
      cached = usage?.cachedTokens ?? cached;
    }
    return { length: prompt.length, cached };
  }

  /** @param {number} id taken at the shown step instead */
  #branch(id) {
    const index = this.#index;
    void this.#live.run(async (signal, model) => {
      const step = this.#steps[index];
      const text = new TextDecoder().decode(model.vocabulary.tokens[id]);
      const rawLogprob = step.rawLogprob + step.logits[id] - step.logits[step.id];
      const isEnd = model.vocabulary.eos.includes(id);
      this.#steps = [
        ...this.#steps.slice(0, index),
        { ...step, id, rawLogprob, text: isEnd ? ` ⟨${this.say("endOfText")}⟩` : text },
      ];
      if (isEnd) return;
      const { length, cached } = await this.#goOn(signal, model);
      this.announce(this.say("branched", { step: index + 1, token: this.#quote(id, model), length, cached }));
    });
  }

  /** @param {number} id @param {Model} model */
  #quote(id, model) {
    return `“${tokenLabel(id, model, (key) => this.say(key))}”`;
  }

  /** @returns {Looked | null} */
  #look() {
    const text = this.#text;
    const step = text.steps[this.#index];
    const sampler = text.model && step && readySampler(this, step.logits.length);
    if (!sampler) return null;
    const { model, steps } = text;
    const settings = { ...this.#settings, tokenCount: model.vocabulary.tokens.length };
    const { from, to } = this.#near(Math.min(LONGEST, Math.ceil(COMPARED / step.logits.length)));
    const key = JSON.stringify([settings, this.#index, from, to]);
    if (this.#last?.key === key && this.#last.steps === steps) return this.#last.looked;
    const before = (/** @type {number} */ i) => [...text.ids, ...steps.slice(0, i).map(({ id }) => id)];
    let times = 0;
    for (let i = from; i < to; i++)
      for (const share of survivors(sampler, steps[i].logits, settings, { top: 1 }, before(i)).shares.values())
        times += share;
    const history = before(this.#index);
    const view = look(sampler, step.logits, settings, history);
    const asked = { logits: step.logits, settings, history, view };
    const uncertainty = { bits: entropyOf(view.probabilities), bitsLeft: Math.abs(entropyOf(view.shares)) };
    const agreement = { count: to - from, times };
    const top = topOf(view.logits, SHOWN);
    this.#last = { key, steps, looked: { model, step, asked, view, top, uncertainty, agreement } };
    return this.#last.looked;
  }

  view() {
    const looked = this.#look();
    return html`${
      this.written
        ? nothing
        : html`${textField(this, "prompt")}
            <div class="knobs">${this.slider("count", { max: LONGEST })}${seedField(this)}</div>
            ${this.#live.button(this.say("run"), this.#run, { replay: this.#replay, pace: paceField(this) })}`
    }
    ${this.isRecorded && this.#played ? html`<div class="beside">${this.#recordedView()}</div>` : nothing}
    ${
      looked
        ? html`<div class="knobs">${sliders.map((name) => this.slider(name, name === "topK" ? { max: 100 } : {}))}</div>
            <div class="beside">
              <div>${this.#textView()}</div>
              <div>${this.#stepBars(looked)}</div>
            </div>
            ${this.#stepView(looked)}`
        : nothing
    }`;
  }

  /** The text and the likeliest tokens of a step, as they were recorded. */
  #recordedView() {
    const index = this.#index;
    const steps = recordedSteps.slice(0, this.#played);
    const { top, taken, bits } = recordedSteps[index];
    const pieces = steps.map(({ text, surprise }) => ({ text, probability: 2 ** (-surprise / 100) }));
    const all = /** @type {[string, number][]} */ (top.some(([label]) => label === taken[0]) ? top : [...top, taken]);
    const row = (/** @type {string} */ label, /** @type {number} */ p, isMarked = false) => ({
      kind: "kept",
      isMarked,
      cells: [label, { bar: p }, formatPercent(p)],
    });
    const rows = all.map(([label, p]) => row(label, p, label === taken[0]));
    const left = all.reduce((sum, [, p]) => sum - p, 1);
    rows.push(row(this.say("everythingElse", { count: formatCount(size - all.length) }), Math.max(0, left)));
    const heads = ["token", "", "probability"].map((key) => key && this.say(key));
    return html`<div>
        <p class="hint">${this.say("written")}</p>
        ${tokenText(pieces, { selected: index, onPick: (i) => this.turn("step", i + 1, true) })} ${tintLegend(this)}
        ${this.#moves(index, steps.length)}
      </div>
      <div>
        ${barTable({ caption: this.say("caption"), heads, rows })}
        <p>${this.say("uncertain", { bits: (bits / 100).toFixed(2), choices: formatChoices(2 ** (bits / 100)) })}</p>
      </div>`;
  }

  /** @param {number} index @param {number} count */
  #moves(index, count) {
    const move = (/** @type {number} */ to) => this.turn("step", to, true);
    return html`<div class="actions">
      <button ?disabled=${index < 1} @click=${() => move(index)}>${this.say("previous")}</button>
      <span>${this.say("place", { step: index + 1, count })}</span>
      <button ?disabled=${index > count - 2} @click=${() => move(index + 2)}>${this.say("next")}</button>
    </div>`;
  }

  #textView() {
    const index = this.#index;
    const { steps } = this.#text;
    const { from, to } = this.#near(LONGEST);
    // If the page shows the text, the tokens are tinted and chosen in the page.
    const pieces = steps.slice(from, to).map(({ text, rawLogprob }, i) => ({
      text: legible(text).replaceAll("␣", " "),
      ...(this.written ? { isMarked: from + i === index } : { probability: Math.exp(rawLogprob) }),
    }));
    const count = steps.length;
    return html`${
      this.written
        ? tokenText(pieces)
        : html`<p class="hint">${this.say("written")}</p>
            ${tokenText(pieces, { selected: index, onPick: (i) => this.turn("step", i + 1, true) })} ${tintLegend(this)}`
    }
    ${this.#moves(index, count)}`;
  }

  /** @param {Looked} looked */
  #stepBars({ model, step, view, top }) {
    const { probabilities, shares, removedBy } = view;
    // Rows of nearly nothing teach nothing: they are part of the last row.
    const likely = top.filter((id, i) => i < LEAST || probabilities[id] >= RARE);
    const ids = likely.includes(step.id) ? likely : [...likely, step.id];
    const rest = { p: 1, share: 1 };
    const rows = ids.map((id) => {
      rest.p -= probabilities[id];
      rest.share -= shares[id];
      const label = tokenLabel(id, model, (key) => this.say(key));
      const stage = removedBy(id);
      const marks = [id === top[0] && this.say("greedy"), id === step.id && this.say("taken")].filter(Boolean);
      return {
        kind: stage ? "cut" : "kept",
        isMarked: id === step.id,
        cells: [
          html`${
              this.written
                ? label
                : html`<button
                    class="quiet"
                    aria-label=${this.say("branch", { token: label })}
                    ?disabled=${this.#live.state !== "idle"}
                    @click=${() => this.#branch(id)}
                  >
                    ${label}
                  </button>`
            } <small>${this.list(marks)}</small>`,
          { bar: probabilities[id] },
          formatPercent(probabilities[id]),
          stage ? `✕ ${this.say(stageWords[stage] ?? "cut")}` : formatPercent(shares[id]),
        ],
      };
    });
    const others = probabilities.length - ids.length;
    // The rest of 1 after sixteen subtractions may be a rounding error.
    const [p, share] = [rest.p, rest.share].map((number) => (number > 1e-12 ? number : 0));
    const label = this.say("everythingElse", { count: formatCount(others) });
    const left = share ? formatPercent(share) : `✕ ${this.say("cut")}`;
    if (others > 0)
      rows.push({ kind: share ? "kept" : "cut", isMarked: false, cells: [label, { bar: p }, formatPercent(p), left] });
    return barTable({
      caption: this.say("caption"),
      heads: ["token", "", "probability", "left"].map((key) => key && this.say(key)),
      rows,
    });
  }

  /** @param {Looked} looked */
  #stepView({ model, asked, view, top, uncertainty, agreement }) {
    const { probabilities, stages } = view;
    const [{ bits, bitsLeft }, { count, times }] = [uncertainty, agreement];
    const [first, second] = top;
    return html`<p>${this.say("stages")}</p>
      ${barTable({
        caption: this.say("stages"),
        heads: ["stage", "passed", "floor", "mass"].map((key) => this.say(key)),
        rows: stages.map(({ name, before, after, threshold, mass }) => ({
          cells: [
            this.say(stageWords[name]),
            `${formatCount(before)} → ${formatCount(after)}`,
            threshold === null ? "–" : formatPercent(threshold),
            mass === null ? "–" : formatPercent(mass),
          ],
        })),
      })}
      <p>
        ${this.say("uncertainty", {
          bits: bits.toFixed(2),
          choices: formatChoices(2 ** bits),
          bitsLeft: bitsLeft.toFixed(2),
          choicesLeft: formatChoices(2 ** bitsLeft),
        })}
      </p>
      ${
        second === undefined
          ? nothing
          : html`<p>
              ${this.say("gap", {
                first: this.#quote(first, model),
                second: this.#quote(second, model),
                gap: (100 * (probabilities[first] - probabilities[second])).toFixed(1),
              })}
            </p>`
      }
      <p>${this.say("agree", { count, times: times.toFixed(1), share: formatPercent(Math.min(1, times / count)) })}</p>
      ${this.#rowDetails.view(asked)}
      <div class="actions"><button @click=${() => this.#export(model)}>${this.say("export")}</button></div>`;
  }

  summary() {
    if (this.isRecorded) return this.say("place", { step: this.#index + 1, count: this.#played });
    const looked = this.#look();
    if (!looked) return "";
    const { model, view, top } = looked;
    const { probabilities } = view;
    const [first, second] = top;
    const place = this.say("place", { step: this.#index + 1, count: this.#text.steps.length });
    const gap = (100 * (probabilities[first] - (probabilities[second] ?? 0))).toFixed(1);
    if (second === undefined) return place;
    return `${place}. ${this.say("gap", { first: this.#quote(first, model), second: this.#quote(second, model), gap })}`;
  }

  /** @param {Model} model */
  #export(model) {
    // Nine digits are a float32 to the last bit.
    const { ids, steps: all } = this.#text;
    const steps = all.map(({ id, text, logits }) => ({
      token: id,
      text,
      logits: Array.from(logits, (logit) => Number(logit.toPrecision(9))),
    }));
    const { prompt, seed } = this.written ? {} : this;
    const record = { model: model.config.name, prompt, promptTokens: ids, seed, settings: this.#settings, steps };
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(record)], { type: "application/json" }));
    link.download = "logits.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
  }
}

define("inspector", LastInchInspector);
