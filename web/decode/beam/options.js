// The options of beam search, for generate and for outside engines.
import { rangeError, typeError } from "../../core/errors.js";
import { checkOption, spellingsOf } from "../named-options.js";
import { editStages, optionTable } from "../../sampler/option-table.js";

/**
 * How a text is searched for with beams.
 * @typedef {object} BeamSettings
 * @property {number} width
 * @property {number} lengthPenalty
 * @property {boolean | "never"} earlyStopping
 * @property {number} groups
 * @property {number} diversityPenalty
 */

/** The options of a search by all their spellings. */
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
    throw rangeError("out-of-range", `beams must be a multiple of beamGroups, but ${beams} is none of ${beamGroups}.`);
  checkOption("diversityPenalty", diversityPenalty);
  if (diversityPenalty && beamGroups === 1)
    throw typeError("conflict", "diversityPenalty means nothing without several beamGroups.");
  if (n > beams) throw rangeError("out-of-range", `n is ${n}, but with ${beams} beams at most ${beams}.`);
  return { width: beams, lengthPenalty, earlyStopping, groups: beamGroups, diversityPenalty };
}

/**
 * The options that do something.
 * @param {Record<string, any>} given
 */
function switchedOn(given) {
  return optionTable.filter(({ name, isSwitch, default: usual, type }) => {
    const value = given[name];
    if (value === undefined || value === usual || (name === "adaptiveTarget" && value < 0)) return false;
    return isSwitch || type === "grammar" || value.length > 0;
  });
}

/**
 * Refuses what only means something when tokens are drawn: a search takes the best.
 * @param {import("../../sampler/option-table.js").SamplerOptions} given
 */
export function checkSearchable(given) {
  if (given.temperature !== undefined && given.temperature !== 1 && given.temperature !== 0)
    throw typeError("conflict", "beams search for the likeliest text: a temperature has no say in that.");
  const stays = [...editStages, "mask", "temperature"];
  for (const { name, stages = [] } of switchedOn(given))
    if (name === "dynatempRange" || name === "draw" || stages.some((stage) => !stays.includes(stage)))
      throw typeError("conflict", `beams search for the likeliest text: ${name} is for texts that are drawn.`);
  if (given.minKeep !== undefined && given.minKeep !== 1)
    throw typeError("conflict", "beams search for the likeliest text: minKeep is for texts that are drawn.");
}

/**
 * Whether the options change log-probabilities: bans do not, because they make no other token likelier.
 * @param {import("../../sampler/option-table.js").SamplerOptions} given
 */
export function isEdited(given) {
  const bans = ["bannedTokens", "badWords", "noRepeatNgram", "minTokens"];
  return switchedOn(given).some(
    ({ name, stages = [] }) =>
      name.startsWith("forced") || (!bans.includes(name) && stages.some((stage) => editStages.includes(stage))),
  );
}

/**
 * Whether what the options do to a row depends on the tokens before it.
 * @param {import("../../sampler/option-table.js").SamplerOptions} given
 */
export function isHistoric(given) {
  const constant = ["bias", "temperature"];
  return switchedOn(given).some(
    ({ name, stages = [] }) =>
      name.startsWith("forced") || stages.some((stage) => stage !== "mask" && !constant.includes(stage)),
  );
}
