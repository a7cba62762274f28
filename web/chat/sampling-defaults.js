// Merges a file's recommended sampling options with the caller's.
import { checkSearchable } from "../decode/beam/beam-options.js";
import { spellingsOf } from "../decode/named-options.js";
import { checkTogether, compatibleDefaults } from "../sampler/defaults.js";
import { canonicalNames } from "../sampler/options.js";
import { typeError } from "../core/errors.js";
import { splitOptions } from "../sampler/split-options.js";

/** The options of generate under all their names. */
const names = spellingsOf();

/**
 * Adds a file's recommendations to the caller's options of generate. A recommendation that contradicts one of these is
 * left out.
 * @param {object} options of generate, under any of their names
 * @param {import("../sampler/sampler-types.js").Sampling} sampling model.config.sampling
 * @returns {Record<string, any>} under their canonical names
 * @throws {TypeError} "unknown-option", or "conflict" if an option is given twice
 */
export function withSampling(options, sampling) {
  const { own, others } = splitOptions(options, names);
  const entries = Object.entries(canonicalNames(others)).filter(([, value]) => value !== undefined);
  const given = Object.fromEntries(entries);
  const free = Object.entries(sampling.options).filter(([name]) => !Object.hasOwn(given, name));
  // Options that generate adds.
  const added = { eos: [0], ...(given.forcedLast !== undefined && { maxTokens: own.maxTokens }) };
  const { options: defaults } = compatibleDefaults({ ...added, ...given }, Object.fromEntries(free), (all) => {
    checkTogether(all);
    if (own.beams !== undefined) checkSearchable(/** @type {any} */ (all));
    if (own.penaltyAlpha && all.temperature === 0) throw typeError("conflict", "penaltyAlpha needs several tokens.");
  });
  return { ...own, ...given, ...defaults };
}
