// Structured output: a grammar follows the text and masks every token that cannot lead to a valid text.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { explain } from "./shared/words.js";
import { barTable, headOf } from "./shared/bars.js";
import { seedField, textField } from "./shared/field.js";
import { formatCount, formatPercent, plainText } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { Player } from "./shared/player.js";
import { maskStrip, maskStyles } from "./shared/mask-strip.js";
import { examples } from "./shared/mask-examples.js";
import { due, paceField } from "./shared/pace.js";
import { isRecorded } from "./shared/recording.js";
import { tokenText } from "./shared/token-text.js";
import { fill } from "./shared/words.js";
import * as recording from "./recorded/json-mask.js";

/** @typedef {import("../index.js").Model} Model */

/**
 * One step: how many tokens were allowed, the shades of the vocabulary strip, and the rows of the table.
 * @typedef {object} Step
 * @property {string} label of the token that was drawn; "" is the end of the text
 * @property {number} allowed
 * @property {string} forced
 * @property {string} starts
 * @property {number} mass
 * @property {string} shades a digit for each part of the vocabulary
 * @property {[label: string, probability: number, share: number, isDrawn?: number][]} rows share -1: masked
 */

const LONGEST = 120;

/**
 * A grammar and a text in lockstep: the allowed tokens, the masked tokens, and the share of the model's
 * probability that remains; beside them the texts of the same model without a mask.
 * @tagname lastinch-json-mask
 */
