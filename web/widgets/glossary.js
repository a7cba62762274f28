// The words of the field: all words as a list, or a single word within a sentence.
import { css, html } from "lit";
import { LastInchElement, define } from "./shared/element.js";

const terms = [
  "token",
  "vocabulary",
  "logit",
  "softmax",
  "temperature",
  "greedy",
  "topK",
  "topP",
  "minP",
  "tail",
  "entropy",
  "surprise",
  "penalty",
  "beam",
  "prefill",
  "cache",
  "draft",
  "grammar",
  "seed",
];

/**
 * A glossary; with `term`, one word in a sentence whose meaning opens on a click.
 * @tagname lastinch-glossary
 * @slot - with `term`: the word as the sentence has it
 */
export class LastInchGlossary extends LastInchElement {
  static honesty = "usage";
  static styles = [
    ...LastInchElement.styles,
    css`
      :host([term]) {
        display: inline;
        color: inherit;
        font: inherit;
      }
      button.term {
        display: inline;
        min-height: 0;
        padding: 0;
        border: 0;
        background: none;
        text-decoration: underline dotted;
      }
      [popover] {
        position: absolute;
        inset: auto;
        margin: 0;
        max-width: min(24rem, 90vw);
        padding: 0.75rem 1rem;
        border: 1px solid var(--edge);
        border-radius: 0.5rem;
        background: var(--paper);
        color: var(--ink);
      }
      dt {
        font-weight: 650;
      }
      dfn {
        font-style: normal;
      }
      dd {
        margin: 0 0 0.5rem;
      }
    `,
  ];
  static words = {
    title: "Glossary",
    lead: "The words of this field, in a sentence each.",
    usage: "Each word as lastinch uses it.",
    find: "Find",
    none: "There is no such word here.",
    token_means: "The piece of text that a model reads and writes: a word, a part of one, a character.",
    vocabulary: "Vocabulary",
    vocabulary_means: "All tokens that a model knows, from a few dozen characters to a quarter of a million pieces.",
    logit_means: "A score without bounds, one for each token: how strongly the model recommends it next.",
    softmax: "Softmax",
    softmax_means: "Turns scores into shares: e to the power of each score, divided by the sum of all.",
    temperature_means:
      "A number that logits are divided by before softmax: below 1 favours the favourites, above 1 the outsiders, 0 is greedy.",
    greedy: "Greedy",
    greedy_means: "Taking the likeliest token at every step.",
    topK_means: "Keeping the k likeliest tokens.",
    topP_means: "Keeping the smallest set of tokens that together reach p. Also called nucleus sampling.",
    minP_means: "Keeping tokens that are at least this fraction as likely as the likeliest.",
    tail: "Tail",
    tail_means: "The thousands of tokens that are unlikely one by one, but not together.",
    entropy: "Entropy",
    entropy_means: "The expected surprise, in bits: 3 bits are as uncertain as 8 equally likely tokens.",
    surprise: "Surprise",
    surprise_means: "How unlikely a token was, in bits: one for each halving of its probability.",
    penalty: "Penalty",
    penalty_means: "An edit that lowers the logits of tokens that the text already has.",
    beam: "Beam",
    beam_means: "One of several beginnings of a text that a search keeps at the same time.",
    prefill: "Prefill",
    prefill_means: "Reading the prompt, all tokens of it in one pass.",
    cache: "KV cache",
    cache_means: "What a model keeps of the tokens it has read, so that the next one costs one row of work.",
    draft: "Draft",
    draft_means: "Tokens that a cheap guesser proposes, for the model to check in one pass.",
    grammar: "Grammar",
    grammar_means: "Rules for the whole text; every token that cannot lead to a right text is masked.",
    seed_means: "The number from which all random draws follow: the same seed gives the same text.",
  };
  static chinese = () => import("./chinese/glossary.js");
  static properties = { term: { reflect: true, oneOf: terms }, query: { state: true } };

  constructor() {
    super();
    /**
     * Name of one word (`topP`, `logit` …), which makes the element that word in a sentence.
     * @type {string | undefined}
     */
    this.term = undefined;
    this.query = "";
  }

  render() {
    if (!this.term) return super.render();
    if (!terms.includes(this.term)) return html`<slot></slot> ${this.body()}`;
    return html`<button class="term" popovertarget="meaning"><slot>${this.say(this.term)}</slot></button
      ><span id="meaning" popover @beforetoggle=${this.#place} @toggle=${this.#place}
        ><dfn>${this.say(this.term)}</dfn>${this.say("colon")}${this.say(this.term + "_means")}</span
      >`;
  }

  /** Puts the meaning below its word, or above if there is no room below. */
  #place = (/** @type {ToggleEvent} */ { target, newState }) => {
    if (newState !== "open") return;
    const meaning = /** @type {HTMLElement} */ (target);
    const word = this.renderRoot.querySelector("button")?.getBoundingClientRect();
    if (!word) return;
    // It has no size before it is shown, so it is moved afterwards.
    const { width, height } = meaning.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const isAbove = word.bottom + height > clientHeight && word.top > height;
    const left = Math.max(0, Math.min(word.left, clientWidth - width));
    meaning.style.left = `${left + scrollX}px`;
    meaning.style.top = `${(isAbove ? word.top - height : word.bottom) + scrollY}px`;
  };

  view() {
    const query = this.query.trim().toLowerCase();
    const found = terms.filter((term) =>
      `${this.say(term)} ${this.say(term + "_means")}`.toLowerCase().includes(query),
    );
    return html`<label
        >${this.say("find")}
        <input
          type="text"
          .value=${this.query}
          @input=${(/** @type {Event} */ { target }) => (this.query = /** @type {HTMLInputElement} */ (target).value)}
      /></label>
      ${
        found.length
          ? html`<dl>
              ${found.map(
                (term) =>
                  html`<dt><dfn>${this.say(term)}</dfn></dt>
                    <dd>${this.say(term + "_means")}</dd>`,
              )}
            </dl>`
          : html`<p>${this.say("none")}</p>`
      }`;
  }
}

define("glossary", LastInchGlossary);
