// A conversation with a model: from the traits of its chat template come the prompt, the grammar and the parts of the
// answer.
import { checkBoolean } from "../core/arguments.js";
import { rangeError, typeError } from "../core/errors.js";
import { bytesToHeal } from "../decode/healing.js";
import { ChatError } from "./chat-errors.js";
import { toolCallStyles } from "../grammar/readers/tool-call-styles.js";
import { checkArguments, parametersOf } from "../grammar/readers/tool-parameter-list.js";
import { AnswerStream } from "./answer-stream.js";
import { ControlNames } from "./control-names.js";
import { readMessages, readTools } from "./messages.js";
import { writePrompt } from "./prompt.js";
import { budgetOf, checkThinking, readReasoning, switchesOf } from "./reasoning.js";
import { openTemplate } from "./template.js";
import { tellOfTools } from "./told-tools.js";
import { placeOf, traitsOf } from "./traits.js";

/** @typedef {import("./chat-types.js").ChatModel} ChatModel */
/** @typedef {import("../decode/decode-types.js").Chunk} Chunk */
/** @typedef {import("./answer-stream.js").Piece} Piece */
/** @typedef {import("./messages.js").Message} Message */
/** @typedef {import("./messages.js").Tool} Tool */
/** @typedef {import("./messages.js").OpenAITool} OpenAITool */
/** @typedef {import("./traits.js").Traits} Traits */
/** @typedef {import("./traits.js").ToolCallStyle} ToolCallStyle */
/** @typedef {import("../grammar/thought.js").Thought} Thought */
/** @typedef {import("../decode/decode-types.js").ThoughtSettings} ThoughtSettings */
/** @typedef {import("./reasoning.js").Reasoning} Reasoning */
/** @typedef {import("./reasoning.js").Thinking} Thinking */

/**
 * @typedef {object} ConversationOptions
 * @property {string | null} [chatTemplate] a Jinja template instead of the file's. null: none
 * @property {readonly (Tool | OpenAITool)[]} [tools] tools that the model may call
 * @property {"auto" | "none" | "required" | { name: string }} [toolChoice] whether the model calls a tool: the model decides,
 *   no tool, exactly one tool, or exactly this tool. Default: "auto"
 * @property {boolean} [parallelToolCalls] false: at most one call. Default: true
 * @property {Reasoning} [reasoning] whether the model thinks before it answers, and how long. Default: "auto"
 */

/** @type {Traits} */
const noTraits = {
  hasSystem: true,
  isToldOfTools: false,
  writesCalls: true,
  writesResults: true,
  toolStyle: null,
  thought: null,
};

/**
 * Reads the chat template of a model.
 * @param {ChatModel} model
 * @param {ConversationOptions} options
 */
export async function openConversation(model, options) {
  const {
    chatTemplate = model.config.chatTemplate,
    reasoning,
    toolChoice = "auto",
    parallelToolCalls = true,
  } = options;
  if (chatTemplate === null && options.chatTemplate === undefined) throw new ChatError("template-missing");
  if (chatTemplate !== null && typeof chatTemplate !== "string")
    throw typeError("bad-type", "chatTemplate must be a text in Jinja.");
  const thinking = readReasoning(reasoning);
  checkBoolean("parallelToolCalls", parallelToolCalls);
  const tools = readTools(options.tools);
  for (const { function: tool } of tools) checkArguments(tool.name, tool.parameters ?? true);
  checkToolChoice(toolChoice, tools);
  const traits = chatTemplate === null ? noTraits : traitsOf(await openTemplate(chatTemplate), chatTemplate);
  checkThinking(thinking, traits);
  return new Conversation(model, { chatTemplate, thinking, toolChoice, parallelToolCalls, tools, traits });
}

/** @param {unknown} choice @param {OpenAITool[]} tools */
function checkToolChoice(choice, tools) {
  if (choice === "auto" || choice === "none") return;
  if (!tools.length) throw typeError("conflict", "toolChoice means nothing without tools.");
  const { name } = /** @type {{ name?: string }} */ (choice ?? {});
  if (choice !== "required" && !tools.some((tool) => tool.function.name === name))
    throw rangeError("out-of-range", 'toolChoice is "auto", "none", "required" or { name } of one of the tools.');
}

export class Conversation {
  #model;
  #options;
  /** What the template says about the model. */
  traits;

