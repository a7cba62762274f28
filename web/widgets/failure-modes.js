// One beginning under three regimes at the same time: too cautious, about right, too hot; and two measures that tell them apart.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { formatPercent } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { RepetitionRate } from "./shared/repetition-rate.js";
import { LoopDetector } from "../decode/loop-detector.js";
import { barTable } from "./shared/bars.js";
import { replay, paceField } from "./shared/pace.js";
import { isRecorded, tokensOf } from "./shared/recording.js";
import { tintLegend, tokenText } from "./shared/token-text.js";
import { seedField, textField } from "./shared/field.js";
import { promptIds, write } from "./shared/writing.js";
import { threePanels } from "./shared/three-panels.js";
import { settings as recorded, texts as recordedTexts } from "./recorded/failure-modes.js";

/** @typedef {import("./shared/models.js").Model} Model */
/** @typedef {import("./shared/writing.js").Written} Written */
/** @typedef {Pick<Written, "id" | "text" | "rawLogprob">} Step */
/** @typedef {{ steps: Step[], detector: import("../index.js").LoopDetector, rate: RepetitionRate, repetition: number, bits: number, loop?: import("../index.js").Loop }} Text */

const names = ["greedy", "sweet", "hot"];
/** All three texts fit into the model's context together. */
const LONGEST = 160;
/** Of a loop in so short a text. */
const limits = { period: /** @type {[number, number]} */ ([1, 128]), turns: 2, least: 24 };

/** @param {string} name @param {string} what */
const ofRegime = (name, what) => knob(what, `${name}-${what === "topP" ? "top-p" : what}`);

/**
 * Three texts of one beginning, each with a temperature and a top-p that can be moved, and two measures of their failures:
 * the share of the text that repeats the text before, and the surprise of the model.
 * @tagname lastinch-failure-modes
 */
