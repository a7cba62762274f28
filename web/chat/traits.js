// Finds the traits of a chat template, that is, how its model thinks and calls tools, from tags in the template and by
// rendering small conversations.
import { toolCallStyles } from "../grammar/readers/tool-call-styles.js";
import { AFTER_THOUGHT } from "../grammar/thought.js";
import { ChatError } from "./chat-errors.js";

/** @typedef {import("../grammar/readers/tool-call-styles.js").ToolCallStyle} ToolCallStyle */
/** @typedef {{ render: (values: Record<string, unknown>) => string }} ChatTemplate */

/**
 * @typedef {object} Traits
 * @property {boolean} hasSystem the template writes system messages
 * @property {boolean} isToldOfTools the template writes the list of tools
 * @property {boolean} writesCalls the template writes the calls of an answer
 * @property {boolean} writesResults the template writes the results of calls
 * @property {ToolCallStyle | null} toolStyle how the model writes calls; null: unknown
 * @property {ThoughtTraits | null} thought null: the template has no thoughts
 */

/**
 * @typedef {object} ThoughtTraits
 * @property {string} begin
 * @property {string} end
 * @property {boolean} isOpened the generation prompt opens the thought, unless a switch prevents it
 * @property {string} closing ends a thought as the template writes it: `end`, and the newlines around it
 * @property {string | null} answer begins an answer without a thought. null: nothing does
 * @property {string | null} switch variable of the template that turns thoughts on (true) and off (false); null: there
 *   is none
 * @property {string | null} effort variable of the template for the degree of effort: low, medium or high
 * @property {string | null} budget variable of the template for the most tokens of a thought
 * @property {boolean} isTrimmed the template writes a thought without newlines around it
 * @property {boolean} isAnswerTrimmed the template writes an answer without the newlines before it
 */

/**
 * What begins and ends a thought, and what begins an answer without one, by model family.
 * @type {[begin: string, end: string, answer?: string][]}
 */
