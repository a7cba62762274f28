// The loop that writes a text, line by line, and the cost of the loop with a cache and without a cache.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { seedField, textField } from "./shared/field.js";
import { formatCount, formatPercent, plainText, tokenLabel } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { plot, plotStyles } from "./shared/plot.js";
import { rowAfter } from "./shared/rows.js";
import { configure, samplerFor } from "./shared/sampling.js";
import { tokenText } from "./shared/tokens.js";

/** @typedef {import("../index.js").Model} Model */
/** After `length` tokens of text: rows computed so far, and the time that took. @typedef {{ length: number, rows: number, ms: number }} Cost */

const CODE = [
  "ids = tokenize(prompt)",
  "row = model(ids)",
  "repeat:",
  "  next = sample(row)",
  "  if next is the end: stop",
  "  ids.push(next); print(next)",
  "  row = model(next)",
];
const [TOKENIZE, PREFILL, REPEAT, SAMPLE, TEST, PRINT, DECODE] = CODE.keys();

/**
 * The generation loop, one real step for each click; then the whole of it with a cache and without.
 * @tagname lastinch-generation-loop
 */
export class LastInchGenerationLoop extends LastInchElement {
  static words = {
    title: "The loop that writes",
    lead: "A model gives one row of numbers and knows nothing of sentences. This loop makes a text of it. Each click runs the next line, on a real model.",
    prompt: "Prompt",
    code: "The program; the line that has just run is marked",
    tokenized: "{count} tokens: {tokens}",
    prefill: "Prefill: {count} tokens read in one pass",
    decode: "Decode: {count} token read",
    cached: "; {count} came from the cache",
    round: "token {count}",
    drawn: "“{token}”, drawn with {share}",
    no: "no",
    yes: "yes: the text is over",
    race: "Write {count} tokens with a cache and without",
    withCache: "with a cache",
    without: "without",
    rows: "Rows computed",
    time: "Milliseconds",
    length: "Tokens in the text",
    curve: "{what} as the text grows, with a cache and without",
    numbers: "The numbers of the curves",
    raced:
      "With a cache {rows} rows and {ms} ms, without {allRows} rows and {allMs} ms: each token read once, or all of them again for each new one. The texts are {same}.",
    same: "the same",
    different: "different: something else used the model meanwhile",
  };
  static chinese = () => import("./chinese/generation-loop.js");
  static honesty = "live";
  static styles = [
    ...LastInchElement.styles,
    plotStyles,
    css`
      .code {
        padding: 0;
        list-style: none;
      }
      .code li {
        display: flex;
        flex-wrap: wrap;
        gap: 0 0.5rem;
        position: relative;
        padding: 0.25rem 0 0.25rem 1rem;
      }
      .code [aria-current] {
        background: color-mix(in srgb, var(--accent) 12%, transparent);
      }
      .code [aria-current]::before {
        position: absolute;
        left: 0;
        content: "▸";
      }
      code {
        flex: 0 1 18rem;
        white-space: pre-wrap;
      }
      .code span {
        flex: 1 1 12rem;
        overflow-wrap: anywhere;
      }
    `,
  ];
  static properties = {
    prompt: { share: true, attribute: "prompt" },
    temperature: knob("temperature"),
    seed: knob("seed"),
    tokens: { type: Number, share: true, attribute: "tokens", knob: "count" },
    line: { state: true },
    costs: { state: true },
  };

  #live = new Live(this, "storyteller");
  /** What each line has last given. @type {string[]} */
  #values = [];
  /** @type {number[]} */
  #ids = [];
  /** @type {number[]} */
  #written = [];
  #next = 0;
  /** @type {Float32Array | undefined} */
  #row;
  #isSame = true;

  constructor() {
    super();
    /** The prompt. */
    this.prompt = "Once upon a time, there was a little";
    this.temperature = 0.8;
    /** Decides all draws. */
    this.seed = 1;
    /** How many tokens are written with a cache and without. */
    this.tokens = 48;
    /** The line that has just run; -1: none. */
    this.line = -1;
    /** With a cache, and without. @type {[Cost[], Cost[]]} */
    this.costs = [[], []];
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    this.#begin();
    super.turn(name, value, isFinal);
  }

