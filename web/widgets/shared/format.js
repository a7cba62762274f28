// Writes numbers and tokens for people.

/**
 * A probability as a percentage that claims no more than it knows: only 0 is printed as 0 %, only 1 as 100 %.
 * @param {number} probability
 */
export function formatPercent(probability) {
  if (Number.isNaN(probability)) return "–";
  const percent = 100 * probability;
  if (percent <= 0) return "0%";
  if (percent < 0.01) return "<0.01%";
  if (percent >= 100) return "100%";
  // Round first: 0.999 % becomes 1.0 %, not 1.00 %.
  if (Number(percent.toFixed(2)) < 1) return percent.toFixed(2) + "%";
  const rounded = percent.toFixed(1);
  return rounded === "100.0" ? ">99.9%" : rounded + "%";
}

const whole = new Intl.NumberFormat("en");

/** @param {number} count */
export const formatCount = (count) => whole.format(count);

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const plural = (count, one, many = one + "s") => `${formatCount(count)} ${count === 1 ? one : many}`;

/**
 * As in the documentation, 1 KB is 1,024 bytes and 1 MB a million.
 * @param {number} bytes
 */
export function formatSize(bytes) {
  if (bytes < 1000) return `${Math.round(bytes)} bytes`;
  if (bytes < 999_500) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/**
 * A number of choices, not always an integer: three digits.
 * @param {number} count
 */
export const formatChoices = (count) => (count < 100 ? count.toPrecision(3) : formatCount(Math.round(count)));

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * A token's bytes with nothing invisible: ␣ for a space, ⏎ for a new line, <0xNN> for a byte that is not text by
 * itself.
 * @param {Uint8Array} bytes
 */
export function legibleBytes(bytes) {
  let text;
  try {
    text = utf8.decode(bytes);
  } catch {
    return Array.from(bytes, hex).join("");
  }
  return legible(text);
}

/**
 * The same for a token that is text.
 * @param {string} text
 */
export const legible = (text) => Array.from(text, legibleCharacter).join("");

/** @param {number} byte */
const hex = (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;

/** @param {string} character */
function legibleCharacter(character) {
  if (character === " ") return "␣";
  if (character === "\n") return "⏎";
  if (character === "\t") return "⇥";
  if (!/[\p{C}\p{Z}]/u.test(character)) return character;
  return Array.from(new TextEncoder().encode(character), hex).join("");
}

/** @type {Record<string, string>} */
const english = { endOfText: "end of text", startOfText: "start of text" };

/**
 * @param {number} id
 * @param {import("../../index.js").Model} model
 * @param {(key: string) => string} [say] a widget's words
 */
export function tokenLabel(id, { vocabulary, config }, say = (key) => english[key]) {
  if (vocabulary.eos.includes(id)) return say("endOfText");
  if (id === config.bos) return say("startOfText");
  const bytes = vocabulary.tokens[id];
  return bytes?.length ? legibleBytes(bytes) : `#${id}`;
}

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Tokens as they read in a text, without control tokens.
 * @param {Iterable<number>} ids
 * @param {import("../../index.js").Model} model
 */
export const plainText = (ids, { vocabulary }) =>
  lenient.decode(Uint8Array.from([...ids].flatMap((id) => [...(vocabulary.tokens[id] ?? [])])));

/** Six classes of surprise, from none (0) to great (5), by which tokenText tints. */
export const surpriseLimits = [0.9, 0.5, 0.2, 0.05, 0.01];

/** @param {number} probability */
export function surpriseClass(probability) {
  const index = surpriseLimits.findIndex((limit) => probability >= limit);
  return index < 0 ? surpriseLimits.length : index;
}
