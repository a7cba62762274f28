// One prompt under three regimes at the same time: too cautious, about right, too hot.
import { Controls } from "./controls.js";
import { make, setText } from "./dom.js";
import { formatPercent, plural, tokenLabel } from "../web/widgets/shared/format.js";
import { LoopDetector, RepetitionRate } from "../web/widgets/shared/loop-detector.js";
import { TokenFlow, TokenReader } from "./token-flow.js";

const FALLBACK_PROMPT = "Once upon a time, in a forest far away";
/** A loop in a proposed prompt's story must show this often. */
const TURNS_TO_SEE = 3;
const LONGEST_GREEDY = 190;
const SUGGESTIONS = 4;
/** A column's tokens a second: slow enough to watch a loop come about. */
const PACE = 30;

/**
 * Their shares of the context: all three fit it together, so that none displaces another's keys and values. The greedy
 * one gets the most, since a loop takes its time.
 */
const regimes = [
  { name: "greedy", title: "Greedy", share: 0.4, settings: { temperature: 0, topP: 1 } },
  { name: "sweet", title: "Sweet spot", share: 0.3, settings: { temperature: 0.7, topP: 0.9 } },
  { name: "hot", title: "Too hot", share: 0.3, settings: { temperature: 2, topP: 1 } },
];

export class Regimes {
  #columns;
  #prompt = make("input", { type: "text", id: "regimes-prompt", maxlength: 500, spellcheck: "false" });
  #suggestions = make("div", { class: "suggestions", role: "group", "aria-label": "Prompts that loop", hidden: true });
  #button = make("button", { type: "submit", class: "primary", text: "Run all three", disabled: true });
  #status = make("p", { class: "status", role: "status" });
  #onRun;

