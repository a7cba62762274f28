// Every method in one line, with a link to its widget if the page has it, and four questions with answers.
import { css, html, nothing } from "lit";
import { LastInchElement, define } from "./shared/element.js";

/** Methods, and the widgets that show them. */
const methods = {
  greedy: "greedy-spiral",
  beam: "beam-tree",
  temperature: "temperature-panels",
  topK: "rulers",
  topP: "nucleus",
  minP: "min-p-heat",
  penalties: "penalties",
  speculative: "speculation",
  constrained: "json-mask",
};
const questions = ["defaults", "likelihood", "adaptive", "order", "seams", "summary"];
/** Their names in libraries and services. @type {Record<keyof typeof methods, string>} */
const names = {
  greedy: "temperature 0, do_sample=False",
  beam: "num_beams, beams",
  temperature: "temperature",
  topK: "top_k, topK",
  topP: "top_p, topP",
  minP: "min_p, minP",
  penalties: "repetition_penalty, frequency_penalty, presence_penalty",
  speculative: "assistant_model, draft",
  constrained: "response_format, json_schema, grammar",
};

/**
 * The methods of decoding as a table, and four questions with answers.
 * @tagname lastinch-cheat-sheet
 */
export class LastInchCheatSheet extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    css`
      .prose td,
      .prose th {
        padding-inline-end: clamp(0.375rem, 2vw, 0.75rem);
        text-align: start;
        white-space: normal;
        vertical-align: top;
      }
      .prose code {
        color: var(--soft);
        font-size: 0.8125rem;
        overflow-wrap: anywhere;
      }
      th code {
        display: block;
        max-width: 11rem;
      }
      @media screen and (max-width: 36rem) {
        .prose thead {
          display: none;
        }
        .prose :is(tbody, tr, th, td) {
          display: block;
          padding: 0;
        }
        .prose tr {
          padding-block: 0.375rem;
          border-bottom: 1px solid var(--line);
        }
        th code {
          display: inline;
          margin-inline-start: 0.5rem;
        }
        td:last-child::before {
          content: "→ ";
        }
      }
    `,
  ];
  get honesty() {
    return Object.values(methods).some((widget) => document.querySelector(`lastinch-${widget}`)) ? "see" : "each";
  }
  static words = {
    title: "Cheat sheet",
    lead: "What each method does to the next-token distribution, and when it is the right one.",
    each: "Each method has a widget of its own.",
    see: "Names with a link lead to the widget on this page that shows the method.",
    method: "Method",
    does: "What it does",
    use: "Use it for",
    greedy: "Greedy",
    greedy_does: "takes the most likely token, always",
    greedy_use: "one right answer; the same output every time",
    beam: "Beam search",
    beam_does: "keeps the B likeliest beginnings and extends them all",
    beam_use: "translation, transcrip\u00adtion: likely as a whole",
    temperature_does: "divides the logits: sharper below 1, flatter above",
    temperature_use: "nearly always, as the first knob",
    topK_does: "keeps the k likeliest, however sure the model is",
    topK_use: "a simple, fixed ceiling",
    topP_does: "keeps the smallest set that reaches p",
    topP_use: "the usual choice for open text",
    minP_does: "keeps what is at least this fraction of the favourite",
    minP_use: "hot, creative settings",
    penalties: "Penalties",
    penalties_does: "lower the logits of what was said",
    penalties_use: "loops; with care, since names must come back",
    speculative: "Speculation",
    speculative_does: "a small model proposes, the large one checks several tokens in one pass",
    speculative_use: "speed; the distribution stays the same",
    constrained: "Constrained",
    constrained_does: "masks every token that would break a grammar",
    constrained_use: "JSON, tool calls, anything a program reads",
    greedy_like: "the favourite, every time",
    beam_like: "several hikers explore; the best trail wins",
    temperature_like: "how bold the dice are",
    topK_like: "only the first k in the queue",
    topP_like: "as many as make up nine tenths of the opinion",
    minP_like: "nobody much shorter than the tallest",
    penalties_like: "you have said that already",
    speculative_like: "an intern drafts, the editor signs",
    constrained_like: "a form with boxes to fill in",
    questions: "Questions",
    defaults: "Which settings are a good beginning?",
    defaults_answer:
      "For stories and chat: temperature 0.7 to 1 with top-p 0.9 or min-p 0.05, and no penalties. For facts and code: temperature 0 to 0.3. For JSON: a grammar. Change one of them at a time; many services begin with temperature 1 and top-p 1.",
    summary: "All of it in a paragraph?",
    summary_answer:
      "A model gives every token a logit. Bans, bias and penalties edit some of them; temperature makes the gaps wider or narrower; softmax turns them into shares; top-k, top-p or min-p cut the tail; a random number picks from what is left, and a seed makes that repeatable. Greedy and beam search look for likely text and find dull text. Drafts make it faster and change nothing; grammars make it valid; guidance leans it one way.",
    likelihood: "Is the most likely text the best text?",
    likelihood_answer:
      "No. People write with a steady amount of surprise; the likeliest text is flatter than anything they would write, and greedy does not even find it.",
    adaptive: "What can top-p and min-p do that top-k cannot?",
    adaptive_answer: "Follow the model's confidence: one token where it is sure, dozens where anything goes.",
    order: "In which order do the stages work?",
    order_answer: "Penalties on the logits, temperature, cutoffs, scale up, draw. Another order keeps other tokens.",
    seams: "What else depends on how you sample?",
    seams_answer:
      "Training by comparison draws its groups with these knobs; structured output is a mask on the same row; guidance edits that row, too.",
  };
  static chinese = () => import("./chinese/cheat-sheet.js");

  view() {
    const link = (/** @type {string} */ key, /** @type {string} */ widget) => {
      const target = document.querySelector(`lastinch-${widget}`);
      const name = this.say(key);
      if (!target) return name;
      const jump = (/** @type {Event} */ event) => {
        event.preventDefault();
        target.scrollIntoView();
      };
      return html`<a href="#${target.id || `lastinch-${widget}`}" @click=${target.id ? nothing : jump}>${name}</a>`;
    };
    return html`<div class="scroll">
        <table class="prose">
          <thead>
            <tr>
              ${["method", "does", "use"].map((key) => html`<th scope="col">${this.say(key)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${Object.entries(methods).map(
              ([key, widget]) =>
                html`<tr>
                  <th scope="row">
                    <b>${link(key, widget)}</b> <code>${names[/** @type {keyof typeof methods} */ (key)]}</code>
                  </th>
                  <td>${this.say(key + "_does")}: <i>${this.say(key + "_like")}</i></td>
                  <td>${this.say(key + "_use")}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <p><b>${this.say("questions")}</b></p>
      ${questions.map(
        (key) =>
          html`<details>
            <summary>${this.say(key)}</summary>
            <p>${this.say(key + "_answer")}</p>
          </details>`,
      )}`;
  }
}

define("cheat-sheet", LastInchCheatSheet);
