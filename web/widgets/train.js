// A model that learns: the reader presses “Learn”, and a small transformer goes from noise to words on a text of the
// reader's own. Counts of the same text write at once, to compare with.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { seedField } from "./shared/field.js";
import { formatCount } from "./shared/format.js";
import { plot, plotStyles } from "./shared/plot.js";
import { isRecorded, numbersIn } from "./shared/recording.js";
import { sources, textOf } from "./shared/text-sources.js";
import { explain } from "./shared/words.js";
import { counted, curve, samples, settings as recorded } from "./recorded/train.js";

/** @typedef {import("./shared/learning.js").Learning} Learning */
/** @typedef {Pick<Learning, "points" | "samples">} Shown */

const learning = () => import("./shared/learning.js");

/** UTF-16 units of a text, as the trainer takes it; here for the reader's language. */
const LEAST = 2_000;
const MOST = 2_000_000;
/** Nats by which the loss on what it never sees must have risen: less is the noise of a report. */
const RISE = 0.03;

/**
 * A small transformer that learns a text in the page, beside counts of the same text: the loss falls, the lines that it
 * writes turn from noise to words, and every other widget can run on it.
 * @tagname lastinch-train
 */
export class LastInchTrain extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    plotStyles,
    css`
      .bars .written {
        display: block;
        font-family: var(--lastinch-serif, Charter, Cambria, Georgia, serif);
        text-align: start;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];
  static words = {
    title: "Watch a model learn",
    lead: "This model knows nothing yet. Give it a text, press “Learn”, and watch its lines turn from noise to words. It lives in this page: nothing is sent anywhere.",
    source: "Text",
    alice: "Alice in Wonderland",
    aesop: "Aesop's fables",
    richard: "Richard III",
    own: "your own",
    text: "Your text",
    limits: "2,000 to 2,000,000 characters of any script; the 509 most frequent are told apart.",
    badLength: "Your text has {count} characters. It needs 2,000 to 2,000,000.",
    order: "Characters that the counts look at",
    counted: "Counts write at once: each next character is drawn as often as it followed the last {order} in the text.",
    learningRate: "Learning rate",
    learn: "Learn",
    goOn: "Go on",
    starting: "The text is read …",
    now: "Step {step} of {steps}: loss {loss}; on text that it never sees, {heldOut}. {speed} steps a minute.",
    chart: "The loss as the model learns",
    steps: "Step",
    nats: "Loss (nats a character)",
    loss: "on the text",
    heldOut: "on its last tenth, which it never sees",
    dot: "when a line was written",
    lines: "What it writes, from the same seed",
    line: "Line",
    lossHead: "Loss",
    about:
      "{weights} weights, two layers, a context of 128 characters, less than 32 MB of memory. It goes on while you look at another tab.",
    replaced: "{count} characters of the text are too rare and became one.",
    worse: "It is worse than knowing nothing ({loss}): the steps are too large. Lower the learning rate.",
    save: "Save the model",
    share: "Use it in the other figures",
    saved: "Saved as a GGUF file, which lastinch and llama.cpp read.",
    shared: "The other figures of this page can now take this model, as it is at step {step}.",
    summary: "After {step} steps the loss is {loss}; on text that it never sees, {heldOut}.",
    byHeart: "Where the dashed line rises while the other falls, the model learns its text by heart.",
    rises:
      "The loss on text that it never sees rises: it was {least} at step {step} and is {now}. The model learns its text by heart.",
    later: "What you have changed counts when you start again.",
    learnt: "Recorded: a model that learnt here, in {steps} steps at a rate of {rate}.",
  };
  static chinese = () => import("./chinese/train.js");
  static honesty = "live";
  static properties = {
    source: { share: true, attribute: "source", oneOf: sources },
    text: { attribute: false },
    order: knob("order"),
    learningRate: knob("learningRate"),
    steps: knob("count", "steps"),
    temperature: knob("temperature"),
    seed: knob("seed"),
    line: { state: true },
  };

  /** @type {Shown | undefined} */
  #shown;
  /** @type {Learning | undefined} */
  #learning;
  /** Of the steps that are running. @type {AbortController | undefined} */
  #abort;
  /** Steps after which it stops. */
  #goal = 0;
  /** What went wrong. */
  #problem = "";
  /** The settings that its model has. */
  #begun = "";

  constructor() {
    super();
    /** What it learns: alice, aesop, richard, or own, the text of the property. */
    this.source = recorded.source;
    /** A text of the reader's own. @type {string} */
    this.text = "";
    /** Characters that the counts look at, 1 to 5. */
    this.order = 3;
    /** The size of a step; it may be changed while the model learns. */
    this.learningRate = recorded.learningRate;
    /** Steps that a press takes. */
    this.steps = recorded.steps;
    /** Of the lines that are written. */
    this.temperature = recorded.temperature;
    /** Decides the weights at the start, the order of learning and the lines. */
    this.seed = recorded.seed;
    /** What the counts write. @type {string | undefined} */
    this.line = undefined;
  }

  prepare() {
    this.isRecorded = isRecorded(this, recorded);
    if (!this.isRecorded) return;
    const [steps, losses, heldOut] = curve.map(numbersIn);
    this.#shown = {
      points: steps.map((step, i) => ({ step, loss: losses[i] / 100, heldOut: heldOut[i] / 100 })),
      samples: samples.map(({ step, loss, text }) => ({ step, loss: loss / 100, text })),
    };
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    // An element that only moves to another place is connected again at once.
    queueMicrotask(() => this.isConnected || this.#forget());
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const { source, temperature, seed } = recorded;
    const isOther = ["source", "temperature", "seed", "model"].some((name) => changed.has(name));
    if (this.isRecorded && isOther && !isRecorded(this, { source, temperature, seed })) this.#forget();
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    super.turn(name, value, isFinal);
    if (name === "learningRate" && this.#learning) this.#learning.rate = value;
    if (name === "order" && isFinal && !this.isRecorded && this.line !== undefined)
      this.#count().catch((error) => (this.#problem = explain(error)));
  }

  get honesty() {
    return this.isRecorded ? "learnt" : super.honesty;
  }

  /** @param {string} key @param {Record<string, string | number>} [values] */
  say(key, values) {
    if (key === "learnt") values = { steps: formatCount(recorded.steps), rate: recorded.learningRate };
    return super.say(key, values);
  }

  /** Ends what runs, and throws the model away. */
  #forget() {
    this.#abort?.abort();
    this.#abort = undefined;
    this.#learning?.dispose();
    this.#learning = undefined;
    this.#shown = undefined;
    this.#problem = "";
    this.#goal = 0;
    this.line = undefined;
    this.isRecorded = false;
    this.requestUpdate();
  }

  #reset = () => {
    this.#forget();
    this.#toLearn();
  };

  #stop = () => {
    this.#abort?.abort();
    this.#toLearn();
  };

  /** The focus goes to the button that stays. */
  #toLearn() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("#learn"))?.focus();
  }

  get #settings() {
    return JSON.stringify([this.source, this.text, this.temperature, this.seed]);
  }

  get #how() {
    return { temperature: this.temperature, seed: this.seed };
  }

  /** Has the counts write a line. @param {AbortSignal} [signal] */
  async #count(signal) {
    const { source, order, text } = this;
    const settings = this.#settings;
    const { countedLine } = await learning();
    const line = await countedLine(await textOf(source, text), order, { ...this.#how, signal });
    if (settings === this.#settings && order === this.order) this.line = line;
  }

  #learn = async () => {
    if (this.#abort) return;
    if (!this.#learning) this.#forget();
    const abort = (this.#abort = new AbortController());
    const { signal } = abort;
    this.#problem = "";
    const show = () => this.requestUpdate();
    show();
    try {
      if (!this.#learning) await this.#begin(signal);
      const own = /** @type {Learning} */ (this.#learning);
      own.rate = this.learningRate;
      if (own.steps >= this.#goal) this.#goal = own.steps + this.steps;
      await own.run(this.#goal, signal, show);
      if (own === this.#learning) this.announce(this.summary());
    } catch (error) {
      if (!signal.aborted) this.#problem = explain(error);
    } finally {
      if (this.#abort === abort) this.#abort = undefined;
      show();
    }
  };

  /** @param {AbortSignal} signal */
  async #begin(signal) {
    const how = { ...this.#how, signal };
    this.#begun = this.#settings;
    const text = await textOf(this.source, this.text);
    if (text.length < LEAST || text.length > MOST)
      throw new RangeError(this.say("badLength", { count: formatCount(text.length) }));
    const { Learning } = await learning();
    await this.#count(signal);
    signal.throwIfAborted();
    const opened = await Learning.open(text, how);
    if (signal.aborted) opened.dispose();
    signal.throwIfAborted();
    this.#shown = this.#learning = opened;
  }

  /** @param {(own: Learning, name: string) => Promise<void>} work @param {string} said */
  async #take(work, said) {
    if (!this.#learning) return;
    try {
      await work(this.#learning, this.source);
      this.announce(this.say(said, { step: formatCount(this.#learning.steps) }));
    } catch (error) {
      this.#problem = explain(error);
    }
    this.requestUpdate();
  }

  #save = () =>
    this.#take(async (own, name) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await own.save(name));
      link.download = `${name}.gguf`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    }, "saved");

  #share = () => this.#take((own, name) => own.share(name), "shared");

  view() {
    const named = sources.map((source) => /** @type {[string, string]} */ ([source, this.say(source)]));
    return html`${this.choice("source", this.say("source"), named)} ${this.source === "own" ? this.#field() : nothing}
      <div class="knobs">${this.slider("learningRate")}${this.slider("order")}</div>
      ${seedField(this)} ${this.#buttons()} ${this.#linesOfCounts()}
      ${this.#shown ? this.#result(this.#shown) : nothing}`;
  }

  #field() {
    const change = (/** @type {Event} */ { target }) =>
      this.turn("text", /** @type {HTMLTextAreaElement} */ (target).value, true);
    return html`<div>
      <label for="text">${this.say("text")}</label>
      <textarea id="text" rows="5" .value=${this.text} @change=${change} aria-describedby="limits"></textarea>
      <p class="hint" id="limits">${this.say("limits")}</p>
    </div>`;
  }

  #buttons() {
    const own = this.#learning;
    const isBusy = this.#abort !== undefined;
    const press = this.say(own ? "goOn" : "learn");
    // Learn keeps the focus while the model learns.
    return html`<div class="actions">
        <button id="learn" class="primary" aria-disabled=${isBusy} @click=${this.#learn}>${press}</button>
        ${isBusy ? html`<button id="stop" @click=${this.#stop}>${this.say("stop")}</button>` : nothing}
        ${own ? html`<button id="reset" @click=${this.#reset}>${this.say("reset")}</button>` : nothing}
        ${own?.steps ? this.#takers() : nothing}
      </div>
      ${this.isRecorded ? html`<p class="recorded">${this.say("pressLive", { press })}</p>` : nothing}
      ${own && this.#begun !== this.#settings ? html`<p class="recorded">${this.say("later")}</p>` : nothing}
      ${isBusy || own ? this.#progress(own) : nothing}
      ${this.#problem ? html`<p class="problem" role="alert">${this.#problem}</p>` : nothing}`;
  }

  #takers() {
    return html`<button id="save" @click=${this.#save}>${this.say("save")}</button>
      <button id="share" @click=${this.#share}>${this.say("share")}</button>`;
  }

  /** @param {Learning | undefined} own */
  #progress(own) {
    const last = own?.points.at(-1);
    if (!own || !last) return html`<p class="hint">${this.say("starting")}</p>`;
    const words = {
      step: formatCount(last.step),
      steps: formatCount(this.#goal),
      loss: last.loss.toFixed(2),
      heldOut: last.heldOut.toFixed(2),
      speed: formatCount(Math.round(own.speed)),
    };
    return html`<progress max=${this.#goal} value=${last.step} aria-label=${this.say("learn")}></progress>
      <p class="hint">${this.say("now", words)}</p>
      ${last.loss > own.ignorance ? html`<p class="problem">${this.say("worse", { loss: own.ignorance.toFixed(2) })}</p>` : nothing}
      <p class="hint">
        ${this.say("about", { weights: formatCount(own.weightCount) })}
        ${own.replaced ? this.say("replaced", { count: formatCount(own.replaced) }) : nothing}
      </p>`;
  }

  #linesOfCounts() {
    const line = this.isRecorded ? counted[this.order - 1] : this.line;
    if (line === undefined) return nothing;
    return html`<div>
      <p>${this.say("counted", { order: this.order })}</p>
      <p class="text" dir="auto">${line}</p>
    </div>`;
  }

  /** @param {Shown} shown */
  #result({ points, samples }) {
    const most = Math.max(1, points.at(-1)?.step ?? 0);
    const top = Math.ceil(samples[0]?.loss ?? 1);
    const numbers = points.filter(({ loss, heldOut }) => Number.isFinite(loss + heldOut));
    const line = (/** @type {"loss" | "heldOut"} */ name) =>
      numbers.map((point) => /** @type {[number, number]} */ ([point.step, Math.min(top, point[name])]));
    return html`${plot({
        label: this.say("chart"),
        x: [0, most],
        y: [0, top],
        xLabel: this.say("steps"),
        yLabel: this.say("nats"),
        formatX: formatCount,
        lines: [
          { name: this.say("loss"), points: line("loss") },
          { name: this.say("heldOut"), points: line("heldOut"), kind: "cut", dash: "dashed" },
          {
            name: this.say("dot"),
            points: samples.map(({ step, loss }) => [step, Math.min(top, loss)]),
            dash: "none",
            hasDots: true,
          },
        ],
      })}
      ${barTable({
        caption: this.say("lines"),
        heads: [this.say("steps"), this.say("lossHead"), this.say("line")],
        rows: samples.map(({ step, loss, text }) => ({
          cells: [
            formatCount(step),
            loss.toFixed(2),
            html`<span class="written" dir="auto">${text.replaceAll("\n", "⏎")}</span>`,
          ],
        })),
      })}
      <p class="hint">${this.#rise() || this.say("byHeart")}</p>`;
  }

  /** Where it begins to learn by heart, in words: its own text surprises it less, and what it never sees more. */
  #rise() {
    const points = this.#shown?.points ?? [];
    const last = points.at(-1);
    if (!last) return "";
    const least = points.reduce((best, point) => (point.heldOut < best.heldOut ? point : best));
    if (!(last.heldOut >= least.heldOut + RISE && last.loss < least.loss)) return "";
    const [now, before] = [last, least].map(({ heldOut }) => heldOut.toFixed(2));
    return this.say("rises", { step: formatCount(least.step), least: before, now });
  }

  summary() {
    const last = this.#shown?.points.at(-1);
    if (!last || !Number.isFinite(last.loss + last.heldOut)) return "";
    const { step, loss, heldOut } = last;
    const values = { step: formatCount(step), loss: loss.toFixed(2), heldOut: heldOut.toFixed(2) };
    return `${this.say("summary", values)} ${this.#rise()}`.trim();
  }
}

define("train", LastInchTrain);
