// Chat templates: Jinja as in transformers, in bounded time and memory, with access only to the given values.
import { parse, tokenize } from "@huggingface/jinja";
import { Recent } from "../core/recent.js";
import { ChatError } from "./chat-errors.js";
import { Interpreter, TemplateRefusal } from "./interpreter.js";
import { TemplateLimit, TemplateWork } from "./template-work.js";

/** Limit of characters in a template. The longest that we know has a tenth of that. */
const SOURCE_LIMIT = 2 ** 18;
/** Spaces in a row: the parser's time grows with their square, so many shorter rows count by their squares. */
const SPACE_LIMIT = 2000;
/** Limit of nesting in the values that a template gets. */
const VALUE_DEPTH = 200;
const KEPT = 4;

/**
 * @typedef {object} RenderOptions
 * @property {Date} [date] that strftime_now writes. Default: now
 * @property {import("./stand-ins.js").StandIns} [standIns] put into all given texts except the names of tokens
 */

/** The templates used last. @type {Recent<string, Promise<ChatTemplate>>} */
const opened = new Recent(KEPT);

/**
 * Parses a template, or finds it among the last few.
 * @param {string} source in Jinja
 * @returns {Promise<ChatTemplate>}
 */
export function openTemplate(source) {
  let template = opened.get(source);
  if (!template) {
    template = parseTemplate(source);
    opened.set(source, template);
    template.catch(() => opened.delete(source));
  }
  return template;
}

/** @param {string} source */
async function parseTemplate(source) {
  if (source.length > SOURCE_LIMIT)
    throw new ChatError("template-limit", `(It has ${source.length} characters; at most ${SOURCE_LIMIT} are read.)`);
  let squares = 0;
  for (const [{ length }] of source.matchAll(/\s+/g)) squares += length ** 2;
  if (squares > SPACE_LIMIT ** 2)
    throw new ChatError("template-limit", `(It has ${SPACE_LIMIT} spaces in a row, or too many long rows of spaces.)`);
  try {
    return new ChatTemplate(parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true })));
  } catch (cause) {
    throw templateError(cause);
  }
}

class ChatTemplate {
  #program;

  /** @param {import("./interpreter.js").Node} program */
  constructor(program) {
    this.#program = program;
  }

  /**
   * @param {Record<string, unknown>} values as in transformers: messages, tools, add_generation_prompt, bos_token,
   *   eos_token, and the template's own switches
   * @param {RenderOptions} [options]
   * @returns {string}
   * @throws {ChatError} template-refused: raise_exception; template-limit; template-invalid: anything else
   */
  render(values, { date = new Date(), standIns } = {}) {
    const work = new TemplateWork(standIns);
    try {
      const given = new Map(
        Object.entries(values).map(([name, value]) => [
          name,
          name === "bos_token" || name === "eos_token" ? value : valueOf(value, work, 0),
        ]),
      );
      return new Interpreter(work, date).run(this.#program, given);
    } catch (cause) {
      throw templateError(cause);
    }
  }
}

/** @param {unknown} cause */
function templateError(cause) {
  const { message } = /** @type {Error} */ (cause);
  if (cause instanceof TemplateRefusal) return new ChatError("template-refused", `It says: ${message}`, { cause });
  if (cause instanceof TemplateLimit) return new ChatError("template-limit", `(${message})`, { cause });
  // Parsing and running are recursive. Engines report a stack overflow with different messages.
  const isDeep = cause instanceof RangeError || /too much recursion/.test(message);
  if (isDeep) return new ChatError("template-limit", "(It is nested too deeply.)", { cause });
  return new ChatError("template-invalid", `(${message})`, { cause });
}

/**
 * Copies a value into the interpreter's form, without prototypes.
 * @param {any} given
 * @param {TemplateWork} work
 * @param {number} depth
 * @returns {any}
 */
function valueOf(given, work, depth) {
  if (depth > VALUE_DEPTH) throw new TemplateLimit(`Messages and tools have at most ${VALUE_DEPTH} levels.`);
  work.spend(1);
  if (typeof given === "string") return work.withStandIns(given);
  if (Array.isArray(given)) return given.map((item) => valueOf(item, work, depth + 1));
  if (typeof given === "object" && given !== null)
    return new Map(
      Object.entries(given)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => [key, valueOf(item, work, depth + 1)]),
    );
  return typeof given === "function" || typeof given === "symbol" || typeof given === "bigint" ? undefined : given;
}
