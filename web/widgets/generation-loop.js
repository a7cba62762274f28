// The loop that writes a text, line by line, and its cost with and without a cache.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { seedField, textField } from "./shared/field.js";
import { formatCount, formatPercent, plainText, tokenLabel } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { plot, plotStyles } from "./shared/plot.js";
import { rowAfter } from "./shared/rows.js";
import { configure, samplerFor } from "./shared/sampling.js";
import { due, paceField } from "./shared/pace.js";
import { isRecorded } from "./shared/recording.js";
import { tokenText } from "./shared/token-text.js";
import { rounds, settings as recorded, tokens } from "./recorded/generation-loop.js";

/** @typedef {import("../index.js").Model} Model */
/**
 * After `length` tokens of text: rows computed so far, and the time they took.
 * @typedef {{ length: number, rows: number, ms: number }} Cost
 */

/**
 * What the lines of the loop get from a model, or from a recording.
 * @typedef {object} Source
 * @property {() => Promise<string[]>} tokenize labels of the prompt's tokens
 * @property {() => Promise<{ read: number, cached: number }>} compute computes the next row: tokens that it read, and
 *   tokens that the cache had
 * @property {() => Promise<Drawn>} sample
 */
/** @typedef {{ label: string, text: string, share: number, isEnd: boolean, top: [label: string, share: number][] }} Drawn */

/** How many of the likeliest tokens to show when one is drawn. */
const TOP = 5;
/** How long a line of the program is shown, in tokens of a text. */
const LINE = 12;
/** Play ends after this many tokens. */
const MOST = 60;

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
 * The generation loop, one real step for each click; then the whole loop with and without a cache.
 * @tagname lastinch-generation-loop
 */
export class LastInchGenerationLoop extends LastInchElement {
  static words = {
    title: "The loop that writes",
    lead: "A model returns one row of numbers and knows nothing of sentences. This loop turns such rows into a text: Step runs the next line, Play runs on.",
    prompt: "Prompt",
    code: "The program; the line that has just run is marked",
    tokenized: "{count} tokens: {tokens}",
    prefill: "Prefill: {count} tokens read in one pass",
    decode: "Decode: {count} token read",
    cached: "; {count} came from the cache",
    round: "token {count}",
    drawn: "“{token}”, drawn with {share}",
    top: "What the row gives the likeliest tokens, and the token that was drawn",
    stepLive: "Step with the real model",
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
      .beside {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr));
        gap: 1rem;
        align-items: start;
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
    pace: knob("pace"),
    tokens: { type: Number, share: true, attribute: "tokens", knob: "count" },
    line: { state: true },
    costs: { state: true },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** The last result of each line. @type {string[]} */
  #values = [];
  /** @type {number[]} */
  #ids = [];
  /** @type {number[]} */
  #written = [];
  #text = "";
  /** @type {Drawn | undefined} */
  #drawn;
  /** @type {Float32Array | undefined} */
  #row;
  /** Whether a real model gave these results. */
  #isLive = false;
  #count = 0;
  #isSame = true;

  constructor() {
    super();
    /** The prompt. */
    this.prompt = recorded.prompt;
    this.temperature = recorded.temperature;
    /** Decides all draws. */
    this.seed = recorded.seed;
    /**
     * Pace of Play in tokens a second: a line takes as long as 12 tokens; 0 shows all at once.
     * @type {number | undefined}
     */
    this.pace = undefined;
    /** How many tokens to write with and without a cache. */
    this.tokens = 48;
    /** The line that has just run; -1: none. */
    this.line = -1;
    /** With a cache, and without. @type {[Cost[], Cost[]]} */
    this.costs = [[], []];
  }

  async prepare() {
    this.isRecorded = isRecorded(this, recorded);
    if (!this.isRecorded) return;
    // Runs up to the first draw, so that the picture has all its parts.
    while (this.line !== SAMPLE) await this.#step(this.#recorded());
    this.announce("");
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (name !== "pace") {
      this.#begin();
      this.isRecorded = false;
    }
    super.turn(name, value, isFinal);
  }

