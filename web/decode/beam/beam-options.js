// The options of beam search, for generate and for outside engines.
import { rangeError, typeError } from "../../core/errors.js";
import { editStages } from "../../sampler/option-table.js";
import { checkOption, spellingsOf } from "../named-options.js";
import { mechanisms } from "./mechanisms.js";

/**
 * The settings of a beam search.
 * @typedef {object} BeamSettings
 * @property {number} width
 * @property {number} lengthPenalty
 * @property {boolean | "never"} earlyStopping
 * @property {number} groups
 * @property {number} diversityPenalty
 */

/** The options of a search under all their names. */
export const beamNames = spellingsOf(["beams", "lengthPenalty", "earlyStopping", "beamGroups", "diversityPenalty"]);

/**
 * @param {Record<string, any>} own
 * @param {number} n
 * @returns {BeamSettings}
 */
export function readBeams(own, n) {
  const { beams, lengthPenalty = 1, earlyStopping = false, beamGroups = 1, diversityPenalty = 0 } = own;
  checkOption("beams", beams);
  checkOption("lengthPenalty", lengthPenalty);
  if (earlyStopping !== "never" && typeof earlyStopping !== "boolean")
    throw rangeError("out-of-range", 'earlyStopping must be true, false or "never".');
  checkOption("beamGroups", beamGroups, beams);
  if (beams % beamGroups)
    throw rangeError(
      "out-of-range",
      `beams must be a multiple of beamGroups, but ${beams} is not a multiple of ${beamGroups}.`,
    );
  checkOption("diversityPenalty", diversityPenalty);
  if (diversityPenalty && beamGroups === 1)
    throw typeError("conflict", "diversityPenalty has no effect without several beamGroups.");
  if (n > beams) throw rangeError("out-of-range", `n is ${n}, but with ${beams} beams at most ${beams}.`);
  return { width: beams, lengthPenalty, earlyStopping, groups: beamGroups, diversityPenalty };
}

/**
 * Refuses options for drawing tokens, because beam search draws none.
 * @param {import("../../sampler/option-table.js").SamplerOptions} given
 */
export function checkSearchable(given) {
  if (given.temperature !== undefined && given.temperature !== 1 && given.temperature !== 0)
    throw typeError("conflict", "beams search for the likeliest text: a temperature has no effect.");
  const stays = [...editStages, "mask", "temperature"];
  for (const { name, stages = [] } of mechanisms(given))
    if (name === "dynatempRange" || name === "draw" || stages.some((stage) => !stays.includes(stage)))
      throw typeError("conflict", `beams search for the likeliest text: ${name} works only when tokens are drawn.`);
  if (given.watermark)
    throw typeError("conflict", "beams search for the likeliest text: watermark works only when tokens are drawn.");
  if (given.minKeep !== undefined && given.minKeep !== 1)
    throw typeError("conflict", "beams search for the likeliest text: minKeep works only when tokens are drawn.");
}