export class LastInchFailureModes extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    threePanels,
    css`
      .pick {
        display: none;
      }
      @media screen and (max-width: 36rem) {
        .pick {
          display: block;
        }
        [data-aside] {
          display: none;
        }
      }
    `,
  ];
  static words = {
    title: "When sampling goes wrong",
    lead: "Too careful, and the model says the same thing again and again. Too bold, and one odd token leads to the next. Run all three, then move a regime until it fails, or heals.",
    prompt: "Beginning",
    count: "Tokens to write",
    run: "Run all three",
    greedyName: "Too careful",
    sweetName: "Sweet spot",
    hotName: "Too hot",
    regime: "Regime",
    repetition: "Repeated",
    surprise: "Surprise",
    length: "Tokens",
    loop: "Loop",
    bits: "{bits} bits",
    inLoop: "of {period} tokens",
    caption: "Measures of the three texts",
    meaning:
      "Repeated: share of the runs of four tokens that the text had said before. Surprise: mean over its tokens, by the model's own probabilities. Low is dull, high is noise.",
    summary: "{name}: {repetition} repeated, {bits} bits of surprise a token.",
  };
  static chinese = () => import("./chinese/failure-modes.js");
  static honesty = "live";
  static properties = {
    prompt: { share: true, attribute: "prompt" },
    count: knob("count"),
    seed: knob("seed"),
    pace: knob("pace"),
    greedyTemperature: ofRegime("greedy", "temperature"),
    greedyTopP: ofRegime("greedy", "topP"),
    sweetTemperature: ofRegime("sweet", "temperature"),
    sweetTopP: ofRegime("sweet", "topP"),
    hotTemperature: ofRegime("hot", "temperature"),
    hotTopP: ofRegime("hot", "topP"),
    shown: { state: true },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** @type {Text[]} */
  #texts = [];

  constructor() {
    super();
    /** The prompt of all three texts. */
    this.prompt = recorded.prompt;
    /** Tokens of a text, at most 160. */
    this.count = recorded.count;
    this.seed = recorded.seed;
    /** Most tokens a second; 0 shows the whole texts at once. @type {number | undefined} */
    this.pace = undefined;
    this.greedyTemperature = 0;
    this.greedyTopP = 1;
    this.sweetTemperature = 0.7;
    this.sweetTopP = 0.9;
    this.hotTemperature = 2;
    this.hotTopP = 1;
    /** On a phone, the regime in view. */
    this.shown = names[0];
  }

  prepare() {
    const settings = names.flatMap((name, i) => [
      [name + "Temperature", recordedTexts[i].temperature],
      [name + "TopP", recordedTexts[i].topP],
    ]);
    this.isRecorded = isRecorded(this, { ...recorded, ...Object.fromEntries(settings) });
    if (!this.isRecorded) return;
    this.#begin();
    recordedTexts.forEach((text, i) => tokensOf(text).forEach((token) => this.#push(this.#texts[i], token)));
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (this.isRecorded && name !== "pace" && name !== "shown") {
      this.#live.stop();
      this.isRecorded = false;
      this.#texts = [];
    }
    super.turn(name, value, isFinal);
  }

  #begin() {
    this.#texts = names.map(() => ({
      steps: [],
      detector: new LoopDetector(limits),
      rate: new RepetitionRate(),
      repetition: 0,
      bits: 0,
    }));
  }

  /** @param {Text} text @param {Step} token */
  #push(text, token) {
    const { steps, detector, rate } = text;
    text.bits = (text.bits * steps.length - token.rawLogprob / Math.LN2) / (steps.length + 1);
    steps.push(token);
    text.loop = detector.push(token.id);
    rate.push(token.id);
    text.repetition = rate.value;
  }

  #replay = async (/** @type {AbortSignal} */ signal) => {
    this.#begin();
    const texts = this.#texts;
    await Promise.all(
      recordedTexts.map(async (recorded, i) => {
        for await (const token of replay(this, tokensOf(recorded), signal)) this.#push(texts[i], token);
      }),
    );
  };

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    const ids = await promptIds(model, this.prompt);
    this.#begin();
    const texts = this.#texts;
    await Promise.all(names.map((name, i) => this.#write(model, ids, name, texts[i], signal)));
    this.announce(this.summary());
  };

  /**
   * @param {Model} model
   * @param {number[]} ids
   * @param {string} name
   * @param {Text} text
   * @param {AbortSignal} signal
   */
  async #write(model, ids, name, text, signal) {
    const { seed } = this;
    const own = /** @type {any} */ (this);
    const settings = { temperature: own[name + "Temperature"], topP: own[name + "TopP"] };
    const options = { ...settings, seed, maxTokens: Math.min(this.count, LONGEST), signal };
    for await (const { tokens } of write(this, model, ids, options))
      for (const token of tokens) this.#push(text, token);
  }

  view() {
    return html`${textField(this, "prompt")}
      <div class="knobs">${this.slider("count", { max: LONGEST })}${seedField(this)}</div>
      ${this.#live.button(this.say("run"), this.#run, { replay: this.#replay, pace: paceField(this) })}
      <div class="pick">
        ${this.choice(
          "shown",
          this.say("regime"),
          names.map((name) => [name, this.say(name + "Name")]),
        )}
      </div>
      <div class="panels three">${names.map((name, i) => this.#panel(name, this.#texts[i]))}</div>
      ${this.#texts.length ? tintLegend(this) : nothing} ${this.#texts.length ? this.#measures() : nothing}`;
  }

  /** @param {string} key @param {Text | undefined} text */
  #panel(key, text) {
    const name = this.say(key + "Name");
    const pieces = text?.steps.map(({ text: piece, rawLogprob }, i) => ({
      text: text.loop && i === text.loop.start ? "↻" + piece : piece,
      probability: Math.exp(rawLogprob),
      isMarked: i === text.loop?.start,
    }));
    return html`<section aria-label=${name} ?data-aside=${key !== this.shown}>
      <p class="name">${name}</p>
      ${this.slider(key + "Temperature", { label: this.say("temperature") })}
      ${this.slider(key + "TopP", { label: this.say("topP") })}
      ${pieces ? tokenText([{ text: this.prompt }, ...pieces]) : nothing}
    </section>`;
  }

  #measures() {
    const rows = this.#texts.map(({ steps, repetition, bits, loop }, i) => ({
      cells: [
        this.say(names[i] + "Name"),
        formatPercent(repetition),
        this.say("bits", { bits: bits.toFixed(2) }),
        String(steps.length),
        loop ? this.say("inLoop", { period: loop.period }) : "–",
      ],
    }));
    const heads = ["regime", "repetition", "surprise", "length", "loop"].map((key) => this.say(key));
    return html`${barTable({ caption: this.say("caption"), heads, rows })}
      <p class="hint">${this.say("meaning")}</p>`;
  }

  summary() {
    const said = this.#texts.map(({ repetition, bits }, i) =>
      this.say("summary", {
        name: this.say(names[i] + "Name"),
        repetition: formatPercent(repetition),
        bits: bits.toFixed(2),
      }),
    );
    return said.join(" ");
  }
}

define("failure-modes", LastInchFailureModes);