const thoughtTags = [
  // Qwen 3, DeepSeek R1, SmolLM3, MiniMind2 and most others
  ["<think>", "</think>"],
  // Mistral
  ["[THINK]", "[/THINK]"],
  // Seed-OSS
  ["<seed:think>", "</seed:think>"],
  ["<reasoning>", "</reasoning>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  // Command R
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  // Gemma 4
  ["<|channel>thought", "<channel|>"],
  // Granite 3.2
  ["Here is my thought process:", "Here is my response:"],
  // gpt-oss, whose thoughts and answers are messages in channels
  [
    "<|channel|>analysis<|message|>",
    "<|end|><|start|>assistant<|channel|>final<|message|>",
    "<|channel|>final<|message|>",
  ],
];

/** Variables with which templates turn thoughts on and off. */
const switches = ["enable_thinking", "thinking"];
const efforts = ["reasoning_effort", "thinking_effort", "reasoning_strength"];
const budgets = ["thinking_budget"];

/**
 * Explanations of calls, for templates that write calls in their own form or not at all.
 * @type {[keyof typeof toolCallStyles, ...RegExp[]][]}
 */
const explanations = [
  ["hermes", /<tool_call>(\s|\\n)*\{\\?"name\\?":[^{}]*\\?"arguments\\?":/],
  ["mistral11", /\[TOOL_CALLS\]/, /\[ARGS\]/],
  ["mistral", /\[TOOL_CALLS\]/],
  ["llama3Json", /\{\\?"name\\?": function name, \\?"parameters\\?":/],
  ["lfm2", /List of tools: (?:<\|tool_list_start\|>)?\[/],
  ["granite", /<\|tool_call\|> followed by a JSON list/],
  // Granite 3.0, whose template writes calls of a role of its own
  ["granite", /["']assistant_tool_call["']/, /<\|tool_call\|>/],
  ["phi4", /<\|tool\|>/, /<\|\/tool\|>/],
  // DeepSeek R1 and its distilled models: the template ends the calls only after the second
  ["deepseek", /<｜tool▁calls▁begin｜>/, /```json/],
  // SmolLM3 in files whose template has lost the tools
  ["hermes", /named SmolLM/, /Reasoning Mode: /],
];
/** Calls whose arguments are not JSON. */
const XML = /<(function|parameter|invoke)[= ]|<arg_key>/;

const question = { role: "user", content: "Question" };
const WORD = "Wordofprobe";
/** An answer with a call. Some templates want ids of nine letters and digits. */
const called = (/** @type {unknown} */ input, content = /** @type {string | null} */ ("")) => ({
  role: "assistant",
  content,
  tool_calls: [{ id: "probe0001", type: "function", function: { name: "probe_call", arguments: input } }],
});
const result = { role: "tool", content: WORD, tool_call_id: "probe0001", name: "probe_call" };
const tool = {
  type: "function",
  function: { name: "probe_tool", description: "Probes.", parameters: { type: "object", properties: {} } },
};

/** SmolLM3 calls them xml_tools. */
const toolValues = { tools: [tool], xml_tools: [tool] };

/** Between words of a call. Without a bound, a text of spaces would take quadratic time. */
const SPACES = "\\s{0,40}";

/** @type {WeakMap<ChatTemplate, Traits>} */
const known = new WeakMap();

/**
 * @param {ChatTemplate} template
 * @param {string} source of the template
 * @returns {Traits}
 */
export function traitsOf(template, source) {
  let traits = known.get(template);
  if (!traits) {
    /** @type {Render} */
    const render = (messages, values = {}) => {
      const tokens = { bos_token: "", eos_token: "" };
      try {
        return template.render({ messages, tools: null, add_generation_prompt: false, ...tokens, ...values });
      } catch (error) {
        // The next rendering would take as long.
        if (error instanceof ChatError && error.code === "template-limit") throw error;
        return undefined;
      }
    };
    // Some templates fail without tools.
    const writes = (/** @type {object[]} */ messages) =>
      [{}, toolValues].some((values) => render(messages, values)?.includes(WORD));
    const { style: toolStyle, writesCalls } = styleOf(render, source);
    traits = {
      hasSystem: writes([{ role: "system", content: WORD }, question]),
      isToldOfTools: render([question], toolValues)?.includes("probe_tool") ?? false,
      writesCalls,
      writesResults: [{}, "{}"].some((input) => writes([question, called(input), result])),
      toolStyle,
      thought: thoughtOf(render, source),
    };
    known.set(template, traits);
  }
  return traits;
}

/**
 * Renders messages; undefined if the template refuses them.
 * @typedef {(messages: object[], values?: object) => string | undefined} Render
 */

/** @param {Render} render @param {string} source @returns {ThoughtTraits | null} */
function thoughtOf(render, source) {
  const [begin, end, answer = null] = thoughtTags.find(([, tag, other = tag]) => source.includes(other)) ?? [];
  if (!begin || !end) return null;
  const prompt = (/** @type {object} */ values) => render([question], { add_generation_prompt: true, ...values });
  const written = (/** @type {string} */ thought, /** @type {string} */ content) =>
    render([question, { role: "assistant", reasoning_content: thought, thinking: thought, content }]);
  const usual = written("Thought", WORD);
  /** The variable for which these two values give different prompts. */
  const variable = (/** @type {string[]} */ names, /** @type {unknown} */ one, /** @type {unknown} */ other) =>
    names.find(
      (name) => source.includes(name) && prompt({ ...on, [name]: one }) !== prompt({ ...on, [name]: other }),
    ) ?? null;
  let on = {};
  const own = variable(switches, false, true);
  const empty = own && prompt({ [own]: false });
  const isOpened = placeOf(prompt({}) ?? "", { begin, end }) === "thought";
  // Some templates heed the others only while thoughts are on.
  if (own) on = { [own]: true };
  return {
    begin,
    end,
    isOpened,
    closing:
      closingOf(usual?.split("Thought")[1], end) ?? closingOf(empty?.split(begin).at(-1), end) ?? usualClosing(end),
    answer,
    switch: own,
    effort: variable(efforts, "low", "high"),
    budget: variable(budgets, 100, 1000),
    isTrimmed: usual === written("\nThought\n", WORD),
    isAnswerTrimmed: usual === written("Thought", `\n\n${WORD}`),
  };
}

/**
 * The end of a thought with the newlines around it, of which an answer may have AFTER_THOUGHT.
 * @param {string | undefined} text after a thought
 * @param {string} end
 */
function closingOf(text, end) {
  const at = text?.indexOf(end) ?? -1;
  if (text === undefined || at < 0 || text.slice(0, at).trim()) return undefined;
  const [newlines] = /** @type {RegExpExecArray} */ (/^\n*/.exec(text.slice(at + end.length)));
  return (at ? "\n" : "") + end + newlines.slice(0, AFTER_THOUGHT);
}

/** As most families write it. @param {string} end */
const usualClosing = (end) => (/^<\/[a-z]+>$|:$/.test(end) ? `\n${end}\n\n` : end);

/**
 * Where an answer begins: inside a thought that the prompt has opened, after one that it has closed, or anywhere.
 * @param {string} prompt
 * @param {{ begin: string, end: string }} thought
 * @returns {"thought" | "answer" | "anywhere"}
 */
export function placeOf(prompt, { begin, end }) {
  const text = prompt.trimEnd();
  if (text.endsWith(begin)) return "thought";
  return text.endsWith(end) ? "answer" : "anywhere";
}

/**
 * @param {Render} render
 * @param {string} source
 * @returns {{ style: ToolCallStyle | null, writesCalls: boolean }}
 */
function styleOf(render, source) {
  const input = { probe_key: "probe_value" };
  let writesCalls = false;
  for (const written of [input, JSON.stringify(input)])
    for (const content of ["", null])
      for (const values of [{}, toolValues]) {
        const text = render([question, called(written, content)], values) ?? "";
        if (!text.includes("probe_call") || !text.includes("probe_value")) continue;
        writesCalls = true;
        const style = writtenStyle(text, (other) => render(other, values));
        if (style) return { style, writesCalls };
      }
  const [name] = XML.test(source)
    ? []
    : (explanations.find(([, ...patterns]) => patterns.every((one) => one.test(source))) ?? []);
  return { style: name ? toolCallStyles[name] : null, writesCalls };
}

/**
 * The style of the call in a text, with the spaces that the template writes.
 * @param {string} text
 * @param {Render} render
 * @returns {ToolCallStyle | undefined}
 */
function writtenStyle(text, render) {
  for (const style of /** @type {ToolCallStyle[]} */ (Object.values(toolCallStyles))) {
    const { parameters } = style;
    const [trigger, begin, end, close] = [style.trigger, style.begin, style.end, style.close ?? ""].map(loosely);
    if (parameters) {
      // Spaces around a value belong to the style; otherwise they would belong to the value.
      const quote = exactly(parameters.quote ?? "") || "[\"']?";
      const value =
        exactly(parameters.begin.replace("{key}", "probe_key")) +
        `${quote}probe_value${quote}` +
        exactly(parameters.end);
      // eslint-disable-next-line no-restricted-syntax -- fixed parts with at most 40 spaces between
      if (new RegExp(trigger + SPACES + begin + SPACES + value + SPACES + end + close).test(text)) return style;
      continue;
    }
    const input = loosely('{"probe_key": "probe_value"}');
    // eslint-disable-next-line no-restricted-syntax -- fixed parts with at most 40 spaces between
    const match = new RegExp(`(${trigger})(${SPACES}${begin}${SPACES})${input}(${SPACES}${end})${SPACES}${close}`).exec(
      text,
    );
    if (!match) continue;
    if (style.alone) {
      // The call is the whole text only if the template writes it like any text.
      if (render([question, { role: "assistant", content: match[0] }]) === text) return style;
      continue;
    }
    // Numbers in a style differ from call to call.
    if (/\{number\}/.test(style.begin + style.end)) return style;
    const named = (/** @type {string} */ part) => part.replaceAll("probe_call", "{name}");
    return { ...style, trigger: match[1], begin: named(match[2]), end: named(match[3]) };
  }
}

/** A regular expression for a part of a style, with any spaces between its words. @param {string} part */
function loosely(part) {
  const words = part
    .replaceAll("{name}", "probe_call")
    .split(/(\s+|\{number\}|(?<=[:,{}[\]>])|(?=[{}[\]<]))/)
    .filter((word) => word?.trim());
  return words.map((word) => (word === "{number}" ? "\\d{1,6}" : exactly(word))).join(SPACES);
}

/** @param {string} text */
const exactly = (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
