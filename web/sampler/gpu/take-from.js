// What a sampler does with a row on a GPU: kernels bring a part of it, from which C chooses, or says that it needs the
// whole row. Loaded at the first such row.
import { LastInchError, isLastInchError, rangeError, typeError } from "../../core/errors.js";
import { checkBoolean, checkNames, checkWhole } from "../../core/arguments.js";
import * as layout from "../../core/layouts.js";
import { allocated } from "../../core/memory.js";
import { stageNames } from "../option-table.js";
import { Sampler } from "../sampler.js";
import { openDecode } from "../decode-module.js";
import { ROW_USAGE, compiledOf, kernelsOf } from "./kernels.js";

/** @typedef {import("../gpu-sampler.js").GpuSampler} GpuSampler */
/** @typedef {import("./device-types.js").Device} Device */
/** @typedef {import("./device-types.js").DeviceBuffer} DeviceBuffer */
/** @typedef {import("./device-types.js").RowOnDevice} RowOnDevice */
/** @typedef {Awaited<ReturnType<typeof openDecode>>} Instance */
/** @typedef {import("./kernels.js").Row} Row */

/** The ids, the part and the listed logits, in the memory of each instance. @type {WeakMap<Instance, number>} */
const scratches = new WeakMap();
const IDS_BYTES = 4 * (layout.LISTED_LIMIT + layout.PART_TOKENS_LIMIT);

/** @param {Instance} instance */
function scratchIn(instance) {
  let scratch = scratches.get(instance);
  if (!scratch) {
    scratch = allocated(instance.exports.li_memory_alloc(IDS_BYTES + layout.PART_SIZE + 4 * layout.LISTED_LIMIT));
    scratches.set(instance, scratch);
  }
  return scratch;
}

/** The sampler of each vocabulary size that was moved last. @type {Map<number, WeakRef<GpuSampler>>} */
const movedLast = new Map();

/**
 * Moves a sampler, with its state, from sampler.wasm to decode.wasm, which can choose from parts. Samplers of one
 * vocabulary size share scratch memory there, as clones do.
 * @param {GpuSampler} sampler
 * @param {Instance} instance
 */
function move(sampler, instance) {
  if (sampler.instance === instance) return;
  const { vocabSize } = sampler;
  const last = movedLast.get(vocabSize)?.deref();
  const snapshot = sampler.snapshot();
  const beside = last?.instance === instance ? last.address : undefined;
  const moved = new Sampler(instance, /** @type {any} */ (snapshot).options, beside);
  try {
    moved.restore(snapshot);
    const [from, to] = [sampler, moved].map(({ instance: { exports, views }, address }) => {
      const chosen = views().words[(exports.li_sampler_get_arrays(address) >>> 2) + layout.SAMPLER_ARRAYS_CHOSEN];
      return views().bytes.subarray(chosen, chosen + layout.CHOSEN_SIZE);
    });
    to.set(from);
    sampler.replace(moved);
  } catch (error) {
    moved.dispose();
    throw error;
  }
  movedLast.set(vocabSize, new WeakRef(sampler));
}

/**
 * @param {GpuSampler} sampler
 * @param {DeviceBuffer} buffer
 * @param {RowOnDevice} location
 * @returns {Row}
 */
function checkedRow(sampler, buffer, location) {
  checkNames("a row on a GPU", location, ["device", "offset", "type", "wake"]);
  const { device, offset = 0, type = "f32", wake = false } = location;
  checkBoolean("wake", wake);
  if (!device?.queue) throw typeError("bad-type", "device must be the GPUDevice of the buffer.");
  if (type !== "f32" && type !== "f16") throw typeError("bad-type", 'type must be "f32" or "f16".');
  checkWhole("offset", offset, 0, 2 ** 53 - 256);
  if (offset % 256) throw rangeError("out-of-range", `offset must be a multiple of 256, but is ${offset}.`);
  if (!((buffer?.usage & ROW_USAGE) === ROW_USAGE))
    throw typeError("gpu-buffer", "The buffer must be a GPUBuffer with the usages STORAGE and COPY_SRC.");
  const { vocabSize, tokenCount } = sampler;
  // Bindings and copies are of whole words.
  const bytes = type === "f16" ? 4 * Math.ceil(vocabSize / 2) : 4 * vocabSize;
  if (offset + bytes > buffer.size)
    throw rangeError("wrong-length", `The row takes ${offset + bytes} bytes, but the buffer has ${buffer.size}.`);
  return { buffer, offset, bytes, isHalf: type === "f16", tokenCount, wake };
}

