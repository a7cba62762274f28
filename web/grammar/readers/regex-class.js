// Character classes of regular expressions as ranges of code points. Properties and case folding come from the JavaScript
// engine, so they agree with its own regular expressions.

/** @typedef {[low: number, high: number]} Range */
/**
 * Ascending, disjoint ranges, and strings that are not one code point.
 * @typedef {{ ranges: Range[], strings: string[] }} Characters
 */
/** @typedef {import("./regex.js").Flags} Flags */
/** @typedef {import("@eslint-community/regexpp").AST.CharacterSet} CharacterSet */
/** @typedef {import("@eslint-community/regexpp").AST.CharacterClass} CharacterClass */
/** @typedef {import("@eslint-community/regexpp").AST.ExpressionCharacterClass} ExpressionCharacterClass */
/** @typedef {import("@eslint-community/regexpp").AST.CharacterClassElement} CharacterClassElement */
/** @typedef {import("@eslint-community/regexpp").AST.ClassIntersection} ClassIntersection */
/** @typedef {import("@eslint-community/regexpp").AST.ClassSubtraction} ClassSubtraction */

/** @typedef {CharacterSet | CharacterClass | ExpressionCharacterClass} Class */

const lastCodePoint = 0x10ffff;

/** @type {Record<"digit" | "word" | "space" | "line", Range[]>} */
const escapes = {
  digit: [[0x30, 0x39]],
  word: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
  // prettier-ignore
  space: [
    [0x09, 0x0d], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029], [0x202f, 0x202f],
    [0x205f, 0x205f], [0x3000, 0x3000], [0xfeff, 0xfeff],
  ],
  line: [
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ],
};

/**
 * The characters of a class or of a range; undefined if they include a property of strings.
 * @template {CharacterSet | CharacterClass | ExpressionCharacterClass | CharacterClassElement | ClassIntersection | ClassSubtraction | Range} Node
 * @param {Node} node
 * @param {Flags} flags
 * @returns {Node extends Range ? Characters : Characters | undefined}
 */
export function characterSet(node, flags) {
  return /** @type {any} */ (Array.isArray(node) ? simple(closeRange(node[0], node[1], flags)) : evaluate(node, flags));
}

/**
 * @param {Exclude<Parameters<typeof characterSet>[0], Range>} node
 * @param {Flags} flags
 * @returns {Characters | undefined}
 */
function evaluate(node, flags) {
  switch (node.type) {
    case "Character":
      return simple(closeRange(node.value, node.value, flags));
    case "CharacterClassRange":
      return simple(closeRange(node.min.value, node.max.value, flags));
    case "CharacterSet":
      return escape(node, flags);
    case "CharacterClass": {
      const parts = node.elements.map((element) => evaluate(element, flags));
      const all = parts.includes(undefined) ? undefined : unite(/** @type {Characters[]} */ (parts), flags);
      return all && node.negate ? simple(complement(all.ranges)) : all;
    }
    case "ClassStringDisjunction": {
      const strings = node.alternatives.map(({ elements }) =>
        elements.map(({ value }) => String.fromCodePoint(value)).join(""),
      );
      return unite(
        strings.map((string) => {
          const codePoint = /** @type {number} */ (string.codePointAt(0));
          const isOne = string.length > 0 && string === String.fromCodePoint(codePoint);
          return isOne ? simple(closeRange(codePoint, codePoint, flags)) : { ranges: [], strings: [string] };
        }),
        flags,
      );
    }
    case "ExpressionCharacterClass": {
      const all = evaluate(node.expression, flags);
      return all && node.negate ? simple(complement(all.ranges)) : all;
    }
    case "ClassIntersection":
    case "ClassSubtraction":
      return operate(node, flags);
  }
}

/** @param {Range[]} ranges @returns {Characters} */
const simple = (ranges) => ({ ranges, strings: [] });

/**
 * Reads the operands of a chain (a--b--c) in a loop, because the tree nests each in the next.
 * @param {ClassIntersection | ClassSubtraction} node
 * @param {Flags} flags
 * @returns {Characters | undefined}
 */
function operate(node, flags) {
  const keeps = node.type === "ClassIntersection";
  const operands = [];
  /** @type {typeof node.left} */
  let left = node;
  for (; left.type === node.type; left = left.left) operands.push(evaluate(left.right, flags));
  const first = evaluate(left, flags);
  if (!first || operands.includes(undefined)) return;
  let { strings } = first;
  /** @type {Range[][]} */
  const removed = [complement(first.ranges)];
  for (const right of /** @type {Characters[]} */ (operands)) {
    removed.push(keeps ? complement(right.ranges) : right.ranges);
    if (strings.length === 0) continue;
    const known = new Set(right.strings.map((string) => fold(string, flags)));
    strings = strings.filter((string) => known.has(fold(string, flags)) === keeps);
  }
  return { ranges: complement(normalize(removed.flat())), strings };
}

