// The arguments of tokenize, of a model and of a tokenizer alone.
import { checkBoolean, checkNames } from "../core/arguments.js";
import { typeError } from "../core/errors.js";
import { tokenList } from "../sampler/options.js";

/**
 * @param {string | readonly (string | number)[]} text
 * @param {{ bos?: boolean, special?: boolean }} options
 * @param {number} vocabSize
 */
export function tokenizeRequest(text, options, vocabSize) {
  checkNames("tokenize", options, ["bos", "special"]);
  const { bos = false, special = false } = options;
  const parts = Array.isArray(text) ? text : [text];
  for (const part of parts)
    if (typeof part !== "string" && (parts !== text || typeof part !== "number"))
      throw typeError("bad-type", `tokenize takes text, not ${typeof part}.`);
  const ids = parts.filter((part) => typeof part === "number");
  tokenList("tokenize", ids, vocabSize);
  checkBoolean("bos", bos);
  checkBoolean("special", special);
  return { kind: /** @type {const} */ ("tokenize"), text: /** @type {string} */ (text), bos, special };
}
