// A sampler that also takes rows that lie on a GPU. The code for them is fetched at the first such row.
import { LastInchError } from "../core/errors.js";
import { Sampler } from "./sampler.js";

/** @typedef {import("./gpu/device-types.js").DeviceBuffer} DeviceBuffer */
/** @typedef {import("./gpu/device-types.js").RowOnDevice} RowOnDevice */

/**
 * What was read of a row on a GPU.
 * @typedef {object} RowRead
 * @property {number} bytes
 * @property {number} tokens that the device has listed, with their logits
 * @property {number} gathered logits of tokens that the options may change
 * @property {boolean} isWhole the row, too: the part did not prove the choice
 * @property {string} [stage] the stage whose cut dropped all that was left on the device; if isWhole, the one that might
 *   have kept some of it. Missing: no stage cut it, because nothing was left there that may be chosen, or no option cuts
 */

/** @type {typeof import("./gpu/take-from.js") | undefined} */
let loaded;

export class GpuSampler extends Sampler {
  /** What the last call on a row on a GPU has read. @type {RowRead | undefined} */
  lastRead;

  /**
   * Chooses a token from a row on a GPU and accepts it: the token that `sample` chooses from the same logits. Usually a few
   * kilobytes are read. Until the token is known nothing changes, and other calls are errors ("busy").
   * @param {DeviceBuffer} buffer with the usages STORAGE and COPY_SRC
   * @param {RowOnDevice} location
   * @returns {Promise<number>} token id
   * @throws {TypeError} "gpu-buffer": the buffer lacks a usage or belongs to another device
   * @throws {RangeError} "wrong-length": the buffer is too short; "out-of-range": the offset is not a multiple of 256
   * @throws {LastInchError} "busy", "gpu-lost", "out-of-memory", and the errors of sample
   */
  sampleFrom(buffer, location) {
    return this.#from("sample", buffer, location);
  }

  /**
   * As distribution, of a row on a GPU.
   * @param {DeviceBuffer} buffer
   * @param {RowOnDevice} location
   * @returns {Promise<import("./sampler-types.js").Distribution>}
   */
  distributionFrom(buffer, location) {
    return this.#from("distribution", buffer, location);
  }

  /**
   * As information, of a row on a GPU, which is read whole: raw numbers depend on all logits.
   * @param {DeviceBuffer} buffer
   * @param {RowOnDevice & { token?: number, top?: number }} location
   * @returns {Promise<ReturnType<Sampler["information"]>>}
   */
  informationFrom(buffer, location) {
    const { token, top, ...rest } = Object(location);
    return this.#from("information", buffer, rest, { token, top });
  }

  /** @param {Parameters<Sampler["clone"]>} given @returns {GpuSampler} */
  clone(...given) {
    return /** @type {GpuSampler} */ (super.clone(...given));
  }

  /**
   * @param {"sample" | "distribution" | "information"} method
   * @param {DeviceBuffer} buffer
   * @param {RowOnDevice} location
   * @param {{ token?: number, top?: number }} [informationOptions]
   * @returns {Promise<any>}
   */
  async #from(method, buffer, location, informationOptions) {
    if (this.isBusy) throw new LastInchError("busy");
    this.isBusy = true;
    try {
      loaded ??= await import("./gpu/take-from.js");
      return await loaded.takeFrom(this, method, buffer, location, informationOptions);
    } finally {
      this.isBusy = false;
    }
  }
}