/**
 * What a device answers. Errors of WebGPU become ours.
 * @template T
 * @param {Device} device
 * @param {() => Promise<T>} work calls the device before its first await only
 * @returns {Promise<T>}
 */
async function answer(device, work) {
  try {
    device.pushErrorScope("out-of-memory");
    device.pushErrorScope("validation");
    const settled = Promise.allSettled([work()]);
    const [[result], invalid, full] = await Promise.all([settled, device.popErrorScope(), device.popErrorScope()]);
    if (result.status === "rejected" && isLastInchError(result.reason)) throw result.reason;
    // What fails for want of memory is also invalid.
    if (full) throw new LastInchError("out-of-memory", "The device has no memory for the kernels' buffers.");
    if (invalid) throw typeError("gpu-buffer", `The device refuses the buffer: ${invalid.message}`);
    if (result.status === "rejected") throw result.reason;
    return result.value;
  } catch (cause) {
    if (isLastInchError(cause)) throw cause;
    const detail = "The device is lost, or cannot run the kernels: use sample with a row.";
    throw new LastInchError("gpu-lost", detail, { cause });
  }
}

/**
 * @param {GpuSampler} sampler
 * @param {"sample" | "distribution" | "information"} method
 * @param {DeviceBuffer} buffer
 * @param {RowOnDevice} location
 * @param {{ token?: number, top?: number }} [informationOptions]
 */
export async function takeFrom(sampler, method, buffer, location, informationOptions) {
  /**
   * Calls methods of the sampler, which throw while it is busy, or if it has been disposed of meanwhile.
   * @template T @param {() => T} work
   */
  const inside = (work) => {
    sampler.isBusy = false;
    try {
      void sampler.vocabSize; // throws
      return work();
    } finally {
      sampler.isBusy = true;
    }
  };
  const row = checkedRow(sampler, buffer, location);
  const { device } = location;
  const { vocabSize } = sampler;
  // As information does, but before the row is read.
  const { token = 0, top = 0 } = informationOptions ?? {};
  checkWhole("token", token, 0, vocabSize - 1);
  checkWhole("top", top, 0, vocabSize);
  const [kernels, instance] = await Promise.all([
    compiledOf(device) ?? answer(device, () => kernelsOf(device)),
    openDecode(),
  ]);
  inside(() => move(sampler, instance));
  const { exports, views } = instance;
  /** @type {ReturnType<typeof kernels.take> | undefined} */
  let lane;
  /** @type {import("../gpu-sampler.js").RowRead} */
  const read = { bytes: 0, tokens: 0, gathered: 0, isWhole: false };
  try {
    if (method !== "information") {
      const ids = scratchIn(instance);
      const part = ids + IDS_BYTES;
      const [mask, count] = inside(() => [sampler.fillMask(), exports.li_sampler_part_ids(sampler.address, ids)]);
      if (count <= layout.LISTED_LIMIT) {
        const listed = views().words.slice(ids >>> 2, (ids >>> 2) + count);
        const words = await answer(device, () => (lane = kernels.take(vocabSize)).readPart(row, listed, mask));
        const [tokens] = new Uint32Array(words.buffer, words.byteOffset + 4 * layout.PART_COUNT, 1);
        Object.assign(read, { bytes: words.length, tokens, gathered: count });
        const result = inside(() => {
          views().words.set(listed, ids >>> 2); // other samplers use the same memory
          views().bytes.set(words, part);
          const isDraw = method === "sample";
          const choose = isDraw ? exports.li_sampler_choose_part : exports.li_sampler_distribution_part;
          const chosen = choose(sampler.address, part, ids, part + layout.PART_SIZE, count);
          const stage = exports.li_sampler_part_stage(sampler.address);
          if (stage) read.stage = stageNames[stage];
          if (chosen === layout.NEEDS_ROW) return undefined;
          if (isDraw) sampler.emit(chosen);
          return isDraw ? chosen : sampler.survivors(chosen);
        });
        if (result !== undefined) return result;
      }
    }
    Object.assign(read, { bytes: read.bytes + row.bytes, isWhole: true });
    const { buffer: memory } = await answer(device, () => (lane ??= kernels.take(vocabSize)).readRow(row));
    const logits = row.isHalf ? new Uint16Array(memory, 0, vocabSize) : new Float32Array(memory, 0, vocabSize);
    return inside(() =>
      method === "information" ? sampler.information(logits, informationOptions) : sampler[method](logits),
    );
  } catch (error) {
    if (lane) lane.isSound = !/^gpu-|^out-of-memory$/.test(/** @type {any} */ (error).code);
    throw error;
  } finally {
    sampler.lastRead = read;
    if (lane) kernels.release(lane);
  }
}