export class LastInchJsonMask extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    css`
      .states {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem 1.5rem;
        padding: 0 0 0 1.375rem;
        list-style: none;
      }
      .states li {
        position: relative;
        display: grid;
        padding: 0.125rem 0.5rem;
        border: 1px solid var(--edge);
        border-radius: 1rem;
        text-align: center;
      }
      .states .free {
        border: 2px solid var(--accent);
      }
      .states [aria-current] {
        background: color-mix(in srgb, var(--accent) 20%, transparent);
        box-shadow: 0 0 0 2px var(--ink);
      }
      .states li + li::before {
        position: absolute;
        inset-inline-start: -1.375rem;
        inset-block-start: 0.5rem;
        content: "→";
      }
      .states small {
        color: var(--soft);
      }
      .states code {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
    maskStyles,
  ];
  static words = {
    title: "The mask that cannot be disobeyed",
    lead: "Before each draw, every token that cannot lead to a valid text gets −∞. Write one, then raise the temperature: values go wild, the form never does.",
    form: "What the text must be",
    schema: "JSON",
    call: "A tool call",
    regex: "A pattern",
    schemaLabel: "JSON Schema",
    callLabel: "Tools (the call is opened for the model)",
    regexLabel: "Regular expression",
    prompt: "What the model reads first",
    write: "Write under the mask",
    valid: "✓ Valid.",
    unfinished: "… Not finished after {count} tokens, but valid so far.",
    wrong: "✕ Valid is not true: {facts}.",
    forced: "forced",
    free: "free, up to {most} tokens",
    must: "Must follow: “{text}”.",
    may: "May begin with: {text}.",
    any: "almost any character",
    beyond: "others",
    at: "Step {step} of {count}: “{token}”.",
    states: "The grammar's way through the text: what it forced, and where the model was free",
    vocabulary: "The vocabulary as a strip: {allowed} of {size} tokens are allowed, the rest is dark",
    mask: "{masked} of {size} tokens masked to −∞; the rest holds {mass} of the model's probability.",
    caption: "The model's likeliest tokens, and those that the mask leaves",
    model: "Model",
    after: "Under the mask",
    compare: "Compare {runs} runs each",
    how: "Same model, same prompt",
    only: "Prompt only",
    masked: "Masked",
    valids: "valid",
    truths: "and true",
    fair: "Above: prompt only, valid if any beginning of it is. This model has read only stories; only a mask is certain.",
  };
  static chinese = () => import("./chinese/json-mask.js");
  static honesty = "live";
  static properties = {
    form: { share: true, attribute: "form", oneOf: Object.keys(examples) },
    schema: { share: true, attribute: "schema" },
    prompt: { share: true, attribute: "prompt" },
    temperature: knob("temperature"),
    seed: knob("seed"),
    pace: knob("pace"),
    runs: { type: Number, share: true, attribute: "runs", knob: "count" },
    facts: { attribute: false },
    steps: { state: true },
    isOver: { state: true },
    problem: { state: true },
    comparison: { state: true },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  #player = new Player(this, () => Math.max(0, this.steps.length - 1), 10);

  constructor() {
    super();
    /** The kind of grammar: `schema`, `call` (of a tool) or `regex`. */
    this.form = "schema";
    /** The JSON Schema, the list of tools (name and parameters) or the pattern, by form. @type {string | undefined} */
    this.schema = undefined;
    /** The prompt. */
    this.prompt = recording.settings.prompt;
    this.temperature = recording.settings.temperature;
    this.seed = recording.settings.seed;
    /** How many texts of each kind to compare. */
    this.runs = 10;
    /** The facts in the prompt, by the names of the schema's properties. @type {Record<string, unknown> | undefined} */
    this.facts = undefined;
    /** Most tokens a second; 0 shows the whole text at once. @type {number | undefined} */
    this.pace = undefined;
    /** Tokens of the vocabulary. */
    this.size = 0;
    /** @type {Step[]} */
    this.steps = [];
    this.isOver = false;
    /** What the text says. @type {any} */
    this.value = undefined;
    /** @type {unknown} */
    this.problem = undefined;
    /** With only the prompt, and with the mask. @type {import("./shared/structured.js").Count[]} */
    this.comparison = [];
  }

  get #source() {
    return this.schema ?? examples[this.form] ?? "";
  }

  get #facts() {
    return this.facts ?? (this.form === "schema" && !this.schema ? { name: "Tom", age: "five", ball: "blue" } : {});
  }

  /** @param {any} value */
  #wrongs(value) {
    return Object.entries(this.#facts).filter(([name, fact]) => value?.[name] !== fact);
  }

  /**
   * Runs work that needs the grammar. An error in the source appears beside it.
   * @param {(tools: typeof import("./shared/structured.js"), signal: AbortSignal, model: Model, grammar: import("../index.js").Grammar) => Promise<void>} work
   */
  #withGrammar(work) {
    return async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
      const tools = await import("./shared/structured.js");
      this.problem = undefined;
      const grammar = await tools
        .compileForm(/** @type {any} */ (this.form), this.#source, model, signal)
        .catch((error) => void (this.problem = error));
      if (!grammar) return;
      try {
        await work(tools, signal, model, grammar);
      } finally {
        grammar.dispose();
      }
    };
  }

  get #how() {
    const { form, prompt, temperature, seed } = this;
    const say = (/** @type {string} */ key) => this.say(key);
    return { form, prompt, temperature, seed, longest: LONGEST, say };
  }

  prepare() {
    this.isRecorded = isRecorded(this, { ...recording.settings, form: "schema", schema: undefined, facts: undefined });
    if (this.isRecorded) this.#takeRecorded();
  }

  #takeRecorded() {
    const words = Object.fromEntries(["any", "beyond", "endOfText"].map((key) => [key, this.say(key)]));
    this.steps = recording.steps.map(({ rows, starts, ...step }) => ({
      ...step,
      starts: fill(starts, words),
      rows: rows.split("\n").map((line) => {
        const [label, ...numbers] = line.split(" ");
        const [p, share, isDrawn] = numbers.map(Number);
        return [label, p, share, isDrawn];
      }),
    }));
    this.isOver = true;
    this.size = recording.size;
    this.value = JSON.parse(this.steps.map(({ label }) => label.replaceAll("␣", " ").replaceAll("⏎", "\n")).join(""));
    // Where the mask overruled the model most and still left a choice.
    const free = this.steps.filter(({ allowed }) => allowed > 2);
    this.#player.position = this.steps.indexOf(free.reduce((a, b) => (b.mass < a.mass ? b : a)));
  }

  #write = this.#withGrammar(async ({ writeMasked, describeStep, readForm }, signal, model, grammar) => {
    this.#forget();
    this.size = model.config.vocabSize;
    const ids = [];
    for await (const step of writeMasked(model, grammar, this.#how)) {
      await this.onscreen();
      signal.throwIfAborted();
      ids.push(step.id);
      this.steps = [...this.steps, /** @type {Step} */ (describeStep(step, model))];
      this.#player.position = this.steps.length - 1;
      await due(this, signal);
    }
    this.isOver = ids.some((id) => model.vocabulary.eos.includes(id));
    this.value = readForm(this.form, grammar, plainText(ids, model));
    this.announce(this.summary());
  });

  #compare = this.#withGrammar(async ({ compareRuns }, signal, model, grammar) => {
    const { runs } = this;
    const isRight = (/** @type {any} */ value) => !this.#wrongs(value).length;
    for await (const counts of compareRuns(model, grammar, { ...this.#how, runs, isRight }, signal)) {
      await this.onscreen();
      signal.throwIfAborted();
      this.comparison = counts;
    }
    const said = this.comparison.map(({ valid }, i) => `${this.say(i ? "masked" : "only")}: ${valid} / ${runs}`);
    this.announce(said.join("; "));
  });

  #forget() {
    this.steps = [];
    this.isOver = false;
    this.comparison = [];
    this.problem = undefined;
    this.#player.reset();
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (name === "form") this.schema = undefined;
    if (name !== "pace") {
      this.#live.stop();
      this.isRecorded = false;
      this.#forget();
    }
    super.turn(name, value, isFinal);
  }

  view() {
    const [model] = this.#live.models ?? [];
    const forms = /** @type {[string, string][]} */ (Object.keys(examples).map((form) => [form, this.say(form)]));
    return html`${this.choice("form", this.say("form"), forms)}
      <div>
        <label for="schema">${this.say(`${this.form}Label`)}</label>
        <textarea
          id="schema"
          rows="6"
          spellcheck="false"
          .value=${this.#source}
          @change=${(/** @type {any} */ { target }) => this.turn("schema", target.value, true)}
        ></textarea>
      </div>
      ${textField(this, "prompt", 2)}
      <div class="knobs">${this.slider("temperature")}${seedField(this)}</div>
      ${this.#live.button(this.say("write"), this.#write, { pace: paceField(this) })}
      ${this.problem ? html`<p class="problem" role="alert">${explain(this.problem)}</p>` : nothing}
      ${this.steps.length ? this.#steps() : nothing}
      ${
        model
          ? html`<div class="actions">
              <button @click=${() => this.#live.run(this.#compare)}>${this.say("compare", { runs: this.runs })}</button>
            </div>`
          : nothing
      }
      ${this.comparison.length ? this.#comparison() : nothing}`;
  }

  #comparison() {
    const hasFacts = Object.keys(this.#facts).length > 0;
    const share = (/** @type {number} */ count) => `${count} / ${this.runs}`;
    const heads = [this.say("how"), "", this.say("valids"), ...(hasFacts ? [this.say("truths")] : [])];
    const rows = this.comparison.map(({ valid, right }, i) => ({
      cells: [
        this.say(i ? "masked" : "only"),
        { bar: valid / this.runs },
        share(valid),
        ...(hasFacts ? [share(right)] : []),
      ],
    }));
    return html`${barTable({ caption: this.say("how"), heads, rows })}
      <p class="text">${this.comparison[0].sample}…</p>
      <p class="hint">${this.say("fair")}</p>`;
  }

  #steps() {
    const { steps } = this;
    const at = this.#player.position;
    const step = steps[at];
    const pieces = steps.map(({ label }) => ({ text: label || `⟨${this.say("endOfText")}⟩` }));
    // Forced and free parts in turn: the path through the automaton.
    /** @type {{ isForced: boolean, first: number, text: string, end: number, most: number }[]} */
    const path = [];
    steps.forEach(({ forced, allowed }, i) => {
      const isForced = forced.startsWith(pieces[i].text) || allowed === 1;
      let last = path.at(-1);
      if (last?.isForced !== isForced) path.push((last = { isForced, first: i, text: "", end: i, most: 0 }));
      last.text += pieces[i].text;
      last.end = i;
      last.most = Math.max(last.most, allowed);
    });
    return html`${tokenText(pieces, { selected: at, onPick: (i) => this.#player.go(i) })}
      <p>${this.#verdict()}</p>
      ${this.#player.controls(false)}
      <ol class="states" aria-label=${this.say("states")}>
        ${path.map(({ isForced, first, end, text, most }) => {
          const isHere = first <= at && at <= end;
          return html`<li class=${isForced ? "forced" : "free"} aria-current=${isHere ? "step" : nothing}>
            <code>${text}</code><small>${isForced ? this.say("forced") : this.say("free", { most })}</small>
          </li>`;
        })}
      </ol>
      ${maskStrip(step.shades, this.say("vocabulary", { allowed: formatCount(step.allowed), size: formatCount(this.size) }))}
      <p>
        ${this.say("mask", {
          masked: formatCount(this.size - step.allowed),
          size: formatCount(this.size),
          mass: formatPercent(step.mass),
        })}
        ${step.forced ? this.say("must", { text: step.forced }) : this.say("may", { text: step.starts })}
      </p>
      ${this.#bars(step)}`;
  }

  #verdict() {
    const { length } = this.steps;
    if (!this.isOver) return this.#live.state === "running" ? "…" : this.say("unfinished", { count: length });
    if (this.value === undefined) return "✕";
    const facts = this.#wrongs(this.value).map(([name, fact]) => `${name}: ${this.value[name]} ≠ ${fact}`);
    return this.say("valid") + (facts.length ? " " + this.say("wrong", { facts: facts.join(", ") }) : "");
  }

  /** @param {Step} step */
  #bars({ rows: all }) {
    const rows = all.map(([label, p, share, isDrawn]) => ({
      kind: share < 0 ? "cut" : "kept",
      isMarked: Boolean(isDrawn),
      cells: [
        label || this.say("endOfText"),
        { bars: [{ bar: p, kind: "hollow" }, { bar: Math.max(0, share) }] },
        formatPercent(p),
        share < 0 ? "✕ −∞" : formatPercent(share),
      ],
    }));
    const [tail, tailShare] = [1, 2].map((column) => {
      const left = all.reduce((sum, row) => sum - Math.max(0, Number(row[column])), 1);
      return left > 1e-3 ? left : 0;
    });
    const name = this.say("everythingElse", { count: formatCount(this.size - rows.length) });
    rows.push({
      kind: "plain",
      isMarked: false,
      cells: [
        name,
        { bars: [{ bar: tail, kind: "hollow" }, { bar: tailShare }] },
        formatPercent(tail),
        formatPercent(tailShare),
      ],
    });
    const heads = [this.say("token"), "", headOf(this.say("model"), "hollow"), headOf(this.say("after"), "kept")];
    return barTable({ caption: this.say("caption"), heads, rows });
  }

  summary() {
    const { position } = this.#player;
    const step = this.steps[position];
    if (!step) return "";
    const token = step.label || this.say("endOfText");
    return this.say("at", { step: position + 1, count: this.steps.length, token });
  }
}

define("json-mask", LastInchJsonMask);
