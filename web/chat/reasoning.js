// The option `reasoning` of conversations: whether a model thinks before it answers, and how long.
import { checkNames, checkWhole } from "../core/arguments.js";
import { rangeError, typeError } from "../core/errors.js";

/** @typedef {import("./traits.js").Traits} Traits */
/** @typedef {import("./traits.js").ThoughtTraits} ThoughtTraits */

/** @typedef {"minimal" | "low" | "medium" | "high" | "xhigh" | "max"} Effort how long a model is to think, in its template's own words */

/**
 * @typedef {object} ReasoningLimit
 * @property {number} [budget] most tokens of the thought, without the tags that begin and end it; 1 or more
 * @property {string} [message] written at the end of a thought that has used up its budget. Default: none
 * @property {Effort} [effort] instead of a budget
 */

/** @typedef {"auto" | "on" | "off" | ReasoningLimit} Reasoning whether a model thinks before it answers, or how long at most */

/**
 * @typedef {object} Thinking
 * @property {"auto" | "on" | "off"} state
 * @property {number} [budget]
 * @property {string} [message]
 * @property {Effort} [effort]
 */

/**
 * Degrees of effort: what the template gets, if it has a variable for it, or else the budget.
 * @type {Record<Effort, { value: string, budget?: number }>}
 */
const efforts = {
  minimal: { value: "low", budget: 128 },
  low: { value: "low", budget: 512 },
  medium: { value: "medium", budget: 2048 },
  high: { value: "high" },
  xhigh: { value: "high" },
  max: { value: "high" },
};

/** @param {any} reasoning @returns {Thinking} */
export function readReasoning(reasoning = "auto") {
  if (reasoning === "auto" || reasoning === "on" || reasoning === "off") return { state: reasoning };
  if (typeof reasoning !== "object" || reasoning === null)
    throw rangeError("out-of-range", 'reasoning must be "auto", "on", "off", { budget } or { effort }.');
  checkNames("reasoning", reasoning, ["budget", "message", "effort"]);
  const { budget, message, effort } = reasoning;
  if ((budget === undefined) === (effort === undefined))
    throw typeError("conflict", "reasoning needs either a budget or an effort.");
  if (effort !== undefined && !Object.hasOwn(efforts, effort))
    throw rangeError("out-of-range", `reasoning.effort must be one of ${Object.keys(efforts).join(", ")}.`);
  if (budget !== undefined) checkWhole("reasoning.budget", budget, 1, 2 ** 32 - 1);
  if (message !== undefined && typeof message !== "string")
    throw typeError("bad-type", "reasoning.message must be a text.");
  if (message !== undefined && budget === undefined)
    throw typeError("conflict", "reasoning.message has no effect without a budget.");
  return { state: "on", budget, message, effort };
}

/**
 * Checks that the template can do this.
 * @param {Thinking} thinking
 * @param {Traits} traits
 */
export function checkThinking({ state, message }, { thought }) {
  if (state === "on" && !thought)
    throw typeError("conflict", "The chat template has no thoughts, so reasoning cannot be on.");
  if (thought && message?.includes(thought.end))
    throw rangeError("out-of-range", `reasoning.message must not contain ${thought.end}, which ends the thought.`);
}

/**
 * Variables for the template.
 * @param {Thinking} thinking
 * @param {ThoughtTraits | null} thought
 */
export function switchesOf(thinking, thought) {
  if (!thought) return {};
  const { state, effort } = thinking;
  const most = state === "off" ? 0 : budgetOf(thinking, thought);
  return {
    ...(thought.switch && state !== "auto" && { [thought.switch]: state === "on" }),
    ...(thought.effort && effort && { [thought.effort]: efforts[effort].value }),
    ...(thought.budget && most !== undefined && { [thought.budget]: most }),
  };
}

/**
 * Most tokens of the thought; undefined: any number.
 * @param {Thinking} thinking
 * @param {ThoughtTraits} thought
 */
export function budgetOf({ budget, effort }, thought) {
  return effort && !thought.effort ? efforts[effort].budget : budget;
}
