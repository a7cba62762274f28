// The page's state in the address, after the #: small, versioned, and only what differs from the defaults.
import { knobs } from "./playground-knobs.js";

const VERSION = "1";
export const MAX_PROMPT = 2000;
const MAX_SEED = Number.MAX_SAFE_INTEGER;
/** The longest text of an option, and the most chosen tokens. */
const MAX_OPTION = 5000;
/** The prefix of the second column's parameters. */
const SECOND = "b-";

/**
 * What a column is written with.
 * @typedef {object} ColumnState
 * @property {Record<string, number>} settings by the sampler's option names
 * @property {Record<string, string>} more other options by their names, as their fields have them
 * @property {number[]} kept ids with which the text begins: a branch was chosen there
 */

/**
 * @typedef {object} OwnState
 * @property {string} model
 * @property {string} prompt
 * @property {number | null} seed null: a new one
 * @property {number} maxTokens
 * @property {ColumnState | null} second the second column, if there is one
 */

/** @typedef {ColumnState & OwnState} State */

/**
 * @param {State} state
 * @param {State} defaults
 * @returns {string} begins with #
 */
export function writeState(state, defaults) {
  const params = new URLSearchParams({ v: VERSION });
  if (state.model !== defaults.model) params.set("model", state.model);
  if (state.prompt !== defaults.prompt) params.set("prompt", state.prompt);
  writeColumn(params, "", state, defaults);
  if (state.maxTokens !== defaults.maxTokens) params.set("tokens", String(state.maxTokens));
  if (state.seed !== null) params.set("seed", String(state.seed));
  if (state.second) {
    params.set("columns", "2");
    writeColumn(params, SECOND, state.second, defaults);
  }
  return "#" + params;
}

/**
 * @param {URLSearchParams} params
 * @param {string} prefix
 * @param {ColumnState} column
 * @param {State} defaults
 */
function writeColumn(params, prefix, { settings, more, kept }, defaults) {
  for (const { key, param } of knobs)
    if (settings[key] !== defaults.settings[key]) params.set(prefix + param, String(settings[key]));
  for (const [name, text] of Object.entries(more)) params.set(prefix + name, text);
  if (kept.length) params.set(prefix + "kept", kept.join(","));
}

/**
 * Whether the address has settings of the page. It may also name a part of the page, or have settings of a widget (w).
 * @param {string} hash
 */
export const hasState = (hash) => hash.includes("=") && !/[#&]w=/.test(hash);

/**
 * Reads what writeState wrote. Invalid values keep their default and are named in `ignored`. Other options are checked
 * when they are used.
 * @param {string} hash
 * @param {State} defaults
 * @param {string[]} models
 * @returns {{ state: State, ignored: string[] }}
 */
export function readState(hash, defaults, models) {
  const state = { ...defaults, settings: { ...defaults.settings } };
  /** @type {string[]} */
  const ignored = [];
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  if (!hasState(hash)) return { state, ignored };
  if (params.get("v") !== VERSION) return { state, ignored: ["v"] };
  params.delete("v");

  /** @param {string} name @param {(text: string) => boolean} take */
  const read = (name, take) => {
    const text = params.get(name);
    params.delete(name);
    if (text !== null && !take(text)) ignored.push(name);
  };
  read("model", (text) => models.includes(text) && Boolean((state.model = text)));
  read("prompt", (text) => {
    if (text.length > MAX_PROMPT) return false;
    state.prompt = text;
    return true;
  });
  read("tokens", (text) => {
    const value = parseNumber(text, 1, 10_000, true);
    if (value !== null) state.maxTokens = value;
    return value !== null;
  });
  read("seed", (text) => {
    state.seed = parseNumber(text, 0, MAX_SEED, true) ?? state.seed;
    return parseNumber(text, 0, MAX_SEED, true) !== null;
  });
  let columns = 1;
  read("columns", (text) => {
    columns = parseNumber(text, 1, 2, true) ?? 0;
    return columns > 0;
  });
  const second = readColumn(params, SECOND, defaults, ignored);
  if (columns === 2) state.second = second;
  return { state: { ...state, ...readColumn(params, "", defaults, ignored) }, ignored };
}

/**
 * @param {URLSearchParams} params loses what was read
 * @param {string} prefix
 * @param {State} defaults
 * @param {string[]} ignored gets the names of invalid values
 * @returns {ColumnState}
 */
function readColumn(params, prefix, defaults, ignored) {
  const column = { settings: { ...defaults.settings }, more: /** @type {Record<string, string>} */ ({}), kept: [] };
  /** @type {number[]} */
  let kept = column.kept;
  for (const [given, text] of [...params]) {
    if (!given.startsWith(prefix)) continue;
    params.delete(given);
    const name = given.slice(prefix.length);
    const knob = knobs.find(({ param }) => param === name);
    if (knob) {
      const value = parseNumber(text, knob.min, knob.max, knob.isWhole);
      if (value === null) ignored.push(given);
      else column.settings[knob.key] = value;
    } else if (name === "kept" && text.length <= MAX_OPTION) {
      kept = text.split(",").map((part) => parseNumber(part, 0, 2 ** 31, true) ?? -1);
      if (kept.includes(-1)) {
        ignored.push(given);
        kept = [];
      }
    } else if (/^[a-z][A-Za-z]*$/.test(name) && text.length <= MAX_OPTION) column.more[name] = text;
    else ignored.push(given);
  }
  return { ...column, kept };
}

/**
 * @param {string} text
 * @param {number} min
 * @param {number} max
 * @param {boolean} [isWhole]
 */
export function parseNumber(text, min, max, isWhole = false) {
  if (!/^\d+(\.\d+)?$/.test(text.trim())) return null;
  const value = Number(text);
  return value >= min && value <= max && (!isWhole || Number.isSafeInteger(value)) ? value : null;
}

/** A seed of few digits is easy to read out and type. */
export const newSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % 100_000;
