// JSON text as it is written: keys in their order, numbers in their spelling, which JSON.parse does not keep.

const lexeme = /[\s]*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|([-+.\w]+))/gy;

/**
 * @param {string} text
 * @returns {string[]} marks, strings and atoms as they are spelt
 */
export function lexemes(text) {
  const found = [];
  lexeme.lastIndex = 0;
  let end = 0;
  for (let match; (match = lexeme.exec(text)); end = lexeme.lastIndex) found.push(match[1] ?? match[2] ?? match[3]);
  if (text.slice(end).trim()) throw new SyntaxError(`no JSON at ${end}: ${text.slice(end, end + 20)}`);
  return found;
}

/** The members of an object's text, or the items of an array's: [key or undefined, text of the value] in their order. */
export function parts(text) {
  const marks = lexemes(text);
  /** @type {[string | undefined, string][]} */
  const found = [];
  let depth = 0;
  let start = 1;
  marks.forEach((mark, at) => {
    const isEnd = (mark === "," && depth === 1) || ((mark === "}" || mark === "]") && depth === 1);
    if (isEnd && at > start) {
      const isMember = marks[0] === "{";
      found.push([
        isMember ? JSON.parse(marks[start]) : undefined,
        marks.slice(start + (isMember ? 2 : 0), at).join(""),
      ]);
    }
    if (isEnd) start = at + 1;
    if (mark === "{" || mark === "[") depth++;
    if (mark === "}" || mark === "]") depth--;
  });
  return found;
}

/**
 * The text as Python's json.dumps spells it, but for numbers, which stay as they are.
 * @param {string} text
 * @param {boolean} isAscii whether other characters are escaped: json.dumps does by default, MaskBench does not
 */
export function asPython(text, isAscii = false) {
  return lexemes(text)
    .map((mark) => {
      if (mark === "," || mark === ":") return `${mark} `;
      if (mark[0] !== '"') return mark;
      const spelt = JSON.stringify(JSON.parse(mark));
      return isAscii
        ? spelt.replace(/[\u007f-\uffff]/g, (c) =>
            c === "\u007f" ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
          )
        : spelt;
    })
    .join("");
}

/** Whether an object within the text has a key twice. */
export function hasTwins(text) {
  /** @type {Set<string>[]} */
  const open = [];
  const marks = lexemes(text);
  for (let at = 0; at < marks.length; at++) {
    if (marks[at] === "{") open.push(new Set());
    if (marks[at] === "[") open.push(new Set());
    if (marks[at] === "}" || marks[at] === "]") open.pop();
    if (marks[at + 1] !== ":") continue;
    const keys = open[open.length - 1];
    const key = JSON.parse(marks[at]);
    if (keys.has(key)) return true;
    keys.add(key);
  }
  return false;
}

/** Whether all numbers of the text are what a double can tell apart: few digits, small exponents. */
export const isInDoubles = (text) =>
  lexemes(text).every((mark) => {
    if (!/^[-\d]/.test(mark)) return true;
    const [digits, exponent = "0"] = mark.toLowerCase().split("e");
    return digits.replace(/^[-0.]+|\./g, "").length <= 15 && Math.abs(Number(exponent)) <= 250 && digits.length < 250;
  });
