// The three passes on one device, and the buffers that they need.
import { PART_LISTED, PART_TOKENS } from "../../core/layouts.js";
import { compactionPass } from "./compaction-pass.js";
import { histogramPass } from "./histogram-pass.js";
import { peakPass } from "./peak-pass.js";
import { TOKENS, rowWords } from "./row-words.js";

/** @typedef {import("./device-types.js").Device} Device */
/** @typedef {import("./device-types.js").DeviceBuffer} DeviceBuffer */

// Numbers of WebGPU's GPUBufferUsage and GPUMapMode, which Node does not have.
const MAP_READ = 1;
const COPY_SRC = 4;
const COPY_DST = 8;
const UNIFORM = 64;
const STORAGE = 128;
export const ROW_USAGE = STORAGE | COPY_SRC;

/** Bytes of an li_part. The logits of the listed tokens follow. */
export const PART_BYTES = 4 * (TOKENS + 2 * PART_TOKENS);

/** Words of the part that must be 0 before the passes. */
const CLEARED = 4 * TOKENS;

const LOGITS_OF_THREAD = 16;

/**
 * A row, and what to read of it.
 * @typedef {object} Row
 * @property {DeviceBuffer} buffer
 * @property {number} offset
 * @property {number} bytes
 * @property {boolean} isHalf
 * @property {number} tokenCount
 */

/** @type {WeakMap<Device, Promise<Kernels>>} */
const ofDevices = new WeakMap();

/** The kernels of a device, which are compiled once. @param {Device} device */
export function kernelsOf(device) {
  let kernels = ofDevices.get(device);
  if (!kernels) {
    kernels = Kernels.compile(device);
    ofDevices.set(device, kernels);
    kernels.catch(() => ofDevices.delete(device));
  }
  return kernels;
}

class Kernels {
  /** Lanes that no step uses, by the size of a row. @type {Map<number, Lane[]>} */
  #idle = new Map();

  /** @param {Device} device @param {any} layout @param {any[]} pipelines @param {number} threads */
  constructor(device, layout, pipelines, threads) {
    this.device = device;
    this.layout = layout;
    this.pipelines = pipelines;
    this.threads = threads;
  }

  /** @param {Device} device */
  static async compile(device) {
    const { maxComputeInvocationsPerWorkgroup: most, maxComputeWorkgroupSizeX: wide } = device.limits;
    const threads = Math.min(256, most, wide);
    const types = ["read-only-storage", "read-only-storage", "read-only-storage", "storage", "uniform"];
    const layout = device.createBindGroupLayout({
      entries: types.map((type, binding) => ({ binding, visibility: 4, buffer: { type } })),
    });
    const pipelines = await Promise.all(
      [peakPass, histogramPass, compactionPass].map((pass) =>
        device.createComputePipelineAsync({
          layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
          compute: { module: device.createShaderModule({ code: rowWords + pass }), constants: { threads } },
        }),
      ),
    );
    return new Kernels(device, layout, pipelines, threads);
  }

  /**
   * Buffers for one step at a time. Give them back with `release`.
   * @param {number} vocabSize
   * @returns {Lane}
   */
  take(vocabSize) {
    return this.#idle.get(vocabSize)?.pop() ?? new Lane(this, vocabSize);
  }

  /** Ends the use of what a lane has read. @param {Lane} lane */
  release(lane) {
    if (!lane.isSound) return lane.destroy();
    lane.unmap();
    const idle = this.#idle.get(lane.vocabSize);
    if (idle) idle.push(lane);
    else this.#idle.set(lane.vocabSize, [lane]);
  }
}

class Lane {
  /** No error of the device. */
  isSound = true;
  /** @type {any} made when a row is read whole */
  #wholeRow;
  /** Groups of bindings by the buffer of the row. @type {WeakMap<DeviceBuffer, { offset: number, bytes: number, group: any }>} */
  #groups = new WeakMap();
  #params = new Uint32Array(4);

  /** @param {Kernels} kernels @param {number} vocabSize */
  constructor(kernels, vocabSize) {
    this.kernels = kernels;
    this.vocabSize = vocabSize;
    const { device } = kernels;
    const make = (/** @type {number} */ size, /** @type {number} */ usage) => device.createBuffer({ size, usage });
    this.mask = make(4 * Math.ceil(vocabSize / 32), STORAGE | COPY_DST);
    this.ids = make(4 * PART_LISTED, STORAGE | COPY_DST);
    this.part = make(PART_BYTES + 4 * PART_LISTED, STORAGE | COPY_SRC | COPY_DST);
    this.uniform = make(16, UNIFORM | COPY_DST);
    this.read = make(PART_BYTES + 4 * PART_LISTED, MAP_READ | COPY_DST);
  }

  /** @param {Row} row */
  #bindings({ buffer, offset, bytes }) {
    let known = this.#groups.get(buffer);
    if (known?.offset !== offset || known.bytes !== bytes) {
      const buffers = [
        { buffer, offset, size: bytes },
        ...[this.mask, this.ids, this.part, this.uniform].map((own) => ({ buffer: own })),
      ];
      const entries = buffers.map((resource, binding) => ({ binding, resource }));
      known = { offset, bytes, group: this.kernels.device.createBindGroup({ layout: this.kernels.layout, entries }) };
      this.#groups.set(buffer, known);
    }
    return known.group;
  }

  /**
   * Runs the passes. The result is the words of an li_part, then the logits of the ids, and is valid until `release`.
   * @param {Row} row
   * @param {Uint32Array} ids
   * @param {Uint32Array | undefined} mask
   * @returns {Promise<Uint8Array>}
   */
  async readPart(row, ids, mask) {
    const { device, pipelines, threads } = this.kernels;
    const { queue } = device;
    this.#params.set([row.tokenCount, ids.length, mask ? 1 : 0, row.isHalf ? 1 : 0]);
    queue.writeBuffer(this.uniform, 0, this.#params);
    if (ids.length) queue.writeBuffer(this.ids, 0, ids);
    if (mask) queue.writeBuffer(this.mask, 0, mask);
    const bytes = PART_BYTES + 4 * ids.length;
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(this.part, 0, CLEARED);
    const pass = encoder.beginComputePass();
    pass.setBindGroup(0, this.#bindings(row));
    for (const pipeline of pipelines) {
      pass.setPipeline(pipeline);
      pass.dispatchWorkgroups(Math.ceil(row.tokenCount / (threads * LOGITS_OF_THREAD)));
    }
    pass.end();
    encoder.copyBufferToBuffer(this.part, 0, this.read, 0, bytes);
    queue.submit([encoder.finish()]);
    await this.read.mapAsync(MAP_READ, 0, bytes);
    return new Uint8Array(this.read.getMappedRange(0, bytes));
  }

  /** Reads the whole row. @param {Row} row @returns {Promise<Uint8Array>} valid until `release` */
  async readRow({ buffer, offset, bytes }) {
    const { device } = this.kernels;
    this.#wholeRow ??= device.createBuffer({ size: 4 * this.vocabSize, usage: MAP_READ | COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, offset, this.#wholeRow, 0, bytes);
    device.queue.submit([encoder.finish()]);
    await this.#wholeRow.mapAsync(MAP_READ, 0, bytes);
    return new Uint8Array(this.#wholeRow.getMappedRange(0, bytes));
  }

  destroy() {
    for (const buffer of [this.mask, this.ids, this.part, this.uniform, this.read, this.#wholeRow]) buffer?.destroy();
  }

  unmap() {
    this.read.unmap();
    this.#wholeRow?.unmap();
  }
}
