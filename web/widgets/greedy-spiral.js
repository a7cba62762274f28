// Greedy decoding caught in a loop: where the loop begins, the probability of each turn's phrase, and one draw that ends the
// loop.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { formatPercent, legible } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { LoopDetector } from "../decode/loop-detector.js";
import { plot, plotStyles } from "./shared/plot.js";
import { replay, paceField } from "./shared/pace.js";
import { isRecorded, tokensOf } from "./shared/recording.js";
import { tintLegend, tokenText } from "./shared/token-text.js";
import { seedField } from "./shared/field.js";
import { promptIds, write } from "./shared/writing.js";
import { settings as recorded, text as recordedText } from "./recorded/greedy-spiral.js";

/** @typedef {import("./shared/models.js").Model} Model */
/** @typedef {Pick<import("./shared/writing.js").Written, "id" | "text" | "rawLogprob">} Written */
/** @typedef {import("../index.js").Loop} Loop */

const LONGEST = 240;
const TURNS = 12;
/** Of a loop in so short a text. */
const limits = { period: /** @type {[number, number]} */ ([1, 128]), turns: 2, least: 24 };

/**
 * Prompts on which the storyteller loops, as measured: how far into the third turn a token is drawn, and the seed with
 * which the draw leaves the loop. @type {[prompt: string, offset: number, seed: number][]}
 */
const prompts = [
  ["The tree did not want to", 2, 8],
  ["The dog had a box", 6, 3],
  ['The old man said, "', 1, 1],
];

/**
 * A text that greedy decoding writes until it repeats itself, with the probability of the phrase at each turn.
 * @tagname lastinch-greedy-spiral
 */
