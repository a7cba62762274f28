// What the browser keeps of models, their copies and prefixes of prompts, and how to delete it.
import { partAddresses } from "./worker/address.js";
import { findKept, forget, keptAddresses } from "./worker/file-cache.js";
import { keptPrefixes, removePrefix } from "./worker/kept-prefixes.js";
import { absoluteUrl } from "./source.js";

/**
 * A file of which the browser keeps a copy, an unfinished download, or prefixes of prompts. A model in several files has
 * several; the prefixes are those of the first.
 * @typedef {object} KeptModel
 * @property {string} address `lastinch-file:` and the file's hash, for prefixes of a model that the page loaded from bytes
 * @property {number} bytes of the file that are kept, 0 if there are only prefixes
 * @property {number | null} total bytes of the file; null: the server did not say
 * @property {boolean | null} isWhole false: the download is unfinished, and the next load goes on with it; null: there is
 *   no copy, only prefixes
 * @property {Date | null} date when its last part came, or without a copy when a prefix was last used; null for copies of
 *   older versions
 * @property {KeptPrefix[]} prefixes that `model.keepPrefix` has kept, the most recently used first
 */

/**
 * @typedef {object} KeptPrefix
 * @property {number} tokens
 * @property {number} bytes
 * @property {Date} date when it was last used
 * @property {boolean} isWhole false: a tab is storing it, or was closed meanwhile; the next keepPrefix deletes it then
 */

/**
 * The models that the browser keeps for this origin, the newest first. Where nothing is kept, as in Node: none.
 * @returns {Promise<KeptModel[]>}
 */
export async function models() {
  const [addresses, prefixes] = await Promise.all([keptAddresses(), keptPrefixes()]);
  const all = new Set([...addresses, ...prefixes.flatMap((one) => one.addresses)]);
  const found = await Promise.all(
    [...all].map((address) =>
      describe(
        address,
        prefixes.filter((one) => one.addresses.includes(address)),
      ),
    ),
  );
  return found.sort((a, b) => Number(b.date) - Number(a.date));
}

/**
 * @param {string} address
 * @param {import("./worker/kept-prefixes.js").Found[]} found
 * @returns {Promise<KeptModel>}
 */
async function describe(address, found) {
  const prefixes = found
    .map(({ ids, bytes, used, isWhole }) => ({ tokens: ids.length, bytes, date: new Date(used), isWhole }))
    .reverse();
  const kept = await findKept(address);
  // An unfinished download may have lost its list.
  const isWhole = prefixes.length ? null : false;
  if (!kept) return { address, bytes: 0, total: null, isWhole, date: prefixes[0]?.date ?? null, prefixes };
  const { validators, date } = kept.manifest;
  const { bytes } = kept;
  const total = kept.isWhole ? bytes : Number(validators.length) || null;
  return { address, bytes, total, isWhole: kept.isWhole, date: date === undefined ? null : new Date(date), prefixes };
}

/**
 * Deletes the copy of a model, an unfinished one too, and its prefixes of prompts. A model that is loaded goes on.
 * @param {string | URL} source the address that loadModel was given; of a model in several files, that of the first
 * @returns {Promise<boolean>} whether something was kept
 */
export async function removeModel(source) {
  const address = absoluteUrl(source);
  const [kept, prefixes] = await Promise.all([keptAddresses(), keptPrefixes()]);
  const found = (partAddresses(address) ?? [address]).filter((one) => kept.includes(one));
  const beside = prefixes.filter((one) => one.addresses.includes(address));
  // A damaged list does not say of which model it is.
  const damaged = prefixes.filter((one) => !one.ids.length);
  await Promise.all([...found.map(forget), ...[...beside, ...damaged].map(removePrefix)]);
  return found.length + beside.length > 0;
}
