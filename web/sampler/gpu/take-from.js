// What a sampler does with a row on a GPU: kernels bring a part of it, from which C chooses, or says that it needs the
// whole row. Loaded at the first such row.
import { LastInchError, isLastInchError, rangeError, typeError } from "../../core/errors.js";
import { checkNames, checkWhole } from "../../core/arguments.js";
import { CHOSEN_SIZE, NEEDS_ROW, PART_LISTED, PART_TOKENS, SAMPLER_ARRAYS_CHOSEN } from "../../core/layouts.js";
import { allocated } from "../../core/memory.js";
import { Sampler } from "../sampler.js";
import { openDecode } from "../decode-module.js";
import { PART_BYTES, ROW_USAGE, kernelsOf } from "./kernels.js";

/** @typedef {import("../gpu-sampler.js").GpuSampler} GpuSampler */
/** @typedef {import("./device-types.js").Device} Device */
/** @typedef {import("./device-types.js").DeviceBuffer} DeviceBuffer */
/** @typedef {import("./device-types.js").RowOnDevice} RowOnDevice */
/** @typedef {Awaited<ReturnType<typeof openDecode>>} Instance */
/** @typedef {import("./kernels.js").Row} Row */

/** Room for the ids, the part and the listed logits, in the memory of each instance. @type {WeakMap<Instance, number>} */
const rooms = new WeakMap();
const IDS_BYTES = 4 * (PART_LISTED + PART_TOKENS);

/** @param {Instance} instance */
function roomIn(instance) {
  let room = rooms.get(instance);
  if (!room) {
    room = allocated(instance.exports.li_memory_alloc(IDS_BYTES + PART_BYTES + 4 * PART_LISTED));
    rooms.set(instance, room);
  }
  return room;
}

/**
 * Moves a sampler, with its state, from sampler.wasm to decode.wasm, which can choose from parts.
 * @param {GpuSampler} sampler
 * @param {Instance} instance
 */
function move(sampler, instance) {
  if (sampler.instance === instance) return;
  const snapshot = sampler.snapshot();
  const moved = new Sampler(instance, /** @type {any} */ (snapshot).options);
  moved.restore(snapshot);
  const [from, to] = [sampler, moved].map(({ instance: { exports, views }, address }) => {
    const chosen = views().words[(exports.li_sampler_get_arrays(address) >>> 2) + SAMPLER_ARRAYS_CHOSEN];
    return views().bytes.subarray(chosen, chosen + CHOSEN_SIZE);
  });
  to.set(from);
  sampler.replace(moved);
}

/**
 * @param {GpuSampler} sampler
 * @param {DeviceBuffer} buffer
 * @param {RowOnDevice} place
 * @returns {Row}
 */
function checkedRow(sampler, buffer, place) {
  checkNames("A row on a GPU", place, ["device", "offset", "type"]);
  const { device, offset = 0, type = "f32" } = place;
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
  return { buffer, offset, bytes, isHalf: type === "f16", tokenCount };
}

/**
 * What a device answers. Errors of WebGPU become ours.
 * @template T
 * @param {Device} device
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function answer(device, work) {
  try {
    device.pushErrorScope("validation");
    const [result, error] = await Promise.all([work(), device.popErrorScope()]);
    if (!error) return result;
    throw typeError("gpu-buffer", `The device refuses the buffer: ${error.message}`);
  } catch (cause) {
    if (isLastInchError(cause)) throw cause;
    throw new LastInchError("gpu-lost", "The device is lost, or cannot run the kernels: sample takes rows.", { cause });
  }
}

/**
 * @param {GpuSampler} sampler
 * @param {"sample" | "distribution" | "information"} what
 * @param {DeviceBuffer} buffer
 * @param {RowOnDevice} place
 * @param {{ token?: number, top?: number }} [about]
 */
export async function takeFrom(sampler, what, buffer, place, about) {
  /** Calls the sampler, which is busy for all others. @template T @param {() => T} work */
  const inside = (work) => {
    sampler.isBusy = false;
    try {
      return work();
    } finally {
      sampler.isBusy = true;
    }
  };
  const row = checkedRow(sampler, buffer, place);
  const { device } = place;
  const { vocabSize } = sampler;
  const [kernels, instance] = await Promise.all([answer(device, () => kernelsOf(device)), openDecode()]);
  inside(() => move(sampler, instance));
  const { exports, views } = instance;
  const lane = kernels.take(vocabSize);
  try {
    if (what !== "information") {
      const ids = roomIn(instance);
      const part = ids + IDS_BYTES;
      const listIds = () => exports.li_sampler_part_ids(sampler.address, ids);
      const mask = inside(() => sampler.fillMask());
      const count = listIds();
      if (count <= PART_LISTED) {
        const listed = views().words.subarray(ids >>> 2, (ids >>> 2) + count);
        const words = await answer(device, () => lane.readPart(row, listed, mask));
        const result = inside(() => {
          void sampler.vocabSize; // throws if the sampler has been disposed of
          listIds(); // other samplers use the same room
          views().bytes.set(words, part);
          const isDraw = what === "sample";
          const choose = isDraw ? exports.li_sampler_choose_part : exports.li_sampler_distribution_part;
          const chosen = choose(sampler.address, part, ids, part + PART_BYTES, count);
          if (chosen === NEEDS_ROW) return undefined;
          if (isDraw) sampler.emit(chosen);
          return isDraw ? chosen : sampler.survivors(chosen);
        });
        if (result !== undefined) return result;
      }
    }
    const { buffer: memory } = await answer(device, () => lane.readRow(row));
    const logits = row.isHalf ? new Uint16Array(memory, 0, vocabSize) : new Float32Array(memory, 0, vocabSize);
    return inside(() => (what === "information" ? sampler.information(logits, about) : sampler[what](logits)));
  } catch (error) {
    lane.isSound = !/^gpu-/.test(/** @type {any} */ (error).code);
    throw error;
  } finally {
    kernels.release(lane);
  }
}
