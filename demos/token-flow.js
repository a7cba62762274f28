// Text that grows token by token: one element each, put in place once a frame however fast they come.
import { make } from "./dom.js";

export class TokenFlow {
  /** @type {HTMLElement[]} */
  spans = [];
  element;
  #pending = document.createDocumentFragment();
  #frame = 0;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  /** @param {string} prompt */
  begin(prompt) {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.spans = [];
    this.#pending = document.createDocumentFragment();
    this.element.replaceChildren(make("span", { class: "prompt", text: prompt }));
  }

  /**
   * @param {string} text
   * @param {string} [marker] stands for a token without visible text
   */
  push(text, marker = "") {
    // A space before a word is left outside, so that marks hug the words.
    const space = /^ *(?=\S)/.exec(text)?.[0] ?? "";
    const span = make("span", { class: "token", text: text.slice(space.length), "data-index": this.spans.length });
    if (/^\s*$/.test(text)) {
      span.classList.add("blank");
      span.dataset.marker = marker;
    }
    this.spans.push(span);
    this.#pending.append(space, span);
    this.#frame ||= requestAnimationFrame(() => this.flush());
    return span;
  }

  flush() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.element.append(this.#pending);
  }
}

/** Text of tokens one after the other: a character may be spread over several of them. */
export class TokenReader {
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #tokens;

  /** @param {Uint8Array[]} tokens */
  constructor(tokens) {
    this.#tokens = tokens;
  }

  /** @param {number} id */
  read(id) {
    return this.#decoder.decode(this.#tokens[id], { stream: true });
  }
}
