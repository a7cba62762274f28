// Structured output: a grammar follows the text and masks every token that cannot lead to a valid text.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { explain } from "./shared/words.js";
import { barTable } from "./shared/bars.js";
import { seedField, textField } from "./shared/field.js";
import { formatCount, formatPercent, plainText, tokenLabel } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { Player } from "./shared/player.js";
import { ranked } from "./shared/sampling.js";
import { tokenText } from "./shared/tokens.js";

/** @typedef {import("../index.js").Model} Model */

/** @typedef {import("./shared/structured.js").Step} Step */

const LONGEST = 120;
const ROWS = 6;

const word = { type: "string", pattern: "^[A-Z][a-z]{1,9}$" };
const card = { says: word, age: { enum: ["two", "three", "four", "five"] }, ball: { enum: ["red", "blue", "green"] } };
/** @param {object} properties */
const object = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
/** What each form starts with. @type {Record<string, string>} */
const examples = {
  schema: JSON.stringify(object(card), null, 1),
  call: JSON.stringify(
    [
      { name: "throwBall", parameters: object({ to: word }) },
      { name: "bakeCake", parameters: object({ layers: { enum: [1, 2, 3] } }) },
    ],
    null,
    1,
  ),
  regex: String.raw`(Lily|Tom|Mia) is (very )?(happy|sad|tired) at [1-9]:[0-5]\d\.`,
};

/**
 * A grammar and a text in lockstep: the allowed tokens, the masked tokens, and the share of the model's
 * probability that remains; beside them the texts of the same model without a mask.
 * @tagname lastinch-json-mask
 */
