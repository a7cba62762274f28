// A text taken apart: at each step what else could have come, what other settings would do, and a way to go on from there.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { formatCount, formatPercent, legible, tokenLabel } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { configure, look, readySampler, topOf } from "./shared/sampling.js";
import { tokenText } from "./shared/tokens.js";
import { seedField, textField } from "./shared/field.js";
import { promptIds, write } from "./shared/writing.js";

/** @typedef {import("./shared/models.js").Model} Model */
/** @typedef {import("./shared/writing.js").Written & { logits: Float32Array }} Step */

/** @typedef {{ model: Model, step: Step, view: import("./shared/sampling.js").View, agreement: number, top: number[] }} Looked */

const SHOWN = 16;
const LONGEST = 60;
const sliders = ["temperature", "topK", "topP", "minP", "repetitionPenalty"];
/** @type {Record<string, string>} */
const stageWords = { top_k: "topK", top_p: "topP", min_p: "minP", temperature: "temperature" };

/**
 * Every step of a text that a model writes: the likeliest tokens over the whole vocabulary, under settings that can be
 * changed afterwards. Choosing another token goes on from there.
 * @tagname lastinch-inspector
 */
export class LastInchInspector extends LastInchElement {
  static words = {
    title: "Step inspector",
    lead: "Let the model write, then look into any step. The sliders work on what the model said then: it need not run again. Choose a token to go on with that one instead.",
    prompt: "Beginning",
    count: "Tokens to write",
    run: "Write",
    written: "The text, token by token: choose one",
    previous: "‹ Previous",
    next: "Next ›",
    place: "Step {step} of {count}",
    caption: "The likeliest tokens of this step and all others together",
    left: "After the cuts",
    mark: "Mark",
    taken: "in the text",
    branch: "Go on with {token}",
    gap: "{first} leads {second} by {gap} percentage points.",
    agree:
      "At these {count} steps and with these settings, a draw would take the greedy token {times} times on average: {share}.",
    branched: "From step {step} on with {token}. Of the {length} tokens before, {cached} were not computed again.",
    export: "Save the logits (JSON)",
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
  };

  #live = new Live(this, "storyteller");
  /** Of the prompt. @type {number[]} */
  #ids = [];
  /** @type {Step[]} */
  #steps = [];

  constructor() {
    super();
    /** What the text begins with. */
    this.prompt = "Once upon a time";
    /** Tokens that are written, at most 60. */
    this.count = 24;
    this.temperature = 0.8;
    this.topK = 0;
    this.topP = 1;
    this.minP = 0;
    this.repetitionPenalty = 1;
    this.seed = 1;
    /** The step that is shown, from 1. */
    this.step = 1;
  }

