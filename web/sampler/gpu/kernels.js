// The three passes on one device, and the buffers that they need.
import { typeError } from "../../core/errors.js";
import { LISTED_LIMIT, PART_SIZE, PART_TOKENS } from "../../core/layouts.js";
import { compactionPass } from "./compaction-pass.js";
import { histogramPass } from "./histogram-pass.js";
import { peakPass } from "./peak-pass.js";
import { rowWords } from "./row-words.js";

/** @typedef {import("./device-types.js").Device} Device */
/** @typedef {import("./device-types.js").DeviceBuffer} DeviceBuffer */

// Numbers of WebGPU's GPUBufferUsage and GPUMapMode, which Node does not have.
const MAP_READ = 1;
const COPY_SRC = 4;
const COPY_DST = 8;
const UNIFORM = 64;
const STORAGE = 128;
export const ROW_USAGE = STORAGE | COPY_SRC;

/** Bytes of a part with the logits of all listed ids. */
const READ_BYTES = PART_SIZE + 4 * LISTED_LIMIT;

/** Bytes of the part that must be 0 before the passes: all before its tokens. */
const CLEARED = 4 * PART_TOKENS;

/** Lanes that are kept for later steps: as many rows at once need no new buffers. */
const IDLE_LIMIT = 16;

/** Rows of a buffer whose bindings are kept. */
const BOUND_LIMIT = 64;

const LOGITS_OF_THREAD = 16;

/**
 * A row, and what to read of it.
 * @typedef {object} Row
 * @property {DeviceBuffer} buffer
 * @property {number} offset
 * @property {number} bytes
 * @property {boolean} isHalf
 * @property {number} tokenCount
 * @property {boolean} [wake]
 */

/** @type {WeakMap<Device, Promise<Kernels>>} */
const ofDevices = new WeakMap();

/** @type {WeakMap<Device, Kernels>} */
const compiled = new WeakMap();

/** The kernels of a device, if they are compiled: no step waits for the device to say so again. @param {Device} device */
export const compiledOf = (device) => compiled.get(device);

/** The kernels of a device, which are compiled once. @param {Device} device */
export function kernelsOf(device) {
  let kernels = ofDevices.get(device);
  if (!kernels) {
    kernels = Kernels.compile(device);
    ofDevices.set(device, kernels);
    kernels.then(
      (made) => compiled.set(device, made),
      () => ofDevices.delete(device),
    );
  }
  return kernels;
}

/**
 * What the caller's buffer is used for. Throws "gpu-buffer" if it is no buffer.
 * @template T
 * @param {() => T} work
 */
function using(work) {
  try {
    return work();
  } catch {
    throw typeError("gpu-buffer", "The buffer is not a GPUBuffer.");
  }
}

/**
 * Waits for a read. A browser that looks for finished work only now and then looks at each submission, too.
 * @param {Device} device
 * @param {any} buffer
 * @param {number} bytes
 * @param {boolean} [wake]
 */
async function mapped(device, buffer, bytes, wake) {
  const beat = wake ? setInterval(() => device.queue.submit([]), 1) : undefined;
  try {
    await buffer.mapAsync(MAP_READ, 0, bytes);
  } finally {
    clearInterval(beat);
  }
}

class Kernels {
  /** Lanes that no step uses, the one used last at the end. @type {Lane[]} */
  #idle = [];
  /** Bindings of rows, by their buffers and offsets. @type {WeakMap<DeviceBuffer, Map<number, { bytes: number, group: any }>>} */
  #rows = new WeakMap();

  /** @param {Device} device @param {any[]} layouts @param {any[]} pipelines @param {number} threads */
  constructor(device, layouts, pipelines, threads) {
    this.device = device;
    this.layouts = layouts;
    this.pipelines = pipelines;
    this.threads = threads;
  }

