// Reads the option `watermark`. Pages that mark no text do not load this.
import { checkNames, checkNumber, checkObject, checkWhole } from "../core/arguments.js";
import { rangeError, typeError } from "../core/errors.js";
import { watermarkSchemes as schemes } from "../core/enum-names.js";
import { WATERMARK_DELTA, WATERMARK_DEPTH, WATERMARK_KEY, WATERMARK_WINDOW } from "../core/layouts.js";
import { readers } from "./options.js";

/**
 * A mark: a key, and how the text carries it. A detector finds the mark with the same values.
 * @typedef {object} Watermark
 * @property {"gumbel" | "green" | "synthid"} scheme
 * @property {string | Uint8Array} key 1 to 256 bytes; a text counts in UTF-8. Who has the key finds the mark, and can
 *   forge it
 * @property {number} [window] the last tokens that decide how the next one is marked: 1 to 32. Default: 4
 * @property {number} [gamma] of "green": the share of green tokens, above 0 and below 1. Default: .5
 * @property {number} [delta] of "green": added to the logits of green tokens, above 0, at most 50. Default: 2
 * @property {number} [depth] of "synthid": layers of the tournament, 1 to 32. Default: 30
 */

/** The options that only one scheme has. @type {Record<string, string>} */
const schemeOf = { gamma: "green", delta: "green", depth: "synthid" };

/** Shares and additions that are neither 0 nor, as a float, the end of their range. */
const LEAST = 2 ** -20;

/**
 * Checks a mark and adds its defaults.
 * @param {any} given
 * @param {string} [of] the function or option that takes it
 * @returns {Watermark & { key: Uint8Array, window: number, words: number[] }} words: as li_sampler_set_list takes them;
 *   not enumerable, so that what was read can be read again like any other mark
 */
export function readWatermark(given, of = "watermark") {
  checkObject(of, given);
  checkNames(of, given, ["scheme", "key", "window", ...Object.keys(schemeOf)]);
  const { scheme, window = 4, gamma = 0.5, delta = 2, depth = 30 } = given;
  if (!schemes.includes(scheme))
    throw rangeError("out-of-range", `${of}.scheme must be one of ${schemes.join(", ")}, not ${String(scheme)}.`);
  for (const [name, owner] of Object.entries(schemeOf))
    if (given[name] !== undefined && owner !== scheme)
      throw typeError("conflict", `${of}.${name} belongs to the scheme "${owner}", not to "${scheme}".`);
  const key = readKey(of, given.key);
  checkWhole(`${of}.window`, window, 1, WATERMARK_WINDOW);
  checkNumber(`${of}.gamma`, gamma, LEAST, 1 - LEAST);
  checkNumber(`${of}.delta`, delta, LEAST, WATERMARK_DELTA);
  checkWhole(`${of}.depth`, depth, 1, WATERMARK_DEPTH);
  const padded = new Uint8Array(Math.ceil(key.length / 4) * 4);
  padded.set(key);
  const view = new DataView(padded.buffer);
  const words = [
    schemes.indexOf(scheme),
    window,
    depth,
    ...new Uint32Array(Float32Array.of(gamma, delta).buffer),
    key.length,
    ...Array.from({ length: padded.length / 4 }, (_, i) => view.getUint32(4 * i, true)),
  ];
  const own = scheme === "green" ? { gamma, delta } : scheme === "synthid" ? { depth } : {};
  return Object.defineProperty(/** @type {any} */ ({ scheme, key, window, ...own }), "words", { value: words });
}

/**
 * @param {string} of
 * @param {unknown} key
 */
function readKey(of, key) {
  // Encoded, half a surrogate pair is the same as any other: keys that differ would be one.
  if (/\p{Surrogate}/u.test(typeof key === "string" ? key : ""))
    throw rangeError("out-of-range", `${of}.key has half a surrogate pair.`);
  const bytes = typeof key === "string" ? new TextEncoder().encode(key) : key;
  if (!(bytes instanceof Uint8Array)) throw typeError("bad-type", `${of}.key must be a text or a Uint8Array.`);
  if (!bytes.length || bytes.length > WATERMARK_KEY)
    throw rangeError("out-of-range", `${of}.key has ${bytes.length} bytes, but must have 1 to ${WATERMARK_KEY}.`);
  return bytes.slice();
}

/** Lets `resolveOptions` read marks. Without it, the option is refused. */
export function allowWatermarks() {
  readers.watermark = (_row, value, _size, { topK, minKeep = 1 }) => {
    if (topK === 1 && minKeep === 1) throw rangeError("conflict", "watermark needs a topK above 1: 1 leaves no draw.");
    return readWatermark(value);
  };
}
