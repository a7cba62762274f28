// Conversations as tokens: by the chat template of the model's file or, where it has none, just their texts.
import { typeError } from "../sampler/sampler.js";

/** @typedef {import("../index.js").Model} Model */

/**
 * A message as chat templates know them.
 * @typedef {object} ChatMessage
 * @property {string} role
 * @property {string} content
 * @property {string} [reasoning_content]
 * @property {{ id: string, type: "function", function: { name: string, arguments: unknown } }[]} [tool_calls]
 * @property {string} [tool_call_id]
 * @property {string} [name] of the tool that answers
 */

/**
 * @typedef {object} ChatOptions
 * @property {string | null} [template] default: the model's own. null: none, even if it has one
 * @property {object[]} [tools] that the template may tell the model of
 * @property {boolean} [isOpen] the model is to answer. Default: true
 * @property {string} [prefix] with which its answer begins
 */

/**
 * Cuts the names of control tokens that stand in somebody's text, so that no text becomes a control token. No text has this:
 * Unicode keeps it for such purposes.
 */
const CUT = "\ufdd0";
/** Of what templates are given: they are interpreted by recursion. */
const DEPTH_LIMIT = 500;

/** @type {{ source: string, template: import("@huggingface/jinja").Template } | undefined} */
let last;

/**
 * The ids of a conversation. A model without a template gets the texts of its messages, one a line, and nothing that says
 * who spoke: calls of tools as the JSON that they are.
 * @param {Model} model
 * @param {ChatMessage[]} messages
 * @param {ChatOptions} [options]
 * @returns {Promise<number[]>}
 * @throws {TypeError} where the template refuses the messages
 */
export async function chatIds(model, messages, { template, tools, isOpen = true, prefix = "" } = {}) {
  const source = template === undefined ? model.config.chatTemplate : template;
  const { bos, addBos } = model.config;
  if (source === null) {
    const texts = messages.map(plainText);
    if (prefix) texts.push(prefix);
    return model.tokenize(texts.join("\n"), { bos: addBos });
  }
  const { special, eos } = model.vocabulary;
  const names = Object.keys(special).sort((a, b) => b.length - a.length);
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const control = new RegExp(`(${escaped.join("|") || "[]"})`);
  const nameOf = (/** @type {number | null} */ id) => names.find((name) => special[name] === id) ?? "";
  const { opening, ...given } = withoutControl(
    { messages, tools: tools?.length ? tools : null, opening: prefix },
    control,
  );
  const text = await render(source, {
    ...given,
    add_generation_prompt: isOpen,
    bos_token: nameOf(bos),
    eos_token: nameOf(eos[0] ?? null),
  });
  const parts = (text + opening).split(control);
  const ids = await Promise.all(
    parts.map(async (part, i) => (i % 2 ? [special[part]] : model.tokenize(part.replaceAll(CUT, "")))),
  );
  const all = ids.flat();
  return addBos && bos !== null && all[0] !== bos ? [bos, ...all] : all;
}

/** @param {ChatMessage} message */
function plainText({ content, tool_calls: calls = [] }) {
  const written = calls.map(({ function: { name, arguments: input } }) => JSON.stringify({ name, arguments: input }));
  return [...(content || !written.length ? [content] : []), ...written].join("\n");
}

/**
 * @param {string} source
 * @param {Record<string, unknown>} values
 */
async function render(source, values) {
  const { Template } = await import("@huggingface/jinja");
  try {
    if (last?.source !== source) last = { source, template: new Template(source) };
    return last.template.render(values);
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    const error = typeError("bad-type", `The model's chat template does not take these messages: ${message}`);
    throw Object.assign(error, { cause });
  }
}

/**
 * A copy in which no text holds the name of a control token.
 * @template T
 * @param {T} value
 * @param {RegExp} control
 * @returns {T}
 */
function withoutControl(value, control) {
  /** @param {any} given @param {number} depth @returns {any} */
  const copy = (given, depth) => {
    if (depth > DEPTH_LIMIT)
      throw typeError("bad-type", `Messages and tools are nested ${DEPTH_LIMIT} levels deep at most.`);
    if (typeof given === "string") {
      const parts = given.replaceAll(CUT, "").split(control);
      return parts.map((part, i) => (i % 2 ? part.replace(/^./su, (first) => first + CUT) : part)).join("");
    }
    if (Array.isArray(given)) return given.map((item) => copy(item, depth + 1));
    if (typeof given !== "object" || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([key, item]) => [key, copy(item, depth + 1)]));
  };
  return copy(value, 0);
}
