// A quick check: an author's questions, <details> inside the element, or a few of our own, one with a computed answer.
import { css, html, nothing } from "lit";
import { LastInchElement, define } from "./shared/element.js";
import { checkStyles } from "./shared/check-styles.js";
import { legible } from "./shared/format.js";
import { look } from "./shared/look.js";
import { readySampler, topOf } from "./shared/sampling.js";

/**
 * @typedef {object} Question
 * @property {string} question
 * @property {string[]} answers
 * @property {number} right index of the right answer
 * @property {string} why
 */

/**
 * Questions with one right answer each, explanations, and a score. An author's questions are `<details>` inside the element:
 * the `<summary>` asks, each `<li>` is an answer, the right answer has `data-right`, a `<p>` explains. Without JavaScript the
 * reader sees questions with folded answers.
 * @tagname lastinch-quick-check
 * @slot - `<details>` with `<summary>`, `<ul>` and `<p>`
 */
export class LastInchQuickCheck extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    checkStyles,
    css`
      .question {
        margin: 0;
        padding: 0.5rem 0.75rem;
        border: 1px solid var(--line);
        border-radius: 0.5rem;
      }
      .question legend {
        float: inline-start;
        width: 100%;
        padding: 0;
        font-weight: 600;
      }
      .check.right {
        border-inline-start: 4px solid var(--accent);
        padding-inline-start: 0.5rem;
        background: color-mix(in srgb, var(--accent) 12%, transparent);
      }
      .check.wrong {
        border-inline-start: 4px solid var(--cut);
        padding-inline-start: 0.5rem;
        background: color-mix(in srgb, var(--cut) 12%, transparent);
      }
      .question legend + * {
        clear: both;
      }
    `,
  ];
  static honesty = "noNumbers";
  static words = {
    title: "Quick check",
    lead: "Choose an answer to each question. You see at once why it is right or wrong.",
    noNumbers: "Nothing is stored or sent.",
    rightAnswer: "the right answer",
    right: "✓ Right.",
    wrong: "✕ Not quite.",
    score: "{right} of {count} right, {answered} answered.",
    q1: "Why does a chat service not always take the most likely token?",
    q1a: "It would be too slow",
    q1b: "Text would be flat, and fall into loops",
    q1c: "The most likely token is usually wrong",
    q1why:
      "Greedy is the cheapest rule there is. But people do not write the most predictable text, and a phrase that has been said makes itself likelier.",
    q2: "What does T = 0.2 do to the distribution?",
    q2a: "It makes the favourites even more likely",
    q2b: "It removes all but a fifth of the tokens",
    q2c: "It makes all tokens more equal",
    q2why: "Dividing the logits by 0.2 makes every gap five times as wide. Nothing is removed; the tail only shrinks.",
    q3: "These logits: {logits}. How many tokens does top-p 0.9 keep?",
    q3why: "The sampler says {kept}: {tokens}.",
  };
  static chinese = () => import("./chinese/quick-check.js");
  static properties = { questions: { attribute: false }, given: { state: true } };

  constructor() {
    super();
    /** Questions in place of those inside the element. @type {Question[] | undefined} */
    this.questions = undefined;
    /** Indices of the answers given. @type {Record<number, number>} */
    this.given = {};
  }

  /** @returns {Question[] | null} */
  #own() {
    const details = [...this.querySelectorAll("details")];
    if (!details.length) return null;
    return details.map((one, i) => {
      const items = [...one.querySelectorAll("li")];
      const isRight = items.map((item) => item.dataset.right !== undefined);
      const right = isRight.indexOf(true);
      if (right < 0) throw new RangeError(`Question ${i + 1} has no answer with data-right.`);
      if (isRight.lastIndexOf(true) > right)
        throw new RangeError(`Question ${i + 1} has several answers with data-right.`);
      return {
        question: one.querySelector("summary")?.textContent?.trim() ?? "",
        answers: items.map((item) => item.textContent?.trim() ?? ""),
        right,
        why: one.querySelector("p")?.textContent?.trim() ?? "",
      };
    });
  }

  /** @returns {Question[] | null} */
  #builtIn() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const { kept } = look(sampler, logits, { topP: 0.9 });
    const written = (/** @type {string} */ q, /** @type {number} */ right) => ({
      question: this.say(q),
      answers: ["a", "b", "c"].map((letter) => this.say(q + letter)),
      right,
      why: this.say(q + "why"),
    });
    const names = topOf(logits, 8);
    const counts = Array.from({ length: Math.min(tokens.length, kept.length + 2) }, (_, i) => String(i + 1));
    const computed = {
      question: this.say("q3", { logits: this.list(names.map((id) => `${legible(tokens[id])} ${logits[id]}`)) }),
      answers: counts.slice(-4),
      right: counts.slice(-4).indexOf(String(kept.length)),
      why: this.say("q3why", { kept: kept.length, tokens: this.list(Array.from(kept, (id) => legible(tokens[id]))) }),
    };
    return [written("q1", 1), written("q2", 0), computed];
  }

  view() {
    const questions = this.questions ?? this.#own() ?? this.#builtIn();
    if (!questions) return nothing;
    const bad = questions.findIndex(({ answers, right }) => answers?.[right] === undefined);
    if (bad >= 0) throw new RangeError(`Question ${bad + 1} has no answer that is right.`);
    const answer = (/** @type {number} */ i, /** @type {number} */ answer) => {
      this.given = { ...this.given, [i]: answer };
      const answered = Object.entries(this.given);
      const right = answered.filter(([at, one]) => questions[Number(at)].right === one).length;
      this.turn("given", this.given, true);
      void this.updateComplete.then(() =>
        this.announce(this.say("score", { right, count: questions.length, answered: answered.length })),
      );
    };
    return html`${questions.map(({ question, answers, right, why }, i) => {
        const given = this.given[i];
        return html`<fieldset class="question">
          <legend>${i + 1}. ${question}</legend>
          ${answers.map(
            (text, at) =>
              html`<label
                class="check ${given === undefined ? "" : at === right ? "right" : at === given ? "wrong" : ""}"
                ><input
                  type="radio"
                  name="q${i}"
                  .checked=${given === at}
                  @change=${() => answer(i, at)}
                />${text}${given !== undefined && at === right ? html`<b> ✓ ${this.say("rightAnswer")}</b>` : nothing}${given === at && at !== right ? html`<b> ✕</b>` : nothing}</label
              >`,
          )}
          ${given === undefined ? nothing : html`<p>${this.say(given === right ? "right" : "wrong")} ${why}</p>`}
        </fieldset>`;
      })}
      <div class="actions">
        <button ?disabled=${!Object.keys(this.given).length} @click=${() => this.turn("given", {}, true)}>
          ${this.say("reset")}
        </button>
      </div>`;
  }
}

define("quick-check", LastInchQuickCheck);
