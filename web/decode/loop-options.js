// Reads what counts as a loop: the option `loops` of generate, and the options of a detector.
import { checkNames, checkObject, checkWhole } from "../core/arguments.js";
import { rangeError, typeError } from "../core/errors.js";
import { LoopDetector } from "./loop-detector.js";

/** @typedef {import("./loop-detector.js").LoopLimits} LoopLimits */

/**
 * @typedef {object} LoopOptions
 * @property {readonly [least: number, most: number]} [period] of a turn, in tokens, and in words where the words are
 *   the same and the tokens are not. Default: [1, 128]; at most 1024
 * @property {number} [turns] complete turns that make a loop. Default: 3; 2 or more
 * @property {number} [least] tokens that all turns together have. Default: 48
 */

/** @typedef {LoopLimits & { action: "stop" | "redraw", redraws: number }} LoopSettings */

/**
 * @param {any} options
 * @returns {LoopLimits}
 */
function readLoopLimits({ period = [1, 128], turns = 3, least = 48 }) {
  if (!Array.isArray(period) || period.length !== 2)
    throw typeError("bad-type", "loops.period must be a list of two numbers: the least and the most tokens of a turn.");
  for (const end of period) checkWhole("loops.period", end, 1, 1024);
  if (period[0] > period[1]) throw rangeError("out-of-range", `loops.period must ascend, but is ${period.join(", ")}.`);
  checkWhole("loops.turns", turns, 2, 1e6);
  checkWhole("loops.least", least, 1, 1e6);
  return { period: [period[0], period[1]], turns, least };
}

/** How often a text is taken back, where the caller does not say. */
const REDRAWS = 8;

/**
 * Reads the option `loops` of generate.
 * @param {any} loops
 * @returns {LoopSettings | undefined} undefined: loops are ignored
 */
export function readLoops(loops = "ignore") {
  const given = typeof loops === "string" ? { action: loops } : loops;
  checkObject("loops", given);
  checkNames("loops", given, ["period", "turns", "least", "action", "redraws"]);
  const { action = "stop", redraws, ...rest } = given;
  if (!["ignore", "stop", "redraw"].includes(action))
    throw rangeError("out-of-range", `loops must be "ignore", "stop" or "redraw", not ${JSON.stringify(action)}.`);
  if (redraws !== undefined && action !== "redraw")
    throw typeError("conflict", 'loops.redraws has no effect unless loops.action is "redraw".');
  if (redraws !== undefined) checkWhole("loops.redraws", redraws, 1, 1e6);
  const limits = readLoopLimits(rest);
  return action === "ignore" ? undefined : { ...limits, action, redraws: redraws ?? REDRAWS };
}

/**
 * The same for an engine that cannot take back what it has written.
 * @param {any} loops
 */
export function readLoopStop(loops) {
  const read = readLoops(loops);
  if (read?.action === "redraw")
    throw typeError(
      "conflict",
      'loops "redraw" takes back what was written, which only generate, complete, chat and answer can do.',
    );
  return read;
}

/**
 * A detector of loops in one text, for any engine. Detection is exact: a loop is found at the token that completes it.
 * A token costs less than a microsecond with the default periods, however long the text is.
 * @param {LoopOptions} [options]
 * @returns {LoopDetector}
 * @throws {TypeError | RangeError} "unknown-option", "bad-type", "out-of-range"
 */
export function createLoopDetector(options = {}) {
  checkNames("createLoopDetector", options, ["period", "turns", "least"]);
  return new LoopDetector(readLoopLimits(options));
}
