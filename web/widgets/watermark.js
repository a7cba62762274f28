// Two texts of one beginning, one of them marked: the reader guesses, sees the p-values fall, and edits the mark away.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { Live } from "./shared/live.js";
import { fall, isFirstMarked, keyOf, schemes } from "./shared/marks.js";
import { replay, paceField } from "./shared/pace.js";
import { plot, plotStyles } from "./shared/plot.js";
import { isRecorded, numbersIn, tokensOf } from "./shared/recording.js";
import { tokenText } from "./shared/token-text.js";
import { seedField, textField } from "./shared/field.js";
import { promptIds, write } from "./shared/writing.js";
import { settings as recorded, texts as recordedTexts } from "./recorded/watermark.js";

/** @typedef {import("./shared/models.js").Model} Model */
/** fall: log10 of the p-value after each token. @typedef {{ text: string, fall: number[] }} Text */

const LONGEST = 120;
const LONGEST_EDIT = 2000;
/** What is called unlikely: 1 %. */
const LIMIT = -2;
const names = ["A", "B"];

/**
 * Two texts of one beginning, of which one carries a watermark: which one? Then their p-values, token by token, and the
 * marked text to edit, until the mark is gone.
 * @tagname lastinch-watermark
 */
export class LastInchWatermark extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    plotStyles,
    css`
      textarea {
        display: block;
        font: 1.0625rem/1.6 var(--lastinch-serif, Charter, Cambria, Georgia, serif);
      }
    `,
  ];
  static words = {
    title: "Find the watermark",
    lead: "One model wrote two texts from one beginning. In one of them a secret key decided the draws. Can you see which? The key's owner can.",
    prompt: "Beginning",
    count: "Tokens to write",
    scheme: "Scheme",
    gumbel: "Gumbel",
    green: "green list",
    synthid: "SynthID",
    run: "Write both",
    text: "Text {name}",
    guess: "Which text is marked?",
    right: "Yes: text {name} is marked.",
    wrong: "No: text {name} is marked. Nobody can see it.",
    key: "The detector knows the key, “{key}”, and adds up the keyed numbers of the tokens. The p-value says how often an unmarked text would have a sum as large.",
    chart: "p-values of the texts as more tokens are read",
    read: "Tokens read",
    pValue: "p-value",
    marked: "Text {name} (marked)",
    unmarked: "Text {name} (unmarked)",
    edited: "Your version",
    limit: "1 in 100",
    numbers: "p-values in numbers",
    edit: "Edit the marked text",
    toEdit: "Press “{press}” to write and edit a text of your own.",
    thin: "Delete every fifth word",
    undo: "Undo all edits",
    proves:
      "An edit takes the mark of up to four more tokens. A paraphrase removes the mark, and whoever knows the key can forge it. A text without the mark may still be a machine's. And a p-value is for one look: whoever watches the curve and stops at its lowest point accuses innocent texts too often.",
    summary: "p-values: {values}.",
    value: "{name} {p}",
    toGuess: "Two texts. Which is marked?",
  };
  static chinese = () => import("./chinese/watermark.js");
  static honesty = "live";
  static properties = {
    prompt: { share: true, attribute: "prompt" },
    scheme: { share: true, attribute: "scheme", oneOf: schemes },
    count: knob("count"),
    temperature: knob("temperature"),
    seed: knob("seed"),
    pace: knob("pace"),
    guess: { state: true },
    edited: { state: true },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** @type {Text[]} */
  #texts = [];
  /** Of the edited text. @type {number[]} */
  #fall = [];
  /** Whether the texts are complete. */
  #isWritten = false;

  constructor() {
    super();
    /** How both texts begin. */
    this.prompt = recorded.prompt;
    /** How the text is marked: gumbel, green or synthid. */
    this.scheme = recorded.scheme;
    /** Tokens of a text, at most 120. */
    this.count = recorded.count;
    this.temperature = recorded.temperature;
    /** Decides the key, the draws and which text is marked. */
    this.seed = recorded.seed;
    /** Most tokens a second; 0 shows the whole texts at once. @type {number | undefined} */
    this.pace = undefined;
    /** The reader's guess. @type {string | undefined} */
    this.guess = undefined;
    /** The marked text after the reader's edits. @type {string | undefined} */
    this.edited = undefined;
  }

  prepare() {
    this.isRecorded = isRecorded(this, recorded);
    if (this.isRecorded) this.#texts = this.#recorded();
  }

  #recorded() {
    return recordedTexts.map(({ tokens, bits, fall }) => ({
      text: tokensOf({ tokens, bits })
        .map(({ text }) => text)
        .join(""),
      fall: numbersIn(fall).map((value) => value / 1000),
    }));
  }

  get #mark() {
    return { scheme: /** @type {typeof schemes[number]} */ (this.scheme), key: keyOf(this.seed) };
  }

  /** The place of the marked text. */
  get #at() {
    return isFirstMarked(this.seed) ? 0 : 1;
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (name !== "pace" && name !== "guess") {
      this.#live.stop();
      this.isRecorded = false;
      this.guess = undefined;
      this.#begin([]);
    }
    super.turn(name, value, isFinal);
  }

  /** @param {Text[]} texts */
  #begin(texts) {
    this.#texts = texts;
    this.#fall = [];
    this.#isWritten = false;
    this.edited = undefined;
  }

  #replay = async (/** @type {AbortSignal} */ signal) => {
    this.guess = undefined;
    const texts = names.map(() => ({ text: "", fall: /** @type {number[]} */ ([]) }));
    this.#begin(texts);
    const whole = recordedTexts.map(tokensOf);
    const falls = this.#recorded().map(({ fall }) => fall);
    for await (const i of replay(this, whole[0].keys(), signal))
      texts.forEach((text, at) => {
        text.text += whole[at][i].text;
        text.fall.push(falls[at][i]);
      });
    this.#begin(this.#recorded());
  };

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    const { createWatermarkDetector } = await import("../index.js");
    this.guess = undefined;
    const texts = names.map(() => ({ text: "", fall: /** @type {number[]} */ ([]) }));
    this.#begin(texts);
    const ids = await promptIds(model, this.prompt);
    const { temperature, seed } = this;
    const maxTokens = Math.min(this.count, LONGEST);
    await Promise.all(
      texts.map(async (text, at) => {
        const read = await fall(createWatermarkDetector, this.#mark);
        const watermark = at === this.#at ? this.#mark : undefined;
        const options = { temperature, seed, maxTokens, minTokens: maxTokens, watermark, signal };
        for await (const { tokens } of write(this, model, ids, options))
          for (const token of tokens) {
            text.text += token.text;
            text.fall.push(read(token.id));
          }
      }),
    );
    if (signal.aborted && this.#texts !== texts) return;
    this.#isWritten = true;
    this.announce(this.summary());
  };

  /** Reads an edited text again. @param {string} text @param {boolean} isFinal */
  async #edit(text, isFinal) {
    const [model] = this.#live.models ?? [];
    const texts = this.#texts;
    if (!model) return;
    this.edited = text;
    const { createWatermarkDetector } = await import("../index.js");
    const read = await fall(createWatermarkDetector, this.#mark);
    const ids = await model.tokenize(text);
    // The reader has typed on, or the texts are others.
    if (this.edited !== text || this.#texts !== texts) return;
    this.#fall = Array.from(ids, read);
    this.requestUpdate();
    if (isFinal) this.announce(this.summary());
  }

  view() {
    const texts = this.#texts;
    const options = names.map((name) => /** @type {[string, string]} */ ([name, this.say("text", { name })]));
    const named = schemes.map((scheme) => /** @type {[string, string]} */ ([scheme, this.say(scheme)]));
    return html`${textField(this, "prompt")} ${this.choice("scheme", this.say("scheme"), named)}
      <div class="knobs">${this.slider("temperature")}${this.slider("count", { max: LONGEST })}</div>
      ${seedField(this)}
      ${this.#live.button(this.say("run"), this.#run, { replay: this.#replay, pace: paceField(this) })}
      ${
        texts.length
          ? html`<div class="panels">
                ${texts.map(
                  ({ text }, i) =>
                    html`<section aria-label=${options[i][1]}>
                      <p class="name">${options[i][1]}</p>
                      ${tokenText([{ text: this.prompt + text }])}
                    </section>`,
                )}
              </div>
              ${this.choice("guess", this.say("guess"), options)} ${this.guess ? this.#answer(texts) : nothing}`
          : nothing
      }`;
  }

  /** @param {Text[]} texts */
  #answer(texts) {
    const name = names[this.#at];
    return html`<p>
        <b>${this.say(this.guess === name ? "right" : "wrong", { name })}</b>
        ${this.say("key", { key: keyOf(this.seed) })}
      </p>
      ${this.#chart()} ${this.#editor(texts[this.#at].text)}
      <p class="hint">${this.say("proves")}</p>`;
  }

  /** The texts' names and falls; the edited text only if it was edited. */
  #lines() {
    const lines = this.#texts.map(({ fall }, at) => ({
      name: this.say(at === this.#at ? "marked" : "unmarked", { name: names[at] }),
      fall,
    }));
    return this.edited === undefined ? lines : [...lines, { name: this.say("edited"), fall: this.#fall }];
  }

  #chart() {
    const lines = this.#lines();
    const label = this.say("chart");
    const least = Math.floor(Math.min(LIMIT, ...lines.flatMap(({ fall }) => fall)));
    const longest = Math.max(1, ...lines.map(({ fall }) => fall.length));
    return html`${plot({
        label,
        x: [0, longest],
        y: [least, 0],
        xLabel: this.say("read"),
        yLabel: this.say("pValue"),
        formatY: (value) => (value ? `10${raised(-value)}` : "1"),
        lines: [
          ...lines.map(({ name, fall }, at) => ({
            name,
            points: fall.map((y, x) => /** @type {[number, number]} */ ([x + 1, y])),
            kind: /** @type {"kept" | "cut"} */ (at === 1 - this.#at ? "cut" : "kept"),
            dash: /** @type {const} */ (["solid", "dashed", "dotted"])[at === 2 ? 2 : Number(at !== this.#at)],
          })),
          { name: this.say("limit"), points: [0, longest].map((x) => [x, LIMIT]), kind: "cut", dash: "dotted" },
        ],
      })}
      <details>
        <summary>${this.say("numbers")}</summary>
        ${barTable({
          caption: label,
          heads: [this.say("read"), ...lines.map(({ name }) => name)],
          rows: [...[10, 20, 40, 80].filter((n) => n < longest), longest].map((n) => ({
            cells: [String(n), ...lines.map(({ fall }) => (n <= fall.length ? pText(fall[n - 1]) : "–"))],
          })),
        })}
      </details>`;
  }

  /** @param {string} original */
  #editor(original) {
    const isReady = this.#isWritten && this.#live.models;
    const text = this.edited ?? original;
    const edit = (/** @type {Event} */ { target, type }) =>
      this.#edit(/** @type {HTMLTextAreaElement} */ (target).value, type === "change");
    const thin = () =>
      this.#edit(
        text
          .split(/(?=\s\S)/)
          .filter((_, i) => i % 5 < 4)
          .join(""),
        true,
      );
    const undo = () => {
      this.edited = undefined;
      this.#fall = [];
      void this.updateComplete.then(() => this.announce(this.summary()));
    };
    return html`<div>
        <label for="edit">${this.say("edit")}</label>
        <textarea
          id="edit"
          rows="5"
          maxlength=${LONGEST_EDIT}
          ?readonly=${!isReady}
          .value=${text}
          @input=${edit}
          @change=${edit}
        ></textarea>
      </div>
      ${
        isReady
          ? html`<div class="actions">
              <button @click=${thin}>${this.say("thin")}</button>
              <button ?disabled=${this.edited === undefined} @click=${undo}>${this.say("undo")}</button>
            </div>`
          : html`<p class="hint">${this.say("toEdit", { press: this.say("run") })}</p>`
      }
      <p>${this.summary()}</p>`;
  }

  summary() {
    if (!this.#texts.length) return "";
    if (!this.guess) return this.say("toGuess");
    const values = this.#lines().map(({ name, fall }) => this.say("value", { name, p: pText(fall.at(-1) ?? 0) }));
    return this.say("summary", { values: this.list(values) });
  }
}

/** A negative power. @param {number | string} power */
const raised = (power) => `⁻${[...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;

/** A p-value by its logarithm: 1, 0.02, 3.1·10⁻¹². @param {number} log */
function pText(log) {
  const p = 10 ** log;
  if (log > -4) return String(Number(p.toPrecision(2)));
  const [digits, power] = p.toExponential(1).split("e-");
  return `${digits}·10${raised(power)}`;
}

define("watermark", LastInchWatermark);