export class LastInchGreedySpiral extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    plotStyles,
    css`
      .turns .bars tbody td:nth-of-type(1) {
        text-align: start;
        white-space: normal;
      }
      .turns .bars .bar.bar {
        width: 25%;
      }
      @media screen and (max-width: 36rem) {
        .text {
          font-size: 1rem;
          line-height: 1.5;
        }
        /* The text above shows them. */
        .turns .bars :is(thead th:nth-child(2), tbody td:nth-of-type(1)) {
          display: none;
        }
      }
    `,
  ];
  static words = {
    title: "The greedy spiral",
    lead: "Always take the likeliest token, and watch the model repeat itself: each repeat makes the next one likelier. Then let one be drawn instead.",
    prompt: "Beginning",
    run: "Write greedily",
    noLoop: "No loop within {count} tokens.",
    found: "A loop of {period} tokens, from token {start} on. ↻ marks where a turn begins.",
    curve: "Probability of the whole phrase at each turn: from {first} to {last}",
    turn: "Turn",
    said: "What it says",
    phrase: "Whole phrase",
    mean: "Per token",
    numbers:
      "Whole phrase: its tokens' probabilities multiplied, as the model has them before any setting. Per token: their geometric mean. Greedy is caught even where the curve falls: each token need only be likelier than any other.",
    inject: "Draw one token",
    drawn:
      "At token {place} the model drew “{token}” ({share}) at temperature 1 where greedy takes “{greedy}”. After it, all is greedy again.",
    same: "The draw gave what greedy takes: “{token}”. Try another seed.",
    free: "The loop is broken: {count} tokens on, nothing turns in circles.",
    again: "It fell into a loop again, of {period} tokens.",
    stop: "Stop at the loop",
    redraw: "Redraw",
    stopped:
      "With loops: “stop” the text ended after {count} tokens, {turns} turns of {period}. This is the text up to the end of the first.",
    redrawn:
      "With loops: “redraw” the text went back {times} times, and {gone} tokens were taken back. No token is drawn: where a turn would begin again, the likeliest other token follows.",
  };
  static chinese = () => import("./chinese/greedy-spiral.js");
  static honesty = "live";
  static properties = { prompt: { share: true, attribute: "prompt" }, seed: knob("seed"), pace: knob("pace") };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** @type {number[]} */
  #ids = [];
  /** @type {Written[]} */
  #steps = [];
  /** @type {Loop | undefined} */
  #loop;
  #detector = new LoopDetector(limits);
  /** What `loops` of generate made of the text. @type {{ words: any, text: Written[] } | undefined} */
  #ended;
  /** The text from the drawn token on. @type {Written[]} */
  #escape = [];

  constructor() {
    super();
    /** The prompt. */
    this.prompt = prompts[0][0];
    /** Seed of the one draw. */
    this.seed = prompts[0][2];
    /** Most tokens a second; 0 shows the whole text at once. @type {number | undefined} */
    this.pace = undefined;
  }

  prepare() {
    this.isRecorded = isRecorded(this, recorded);
    if (this.isRecorded) for (const token of tokensOf(recordedText)) if (this.#push(token)) break;
  }

  #replay = async (/** @type {AbortSignal} */ signal) => {
    this.#forget();
    for await (const token of replay(this, tokensOf(recordedText), signal)) if (this.#push(token)) break;
    this.announce(this.summary());
  };

  /** @param {Written} token @returns {boolean} whether the loop has had enough turns */
  #push(token) {
    this.#steps.push(token);
    this.#loop = this.#detector.push(token.id);
    return (this.#loop?.turns ?? 0) >= TURNS;
  }

  /** Where turns begin: at the beginning of a sentence, if the loop has one. */
  get #first() {
    const { start = 0, period = 1 } = this.#loop ?? {};
    const isFirst = (/** @type {unknown} */ _, /** @type {number} */ i) =>
      i >= start && i < start + period && /[.!?\n]["”]*$/.test(this.#steps[i - 1]?.text);
    const first = this.#steps.findIndex(isFirst);
    return first < 0 ? start : first;
  }

  /** The position of the drawn token, in the third turn. */
  get #place() {
    const { period = 1 } = this.#loop ?? {};
    const [, offset = 0] = prompts.find(([prompt]) => prompt === this.prompt) ?? [];
    return this.#first + 2 * period + (offset % period);
  }

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    this.#forget();
    this.#ids = await promptIds(model, this.prompt);
    const options = { temperature: 0, maxTokens: LONGEST, signal };
    writing: for await (const { tokens } of write(this, model, this.#ids, options))
      for (const token of tokens) if (this.#push(token)) break writing;
    this.announce(this.summary());
  };

  #forget() {
    this.#steps = [];
    this.#escape = [];
    this.#ended = undefined;
    this.#loop = undefined;
    this.#detector = new LoopDetector(limits);
  }

  #inject = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    this.#escape = [];
    const before = this.#steps.slice(0, this.#place);
    const prefix = [...this.#ids, ...before.map(({ id }) => id)];
    const drawn = { temperature: 1, seed: this.seed, maxTokens: 1, signal };
    for await (const { tokens } of write(this, model, prefix, drawn)) this.#escape.push(...tokens);
    const [token] = this.#escape;
    if (!token) return;
    if (token.id !== this.#steps[this.#place].id) {
      const greedy = { temperature: 0, maxTokens: LONGEST, signal };
      for await (const { tokens } of write(this, model, [...prefix, token.id], greedy)) this.#escape.push(...tokens);
      const detector = new LoopDetector(limits);
      for (const { id } of before) detector.push(id);
      const again = this.#escape.map(({ id }) => detector.push(id)).at(-1);
      const { length } = this.#escape;
      this.announce(again ? this.say("again", { period: again.period }) : this.say("free", { count: length - 1 }));
    } else this.announce(this.say("same", { token: legible(token.text) }));
  };

  /** Writes the text again with `loops`. @param {"stop" | "redraw"} action */
  #act = (action) => async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    const words = { action, times: 0, gone: 0, count: 0, period: 0, turns: 0 };
    /** @type {Written[]} */
    let text = [];
    const options = { temperature: 0, maxTokens: LONGEST, loops: { ...limits, action }, signal };
    for await (const { tokens, takenBack, loop } of write(this, model, this.#ids, options)) {
      text.push(...tokens);
      if (takenBack) {
        words.times++;
        words.gone += takenBack.tokens;
        text.length -= takenBack.tokens;
      }
      words.count = text.length;
      if (loop) {
        Object.assign(words, { period: loop.period, turns: loop.turns });
        if (action === "stop") text = text.slice(0, loop.start + loop.period);
      }
      this.#ended = { words, text };
    }
    this.announce(this.say(action === "stop" ? "stopped" : "redrawn", words));
  };

  /** For each complete turn, the probability of all its tokens. */
  #turns() {
    if (!this.#loop) return [];
    const { period } = this.#loop;
    const first = this.#first;
    const turns = Math.floor((this.#steps.length - first) / period);
    return Array.from({ length: turns }, (_, i) => {
      const steps = this.#steps.slice(first + i * period, first + (i + 1) * period);
      const logarithm = steps.reduce((sum, { rawLogprob }) => sum + rawLogprob, 0);
      return { phrase: Math.exp(logarithm), mean: Math.exp(logarithm / period) };
    });
  }

  view() {
    const { state } = this.#live;
    const loop = this.#loop;
    const first = this.#first;
    const pieces = this.#steps.flatMap(({ text, rawLogprob }, i) => {
      const piece = { text, probability: Math.exp(rawLogprob) };
      const turn = loop && i >= first && (i - first) % loop.period === 0;
      return turn ? [{ text: "↻", isMarked: true }, piece] : [piece];
    });
    return html`${this.choice(
      "prompt",
      this.say("prompt"),
      prompts.map(([prompt]) => [prompt, prompt]),
    )}
    ${this.#live.button(this.say("run"), this.#run, { replay: this.#replay, pace: paceField(this) })}
    ${this.#steps.length ? html`${tokenText([{ text: this.prompt }, ...pieces])} ${tintLegend(this)}` : nothing}
    ${loop ? this.#loopView(loop) : nothing}
    ${this.#steps.length && !loop && state === "idle" ? html`<p>${this.say("noLoop", { count: this.#steps.length })}</p>` : nothing}`;
  }

  /** @param {Loop} loop */
  #loopView({ period }) {
    const turns = this.#turns();
    const top = Math.max(...turns.map(({ phrase }) => phrase));
    const ends = { first: short(turns[0].phrase), last: short(turns[turns.length - 1].phrase) };
    const label = this.say("curve", ends);
    const first = this.#first;
    const rows = turns.map(({ phrase, mean }, i) => {
      const steps = this.#steps.slice(first + i * period, first + (i + 1) * period);
      const text = steps
        .map((step) => step.text)
        .join("")
        .trim();
      return { kind: "kept", cells: [String(i + 1), text, { bar: mean }, formatPercent(mean), short(phrase)] };
    });
    return html`<p>${this.summary()}</p>
      ${plot({
        label,
        x: [1, turns.length],
        y: [0, top],
        xLabel: this.say("turn"),
        yLabel: this.say("phrase"),
        formatY: (value) => (value ? short(value) : "0"),
        lines: [{ name: label, points: turns.map(({ phrase }, i) => [i + 1, phrase]), hasDots: true }],
      })}
      <div class="turns">
        ${barTable({ caption: label, heads: ["turn", "said", "", "mean", "phrase"].map((key) => key && this.say(key)), rows })}
      </div>
      <p class="hint">${this.say("numbers")}</p>
      ${this.isRecorded || !this.#steps[this.#place] ? nothing : this.#injectView()}`;
  }

  #injectView() {
    return html`${seedField(this)}
      <div class="actions">
        <button
          class="primary"
          id="inject"
          ?disabled=${this.#live.state !== "idle"}
          @click=${() => this.#live.run(this.#inject)}
        >
          ${this.say("inject")}
        </button>
        ${
          /** @type {const} */ (["stop", "redraw"]).map(
            (action) =>
              html`<button
                id=${action}
                ?disabled=${this.#live.state !== "idle"}
                @click=${() => this.#live.run(this.#act(action))}
              >
                ${this.say(action)}
              </button>`,
          )
        }
      </div>
      ${this.#escapeView()} ${this.#endedView()}`;
  }

  #endedView() {
    if (!this.#ended) return nothing;
    const { words, text } = this.#ended;
    const pieces = text.map(({ text, rawLogprob }) => ({ text, probability: Math.exp(rawLogprob) }));
    return html`<p>${this.say(words.action === "stop" ? "stopped" : "redrawn", words)}</p>
      ${tokenText([{ text: this.prompt }, ...pieces])}`;
  }

  #escapeView() {
    const [token] = this.#escape;
    if (!token) return nothing;
    const greedy = this.#steps[this.#place];
    const words = {
      place: this.#place + 1,
      token: legible(token.text),
      share: formatPercent(Math.exp(token.rawLogprob)),
      greedy: legible(greedy.text),
    };
    const pieces = this.#escape.map(({ text, rawLogprob }, i) => ({
      text,
      probability: Math.exp(rawLogprob),
      isMarked: i === 0,
    }));
    const before = this.#steps.slice(this.#first, this.#place).map(({ text }) => text);
    return html`<p>${token.id === greedy.id ? this.say("same", words) : this.say("drawn", words)}</p>
      ${tokenText([{ text: "…" + before.join("") }, ...pieces])} `;
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (name === "prompt" || name === "model") {
      this.#live.stop();
      this.#forget();
      this.isRecorded = false;
    }
    if (name === "prompt") this.seed = prompts.find(([prompt]) => prompt === value)?.[2] ?? this.seed;
    super.turn(name, value, isFinal);
  }

  summary() {
    if (!this.#loop) return this.#steps.length ? this.say("noLoop", { count: this.#steps.length }) : "";
    const turns = this.#turns();
    const ends = { first: short(turns[0].phrase), last: short(turns[turns.length - 1].phrase) };
    const { period } = this.#loop;
    return `${this.say("found", { period, start: this.#first + 1 })} ${this.say("curve", ends)}.`;
  }
}

const small = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 1 });

/** A probability that may be very small. @param {number} p */
const short = (p) => (p < 0.0001 ? small.format(p) : formatPercent(p));

define("greedy-spiral", LastInchGreedySpiral);
