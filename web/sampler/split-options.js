// Splits options, for functions that also take the options of samplers.
import { isSamplerOption, unknownOption } from "./options.js";
import { typeError } from "../core/errors.js";
import { allowWatermarks } from "./watermark-options.js";

allowWatermarks();

/**
 * Splits options into the function's own, by canonical names and without undefined values, and the sampler's.
 * @param {object} options
 * @param {Record<string, string>} names the function's own options, under all their names
 */
export function splitOptions(options, names) {
  /** @type {Record<string, any>} */
  const own = {};
  /** @type {Record<string, any>} */
  const others = {};
  for (const [name, value] of Object.entries(options)) {
    const ownName = Object.hasOwn(names, name) ? names[name] : undefined;
    if (!ownName && !isSamplerOption(name)) throw unknownOption(name, [...new Set(Object.values(names))]);
    if (ownName && value !== undefined && own[ownName] !== undefined)
      throw typeError("conflict", `${ownName} is given twice, under two names.`);
    if (!ownName) others[name] = value;
    else if (value !== undefined) own[ownName] = value;
  }
  return { own, others };
}