  /** @param {Device} device */
  static async compile(device) {
    const { maxComputeInvocationsPerWorkgroup: most, maxComputeWorkgroupSizeX: wide } = device.limits;
    const threads = Math.min(256, most, wide);
    // A group for the row, and one for the lane.
    const bindGroupLayouts = [
      ["read-only-storage"],
      ["read-only-storage", "read-only-storage", "storage", "uniform"],
    ].map((types) =>
      device.createBindGroupLayout({
        entries: types.map((type, binding) => ({ binding, visibility: 4, buffer: { type } })),
      }),
    );
    const pipelines = await Promise.all(
      [peakPass, histogramPass, compactionPass].map((pass) =>
        device.createComputePipelineAsync({
          layout: device.createPipelineLayout({ bindGroupLayouts }),
          compute: { module: device.createShaderModule({ code: rowWords + pass }), constants: { threads } },
        }),
      ),
    );
    return new Kernels(device, bindGroupLayouts, pipelines, threads);
  }

  /**
   * Buffers for one step at a time. Give them back with `release`.
   * @param {number} vocabSize
   * @returns {Lane}
   */
  take(vocabSize) {
    const last = this.#idle.findLastIndex((lane) => lane.vocabSize === vocabSize);
    return last < 0 ? new Lane(this, vocabSize) : this.#idle.splice(last, 1)[0];
  }

  /** Ends the use of what a lane has read. @param {Lane} lane */
  release(lane) {
    if (!lane.isSound) return lane.destroy();
    lane.unmap();
    this.#idle.push(lane);
    if (this.#idle.length > IDLE_LIMIT) this.#idle.shift()?.destroy();
  }

  /** @param {number} group of the layouts @param {any[]} resources */
  bind(group, resources) {
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    return this.device.createBindGroup({ layout: this.layouts[group], entries });
  }

  /** @param {Row} row */
  bindRow({ buffer, offset, bytes }) {
    let rows = this.#rows.get(buffer);
    let row = rows?.get(offset);
    if (row?.bytes === bytes) return row.group;
    row = { bytes, group: using(() => this.bind(0, [{ buffer, offset, size: bytes }])) };
    if (!rows || rows.size >= BOUND_LIMIT) this.#rows.set(buffer, (rows = new Map()));
    rows.set(offset, row);
    return row.group;
  }
}

class Lane {
  /** No error of the device. */
  isSound = true;
  /** @type {any} made when a row is read whole */
  #wholeRow;
  #params = new Uint32Array(4);

  /** @param {Kernels} kernels @param {number} vocabSize */
  constructor(kernels, vocabSize) {
    this.kernels = kernels;
    this.vocabSize = vocabSize;
    const { device } = kernels;
    const make = (/** @type {number} */ size, /** @type {number} */ usage) => device.createBuffer({ size, usage });
    this.mask = make(4 * Math.ceil(vocabSize / 32), STORAGE | COPY_DST);
    this.ids = make(4 * LISTED_LIMIT, STORAGE | COPY_DST);
    this.part = make(READ_BYTES, STORAGE | COPY_SRC | COPY_DST);
    this.uniform = make(16, UNIFORM | COPY_DST);
    this.read = make(READ_BYTES, MAP_READ | COPY_DST);
    const own = [this.mask, this.ids, this.part, this.uniform];
    this.group = kernels.bind(
      1,
      own.map((buffer) => ({ buffer })),
    );
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
    const bytes = PART_SIZE + 4 * ids.length;
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(this.part, 0, CLEARED);
    const pass = encoder.beginComputePass();
    pass.setBindGroup(0, this.kernels.bindRow(row));
    pass.setBindGroup(1, this.group);
    for (const pipeline of pipelines) {
      pass.setPipeline(pipeline);
      pass.dispatchWorkgroups(Math.ceil(row.tokenCount / (threads * LOGITS_OF_THREAD)));
    }
    pass.end();
    encoder.copyBufferToBuffer(this.part, 0, this.read, 0, bytes);
    queue.submit([encoder.finish()]);
    await mapped(device, this.read, bytes, row.wake);
    return new Uint8Array(this.read.getMappedRange(0, bytes));
  }

  /** Reads the whole row. @param {Row} row @returns {Promise<Uint8Array>} valid until `release` */
  async readRow({ buffer, offset, bytes, wake }) {
    const { device } = this.kernels;
    this.#wholeRow ??= device.createBuffer({ size: 4 * this.vocabSize, usage: MAP_READ | COPY_DST });
    const encoder = device.createCommandEncoder();
    using(() => encoder.copyBufferToBuffer(buffer, offset, this.#wholeRow, 0, bytes));
    device.queue.submit([encoder.finish()]);
    await mapped(device, this.#wholeRow, bytes, wake);
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
