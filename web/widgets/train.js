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

/** The loss of a model that knows nothing of the recorded text. */
const IGNORANCE = Math.log(68);
/** UTF-16 units of a text. */
const LEAST = 2_000;
const MOST = 2_000_000;

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
    now: "Step {step} of {steps}: loss {loss}, of the part that it never sees {heldOut}. {speed} steps a minute.",
    chart: "The loss as the model learns",
    steps: "Step",
    nats: "Loss (nats a character)",
    loss: "what it learns",
    heldOut: "what it never sees",
    dot: "a line below",
    lines: "What it writes, from the same seed",
    line: "Line",
    lossHead: "Loss",
    about:
      "{weights} weights, two layers, a context of 128 characters, less than {megabytes} MB of memory. It goes on while you look at another tab.",
    replaced: "{count} characters of the text are too rare and became one.",
    worse: "It is worse than knowing nothing ({loss}): the steps are too large. Lower the learning rate.",
    broken: "The weights broke: they are no numbers any more. Lower the learning rate and start again.",
    save: "Take it along",
    share: "Use it in the others",
    saved: "Saved as a GGUF file, which lastinch and llama.cpp read.",
    shared: "Widgets of this page that run a model can now take this one.",
    summary: "After {step} steps the loss is {loss}, and {heldOut} on the part that it never sees.",
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
    if (this.#learning) this.#forget();
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    const isSame = /** @type {any} */ (this)[name] === value;
    if (name === "learningRate" && this.#learning) this.#learning.rate = value;
    else if (name !== "order" && !isSame) this.#forget();
    super.turn(name, value, isFinal);
    if (name === "order" && !this.isRecorded && this.line !== undefined) void this.#count();
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

  get #how() {
    return { temperature: this.temperature, seed: this.seed };
  }

  /** Has the counts write a line. */
  async #count() {
    const { source, order } = this;
    const { countedLine } = await learning();
    const line = await countedLine(await textOf(source, this.text), order, this.#how);
    if (source === this.source && order === this.order) this.line = line;
  }

  #learn = async () => {
    if (!this.#learning) this.#forget();
    const abort = (this.#abort = new AbortController());
    const { signal } = abort;
    this.#problem = "";
    const show = () => this.requestUpdate();
    show();
    try {
      const text = await textOf(this.source, this.text);
      if (text.length < LEAST || text.length > MOST)
        throw new RangeError(this.say("badLength", { count: formatCount(text.length) }));
      if (!this.#learning) {
        const { Learning } = await learning();
        await this.#count();
        signal.throwIfAborted();
        const opened = await Learning.open(text, { ...this.#how, signal });
        this.#shown = this.#learning = opened;
      }
      const own = this.#learning;
      own.rate = this.learningRate;
      if (own.steps >= this.#goal) this.#goal = own.steps + this.steps;
      await own.run(this.#goal, signal, show);
      if (own === this.#learning) this.announce(own.isBroken ? this.say("broken") : this.summary());
    } catch (error) {
      if (!signal.aborted) this.#problem = explain(error);
    } finally {
      if (this.#abort === abort) this.#abort = undefined;
      show();
    }
  };

  /** @param {(own: Learning, name: string) => Promise<void>} work @param {string} said */
  async #take(work, said) {
    if (!this.#learning) return;
    try {
      await work(this.#learning, this.source);
      this.announce(this.say(said));
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
    return html`<div class="actions">
        ${
          isBusy
            ? html`<button id="stop" @click=${() => this.#abort?.abort()}>${this.say("stop")}</button>`
            : html`<button id="learn" class="primary" ?disabled=${own?.isBroken} @click=${this.#learn}>
                ${press}
              </button>`
        }
        ${own ? html`<button id="reset" @click=${() => this.#forget()}>${this.say("reset")}</button>` : nothing}
        ${own && !own.isBroken && own.steps ? this.#takers() : nothing}
      </div>
      ${this.isRecorded ? html`<p class="recorded">${this.say("pressLive", { press })}</p>` : nothing}
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
    if (own.isBroken) return html`<p class="problem">${this.say("broken")}</p>`;
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
        ${this.say("about", { weights: formatCount(own.weightCount), megabytes: 32 })}
        ${own.replaced ? this.say("replaced", { count: formatCount(own.replaced) }) : nothing}
      </p>`;
  }

  #linesOfCounts() {
    const line = this.isRecorded ? counted[this.order - 1] : this.line;
    if (line === undefined) return nothing;
    return html`<div>
      <p>${this.say("counted", { order: this.order })}</p>
      <p class="text">${line}</p>
    </div>`;
  }

  /** @param {Shown} shown */
  #result({ points, samples }) {
    const most = Math.max(1, points.at(-1)?.step ?? 0);
    const top = Math.ceil(this.#learning?.ignorance ?? IGNORANCE);
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
        cells: [formatCount(step), loss.toFixed(2), html`<span class="written">${text.replaceAll("\n", "⏎")}</span>`],
      })),
    })}`;
  }

  summary() {
    const last = this.#shown?.points.at(-1);
    if (!last) return "";
    const { step, loss, heldOut } = last;
    return this.say("summary", { step: formatCount(step), loss: loss.toFixed(2), heldOut: heldOut.toFixed(2) });
  }
}

define("train", LastInchTrain);