  /**
   * Use openConversation.
   * @param {ChatModel} model
   * @param {Required<Pick<ConversationOptions, "toolChoice" | "parallelToolCalls">> &
   *   { chatTemplate: string | null, thinking: Thinking, tools: OpenAITool[], traits: Traits }} options
   */
  constructor(model, { traits, ...options }) {
    this.#model = model;
    this.#options = options;
    this.traits = traits;
  }

  /** Tools that the answer may call. @returns {OpenAITool[]} */
  get callable() {
    const { tools, toolChoice } = this.#options;
    if (toolChoice === "none") return [];
    return typeof toolChoice === "string" ? tools : tools.filter((tool) => tool.function.name === toolChoice.name);
  }

  /** How calls are written: as in the template, or as plain JSON. @returns {ToolCallStyle} */
  get style() {
    return this.traits.toolStyle ?? toolCallStyles.json;
  }

  /** The arguments of each tool, if calls write them one by one. */
  get #keys() {
    if (!this.style.parameters) return undefined;
    const keysOf = (/** @type {OpenAITool["function"]} */ { parameters }) =>
      new Map(parametersOf(parameters ?? true).parameters.map(({ key, isPlain }) => [key, isPlain]));
    return new Map(this.callable.map((tool) => [tool.function.name, keysOf(tool.function)]));
  }

  /**
   * @param {readonly Message[]} messages
   * @param {{ isOpen?: boolean, prefix?: string }} [how] isOpen: the model answers next (default). prefix: the
   *   beginning of its answer
   * @returns {Promise<Turn>}
   */
  async prompt(messages, { isOpen = true, prefix = "" } = {}) {
    const { chatTemplate, tools, toolChoice, thinking } = this.#options;
    const { thought } = this.traits;
    const told = toolChoice === "none" ? [] : tools;
    readMessages(messages);
    const isPlain = chatTemplate === null;
    const written = isPlain ? [...messages] : tellOfTools(messages, told, this.traits, this.style);
    const switches = {
      ...(told.length && { xml_tools: told }),
      ...switchesOf(thinking, thought),
    };
    const options = { chatTemplate, tools: told, addGenerationPrompt: isOpen, switches };
    const how = { names: this.callable.map((tool) => tool.function.name), keys: this.#keys, style: this.style };
    if (!thought || !isOpen) {
      const { ids } = await writePrompt(this.#model, written, { ...options, prefix });
      return new Turn(this.#model, { ids, ...how });
    }
    const { text, ids } = await writePrompt(this.#model, written, options);
    const place = placeOf(text, thought);
    if (place === "answer" && thinking.state === "on")
      throw typeError(
        "conflict",
        "The chat template lets this answer begin without a thought, so reasoning cannot be on.",
      );
    // A prefix begins the answer, not a thought.
    const isOff = thinking.state === "off" && !(thought.switch && place === "anywhere");
    const isClosed = place === "answer" || isOff || prefix !== "";
    const opens = place === "anywhere" && thought.answer !== null;
    const emptyThought = `${place === "thought" ? "" : thought.begin}\n\n${thought.end}\n\n`;
    const added = isClosed ? place !== "answer" && (thought.answer ?? emptyThought) : opens && thought.begin;
    if (added) ids.push(...(await this.#model.tokenize(added, { special: true })));
    if (prefix) ids.push(...(await this.#model.tokenize(prefix)));
    const tags = { ...thought, isOpened: place === "thought" || opens };
    const rest = { isOff: thinking.state === "off", budget: budgetOf(thinking, thought), message: thinking.message };
    return new Turn(this.#model, { ids, ...how, thought: isClosed ? undefined : tags, ...rest });
  }

  /**
   * The form of an answer that may call tools.
   * @param {{ jsonSchema?: object | boolean | string }} [wanted] instead of free text: JSON of this schema
   * @returns {import("../grammar/readers/tool-calls.js").ToolCalls | undefined} undefined: there are no tools
   */
  toolCalls({ jsonSchema } = {}) {
    const tools = this.callable.map(({ function: { name, parameters } }) => ({ name, parameters }));
    if (!tools.length) return undefined;
    const shared = { tools, style: this.style, ...(!this.#options.parallelToolCalls && { stopAfterFirst: true }) };
    if (this.#options.toolChoice !== "auto") return { ...shared, text: false, required: true, stopAfterFirst: true };
    return jsonSchema === undefined ? shared : { ...shared, jsonSchema };
  }
}

/** Options that define the text of an answer, so that none of it is free. */
export const exactKinds = ["grammar", "jsonSchema", "regex", "choice", "ebnf", "lark", "structuralTags"];

/**
 * A chunk whose numbers are of the answer: reasoning and reasoningEnd count the thought's UTF-16 units, toolCalls
 * calls.
 * @typedef {Omit<Chunk, "takenBack" | "loop"> & {
 *   takenBack?: { tokens: number, characters: number, reasoning?: number, toolCalls?: number },
 *   loop?: import("../decode/loop-detector.js").Loop & { reasoningEnd?: number },
 * }} TurnChunk
 */

/** What was written of an answer: its chunks, and the lengths of its parts. */
class Written {
  /** Only what is needed to read them again. @type {Chunk[]} */
  #chunks = [];
  text = 0;
  reasoning = 0;
  toolCalls = 0;

  /** @param {Chunk} chunk @param {Piece[]} pieces */
  add({ text, tokens }, pieces) {
    this.#chunks.push({ text, tokens: tokens.map(({ id }) => ({ id, probability: 0, rawLogprob: 0 })) });
    for (const piece of pieces) {
      if (piece.kind === "text") this.text += piece.text.length;
      else if (piece.kind === "reasoning") this.reasoning += piece.text.length;
      else if (piece.kind === "end") this.toolCalls++;
    }
  }

  /** The chunks before the last tokens. @param {number} count */
  without(count) {
    let end = this.#chunks.length;
    for (let left = count; left > 0;) left -= this.#chunks[--end].tokens.length;
    return this.#chunks.slice(0, end);
  }

  /** The chunks of the first text, in UTF-16 units. @param {number} length */
  upTo(length) {
    /** @type {Chunk[]} */
    const chunks = [];
    let left = length;
    for (const { text, tokens } of this.#chunks) {
      if (left <= 0) break;
      chunks.push({ text: text.slice(0, left), tokens });
      left -= text.length;
    }
    return chunks;
  }

  /** What this has more than a shorter one. @param {Written} shorter */
  beyond(shorter) {
    const reasoning = this.reasoning - shorter.reasoning;
    const toolCalls = this.toolCalls - shorter.toolCalls;
    const characters = this.text - shorter.text;
    return { characters, ...(reasoning && { reasoning }), ...(toolCalls && { toolCalls }) };
  }
}

/** A prompt, and how to read the answer to it. */
export class Turn {
  #model;
  #how;
  /** The prompt. */
  ids;
  /** The thought after which a grammar begins. @type {Thought | undefined} */
  after;
  /** How the thought ends if it grows too long. @type {ThoughtSettings | undefined} */
  limit;

  /**
   * @param {ChatModel} model
   * @param {object} how
   * @param {number[]} how.ids
   * @param {string[]} how.names of tools that the answer may call
   * @param {Map<string, Map<string, boolean>>} [how.keys] of their arguments, and whether an argument is a plain text
   * @param {ToolCallStyle} how.style
   * @param {import("./answer-stream.js").ThoughtTags & { closing: string }} [how.thought] the answer begins, or may
   *   begin, with a thought
   * @param {boolean} [how.isOff] the answer should have no thought
   * @param {number} [how.budget] most tokens of the thought
   * @param {string} [how.message] ends a thought that has used up its budget
   */
  constructor(model, { ids, names, keys, style, thought, isOff = false, budget, message = "" }) {
    this.#model = model;
    this.ids = ids;
    this.#how = { names, keys, style: names.length ? style : undefined, thought };
    if (thought && !isOff) {
      this.after = { ...(!thought.isOpened && { begin: thought.begin }), end: thought.end };
      if (budget) this.limit = { ...this.after, budget, message, closing: thought.closing };
    }
  }

  /**
   * Splits the answer into pieces. reasoningTokens: tokens of thoughts in all chunks of this answer so far. A chunk
   * with takenBack comes with the pieces that stay, from the beginning; its numbers, and those of a loop, are of the answer.
   * @param {AsyncIterable<Chunk>} chunks
   * @param {Record<string, any>} [options] options of generate that the model writes with: they say whether the prompt
   *   is healed, and what the answer must be
   * @returns {AsyncGenerator<{ chunk: TurnChunk, pieces: Piece[], reasoningTokens: number }, void>}
   */
  async *read(chunks, options = {}) {
    const control = this.#controlNames(options.structuralTags);
    const { vocabulary } = this.#model;
    const isExact =
      exactKinds.some((kind) => options[kind] !== undefined) || options.toolCalls?.jsonSchema !== undefined;
    /** @type {"none" | "json" | "free"} */
    const text = options.toolCalls?.required ? "none" : isExact ? "json" : "free";
    const allowed = { text, control: [...control.values()] };
    // A grammar that does not begin with a thought allows none.
    const thought = isExact && !this.after ? undefined : this.#how.thought;
    const healed = options.heal && control.size ? bytesToHeal(this.ids, vocabulary.tokens) : undefined;
    const before = { dropsSpace: this.#model.dropsSpace, prompt: this.ids, hidden: healed?.length };
    const open = () => ({
      stream: new AnswerStream({ ...this.#how, thought, allowed, isExact }),
      names: new ControlNames(control, () => vocabulary.tokens, before),
      reasoningTokens: 0,
      written: new Written(),
    });
    const endsCall = (/** @type {Chunk} */ chunk) => this.#endsCall(chunk);
    const endOfCall = this.#how.style?.end ?? "";
    /** @param {ReturnType<typeof open>} answer @param {Chunk} chunk */
    const readChunk = (answer, chunk) => {
      const { stream, names, written } = answer;
      const wasThinking = stream.isThinking;
      const pieces = [...stream.push(names.read(chunk))];
      if (stream.awaitsEnd && endsCall(chunk)) pieces.push(...stream.push(endOfCall));
      if (chunk.finishReason) pieces.push(...stream.end());
      if (wasThinking || stream.isThinking) answer.reasoningTokens += chunk.tokens.length;
      written.add(chunk, pieces);
      return pieces;
    };
    /** Reads the first chunks of an answer again. @param {Chunk[]} kept */
    const readAgain = (kept) => {
      const answer = open();
      const pieces = kept.flatMap((chunk) => readChunk(answer, chunk));
      return { answer, pieces };
    };
    /** @type {Map<number | undefined, ReturnType<typeof open>>} */
    const answers = new Map();
    for await (const chunk of chunks) {
      const answer = answers.get(chunk.index) ?? open();
      answers.set(chunk.index, answer);
      const { takenBack, loop } = chunk;
      if (takenBack) {
        const { answer: shorter, pieces } = readAgain(answer.written.without(takenBack.tokens));
        answers.set(chunk.index, shorter);
        const gone = answer.written.beyond(shorter.written);
        const numbers = { tokens: takenBack.tokens, ...gone };
        yield { chunk: { ...chunk, takenBack: numbers }, pieces, reasoningTokens: shorter.reasoningTokens };
        continue;
      }
      const pieces = readChunk(answer, chunk);
      const { reasoningTokens, written } = answer;
      if (!loop) yield { chunk, pieces, reasoningTokens };
      else {
        const { text: textEnd, reasoning } = readAgain(written.upTo(loop.textEnd)).answer.written;
        const numbers = { ...loop, textEnd, ...(written.reasoning && { reasoningEnd: reasoning }) };
        yield { chunk: { ...chunk, loop: numbers }, pieces, reasoningTokens };
      }
    }
  }

  /** In some models one token ends both a call and the answer. @param {Chunk} chunk */
  #endsCall({ tokens, finishReason }) {
    const end = this.#model.vocabulary.special[this.#how.style?.end ?? ""];
    return finishReason === "eos" && end !== undefined && tokens.at(-1)?.id === end;
  }

  /** Control tokens in tags. They are not text. @param {unknown} structuralTags of the answer */
  #controlNames(structuralTags) {
    const { thought, style = /** @type {Partial<ToolCallStyle>} */ ({}) } = this.#how;
    const { parameters = {}, ...others } = style;
    const ofCalls = [...Object.values(others), ...Object.values(parameters)];
    const inText = structuralTags === undefined ? [] : textsIn(structuralTags);
    const tags = [thought?.begin, thought?.end, ...ofCalls, ...inText].filter((tag) => typeof tag === "string");
    const { special, eos } = this.#model.vocabulary;
    const found = Object.entries(special).filter(
      ([name, id]) => name && !eos.includes(id) && tags.some((tag) => tag.includes(name)),
    );
    return new Map(found.map(([name, id]) => [id, name]));
  }
}

/**
 * The texts in structural tags, which may be given as JSON text.
 * @param {unknown} structuralTags
 */
function textsIn(structuralTags) {
  /** @type {string[]} */
  const texts = [];
  const note = (/** @type {string} */ _, /** @type {unknown} */ value) => {
    if (typeof value === "string") texts.push(value);
    return value;
  };
  if (typeof structuralTags === "string") JSON.parse(structuralTags, note);
  else JSON.stringify(structuralTags, note);
  return texts;
}
