// The copies of models in the browser: what is kept, and how to delete it.
import { partAddresses } from "./worker/address.js";
import { findKept, forget, keptAddresses } from "./worker/file-cache.js";
import { absoluteUrl } from "./source.js";

/**
 * A file of which the browser keeps a copy, or an unfinished download. A model in several files has several.
 * @typedef {object} KeptModel
 * @property {string} address
 * @property {number} bytes that are kept
 * @property {number | null} total bytes of the file; null: the server did not say
 * @property {boolean} isWhole false: the download is unfinished, and the next load goes on with it
 * @property {Date | null} date when its last part came; null for copies of older versions
 */

/**
 * The models that the browser keeps for this origin, the newest first. Where nothing is kept, as in Node: none.
 * @returns {Promise<KeptModel[]>}
 */
export async function models() {
  const addresses = await keptAddresses();
  const found = await Promise.all(addresses.map(describe));
  return found.sort((a, b) => Number(b.date) - Number(a.date));
}

/** @param {string} address @returns {Promise<KeptModel>} */
async function describe(address) {
  const kept = await findKept(address);
  if (!kept) return { address, bytes: 0, total: null, isWhole: false, date: null };
  const { validators, date } = kept.manifest;
  const total = kept.isWhole ? kept.bytes : Number(validators.length) || null;
  return { address, bytes: kept.bytes, total, isWhole: kept.isWhole, date: date === undefined ? null : new Date(date) };
}

/**
 * Deletes the copy of a model, an unfinished one too. A model that is loaded goes on.
 * @param {string | URL} source the address that loadModel was given; of a model in several files, that of the first
 * @returns {Promise<boolean>} whether something was kept
 */
export async function removeModel(source) {
  const address = absoluteUrl(source);
  const kept = await keptAddresses();
  const found = (partAddresses(address) ?? [address]).filter((one) => kept.includes(one));
  await Promise.all(found.map(forget));
  return found.length > 0;
}
