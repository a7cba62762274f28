// Says whether the sampler's options change log-probabilities in beam search, and whether they depend on the text so
// far.
import { editStages } from "../../sampler/option-table.js";
import { switchedOn } from "../../sampler/options.js";

/**
 * The rows of the options that switch a mechanism on.
 * @param {Record<string, any>} given
 */
export const mechanisms = (given) =>
  switchedOn(given).filter(({ name, isSwitch, type }) => isSwitch || type === "grammar" || given[name].length > 0);

/**
 * Whether the options change log-probabilities. Bans do not, because beam search does not renormalise.
 * @param {import("../../sampler/option-table.js").SamplerOptions} given
 */
export function isEdited(given) {
  const bans = ["bannedTokens", "badWords", "noRepeatNgram", "minTokens"];
  return mechanisms(given).some(
    ({ name, stages = [] }) =>
      name.startsWith("forced") || (!bans.includes(name) && stages.some((stage) => editStages.includes(stage))),
  );
}

/**
 * Whether the effect of the options depends on the tokens before the row.
 * @param {import("../../sampler/option-table.js").SamplerOptions} given
 */
export function isHistoric(given) {
  const constant = ["bias", "temperature"];
  return mechanisms(given).some(
    ({ name, stages = [] }) =>
      name.startsWith("forced") || stages.some((stage) => stage !== "mask" && !constant.includes(stage)),
  );
}
