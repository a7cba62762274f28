// The story: tokens tinted by how likely the model found them. Each opens the step that wrote it.
import { make } from "../dom.js";
import { formatPercent, legible, surpriseClass } from "../../web/widgets/shared/format.js";

/** @typedef {import("./texts.js").Step} Step */

/** From the second class on, because the two likeliest look alike. */
const legendTexts = ["50% or more", "20–50%", "5–20%", "1–5%", "below 1%"];

/** @param {HTMLElement} element */
export function makeLegend(element) {
  const items = legendTexts.map((text, i) =>
    make("li", {}, make("span", { class: "token swatch", "data-surprise": i + 1, text: "word" }), ` ${text}`),
  );
  element.append(make("ul", {}, ...items));
}

export class Story {
  /** @type {readonly Step[]} */
  #steps = [];
  #element;
  /** The elements of each step: a space, and the token. @type {HTMLElement[]} */
  #places = [];
  /** How many of them belong to the present text; the rest are left from the text before. */
  #count = 0;
  #frame = 0;
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
      const token = /** @type {HTMLElement} */ (event.target).closest?.("[data-index]");
      // Selected text is for copying.
      if (!(token instanceof HTMLElement) || !getSelection()?.isCollapsed) return;
      this.focus(Number(token.dataset.index));
      this.#onOpen(this.#current);
    });
    element.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /**
   * Begins a text. Replaces the text that is there token by token, so that nothing jumps.
   * @param {string} prompt
   * @param {readonly Step[]} steps present ones, and later ones after `push`
   */
  begin(prompt, steps) {
    const shown = this.#element.querySelector(".prompt");
    this.#steps = steps;
    this.#count = 0;
    this.#open = -1;
    this.#element.setAttribute("aria-busy", "true");
    for (const place of this.#places) place.classList.add("former");
    if (shown) shown.textContent = prompt;
    else this.#element.replaceChildren(make("span", { class: "prompt", text: prompt }));
    this.#flush();
  }

  /** Call when a step was added. */
  push() {
    this.#frame ||= requestAnimationFrame(() => this.#flush());
  }

  #flush() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const fresh = document.createDocumentFragment();
    // What was taken back.
    if (this.#count > this.#steps.length) for (const place of this.#places.splice(this.#steps.length)) place.remove();
    this.#count = Math.min(this.#count, this.#steps.length);
    for (; this.#count < this.#steps.length; this.#count++) {
      const place = makePlace(this.#steps[this.#count], this.#count);
      const former = this.#places[this.#count];
      if (former) former.replaceWith(place);
      else fresh.append(place);
      this.#places[this.#count] = place;
    }
    this.#element.append(fresh);
    if (this.#count && !this.#tokenAt(this.#current)?.hasAttribute("role"))
      this.#setCurrent(Math.max(0, Math.min(this.#current, this.#count - 1)));
  }

  end() {
    this.#flush();
    for (const place of this.#places.splice(this.#count)) place.remove();
    if (this.#current >= this.#count) this.#current = -1;
    if (this.#count && this.#current < 0) this.#setCurrent(0);
    this.#element.removeAttribute("aria-busy");
  }

  /**
   * Marks the first token that another text does not have. No such token: the texts agree as far as they go.
   * @param {number} index
   */
  markDifference(index) {
    this.#element.querySelector("[data-differs]")?.removeAttribute("data-differs");
    this.#places[index]?.setAttribute("data-differs", "");
  }

  /**
   * Marks the token whose step is shown; -1: none.
   * @param {number} index
   */
  markOpen(index) {
    this.#tokenAt(this.#open)?.removeAttribute("aria-current");
    this.#open = index;
    this.#tokenAt(index)?.setAttribute("aria-current", "true");
    if (index >= 0) this.#setCurrent(index);
  }

  /** @param {number} index @returns {HTMLElement | undefined} */
  place(index) {
    return this.#tokenAt(index);
  }

  /** Returns to the token from which the step was opened. */
  focusCurrent() {
    this.focus(this.#current);
  }

  /** @param {number} index */
  focus(index) {
    if (index >= this.#count || index < 0) return;
    this.#setCurrent(index);
    this.#tokenAt(index)?.focus();
  }

  /** @param {number} index */
  #tokenAt(index) {
    return /** @type {HTMLElement | undefined} */ (this.#places[index]?.lastElementChild ?? undefined);
  }

  /**
   * Makes one token the only button: the rest stays plain text, and Tab stops once.
   * @param {number} index
   */
  #setCurrent(index) {
    const before = this.#tokenAt(this.#current);
    if (before && index !== this.#current)
      for (const name of ["tabindex", "role", "aria-label"]) before.removeAttribute(name);
    this.#current = index;
    const token = this.#tokenAt(index);
    if (!token) return;
    const label = token.dataset.marker ?? legible(token.textContent ?? "");
    token.tabIndex = 0;
    token.setAttribute("role", "button");
    token.setAttribute(
      "aria-label",
      `${label}, ${formatPercent(Math.exp(this.#steps[index].rawLogprob))}, step ${index + 1}`,
    );
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#current < 0) return;
    const target = this.#targetOf(event.key);
    if (target !== null) this.focus(Math.max(0, Math.min(this.#count - 1, target)));
    else if (event.key === "Enter" || event.key === " ") this.#onOpen(this.#current);
    else return;
    event.preventDefault();
  }

  /** @param {string} key */
  #targetOf(key) {
    if (key === "ArrowRight") return this.#current + 1;
    if (key === "ArrowLeft") return this.#current - 1;
    if (key === "Home") return 0;
    if (key === "End") return this.#count - 1;
    if (key === "ArrowDown") return this.#inLine(1);
    if (key === "ArrowUp") return this.#inLine(-1);
    return null;
  }

  /**
   * The token nearest below or above.
   * @param {1 | -1} direction
   */
  #inLine(direction) {
    const rectOf = (/** @type {number} */ i) => /** @type {HTMLElement} */ (this.#tokenAt(i)).getBoundingClientRect();
    const from = rectOf(this.#current);
    let best = this.#current;
    let bestDistance = Infinity;
    let line = 0;
    for (let i = this.#current + direction; i >= 0 && i < this.#count; i += direction) {
      const { top, bottom, left } = rectOf(i);
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

/**
 * A token, and before it its space, which stays outside so that marks hug the words.
 * @param {Step} step
 * @param {number} index
 */
function makePlace({ text, rawLogprob, isEnd }, index) {
  const space = /^ *(?=\S)/.exec(text)?.[0] ?? "";
  const token = make("span", { class: "token", text: text.slice(space.length), "data-index": index });
  if (isEnd) token.classList.add("end");
  if (/^\s*$/.test(text)) {
    token.classList.add("blank");
    token.dataset.marker = isEnd ? "end of text" : (markers[text] ?? "byte");
  }
  token.dataset.surprise = String(surpriseClass(Math.exp(rawLogprob)));
  return make("span", {}, space, token);
}