export class LastInchJsonMask extends LastInchElement {
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
    runs: { type: Number, share: true, attribute: "runs", knob: "count" },
    facts: { attribute: false },
    steps: { state: true },
    isOver: { state: true },
    problem: { state: true },
    comparison: { state: true },
  };

  #live = new Live(this, "storyteller");
  #player = new Player(this, () => Math.max(0, this.steps.length - 1), 700);

  constructor() {
    super();
    /** The kind of grammar: `schema`, `call` (of a tool) or `regex`. */
    this.form = "schema";
    /** The JSON Schema, the list of tools (name and parameters) or the pattern, by form. @type {string | undefined} */
    this.schema = undefined;
    /** The prompt. */
    this.prompt = "Tom is five years old. He has a big blue ball. He wrote it on a card:\n";
    this.temperature = 0.8;
    this.seed = 1;
    /** Texts of each kind that are compared. */
    this.runs = 10;
    /** What is true in the prompt, by the names of the schema's properties. @type {Record<string, unknown> | undefined} */
    this.facts = undefined;
    /** @type {Step[]} */
    this.steps = [];
    this.isOver = false;
    /** What the text says. @type {any} */
    this.value = undefined;
    /** @type {unknown} */
    this.problem = undefined;
    /** Prompt only, and masked. @type {import("./shared/structured.js").Count[]} */
    this.comparison = [];
  }

  get #source() {
    return this.schema ?? examples[this.form] ?? "";
  }

  get #facts() {
    return this.facts ?? (this.form === "schema" && !this.schema ? { age: "five", ball: "blue" } : {});
  }

  /** @param {any} value */
  #wrongs(value) {
    return Object.entries(this.#facts).filter(([name, fact]) => value?.[name] !== fact);
  }

  /**
   * Work that needs the grammar. Errors of the source are shown beside the source.
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

  #write = this.#withGrammar(async ({ writeMasked, readForm }, signal, model, grammar) => {
    this.#forget();
    for await (const step of writeMasked(model, grammar, this.#how)) {
      await this.onscreen();
      signal.throwIfAborted();
      this.steps = [...this.steps, step];
    }
    const ids = this.steps.map(({ id }) => id);
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
    this.#live.stop();
    this.#forget();
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
      ${this.#live.button(this.say("write"), this.#write)}
      ${this.problem ? html`<p class="problem" role="alert">${explain(this.problem)}</p>` : nothing}
      ${model && this.steps.length ? this.#steps(model) : nothing}
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

  /** @param {Model} model */
  #steps(model) {
    const { steps } = this;
    const at = this.#player.position;
    const step = steps[at];
    const pieces = steps.map(({ id }) => ({ text: tokenLabel(id, model, (key) => `⟨${this.say(key)}⟩`) }));
    // Forced and free parts, in turns: the way through the automaton.
    /** @type {{ isForced: boolean, first: number, text: string, end: number, most: number }[]} */
    const path = [];
    steps.forEach(({ forced, allowed }, i) => {
      const isForced = forced.startsWith(pieces[i].text) || allowed.size === 1;
      let last = path.at(-1);
      if (last?.isForced !== isForced) path.push((last = { isForced, first: i, text: "", end: i, most: 0 }));
      last.text += pieces[i].text;
      last.end = i;
      last.most = Math.max(last.most, allowed.size);
    });
    return html`${tokenText(pieces, { selected: at, onPick: (i) => this.#player.go(i) })}
      <p>${this.#verdict()}</p>
      ${this.#player.controls()}
      <ol class="legend">
        ${path.map(
          ({ isForced, first, end, text, most }) =>
            html`<li aria-current=${first <= at && at <= end ? "step" : nothing}>
              <code class="token" ?data-marked=${first <= at && at <= end}>${text}</code>
              ${isForced ? this.say("forced") : this.say("free", { most })}
            </li>`,
        )}
      </ol>
      <p>
        ${this.say("mask", {
          masked: formatCount(step.shares.length - step.allowed.size),
          size: formatCount(step.shares.length),
          mass: formatPercent(step.mass),
        })}
        ${step.forced ? this.say("must", { text: step.forced }) : this.say("may", { text: step.starts })}
      </p>
      ${this.#bars(step, model)}`;
  }

  #verdict() {
    if (!this.isOver) return this.steps.length < LONGEST ? "…" : this.say("unfinished", { count: LONGEST });
    if (this.value === undefined) return "✕";
    const facts = this.#wrongs(this.value).map(([name, fact]) => `${name}: ${this.value[name]} ≠ ${fact}`);
    return this.say("valid") + (facts.length ? " " + this.say("wrong", { facts: facts.join(", ") }) : "");
  }

  /** @param {Step} step @param {Model} model */
  #bars({ probabilities, shares, allowed, id: chosen }, model) {
    const order = ranked(probabilities);
    const likeliest = order.filter((id) => allowed.has(id)).slice(0, ROWS);
    const shown = new Set([...order.slice(0, ROWS), ...likeliest, chosen]);
    const rows = order
      .filter((id) => shown.has(id))
      .map((id) => ({
        kind: allowed.has(id) ? "kept" : "cut",
        isMarked: id === chosen,
        cells: [
          tokenLabel(id, model, (key) => this.say(key)),
          { bar: probabilities[id] },
          formatPercent(probabilities[id]),
          { bar: allowed.has(id) ? shares[id] : NaN },
          allowed.has(id) ? formatPercent(shares[id]) : "✕ −∞",
        ],
      }));
    const rest = (/** @type {Float64Array} */ values) =>
      values.reduce((sum, value, id) => (shown.has(id) ? sum : sum + value), 0);
    const [tail, tailShare] = [rest(probabilities), rest(shares)];
    const name = this.say("everythingElse", { count: formatCount(order.length - shown.size) });
    rows.push({
      kind: "plain",
      isMarked: false,
      cells: [name, { bar: tail }, formatPercent(tail), { bar: tailShare }, formatPercent(tailShare)],
    });
    const heads = ["token", "", "model", "", "after"].map((key) => key && this.say(key));
    return barTable({ caption: this.say("caption"), heads, rows });
  }

  summary() {
    const [model] = this.#live.models ?? [];
    const { position } = this.#player;
    const step = this.steps[position];
    if (!step || !model) return "";
    const token = tokenLabel(step.id, model, (key) => this.say(key));
    return this.say("at", { step: position + 1, count: this.steps.length, token });
  }
}

define("json-mask", LastInchJsonMask);
