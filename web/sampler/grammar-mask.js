// Keeps a matcher at the sampler's position in the text, and masks the next token.
import { LastInchError, rangeError, typeError } from "../core/errors.js";

/**
 * The state of a grammar in one text: a matcher of compileGrammar, or any object with these methods.
 * @typedef {object} MatcherLike
 * @property {(into: Uint32Array) => Uint32Array | Int32Array | void} bitmask a bit for each token, lowest bit first: 1 = the token may come next; written into the given array, or returned in another
 * @property {(token: number) => boolean | void} accept advances by a token; false: the grammar does not allow the token
 * @property {(count: number) => void} rollback undoes the last tokens
 * @property {() => MatcherLike} [clone] needed to clone a sampler
 * @property {() => void} [dispose] called on clones made by samplers
 * @property {boolean} [isEmpty] true: the grammar allows no text, so samplers refuse it
 */

/** @type {WeakMap<MatcherLike, number[]>} the tokens that each matcher accepted from samplers */
const toldTokens = new WeakMap();

/**
 * @param {any} matcher
 * @param {string[]} methods
 */
function checkMethods(matcher, methods) {
  for (const method of methods)
    if (typeof matcher?.[method] !== "function")
      throw typeError("bad-type", `grammar must be a matcher, but has no method ${method}.`);
}

/**
 * @param {unknown} matcher
 */
export function checkMatcher(matcher) {
  checkMethods(matcher, ["bitmask", "accept", "rollback"]);
  if (/** @type {MatcherLike} */ (matcher).isEmpty === true) throw new LastInchError("grammar-empty");
  return matcher;
}

/**
 * The tokens that the matcher has accepted from samplers.
 * @param {MatcherLike} matcher
 */
export function acceptedTokens(matcher) {
  let tokens = toldTokens.get(matcher);
  if (!tokens) toldTokens.set(matcher, (tokens = []));
  return tokens;
}

/**
 * Writes the mask of the next token.
 * @param {MatcherLike} matcher
 * @param {Uint32Array} into
 * @param {number} tokenCount number of bits to read; the matcher's mask need not cover padding
 */
export function fillBitmask(matcher, into, tokenCount) {
  const mask = matcher.bitmask(into);
  if (mask === into || mask === undefined) return;
  if (!(mask instanceof Uint32Array || mask instanceof Int32Array))
    throw typeError("bad-type", "A grammar's bitmask must be a Uint32Array or an Int32Array, not a promise.");
  const least = Math.ceil(tokenCount / 32);
  if (mask.length < least) throw rangeError("wrong-length", `The grammar's bitmask must have ${least} words.`);
  into.set(mask.subarray(0, into.length));
}

/**
 * The matcher accepts all tokens or none.
 * @param {MatcherLike} matcher
 * @param {number[]} tokens
 */
export function acceptTokens(matcher, tokens) {
  const told = acceptedTokens(matcher);
  let count = 0;
  try {
    for (const token of tokens) {
      const isAccepted = matcher.accept(token);
      if (isAccepted !== true && isAccepted !== undefined) throw new LastInchError("grammar-refused", `(${token})`);
      count++;
    }
  } catch (error) {
    if (count) matcher.rollback(count);
    throw error;
  }
  for (const token of tokens) told.push(token);
}

/**
 * Moves the matcher to the position after `tokens`.
 * @param {MatcherLike} matcher
 * @param {number[]} tokens
 */
export function moveMatcher(matcher, tokens) {
  const told = acceptedTokens(matcher);
  let common = 0;
  while (common < told.length && told[common] === tokens[common]) common++;
  if (common < told.length) matcher.rollback(told.length - common);
  told.length = common;
  acceptTokens(matcher, tokens.slice(common));
}

/** @param {MatcherLike} matcher */
export function cloneMatcher(matcher) {
  checkMethods(matcher, ["clone"]);
  const copy = /** @type {Required<MatcherLike>} */ (matcher).clone();
  toldTokens.set(copy, [...acceptedTokens(matcher)]);
  return copy;
}