/**
 * @param {Characters[]} parts
 * @param {Flags} flags
 * @returns {Characters}
 */
function unite(parts, flags) {
  const strings = new Map(parts.flatMap((part) => part.strings).map((string) => [fold(string, flags), string]));
  return { ranges: normalize(parts.flatMap((part) => part.ranges)), strings: [...strings.values()] };
}

/**
 * One spelling for characters that differ only in case.
 * @param {string} string
 * @param {Flags} flags
 */
function fold(string, flags) {
  if (!flags.ignoreCase) return string;
  return Array.from(string, (letter) => {
    const codePoint = /** @type {number} */ (letter.codePointAt(0));
    return String.fromCodePoint(closeRange(codePoint, codePoint, flags)[0][0]);
  }).join("");
}

/** @param {Range[]} ranges @returns {Range[]} */
function normalize(ranges) {
  /** @type {Range[]} */
  const merged = [];
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged[merged.length - 1];
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return merged;
}

/** @param {Range[]} ranges @returns {Range[]} */
function complement(ranges) {
  /** @type {Range[]} */
  const left = [];
  let next = 0;
  for (const [low, high] of ranges) {
    if (low > next) left.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= lastCodePoint) left.push([next, lastCodePoint]);
  return left;
}

/**
 * @param {CharacterSet} node
 * @param {Flags} flags
 * @returns {Characters | undefined}
 */
function escape(node, flags) {
  if (node.kind === "any") return simple(flags.dotAll ? [[0, lastCodePoint]] : complement(escapes.line));
  if (node.kind === "property") {
    if (node.strings) return;
    return simple(ask(node.raw, flags));
  }
  const ranges =
    node.kind === "word" && flags.unicode && flags.ignoreCase
      ? normalize([...escapes.word, [0x17f, 0x17f], [0x212a, 0x212a]])
      : escapes[node.kind];
  return simple(node.negate ? complement(ranges) : ranges);
}

/**
 * The range with all case variants of its characters.
 * @param {number} low
 * @param {number} high
 * @param {Flags} flags
 * @returns {Range[]}
 */
function closeRange(low, high, flags) {
  if (!flags.ignoreCase) return [[low, high]];
  if (high < 0x80) return closeAscii(low, high, flags);
  const cased = casedCharacters(flags.unicode);
  /** @type {Range[]} */
  const ranges = [[low, high]];
  for (let at = firstFrom(cased.codePoints, low); cased.codePoints[at] <= high; at++) {
    const others = (cased.others[at] ??= otherCases(cased, at));
    for (const other of others) if (other < low || other > high) ranges.push([other, other]);
  }
  return normalize(ranges);
}

/**
 * Ascending, the characters that have other cases, and the cases found so far.
 * @typedef {{ letters: string, codePoints: number[], text: string, others: (number[] | undefined)[] }} Cased
 */

/** @type {{ [isUnicode: string]: Cased }} */
const knownCased = {};

/** @param {boolean} unicode @returns {Cased} */
function casedCharacters(unicode) {
  return (knownCased[String(unicode)] ??= findCased(unicode));
}

/** @param {boolean} unicode @returns {Cased} */
function findCased(unicode) {
  const all = ask("[\\p{Changes_When_Casemapped}\\p{Changes_When_Casefolded}]", {
    unicode: true,
    ignoreCase: true,
    sets: false,
    dotAll: false,
  });
  const codePoints = all.flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, at) => low + at));
  const taken = unicode ? codePoints : codePoints.filter((codePoint) => codePoint <= 0xffff);
  const text = taken.map((codePoint) => String.fromCodePoint(codePoint)).join("");
  return { letters: unicode ? "giu" : "gi", codePoints: taken, text, others: [] };
}

/** The characters that the engine treats as the same letter. @param {Cased} cased @param {number} at */
function otherCases({ letters, codePoints, text }, at) {
  // eslint-disable-next-line no-restricted-syntax -- one letter
  const expression = new RegExp(String.fromCodePoint(codePoints[at]), letters);
  return Array.from(text.match(expression) ?? [], (letter) => /** @type {number} */ (letter.codePointAt(0)));
}