  get #settings() {
    return Object.fromEntries(sliders.map((name) => [name, /** @type {any} */ (this)[name]]));
  }

  get #index() {
    return Math.min(this.step, this.#steps.length) - 1;
  }

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    this.#steps = [];
    this.#ids = await promptIds(model, this.prompt);
    await this.#goOn(signal, model);
    this.announce(this.summary());
  };

  /**
   * Writes what is missing, and tells how much of what was there the model still knew.
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
    this.#live.run(async (signal, model) => {
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
    const [model] = this.#live.models ?? [];
    const step = this.#steps[this.#index];
    const sampler = model && step && readySampler(this, step.logits.length);
    if (!sampler) return null;
    const settings = { ...this.#settings, tokenCount: model.vocabulary.tokens.length };
    const ids = [...this.#ids, ...this.#steps.map(({ id }) => id)];
    let agreement = 0;
    this.#steps.forEach(({ logits }, i) => {
      configure(sampler, settings, ids.slice(0, this.#ids.length + i));
      agreement += sampler.distribution(logits).probabilities[0];
    });
    const view = look(sampler, step.logits, settings, ids.slice(0, this.#ids.length + this.#index));
    return { model, step, view, agreement, top: topOf(view.logits, SHOWN) };
  }

  view() {
    const looked = this.#look();
    return html`${textField(this, "prompt")}
      <div class="knobs">${this.slider("count", { max: LONGEST })}${seedField(this)}</div>
      ${this.#live.button(this.say("run"), this.#run)} ${looked ? this.#textView() : nothing}
      <div class="knobs">${sliders.map((name) => this.slider(name, name === "topK" ? { max: 100 } : {}))}</div>
      ${looked ? this.#stepView(looked) : nothing}`;
  }

  #textView() {
    const index = this.#index;
    const count = this.#steps.length;
    const pieces = this.#steps.map(({ text, rawLogprob }) => ({
      text: legible(text).replaceAll("␣", " "),
      probability: Math.exp(rawLogprob),
    }));
    const move = (/** @type {number} */ to) => this.turn("step", to, true);
    return html`<p class="hint">${this.say("written")}</p>
      ${tokenText(pieces, { selected: index, onPick: (i) => move(i + 1) })}
      <div class="actions">
        <button ?disabled=${index < 1} @click=${() => move(index)}>${this.say("previous")}</button>
        <span>${this.say("place", { step: index + 1, count })}</span>
        <button ?disabled=${index > count - 2} @click=${() => move(index + 2)}>${this.say("next")}</button>
      </div>`;
  }

  /** @param {Looked} looked */
  #stepView({ model, step, view, top, agreement }) {
    const { probabilities, shares, removedBy } = view;
    const count = this.#steps.length;
    const index = this.#index;
    const ids = top.includes(step.id) ? top : [...top, step.id];
    const rest = { p: 1, share: 1 };
    const rows = ids.map((id) => {
      rest.p -= probabilities[id];
      rest.share -= shares[id];
      const label = tokenLabel(id, model, (key) => this.say(key));
      const stage = removedBy[id];
      const marks = [id === top[0] && this.say("greedy"), id === step.id && this.say("taken")].filter(Boolean);
      return {
        kind: stage ? "cut" : "kept",
        isMarked: id === step.id,
        cells: [
          html`<button
            class="quiet"
            aria-label=${this.say("branch", { token: label })}
            ?disabled=${this.#live.state !== "idle"}
            @click=${() => this.#branch(id)}
          >
            ${label}
          </button>`,
          { bar: probabilities[id] },
          formatPercent(probabilities[id]),
          stage ? `✕ ${this.say(stageWords[stage] ?? "cut")}` : formatPercent(shares[id]),
          this.list(marks),
        ],
      };
    });
    const others = probabilities.length - ids.length;
    // What is left of 1 after sixteen subtractions may be a rounding error.
    const positive = (/** @type {number} */ number) => (number > 1e-12 ? number : 0);
    if (others > 0)
      rows.push({
        kind: rest.share > 1e-12 ? "kept" : "cut",
        isMarked: false,
        cells: [
          this.say("everythingElse", { count: formatCount(others) }),
          { bar: positive(rest.p) },
          formatPercent(positive(rest.p)),
          rest.share > 1e-12 ? formatPercent(rest.share) : `✕ ${this.say("cut")}`,
          "",
        ],
      });
    const [first, second] = top;
    return html`${barTable({
        caption: this.say("caption"),
        heads: ["token", "", "probability", "left", "mark"].map((key) => key && this.say(key)),
        rows,
      })}
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
      <p>
        ${this.say("agree", { count, times: agreement.toFixed(1), share: formatPercent(Math.min(1, agreement / count)) })}
      </p>
      <div class="actions"><button @click=${() => this.#export(model)}>${this.say("export")}</button></div>`;
  }

  summary() {
    const looked = this.#look();
    if (!looked) return "";
    const { model, view, top } = looked;
    const [first, second] = top;
    const place = this.say("place", { step: this.#index + 1, count: this.#steps.length });
    const { probabilities } = view;
    const gap = (100 * (probabilities[first] - (probabilities[second] ?? 0))).toFixed(1);
    if (second === undefined) return place;
    return `${place}. ${this.say("gap", { first: this.#quote(first, model), second: this.#quote(second, model), gap })}`;
  }

  /** @param {Model} model */
  #export(model) {
    // Nine digits are a float32 to the last bit.
    const steps = this.#steps.map(({ id, text, logits }) => ({
      token: id,
      text,
      logits: Array.from(logits, (logit) => Number(logit.toPrecision(9))),
    }));
    const { prompt, seed } = this;
    const record = { model: model.config.name, prompt, promptTokens: this.#ids, seed, settings: this.#settings, steps };
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(record)], { type: "application/json" }));
    link.download = "logits.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
  }
}

define("inspector", LastInchInspector);