  #begin() {
    this.#live.stop();
    this.line = -1;
    this.#values = [];
    this.#ids = [];
    this.#written = [];
    this.costs = [[], []];
    this.announce("");
  }

  get #isOver() {
    return this.line === TEST && this.#values[TEST] === this.say("yes");
  }

  /** Chooses the token that follows what has been written. @param {Float32Array} row @param {number[]} written */
  async #choose(row, written) {
    const sampler = await samplerFor(row.length);
    configure(sampler, { temperature: this.temperature, seed: this.seed }, written);
    return { id: sampler.sample(row), probability: sampler.lastProbability };
  }

  /** Runs the next line. */
  #step = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    if (this.#isOver) return;
    const line = this.line === DECODE ? SAMPLE : this.line === PREFILL ? SAMPLE : this.line + 1;
    const label = (/** @type {number} */ id) => tokenLabel(id, model, (key) => this.say(key));
    const values = this.#values;
    if (line === TOKENIZE) {
      const ids = await model.tokenize(this.prompt, { bos: model.config.addBos });
      signal.throwIfAborted();
      this.#ids = ids;
      const tokens = this.#ids.map(label).join(" ");
      values[line] = this.say("tokenized", { count: this.#ids.length, tokens });
    } else if (line === PREFILL || line === DECODE) {
      const { logits, cached } = await rowAfter(model, this.#ids, signal);
      this.#row = logits;
      values[line] =
        this.say(line === PREFILL ? "prefill" : "decode", { count: this.#ids.length - cached }) +
        (cached ? this.say("cached", { count: cached }) : "");
    } else if (line === SAMPLE && this.#row) {
      const { id, probability } = await this.#choose(this.#row, this.#written);
      signal.throwIfAborted();
      this.#next = id;
      this.#values = values.slice(0, REPEAT);
      this.#values[REPEAT] = this.say("round", { count: this.#written.length + 1 });
      this.#values[line] = this.say("drawn", { token: label(id), share: formatPercent(probability) });
    } else if (line === TEST) {
      values[line] = this.say(model.vocabulary.eos.includes(this.#next) ? "yes" : "no");
    } else if (line === PRINT) {
      this.#ids.push(this.#next);
      this.#written.push(this.#next);
      values[line] = plainText([this.#next], model);
    }
    this.line = line;
    this.announce(`${CODE[line].trim()}: ${this.#values[line]}`);
  };

  /** Runs the whole loop twice. */
  #race = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    const { contextLength, addBos } = model.config;
    const prompt = await model.tokenize(this.prompt, { bos: addBos });
    const count = Math.min(this.tokens, contextLength - prompt.length);
    /** @type {[Cost[], Cost[]]} */
    const costs = [[], []];
    const texts = [];
    for (const [i, list] of costs.entries()) {
      const ids = [...prompt];
      let [rows, ms] = [0, 0];
      for (let n = 0; n < count; n++) {
        await this.onscreen();
        const keep = i || !n ? 0 : ids.length - 1;
        const start = performance.now();
        const row = await model.forward(ids.slice(keep), { keep });
        ms += performance.now() - start;
        signal.throwIfAborted();
        rows += ids.length - keep;
        list.push({ length: ids.length, rows, ms });
        // The loop ignores the end of the text, so that both texts have the same length.
        ids.push((await this.#choose(row, ids.slice(prompt.length))).id);
        this.costs = [[...costs[0]], [...costs[1]]];
      }
      texts.push(ids.join());
    }
    this.#isSame = texts[0] === texts[1];
    this.announce(this.summary());
  };

  view() {
    const [model] = this.#live.models ?? [];
    const { line } = this;
    return html`${textField(this, "prompt")}
      <div class="knobs">${this.slider("temperature")}${seedField(this)}</div>
      <ol class="code" aria-label=${this.say("code")}>
        ${CODE.map(
          (code, i) =>
            html`<li aria-current=${i === line ? "step" : nothing}>
              <code>${code}</code><span>${this.#values[i]}</span>
            </li>`,
        )}
      </ol>
      ${
        model && this.#ids.length
          ? tokenText([
              { text: this.prompt },
              ...this.#written.map((id, i) => ({
                text: plainText([id], model),
                isMarked: i === this.#written.length - 1,
              })),
            ])
          : nothing
      }
      ${this.#live.button(this.say("step"), this.#step)}
      <div class="actions">
        <button ?disabled=${line < 0} @click=${() => this.#begin()}>${this.say("reset")}</button>
        ${
          model
            ? html`<button @click=${() => this.#live.run(this.#race)}>
                ${this.say("race", { count: this.tokens })}
              </button>`
            : nothing
        }
      </div>
      ${this.costs[0].length > 1 ? this.#curves() : nothing}`;
  }

  #curves() {
    const [cached, plain] = this.costs;
    const all = [...cached, ...plain];
    const curve = (/** @type {"rows" | "ms"} */ key, /** @type {string} */ what) => {
      const points = (/** @type {Cost[]} */ costs) =>
        costs.map((cost) => /** @type {[number, number]} */ ([cost.length, cost[key]]));
      return html`<div>
        ${plot({
          label: this.say("curve", { what }),
          x: [cached[0].length, cached[cached.length - 1].length],
          y: [0, Math.max(...all.map((cost) => cost[key]))],
          xLabel: this.say("length"),
          yLabel: what,
          formatY: (value) => formatCount(Math.round(value)),
          lines: [
            { name: this.say("without"), points: points(plain), dash: "dashed", kind: "cut" },
            { name: this.say("withCache"), points: points(cached) },
          ],
        })}
      </div>`;
    };
    const [rows, time] = [this.say("rows"), this.say("time")];
    const heads = [this.say("length"), rows, this.say("without"), time, this.say("without")];
    return html`<div class="panels">${curve("rows", rows)}${curve("ms", time)}</div>
      <details>
        <summary>${this.say("numbers")}</summary>
        ${barTable({
          caption: this.say("numbers"),
          heads,
          rows: cached.map((cost, i) => ({
            cells: [
              String(cost.length),
              formatCount(cost.rows),
              plain[i] ? formatCount(plain[i].rows) : "",
              cost.ms.toFixed(1),
              plain[i]?.ms.toFixed(1) ?? "",
            ],
          })),
        })}
      </details>`;
  }

  summary() {
    const [cached, plain] = this.costs.map((costs) => costs.at(-1));
    if (!cached || !plain) return "";
    return this.say("raced", {
      rows: formatCount(cached.rows),
      ms: Math.round(cached.ms),
      allRows: formatCount(plain.rows),
      allMs: Math.round(plain.ms),
      same: this.say(this.#isSame ? "same" : "different"),
    });
  }
}

define("generation-loop", LastInchGenerationLoop);
