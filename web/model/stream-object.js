// Model.streamObject: JSON of a schema, as a value that grows while the model writes.
import { typeError } from "../core/errors.js";
import { readLoopStop } from "../decode/loop-options.js";
import { chatNames, namedOptions } from "../decode/named-options.js";
import { ObjectReader } from "../grammar/object-reader.js";
import { isConversation } from "./prompt-kind.js";

/** @typedef {import("../grammar/object-reader.js").Growth} Growth */
/** @typedef {import("../decode/decode-types.js").Chunk | import("../chat/chat.js").ChatChunk} AnyChunk */

/** A repeated key would take back a value that is done. */
const how = { call: "streamObject", uniqueKeys: true };

/**
 * @param {import("./model.js").Model} model
 * @param {any} prompt
 * @param {any} options
 * @returns {AsyncGenerator<AnyChunk & Growth, void>}
 */
export async function* streamObject(model, prompt, options) {
  checkOptions(options);
  const reader = new ObjectReader();
  for await (const chunk of await open(model, prompt, options)) {
    const { text, finishReason } = chunk;
    // A text that is cut may end with U+FFFD, which stands for a part of a character.
    const whole = finishReason && finishReason !== "eos" ? text.replace(/\ufffd$/, "") : text;
    yield { ...chunk, ...(finishReason === "eos" ? reader.end(whole) : reader.push(whole)) };
  }
}

/** @param {any} options */
function checkOptions(options) {
  const { jsonSchema, n = 1, beams, echo, loops, tools, toolChoice } = namedOptions(options, chatNames);
  if (jsonSchema === undefined) throw typeError("bad-type", "streamObject needs jsonSchema: the schema of the object.");
  if (n > 1) throw typeError("conflict", `streamObject writes one object, but n is ${n}.`);
  if (beams !== undefined)
    throw typeError("conflict", "A text of a search comes as a whole: streamObject has no beams.");
  if (echo) throw typeError("conflict", "The prompt is no part of an object: streamObject has no echo.");
  // What is done cannot be taken back.
  readLoopStop(loops);
  if (tools !== undefined && toolChoice !== "none")
    throw typeError("conflict", 'streamObject writes no calls: give toolChoice "none", or use model.chat.');
}

/**
 * @param {import("./model.js").Model} model
 * @param {any} prompt
 * @param {object} options
 * @returns {Promise<AsyncIterable<AnyChunk>>}
 */
async function open(model, prompt, options) {
  if (!isConversation(prompt)) return model.generateAfter(undefined, prompt, options, how);
  const { chat } = await import("../chat/chat.js");
  const { config, vocabulary, dropsSpace } = model;
  /** @type {import("../chat/chat-types.js").AnsweringModel} */
  const writer = {
    config,
    vocabulary,
    dropsSpace,
    tokenize: (text, how) => model.tokenize(text, how),
    generateAfter: (after, ids, given, rest) => model.generateAfter(after, ids, given, { ...rest, ...how }),
  };
  return chat(writer, prompt, options);
}
