// Text until a tag. A tag is a text, or a special token of the vocabulary.
import { AFTER_THOUGHT } from "../thought.js";
import { anyCodePoint, choice, repeat, sequence, text } from "./form.js";

/** @typedef {import("./form.js").Expression} Expression */
/** @typedef {import("../thought.js").Thought} Thought */

export const anyText = repeat(anyCodePoint, 0, Infinity);
export const newline = text("\n");
/** @param {Expression} body @returns {Expression} */
export const not = (body) => ({ kind: "not", body });
/** @param {Expression[]} parts @returns {Expression} */
export const both = (parts) => ({ kind: "both", parts });

/**
 * Splits a text at the names of special tokens.
 * @param {string} template
 * @param {(name: string) => number | undefined} specialToken
 * @returns {Expression[]}
 */
export function literals(template, specialToken) {
  // MiniCPM 5 has tokens such as <function and <param.
  const [open = ""] = /^<[^<>\s]+(?=\s)/.exec(template) ?? [];
  const token = open ? specialToken(open) : undefined;
  if (token !== undefined)
    return [{ kind: "special", index: token }, ...literals(template.slice(open.length), specialToken)];
  const found = template.split(/(<[^<>\s]+>|\[[A-Z_/]+\])/).filter(Boolean);
  return found.map((part) => {
    const index = /^[<[]/.test(part) ? specialToken(part) : undefined;
    return index === undefined ? text(part) : { kind: "special", index };
  });
}

/** Joins neighbouring texts. @param {Expression[]} parts */
export function joined(parts) {
  /** @type {Expression[]} */
  const result = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.kind === "text" && part.kind === "text")
      result[result.length - 1] = text(new Uint8Array([...last.bytes, ...part.bytes]));
    else result.push(part);
  }
  return result;
}

/**
 * Text between tags.
 * @typedef {object} FreeText
 * @property {Expression[]} untils for each tag, text up to and including the tag, with no tag before
 * @property {Expression} without text without tags
 */

/**
 * @typedef {object} FreeTextLimits
 * @property {readonly number[]} [tokens] special tokens that the text may contain. Default: none
 * @property {string} [opening] the text must not begin with this
 * @property {readonly string[]} [excludes] the text, with its tag, must not contain any of these
 */

/**
 * @param {Expression[][]} tags none may contain another. A tag ends where its first part has been read: parts of text
 *   that belong together must be joined
 * @param {FreeTextLimits} [limits]
 * @returns {FreeText}
 */
export function freeText(tags, { tokens = [], opening, excludes } = {}) {
  const first = plainText(tags, opening, excludes);
  if (tokens.length === 0) return first;
  const { untils, without } = opening ? plainText(tags, undefined, excludes) : first;
  const token = choice(tokens.map((index) => ({ kind: "special", index })));
  const more = sequence([token, repeat(sequence([without, token]), 0, Infinity)]);
  return {
    untils: untils.map((until, i) => choice([first.untils[i], sequence([first.without, more, until])])),
    without: choice([first.without, sequence([first.without, more, without])]),
  };
}

/**
 * The same without special tokens.
 * @param {Expression[][]} tags
 * @param {string} [opening]
 * @param {readonly string[]} [excludes]
 * @returns {FreeText}
 */
function plainText(tags, opening, excludes = []) {
  const others = [
    ...(opening ? [sequence([text(opening), anyText])] : []),
    ...excludes.map((one) => sequence([anyText, text(one), anyText])),
  ].map(not);
  /** @param {Expression[]} parts */
  const limited = (...parts) => (parts.length + others.length > 1 ? both([...parts, ...others]) : parts[0]);
  // Plain text never becomes a special token, so before one the text may be any.
  const heads = tags.filter(isPlain).map(([head]) => head);
  const ends = sequence([anyText, choice(heads)]);
  const free = heads.length ? not(sequence([ends, anyText])) : anyText;
  const isFirst = not(sequence([ends, anyCodePoint, anyText]));
  const untils = tags.map((tag) => {
    const [head, ...rest] = tag;
    if (head.kind === "special") return sequence([limited(free), ...tag]);
    const until = sequence([anyText, head]);
    return sequence([limited(until, isPlain(tag) ? isFirst : free), ...rest]);
  });
  return { untils, without: limited(free) };
}

/** Whether free text ends with the first part of a tag. @param {Expression[]} tag */
const isPlain = ([head, next]) => head.kind !== "special" && next?.kind !== "special";

/**
 * Free text with tags in it, and what follows each tag.
 * @param {Expression[][]} tags
 * @param {Expression[]} rests
 * @param {FreeTextLimits} limits
 * @param {{ isRequired?: boolean, isLast?: boolean }} [how] isRequired: at least one tag. isLast: the text ends after the
 *   rest of the first tag
 * @returns {Expression}
 */
export function taggedText(tags, rests, limits, { isRequired = false, isLast = false } = {}) {
  const { opening, excludes = [] } = limits;
  const { untils, without } = freeText(tags, { ...limits, opening: undefined });
  const first = opening ? freeText(tags, limits) : { untils, without };
  const followed = (/** @type {Expression[][]} */ list) => choice(list.map((one, i) => sequence([...one, rests[i]])));
  if (areApart(tags, opening ? [opening, ...excludes] : excludes)) {
    // Whatever free text comes before it, a tag is the first tag. So free text and tags need to be written once.
    const tag = followed(tags);
    const more = isLast ? tag : sequence([tag, without]);
    return sequence([first.without, repeat(more, isRequired ? 1 : 0, isLast ? 1 : Infinity)]);
  }
  const others = isLast ? [] : [repeat(followed(untils.map((until) => [until])), 0, Infinity), without];
  const called = sequence([followed(first.untils.map((until) => [until])), ...others]);
  return isRequired ? called : choice([called, first.without]);
}

/**
 * Whether no text that comes before a tag could end, with a beginning of the tag, in a tag or in one of the other texts.
 * @param {Expression[][]} tags none contains another
 * @param {readonly string[]} others
 */
function areApart(tags, others) {
  const encoder = new TextEncoder();
  const heads = tags.flatMap(([head]) => (head.kind === "text" ? [head.bytes] : []));
  const firsts = new Set(heads.map(([first]) => first));
  /** Whether an end of the text, which begins at the earliest at a place, is a beginning of a tag. @param {Uint8Array} text */
  const endsInTag = (text, from = 0) =>
    text.some((byte, at) => {
      if (at < from || !firsts.has(byte)) return false;
      const end = text.subarray(at);
      return heads.some((head) => end.every((one, i) => one === head[i]));
    });
  return !heads.some((head) => endsInTag(head, 1)) && !others.some((one) => endsInTag(encoder.encode(one)));
}

/**
 * Puts a thought before an expression. Up to AFTER_THOUGHT newlines may separate the two, as in chat templates.
 * @param {Thought} thought
 * @param {Expression} root
 * @param {(name: string) => number | undefined} specialToken
 * @param {boolean} isExact all of these newlines come first, so that more newlines belong to the root
 * @returns {Expression}
 */
export function afterThought({ begin, end }, root, specialToken, isExact) {
  const [until] = freeText([literals(end, specialToken)]).untils;
  const thought = sequence([until, repeat(newline, isExact ? AFTER_THOUGHT : 0, AFTER_THOUGHT), root]);
  return begin === undefined ? thought : choice([sequence([...literals(begin, specialToken), thought]), root]);
}