  #begin() {
    this.#live.stop();
    this.#forget();
    this.announce("");
  }

  #forget() {
    this.line = -1;
    this.#values = [];
    this.#ids = [];
    this.#written = [];
    this.#text = "";
    this.#count = 0;
    this.#drawn = undefined;
    this.#row = undefined;
    this.#isLive = false;
    this.costs = [[], []];
  }

  get #isOver() {
    if (this.isRecorded && this.#count === rounds.length && this.line === PRINT) return true;
    return this.line === TEST && Boolean(this.#drawn?.isEnd);
  }

  /** @returns {Source} */
  #recorded() {
    return {
      tokenize: async () => tokens.map((label) => (label === "start of text" ? this.say("startOfText") : label)),
      compute: async () =>
        this.#count ? { read: 1, cached: tokens.length + this.#count - 1 } : { read: tokens.length, cached: 0 },
      sample: async () => ({ isEnd: false, .../** @type {any} */ (rounds[this.#count]) }),
    };
  }

  /** @param {Model} model @param {AbortSignal} signal @returns {Source} */
  #real(model, signal) {
    const label = (/** @type {number} */ id) => tokenLabel(id, model, (key) => this.say(key));
    return {
      tokenize: async () => {
        this.#ids = await model.tokenize(this.prompt, { bos: model.config.addBos });
        signal.throwIfAborted();
        return this.#ids.map(label);
      },
      compute: async () => {
        const { logits, cached } = await rowAfter(model, this.#ids, signal);
        this.#row = logits;
        return { read: this.#ids.length - cached, cached };
      },
      sample: async () => {
        const { id, probability, top } = await this.#choose(/** @type {Float32Array} */ (this.#row), this.#written);
        signal.throwIfAborted();
        this.#ids = [...this.#ids, id];
        this.#written = [...this.#written, id];
        const isEnd = model.vocabulary.eos.includes(id);
        return {
          label: label(id),
          text: plainText([id], model),
          share: probability,
          isEnd,
          top: top.map((one) => [label(one.id), one.share]),
        };
      },
    };
  }

  /** Chooses the next token. @param {Float32Array} row @param {number[]} written */
  async #choose(row, written) {
    const sampler = await samplerFor(row.length);
    configure(sampler, { temperature: this.temperature, seed: this.seed }, written);
    const { tokens, probabilities } = sampler.distribution(row);
    const top = Array.from(tokens.subarray(0, TOP), (id, i) => ({ id, share: probabilities[i] }));
    return { id: sampler.sample(row), probability: sampler.lastProbability, top };
  }

  /** Runs the next line. @param {Source} source */
  async #step(source) {
    if (this.#isOver) return;
    const line = this.line === DECODE || this.line === PREFILL ? SAMPLE : this.line + 1;
    const values = this.#values;
    if (line === TOKENIZE) {
      const labels = await source.tokenize();
      values[line] = this.say("tokenized", { count: labels.length, tokens: labels.join(" ") });
    } else if (line === PREFILL || line === DECODE) {
      const { read, cached } = await source.compute();
      values[line] =
        this.say(line === PREFILL ? "prefill" : "decode", { count: read }) +
        (cached ? this.say("cached", { count: cached }) : "");
    } else if (line === SAMPLE) {
      const drawn = (this.#drawn = await source.sample());
      this.#values = values.slice(0, REPEAT);
      this.#values[REPEAT] = this.say("round", { count: this.#count + 1 });
      this.#values[line] = this.say("drawn", { token: drawn.label, share: formatPercent(drawn.share) });
    } else if (line === TEST) {
      values[line] = this.say(this.#drawn?.isEnd ? "yes" : "no");
    } else if (line === PRINT && this.#drawn) {
      this.#count++;
      this.#text += this.#drawn.text;
      values[line] = this.#drawn.text;
    }
    this.line = line;
    this.announce(`${CODE[line].trim()}: ${this.#values[line]}`);
  }

  /** Runs one line or all lines, from the recording or with the model. @param {boolean} isPlaying */
  #go(isPlaying) {
    return async (/** @type {AbortSignal} */ signal, /** @type {Model[]} */ ...[model]) => {
      if (model && !this.#isLive) this.#forget();
      this.#isLive = Boolean(model);
      const source = model ? this.#real(model, signal) : this.#recorded();
      do {
        await this.#step(source);
        if (isPlaying) await due(this, signal, LINE);
        await this.onscreen();
      } while (isPlaying && !signal.aborted && !this.#isOver && this.#count < MOST);
    };
  }

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
        // The loop ignores the end of the text, so both texts have the same length.
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
    const again = html`<button ?disabled=${line < 0} @click=${() => this.#begin()}>${this.say("reset")}</button>`;
    return html`${textField(this, "prompt")}
      <div class="knobs">${this.slider("temperature")}${seedField(this)}</div>
      <div class="beside">
        <ol class="code" aria-label=${this.say("code")}>
          ${CODE.map(
            (code, i) =>
              html`<li aria-current=${i === line ? "step" : nothing}>
                <code>${code}</code><span>${this.#values[i]}</span>
              </li>`,
          )}
        </ol>
        ${this.#drawn ? this.#top(this.#drawn) : nothing}
      </div>
      ${line < 0 ? nothing : tokenText([{ text: this.prompt }, { text: this.#text }])}
      ${
        this.isRecorded
          ? html`<div class="actions">
              <button id="step" ?disabled=${this.#isOver} @click=${() => this.#live.replay(this.#go(false))}>
                ${this.say("step")}
              </button>
              <button id="play" ?disabled=${this.#isOver} @click=${() => this.#live.replay(this.#go(true))}>
                ${this.say("play")}
              </button>
              ${again}
            </div>`
          : nothing
      }
      ${this.#live.button(this.say(this.isRecorded ? "stepLive" : "step"), this.#go(false), { pace: paceField(this), goesOn: this.line >= 0 && !this.isRecorded })}
      <div class="actions">
        ${
          this.isRecorded || !model
            ? nothing
            : html`<button id="play" ?disabled=${this.#isOver} @click=${() => this.#live.run(this.#go(true))}>
                ${this.say("play")}
              </button>`
        }
        ${this.isRecorded ? nothing : again}
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

  /** @param {Drawn} drawn */
  #top({ label, share, top }) {
    /** @type {[string, number][]} */
    const all = top.some(([one]) => one === label) ? top : [...top, [label, share]];
    return barTable({
      caption: this.say("top"),
      heads: ["token", "", "probability"].map((key) => key && this.say(key)),
      rows: all.map(([one, p]) => ({
        kind: "kept",
        isMarked: one === label,
        cells: [one, { bar: p }, formatPercent(p)],
      })),
    });
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