/** The index of the first number that is at least `least`. @param {number[]} sorted @param {number} least */
function firstFrom(sorted, least) {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle] < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * @param {number} low
 * @param {number} high
 * @param {Flags} flags
 */
function closeAscii(low, high, flags) {
  /** @type {Range[]} */
  const ranges = [[low, high]];
  /** @param {number} from @param {number} to @param {number} distance */
  const shift = (from, to, distance) => {
    const first = Math.max(low, from);
    const last = Math.min(high, to);
    if (first <= last) ranges.push([first + distance, last + distance]);
  };
  shift(0x41, 0x5a, 32);
  shift(0x61, 0x7a, -32);
  /** @param {number} letter */
  const has = (letter) => ranges.some(([from, to]) => from <= letter && letter <= to);
  if (flags.unicode && has(0x73)) ranges.push([0x17f, 0x17f]);
  if (flags.unicode && has(0x6b)) ranges.push([0x212a, 0x212a]);
  return normalize(ranges);
}

/** The engine's answers. There are only a few properties. @type {Map<string, Range[]>} */
const answers = new Map();

/**
 * The code points that the engine matches.
 * @param {string} source of one character
 * @param {Flags} flags
 * @returns {Range[]}
 */
function ask(source, flags) {
  const letters = `g${flags.sets ? "v" : flags.unicode ? "u" : ""}${flags.ignoreCase ? "i" : ""}`;
  const key = `${letters}/${source}`;
  const known = answers.get(key);
  if (known) return known;
  // eslint-disable-next-line no-restricted-syntax -- one property of characters, for texts that are made here
  const expression = new RegExp(`(?:${source})+`, letters);
  // Without u and v, characters are code units, and characters beyond the BMP have no case.
  const ranges = normalize(flags.unicode ? [...scan(expression), ...sample(source, letters)] : scan(expression, 1));
  answers.set(key, ranges);
  return ranges;
}

/** Planes with assigned characters. */
const planes = [0, 1, 2, 3, 14];
/**
 * Planes without assigned characters or for private use. All their code points are alike, except the last two,
 * noncharacters.
 */
const uniformPlanes = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16];

/** @type {string[]} the code points of the planes in order, without surrogates */
const planeTexts = [];

/** @param {number} plane */
function planeText(plane) {
  if (!planeTexts[plane]) {
    const units = new Uint16Array(0x20000);
    let count = 0;
    for (let at = 0; at < 0x10000; at++) {
      if (plane > 0) {
        units[count++] = 0xd800 + (plane - 1) * 0x40 + (at >> 10);
        units[count++] = 0xdc00 + (at & 0x3ff);
      } else if (at < 0xd800 || at > 0xdfff) units[count++] = at;
    }
    planeTexts[plane] = new TextDecoder("utf-16le", { ignoreBOM: true }).decode(units.subarray(0, count));
  }
  return planeTexts[plane];
}

/**
 * @param {RegExp} expression of a run of characters
 * @param {number} [count] how many of the planes
 */
function scan(expression, count = planes.length) {
  /** @type {Range[]} */
  const found = [];
  for (const plane of planes.slice(0, count))
    for (const { index, 0: run } of planeText(plane).matchAll(expression)) {
      const last = index + run.length - 1;
      if (plane > 0) found.push([plane * 0x10000 + index / 2, plane * 0x10000 + (last - 1) / 2]);
      else found.push(...aroundSurrogates(index, last));
    }
  return found;
}

/**
 * @param {string} source
 * @param {string} letters
 */
function sample(source, letters) {
  // eslint-disable-next-line no-restricted-syntax -- one property of characters, for one character
  const expression = new RegExp(`^(?:${source})$`, letters.replace("g", ""));
  /** @type {Range[]} */
  const found = [];
  for (const plane of uniformPlanes)
    for (const [low, high] of [
      [0, 0xfffd],
      [0xfffe, 0xfffe],
      [0xffff, 0xffff],
    ])
      if (expression.test(String.fromCodePoint(plane * 0x10000 + low)))
        found.push([plane * 0x10000 + low, plane * 0x10000 + high]);
  return found;
}

/**
 * Indexes in the text of plane 0 as code points.
 * @param {number} from
 * @param {number} to
 * @returns {Range[]}
 */
function aroundSurrogates(from, to) {
  if (to < 0xd800) return [[from, to]];
  if (from >= 0xd800) return [[from + 0x800, to + 0x800]];
  return [
    [from, 0xd7ff],
    [0xe000, to + 0x800],
  ];
}
