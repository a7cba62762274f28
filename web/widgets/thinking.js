// A thought before the answer, cut at a budget: what a real model then answers, as recorded.
import { html } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { formatPercent } from "./shared/format.js";
import { knobs, nearestStop } from "./shared/knobs.js";
import { numbersIn } from "./shared/recording.js";
import { tokenText } from "./shared/token-text.js";
import { examples, questions, settings as recorded } from "./recorded/thinking.js";

const budgets = knobs.budget.stops ?? [];

/**
 * Four questions to a real model whose thought is cut after so many tokens: what it answers, and how likely the right
 * answer is.
 * @tagname lastinch-thinking
 */
export class LastInchThinking extends LastInchElement {
  static words = {
    title: "Tokens to think with",
    lead: "A model computes as much for an easy token as for a hard one. If it writes its steps down before it answers, it can read them. Cut the thought short, and see what it answers then.",
    question: "Question",
    budget: "Most tokens of the thought",
    thought: "Thought: {count} tokens",
    answers: "The answer with each budget",
    answer: "Answer",
    right: "right",
    wrong: "wrong",
    chance: "Probability of “{right}”",
    summary:
      "After {count} tokens of thought it answers “{answer}”: {verdict}. With this budget {rights} of the {all} questions are answered rightly.",
    examples: "What stands before each question",
    check: "Compare each sentence of the thought with the question. The model reads it again, right or wrong.",
    note: "The model names one of the six places; the probabilities are shares among them. It was not trained to think: it imitates two worked examples. Nobody picked the questions: the digits of pi shuffle the words. Four questions show how it happens, not how often. Recorded on {date}.",
    measured:
      "Recorded: TinyLlama-1.1B-Chat at temperature 0, run with lastinch. Its weights have 8 bits, but once had 2.",
  };
  static chinese = () => import("./chinese/thinking.js");
  static honesty = "measured";
  static properties = {
    question: { share: true, type: Number, attribute: "question", oneOf: [1, 2, 3, 4] },
    budget: knob("budget"),
  };

  constructor() {
    super();
    /** Which of the four questions is asked: 1 to 4. */
    this.question = 1;
    /** The most tokens of the thought. */
    this.budget = 0;
  }

  /** Which of the budgets is chosen. */
  get #at() {
    return nearestStop(budgets, this.budget);
  }

  /** The question: its thought, and the answer and the probability of the right one with each budget. */
  get #asked() {
    const { text, right, thought, answers, chances } = questions[this.question - 1];
    return { text, right, tokens: thought.split("|"), answers: answers.split(" "), chances: numbersIn(chances) };
  }

  /** @param {boolean} isRight */
  #verdict = (isRight) => this.say(isRight ? "right" : "wrong");

  view() {
    const { text, right, tokens, answers, chances } = this.#asked;
    const numbers = questions.map((_, i) => /** @type {[number, string]} */ ([i + 1, String(i + 1)]));
    const written = tokens.slice(0, budgets[this.#at]);
    const caption = this.say("answers");
    const rows = budgets.map((budget, i) => {
      const isRight = answers[i] === right;
      const share = chances[i] / 1000;
      const answer = `${answers[i]} (${this.#verdict(isRight)})`;
      return {
        kind: isRight ? "kept" : "cut",
        isMarked: i === this.#at,
        cells: [String(budget), answer, { bar: share }, formatPercent(share)],
      };
    });
    return html`${this.choice("question", this.say("question"), numbers)}
      <p><b>${text}</b></p>
      ${this.slider("budget")}
      <p class="name">${this.say("thought", { count: written.length })}</p>
      ${tokenText(written.map((text) => ({ text })))}
      <p>${this.summary()}</p>
      ${barTable({ caption, heads: [this.say("budget"), this.say("answer"), "", this.say("chance", { right })], rows })}
      <p>${this.say("check")}</p>
      <p class="hint">${this.say("note", { date: recorded.date })}</p>
      <details>
        <summary>${this.say("examples")}</summary>
        ${examples.map(({ text, thought, right }) => html`<p class="hint">${text}<br />${thought}<br />${right}</p>`)}
      </details>`;
  }

  summary() {
    const at = this.#at;
    const { right, tokens, answers } = this.#asked;
    return this.say("summary", {
      count: Math.min(budgets[at], tokens.length),
      answer: answers[at],
      verdict: this.#verdict(answers[at] === right),
      all: questions.length,
      rights: questions.filter(({ answers, right }) => answers.split(" ")[at] === right).length,
    });
  }
}

define("thinking", LastInchThinking);
