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

/**
 * Makes two expressions: text up to and including the first tag, and text without the tag.
 * @param {Expression[]} tag
 * @param {number[]} tokens special tokens that the text may contain
 * @param {string} [opening] the text must not begin with this
 * @returns {[until: Expression, without: Expression]}
 */
export function freeText(tag, tokens, opening) {
  if (tokens.length === 0) return plainText(tag, opening);
  const [until, without] = plainText(tag);
  const [firstUntil, firstWithout] = opening ? plainText(tag, opening) : [until, without];
  const token = choice(tokens.map((index) => ({ kind: "special", index })));
  const more = sequence([token, repeat(sequence([without, token]), 0, Infinity)]);
  return [
    choice([firstUntil, sequence([firstWithout, more, until])]),
    choice([firstWithout, sequence([firstWithout, more, without])]),
  ];
}

/**
 * The same without special tokens.
 * @param {Expression[]} tag
 * @param {string} [opening]
 * @returns {[until: Expression, without: Expression]}
 */
function plainText(tag, opening) {
  const others = opening ? [not(sequence([text(opening), anyText]))] : [];
  // Plain text never becomes a special token.
  if (tag[0].kind === "special") {
    const before = opening ? both([anyText, ...others]) : anyText;
    return [sequence([before, ...tag]), before];
  }
  const [head, ...rest] = tag;
  const ends = sequence([anyText, head]);
  const first = both([ends, not(sequence([ends, anyCodePoint, anyText])), ...others]);
  const without = not(sequence([ends, anyText]));
  return [sequence([first, ...rest]), opening ? both([without, ...others]) : without];
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
  const [until] = freeText(literals(end, specialToken), []);
  const thought = sequence([until, repeat(newline, isExact ? AFTER_THOUGHT : 0, AFTER_THOUGHT), root]);
  return begin === undefined ? thought : choice([sequence([...literals(begin, specialToken), thought]), root]);
}
