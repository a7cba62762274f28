// The page's state in the address, after the #: small, versioned, and only what differs from the defaults.
import { knobs } from "./knobs.js";

const VERSION = "1";
export const MAX_PROMPT = 2000;
const MAX_SEED = Number.MAX_SAFE_INTEGER;

/**
 * @typedef {object} State
 * @property {string} model
 * @property {string} prompt
 * @property {Record<string, number>} settings by the sampler's option names
 * @property {number | null} seed null: a new one
 * @property {number} maxTokens
 */

/**
 * @param {State} state
 * @param {State} defaults
 * @returns {string} begins with #
 */
export function writeState(state, defaults) {
  const params = new URLSearchParams({ v: VERSION });
  if (state.model !== defaults.model) params.set("model", state.model);
  if (state.prompt !== defaults.prompt) params.set("prompt", state.prompt);
  for (const { key, param } of knobs)
    if (state.settings[key] !== defaults.settings[key]) params.set(param, String(state.settings[key]));
  if (state.maxTokens !== defaults.maxTokens) params.set("tokens", String(state.maxTokens));
  if (state.seed !== null) params.set("seed", String(state.seed));
  return "#" + params;
}

/**
 * Whether the address carries settings of the page: it may also point to a part of it, or carry those of a widget (w).
 * @param {string} hash
 */
export const hasState = (hash) => hash.includes("=") && !/[#&]w=/.test(hash);

/**
 * Reads what writeState wrote. Whatever is not valid keeps its default and is named in `ignored`.
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

  /** @param {string} name @param {(text: string) => boolean} take */
  const read = (name, take) => {
    const text = params.get(name);
    if (text !== null && !take(text)) ignored.push(name);
  };
  read("model", (text) => models.includes(text) && Boolean((state.model = text)));
  read("prompt", (text) => {
    if (text.length > MAX_PROMPT) return false;
    state.prompt = text;
    return true;
  });
  for (const { key, param, min, max, isWhole } of knobs)
    read(param, (text) => {
      const value = parseNumber(text, min, max, isWhole);
      if (value !== null) state.settings[key] = value;
      return value !== null;
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
  return { state, ignored };
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

/** A seed of few digits, which is easy to read out and to type. */
export const newSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % 100_000;