  /**
   * @param {HTMLElement} element
   * @param {() => void} onRun the button was pressed: run or stop
   */
  constructor(element, onRun) {
    this.#onRun = onRun;
    this.#prompt.value = FALLBACK_PROMPT;
    this.#columns = regimes.map((regime) => new Column(regime));
    const form = make(
      "form",
      { autocomplete: "off" },
      make("label", { class: "field-label", for: "regimes-prompt", text: "The same beginning for all" }),
      make("div", { class: "actions" }, this.#prompt, this.#button),
      this.#suggestions,
      this.#status,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#onRun();
    });
    element.append(
      make("h2", { id: "regimes-title", text: "Three regimes" }),
      make("p", {
        class: "lead",
        text:
          "Always taking the likeliest token sounds safe, until the model has said a phrase that makes itself likelier. " +
          "Drawing from everything sounds free, until one odd token leads to the next. Most text you read comes from between.",
      }),
      form,
      make("div", { class: "columns" }, ...this.#columns.map((column) => column.element)),
    );
  }

  get prompt() {
    return this.#prompt.value;
  }

  enable() {
    this.#button.disabled = false;
  }

  /**
   * @param {{ loops?: { prompt: string, loopStart: number, period: number }[] } | null} recorded
   */
  suggest(recorded) {
    const loops = (recorded?.loops ?? []).filter(
      ({ loopStart, period }) => loopStart + TURNS_TO_SEE * period < LONGEST_GREEDY,
    );
    if (!loops.length) return;
    if (this.#prompt.value === FALLBACK_PROMPT) this.#prompt.value = loops[0].prompt;
    const buttons = loops.slice(0, SUGGESTIONS).map(({ prompt }) =>
      make("button", {
        type: "button",
        class: "quiet",
        text: prompt,
        onclick: () => (this.#prompt.value = prompt),
      }),
    );
    this.#suggestions.append(make("span", { text: "Greedy loops on:" }), ...buttons);
    this.#suggestions.hidden = false;
  }

  /**
   * @param {import("../dist/index.js").Model} model
   * @param {number} seed
   * @param {AbortSignal} signal
   */
  async run(model, seed, signal) {
    const prompt = this.prompt;
    const ids = await model.tokenize(prompt, { bos: model.config.addBos });
    const tokens = model.config.contextLength;
    await Promise.all(
      this.#columns.map((column) => {
        const maxTokens = Math.max(1, Math.floor(column.share * tokens) - ids.length);
        return column.run(model, prompt, { maxTokens, seed, signal });
      }),
    );
  }

  /** @param {boolean} isRunning */
  showRunning(isRunning) {
    setText(this.#button, isRunning ? "Stop" : "Run all three");
  }

  /** @param {string} text */
  say(text) {
    setText(this.#status, text);
  }

  /** What the columns came to, for those who do not see them. */
  summary() {
    return this.#columns.map((column) => column.summary()).join(" ");
  }
}

class Column {
  share;
  #title;
  #flow;
  #controls;
  #badge = make("p", { class: "loop-badge", hidden: true });
  #repetition = make("dd", { text: "–" });
  #surprise = make("dd", { text: "–" });
  #count = make("dd", { text: "–" });
  #detector = new LoopDetector();
  #rate = new RepetitionRate();
  /** @type {import("../web/widgets/shared/loop-detector.js").Loop | null} */
  #loop = null;
  /** How well a turn's number can stand before each token: 2 at a line's beginning, 1 at a word's. @type {number[]} */
  #beginnings = [];
  #bits = 0;
  element;

  /** @param {{ name: string, title: string, share: number, settings: Record<string, number> }} regime */
  constructor({ name, title, share, settings }) {
    this.share = share;
    this.#title = title;
    const text = make("div", { class: "story regime-text", role: "group", "aria-label": `${title}: text` });
    const knobs = make("div", { class: "knobs is-compact" });
    this.#controls = new Controls(knobs, { name, values: settings, keys: Object.keys(settings), isCompact: true });
    this.#flow = new TokenFlow(text);
    /** @param {string} term @param {HTMLElement} value @param {string} hint */
    const measure = (term, value, hint) => make("div", { title: hint }, make("dt", { text: term }), value);
    this.element = make(
      "article",
      { class: "regime", "data-regime": name },
      make("h3", { text: title }),
      knobs,
      text,
      this.#badge,
      make(
        "dl",
        { class: "measures" },
        measure("Repetition", this.#repetition, "Share of runs of four tokens that the text had before"),
        measure("Surprise", this.#surprise, "Mean information of a token under the model itself"),
        measure("Tokens", this.#count, "Tokens so far"),
      ),
    );
  }

  /**
   * @param {import("../dist/index.js").Model} model
   * @param {string} prompt
   * @param {{ maxTokens: number, seed: number, signal: AbortSignal }} how
   */
  async run(model, prompt, { maxTokens, seed, signal }) {
    const flow = this.#flow;
    const reader = new TokenReader(model.vocabulary.tokens);
    this.#detector = new LoopDetector();
    this.#rate = new RepetitionRate();
    this.#loop = null;
    this.#beginnings = [];
    let isNewLine = false;
    this.#bits = 0;
    this.#badge.hidden = true;
    flow.begin(prompt);
    flow.element.setAttribute("aria-busy", "true");
    try {
      const started = performance.now();
      const options = { ...this.#controls.values, seed, maxTokens, signal };
      for await (const { tokens } of model.generate(prompt, options)) {
        for (const { id, rawLogprob } of tokens) {
          const text = reader.read(id);
          this.#beginnings.push(isNewLine ? 2 : Number(text.startsWith(" ")));
          isNewLine = text.endsWith("\n");
          flow.push(text, tokenLabel(id, model));
          this.#measure(id, rawLogprob);
        }
        const early = started + (1000 / PACE) * flow.spans.length - performance.now();
        if (early > 4) await new Promise((resolve) => setTimeout(resolve, early));
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      flow.flush();
      flow.element.removeAttribute("aria-busy");
    }
  }

  summary() {
    const count = this.#flow.spans.length;
    const loop = this.#loop ? `, in a loop of ${plural(this.#loop.period, "token")}` : "";
    return `${this.#title}: ${plural(count, "token")}, repetition ${this.#repetition.textContent}${loop}.`;
  }

  /**
   * @param {number} id
   * @param {number} rawLogprob
   */
  #measure(id, rawLogprob) {
    const { spans } = this.#flow;
    this.#rate.push(id);
    this.#bits -= rawLogprob / Math.LN2;
    setText(this.#repetition, formatPercent(this.#rate.value));
    setText(this.#surprise, `${(this.#bits / spans.length).toFixed(2)} bits`);
    setText(this.#count, String(spans.length));

    const before = this.#loop;
    this.#loop = this.#detector.push(id);
    if (this.#loop) this.#markLoop(this.#loop, before);
    else if (before)
      setText(this.#badge, `Out of a loop of ${plural(before.period, "token")} again, after ${before.turns} turns.`);
  }

  /**
   * @param {import("../web/widgets/shared/loop-detector.js").Loop} loop
   * @param {import("../web/widgets/shared/loop-detector.js").Loop | null} before
   */
  #markLoop({ period, start, turns }, before) {
    const { spans } = this.#flow;
    const isSame = before?.period === period && before.start === start;
    // A loop may be found to begin within a word; its turns are counted from where a line or a word begins.
    const first = this.#beginnings.slice(start, start + period);
    const numbered = first.indexOf(Math.max(...first));
    // And it is noticed only after some turns: the first time, those are marked too.
    for (let i = isSame ? spans.length - 1 : start; i < spans.length; i++) {
      const turn = Math.max(0, Math.floor((i - start - numbered) / period));
      spans[i].dataset.turn = turn % 2 ? "odd" : "even";
      const isFirst = (i - start) % period === numbered;
      if (isFirst && turn > 0) spans[i].dataset.again = String(turn + 1);
      else delete spans[i].dataset.again;
    }
    this.#badge.hidden = false;
    setText(this.#badge, `↻ In a loop of ${plural(period, "token")}, said ${turns} times by now.`);
  }
}
