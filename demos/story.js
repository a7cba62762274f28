// The story: tokens tinted by how likely the model thought them, each a door to the step that wrote it.
import { make } from "./dom.js";
import { formatPercent, surpriseClass, tokenLabel } from "../web/widgets/shared/format.js";

/**
 * One step of a run.
 * @typedef {object} Step
 * @property {number} id
 * @property {number} probability with which the sampler drew it
 * @property {number} rawLogprob
 * @property {Float32Array} logits
 * @property {string} text
 */

/** From the second class on: the two likeliest look alike. */
const legendTexts = ["50% or more", "20–50%", "5–20%", "1–5%", "below 1%"];

/** @param {HTMLElement} element */
export function makeLegend(element) {
  const items = legendTexts.map((text, i) =>
    make("li", {}, make("span", { class: "token swatch", "data-surprise": i + 1, text: "word" }), ` ${text}`),
  );
  element.append(make("ul", {}, ...items));
}

export class Story {
  /** @type {Step[]} */
  steps = [];
  #element;
  /** @type {HTMLElement[]} */
  #spans = [];
  /** What the next frame puts in place, however fast tokens come. */
  #pending = document.createDocumentFragment();
  #frame = 0;
  /** A character may be spread over several tokens. */
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** @type {import("../dist/index.js").Model | null} */
  #model = null;
  #current = -1;
  #open = -1;
  #onOpen;

  /**
   * @param {HTMLElement} element
   * @param {(index: number) => void} onOpen
   */
  constructor(element, onOpen) {
    this.#element = element;
    this.#onOpen = onOpen;
    element.addEventListener("click", (event) => {
      const span = /** @type {HTMLElement} */ (event.target).closest?.("[data-index]");
      // A selection of text is meant for copying.
      if (!(span instanceof HTMLElement) || !getSelection()?.isCollapsed) return;
      this.#focus(Number(span.dataset.index));
      this.#onOpen(this.#current);
    });
    element.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /**
   * @param {string} prompt
   * @param {import("../dist/index.js").Model} model
   */
  begin(prompt, model) {
    this.steps = [];
    this.#model = model;
    this.#spans = [];
    this.#decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    this.#current = this.#open = -1;
    this.#element.replaceChildren(make("span", { class: "prompt", text: prompt }));
    this.#element.setAttribute("aria-busy", "true");
  }

  /** @param {{ id: number, probability: number, rawLogprob: number, logits?: Float32Array }} token */
  push({ id, probability, rawLogprob, logits }) {
    const model = /** @type {import("../dist/index.js").Model} */ (this.#model);
    const text = this.#decoder.decode(model.vocabulary.tokens[id], { stream: true });
    this.steps.push({ id, probability, rawLogprob, logits: /** @type {Float32Array} */ (logits), text });
    // A space before a word is left outside, so that marks hug the words.
    const space = /^ *(?=\S)/.exec(text)?.[0] ?? "";
    const span = make("span", { class: "token", text: text.slice(space.length), "data-index": this.#spans.length });
    if (/^\s*$/.test(text)) {
      span.classList.add("blank");
      span.dataset.marker = markers[text] ?? tokenLabel(id, model);
    }
    span.dataset.surprise = String(surpriseClass(Math.exp(rawLogprob)));
    this.#spans.push(span);
    this.#pending.append(space, span);
    this.#frame ||= requestAnimationFrame(() => this.#flush());
    if (this.#current < 0) this.#setCurrent(0);
  }

  #flush() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#element.append(this.#pending);
  }

  end() {
    this.#flush();
    this.#element.removeAttribute("aria-busy");
  }

  /**
   * Marks the token whose step is shown; -1: none.
   * @param {number} index
   */
  markOpen(index) {
    const spans = this.#spans;
    spans[this.#open]?.removeAttribute("aria-current");
    this.#open = index;
    spans[index]?.setAttribute("aria-current", "true");
    if (index >= 0) this.#setCurrent(index);
  }

  /** Back to the token from which the step was opened. */
  focusCurrent() {
    this.#focus(this.#current);
  }

  /** @param {number} index */
  #focus(index) {
    if (!this.#spans[index]) return;
    this.#setCurrent(index);
    this.#spans[index].focus();
  }

  /**
   * Only one token is a button at a time: the rest stays plain text to read, and one stop on the way of the Tab key.
   * @param {number} index
   */
  #setCurrent(index) {
    const spans = this.#spans;
    const before = spans[this.#current];
    if (before && index !== this.#current)
      for (const name of ["tabindex", "role", "aria-label"]) before.removeAttribute(name);
    this.#current = index;
    const { id, rawLogprob } = this.steps[index];
    const label = tokenLabel(id, /** @type {import("../dist/index.js").Model} */ (this.#model)).replace(/^␣/, "");
    const span = spans[index];
    span.tabIndex = 0;
    span.setAttribute("role", "button");
    span.setAttribute("aria-label", `${label}, ${formatPercent(Math.exp(rawLogprob))}, step ${index + 1}`);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#current < 0) return;
    const target = this.#targetOf(event.key);
    if (target !== null) this.#focus(Math.max(0, Math.min(this.steps.length - 1, target)));
    else if (event.key === "Enter" || event.key === " ") this.#onOpen(this.#current);
    else return;
    event.preventDefault();
  }

  /** @param {string} key */
  #targetOf(key) {
    if (key === "ArrowRight") return this.#current + 1;
    if (key === "ArrowLeft") return this.#current - 1;
    if (key === "Home") return 0;
    if (key === "End") return this.steps.length - 1;
    if (key === "ArrowDown") return this.#inLine(1);
    if (key === "ArrowUp") return this.#inLine(-1);
    return null;
  }

  /**
   * The token nearest below or above.
   * @param {1 | -1} direction
   */
  #inLine(direction) {
    const spans = this.#spans;
    const from = spans[this.#current].getBoundingClientRect();
    let best = this.#current;
    let bestDistance = Infinity;
    let line = 0;
    for (let i = this.#current + direction; spans[i]; i += direction) {
      const { top, bottom, left } = spans[i].getBoundingClientRect();
      const isBeyond = direction > 0 ? top >= from.bottom - 2 : bottom <= from.top + 2;
      if (!isBeyond) continue;
      line ||= top;
      if (Math.abs(top - line) > from.height / 2) break;
      const distance = Math.abs(left - from.left);
      if (distance < bestDistance) [best, bestDistance] = [i, distance];
    }
    return best;
  }
}

/** @type {Record<string, string>} */
const markers = { "\n": "⏎", " ": "␣", "\t": "⇥" };
