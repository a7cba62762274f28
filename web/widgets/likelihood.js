// Likelihood is not quality: how much a person's text, greedy, beam search and sampling surprise the model, token by token.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { textField } from "./shared/field.js";
import { legible, plainText } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { plot, plotStyles } from "./shared/plot.js";
import { isRecorded, numbersIn } from "./shared/recording.js";
import { tintLegend, tokenText } from "./shared/token-text.js";
import { settings as recorded, texts as recordedTexts } from "./recorded/likelihood.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {{ name: string, pieces: string[], bits: number[] }} Text bits: the surprise of each token */

const LENGTH = 48;
/** The top of the plots, in bits of surprise; higher values are drawn there. */
const HIGH = 16;
/** @type {[string, object][]} */
const WAYS = [
  ["greedy", { temperature: 0 }],
  ["beam", { beams: 4 }],
  ["nucleus", { temperature: 1, topP: 0.9 }],
];

/**
 * The surprise of a person's text beside that of texts that search and sampling write, scored by the model.
 * @tagname lastinch-likelihood
 */
export class LastInchLikelihood extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    plotStyles,
    css`
      .texts {
        grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
      }
      .pick {
        display: none;
      }
      @media screen and (max-width: 46rem) {
        .pick {
          display: block;
        }
        [data-aside] {
          display: none;
        }
      }
    `,
  ];
  static formula = "surprise = −log₂ p";
  static words = {
    title: "Likely is not the same as good",
    lead: "The model rates five texts with the same beginning: how many bits of surprise does each token bring? People surprise; search removes the surprise.",
    prompt: "How all five begin",
    human: "How a person went on: Beatrix Potter, The Tale of Peter Rabbit, 1902. Or paste your own",
    run: "Write and measure",
    byHuman: "a person",
    byPlain: "simple story",
    greedy: "greedy",
    beam: "4 beams",
    nucleus: "top-p 0.9",
    text: "Text by",
    mean: "Bits per token",
    middle: "Middle half",
    caption: "Mean surprise of each text",
    curve: "Surprise of each token: {name}",
    position: "token",
    bits: "bits",
    numbers: "The numbers of the curve",
    shown: "Text to look at",
    note: "1 bit is as surprising as a coin, 10 bits as ten of them. The model was trained on simple modern stories and has not seen this book, so old words add to its surprise. The simple story, written for this page, is of the kind that it knows. What to see is the rhythm: calm, then a leap.",
    done: "Bits per token: {means}.",
    short: "This text has too few tokens to measure.",
  };
  static chinese = () => import("./chinese/likelihood.js");
  static honesty = "live";
  static properties = {
    prompt: { share: true, attribute: "prompt" },
    human: { share: true, attribute: "human" },
    seed: knob("seed"),
    shown: { state: true },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** @type {Text[]} */
  #texts = [];

  constructor() {
    super();
    /** The prompt of all texts. */
    this.prompt = recorded.prompt;
    /** The text that a person wrote after the prompt. */
    this.human = recorded.human;
    /** Seed of the text that is drawn. */
    this.seed = recorded.seed;
    /** On a phone, the text in view. */
    this.shown = 0;
  }

  prepare() {
    const { prompt, human, seed } = recorded;
    this.isRecorded = isRecorded(this, { prompt, human, seed });
    if (this.isRecorded)
      this.#texts = recordedTexts.map(({ name, tokens, bits }) => ({
        name,
        pieces: tokens.split("|"),
        bits: numbersIn(bits).map((number) => number / 100),
      }));
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (!["prompt", "human", "model"].some((name) => changed.has(name))) return;
    if (this.isRecorded && !isRecorded(this, { prompt: recorded.prompt, human: recorded.human })) {
      this.isRecorded = false;
      this.#texts = [];
      this.requestUpdate();
    } else if (this.#texts.length && !this.isRecorded && !changed.has("model")) void this.#live.run(this.#write);
  }

  /**
   * @param {AbortSignal} signal
   * @param {Model} model
   */
  #write = async (signal, model) => {
    const { prompt, human, seed } = this;
    const start = await model.tokenize(prompt, { bos: model.config.addBos });
    const given = await model.tokenize(human);
    if (given.length < 2) return this.announce(this.say("short"));
    // A model that learnt in the page has a small context.
    const room = Math.max(2, model.config.contextLength - start.length);
    const plain = await model.tokenize(recorded.plain);
    const texts = [
      await measure("byHuman", start, given.slice(0, Math.min(2 * LENGTH, room)), model),
      await measure("byPlain", start, plain.slice(0, room), model),
    ];
    for (const [name, how] of WAYS) {
      await this.onscreen();
      const ids = [];
      for await (const { tokens } of model.generate(start, { maxTokens: LENGTH, seed, signal, ...how }))
        for (const { id } of tokens) ids.push(id);
      if (signal.aborted) return;
      texts.push(await measure(name, start, ids, model));
      this.#texts = [...texts];
      this.requestUpdate();
    }
    const means = this.list(texts.map(({ name, bits }) => `${this.say(name)} ${mean(bits).toFixed(1)}`));
    this.announce(this.say("done", { means }));
  };

  view() {
    return html`${textField(this, "prompt")}${textField(this, "human", 3)}
    ${this.#live.button(this.say("run"), this.#write)} ${this.#texts.length ? this.#result() : nothing}`;
  }

  #result() {
    const texts = this.#texts;
    const heads = ["text", "", "mean", "middle"].map((key) => key && this.say(key));
    const rows = texts.map(({ name, bits }) => {
      const sorted = [...bits].sort((a, b) => a - b);
      const [low, high] = [0.25, 0.75].map((share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(1));
      return {
        kind: "kept",
        cells: [this.say(name), { bar: mean(bits) / 8 }, mean(bits).toFixed(2), `${low} – ${high}`],
      };
    });
    const longest = Math.max(...texts.map(({ bits }) => bits.length));
    const names = texts.map(({ name }, i) => /** @type {[number, string]} */ ([i, this.say(name)]));
    return html`${barTable({ caption: this.say("caption"), heads, rows })}
      <p class="hint">${this.say("note")}</p>
      ${tintLegend(this)}
      <div class="pick">${this.choice("shown", this.say("shown"), names)}</div>
      <div class="panels texts">
        ${texts.map(
          ({ name, pieces, bits }, i) =>
            html`<div ?data-aside=${i !== this.shown}>
              <p class="name">${this.say(name)}</p>
              ${tokenText(pieces.map((text, i) => ({ text, probability: 2 ** -bits[i] })))}
              ${plot({
                label: this.say("curve", { name: this.say(name) }),
                x: [1, longest],
                y: [0, HIGH],
                xLabel: this.say("position"),
                yLabel: this.say("bits"),
                lines: [{ name, points: bits.map((bit, i) => [i + 1, Math.min(HIGH, bit)]) }],
              })}
              <details>
                <summary>${this.say("numbers")}</summary>
                ${barTable({
                  caption: this.say("curve", { name: this.say(name) }),
                  heads: ["#", this.say("token"), this.say("bits")],
                  rows: bits.map((bit, i) => ({ cells: [String(i + 1), legible(pieces[i]), bit.toFixed(1)] })),
                })}
              </details>
            </div>`,
        )}
      </div>`;
  }
}

/** @param {number[]} numbers */
const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/**
 * @param {string} name
 * @param {number[]} start
 * @param {number[]} ids
 * @param {Model} model
 * @returns {Promise<Text>}
 */
async function measure(name, start, ids, model) {
  const { logprobs } = await model.score([...start, ...ids]);
  // The first id has no surprise.
  const bits = Array.from(logprobs.subarray(start.length - 1), (logprob) => -logprob / Math.LN2);
  return { name, pieces: ids.map((id) => plainText([id], model)), bits };
}

define("likelihood", LastInchLikelihood);
