// Tensors of onnxruntime in buffers of ours on a WebGPU device: keys, values and logits that stay there between passes.
import { typeError } from "../engine.js";
import { LastInchError, isLastInchError } from "../sampler.js";

/** @typedef {import("../index.js").GpuSampler} GpuSampler */
/** @typedef {import("../index.js").Device} Device */
/** @typedef {import("../index.js").DeviceBuffer} DeviceBuffer */
/** @typedef {import("./onnx-session.js").OnnxTensor} OnnxTensor */
/** @typedef {Float32Array | Uint16Array} Logits */

// Numbers of WebGPU's GPUBufferUsage and GPUMapMode.
const MAP_READ = 1;
const COPY_SRC = 4;
const COPY_DST = 8;
const STORAGE = 128;
const ofTensor = STORAGE | COPY_SRC | COPY_DST;
const ofRead = MAP_READ | COPY_DST;

/** WebGPU binds rows from such multiples of bytes. */
const BINDING_STEP = 256;

/** Bytes of a number. @param {string} type "float32" or "float16" */
const bytesOf = (type) => (type === "float16" ? 2 : 4);

/** @param {readonly number[]} sizes */
const product = (sizes) => sizes.reduce((a, b) => a * b, 1);

/**
 * Whether WebGPU, which copies whole words, can cut such a tensor.
 * @param {string} type
 * @param {readonly number[]} dims
 * @param {number} axis
 */
export const isCopyable = (type, dims, axis) => (bytesOf(type) * product(dims.slice(axis + 1))) % 4 === 0;

/**
 * All results, once nothing is under way any more; or the first error.
 * @template Result
 * @param {Promise<Result>[]} promises
 */
export async function settledAll(promises) {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/**
 * A row of logits on a device.
 * @typedef {object} DeviceRow
 * @property {DeviceBuffer} buffer
 * @property {number} offset in bytes
 * @property {"float32" | "float16"} type
 * @property {number} size
 */

/** Rounds up, so that a cache that grows by a token keeps its size for a while: at most an eighth is wasted. @param {number} bytes */
function roomFor(bytes) {
  const step = Math.max(BINDING_STEP, 2 ** (Math.floor(Math.log2(bytes)) - 3));
  return Math.ceil(bytes / step) * step;
}

export class DeviceTensors {
  #Tensor;
  #wake;
  /** Buffers without a tensor, and the pass in which they were given back. @type {{ buffer: any, pass: number }[]} */
  #idle = [];
  #pass = 0;

  /**
   * @param {Device} device
   * @param {any} Tensor the class of onnxruntime
   * @param {boolean} [wake] as for sampleFrom
   */
  constructor(device, Tensor, wake = false) {
    this.device = device;
    this.#Tensor = Tensor;
    this.#wake = wake;
  }

  /**
   * Tensors with buffers of their own, which `dispose` gives back. Their numbers are whatever the buffers had.
   * @param {{ type: string, dims: readonly number[], isOnce?: boolean }[]} all isOnce: the buffer is not kept for others
   * @returns {Promise<OnnxTensor[]>}
   */
  async make(all) {
    /** @type {OnnxTensor[]} */
    const made = [];
    try {
      return await settledAll(
        all.map(async ({ type, dims, isOnce }, i) => {
          const buffer = await this.#take(bytesOf(type) * product(dims), ofTensor);
          const dispose = () => (isOnce ? buffer.destroy() : this.#give(buffer));
          return (made[i] = this.#Tensor.fromGpuBuffer(buffer, { dataType: type, dims: [...dims], dispose }));
        }),
      );
    } catch (error) {
      for (const tensor of Object.values(made)) tensor.dispose();
      throw error;
    }
  }

  /**
   * The texts `rows` of tensors, in that order, each cut to a length, copied on the device.
   * @param {{ tensor: OnnxTensor, axis: number }[]} all disposed of; axis of the length, after which whole words lie
   *   (`isCopyable`)
   * @param {readonly number[]} rows
   * @param {number} length
   * @returns {Promise<OnnxTensor[]>}
   */
  async select(all, rows, length) {
    const selected = await this.make(
      all.map(({ tensor: { type, dims }, axis }) => ({
        type,
        dims: dims.map((size, i) => (i === 0 ? rows.length : i === axis ? length : size)),
      })),
    );
    const encoder = this.device.createCommandEncoder();
    all.forEach(({ tensor: { type, dims, gpuBuffer }, axis }, at) => {
      const inner = product(dims.slice(axis + 1)) * bytesOf(type);
      const isCut = length < dims[axis];
      // Whole texts are one piece, cut ones a piece for each head.
      const pieces = isCut ? product(dims.slice(1, axis)) : 1;
      const stride = inner * (isCut ? dims[axis] : product(dims.slice(1, axis + 1)));
      const bytes = isCut ? inner * length : stride;
      const to = selected[at].gpuBuffer;
      rows.forEach((row, place) => {
        for (let i = 0; i < pieces; i++)
          encoder.copyBufferToBuffer(gpuBuffer, (row * pieces + i) * stride, to, (place * pieces + i) * bytes, bytes);
      });
    });
    this.device.queue.submit([encoder.finish()]);
    for (const { tensor } of all) tensor.dispose();
    return selected;
  }

  /**
   * The token that a sampler chooses from a row, of which it reads what it needs.
   * @param {GpuSampler} sampler
   * @param {DeviceRow} row
   * @returns {Promise<number>}
   */
  async choose(sampler, row) {
    const { buffer, offset, type, size } = row;
    const half = /** @type {"f32" | "f16"} */ (type === "float16" ? "f16" : "f32");
    const place = { device: this.device, type: half, wake: this.#wake };
    if (offset % BINDING_STEP === 0) return sampler.sampleFrom(buffer, { ...place, offset });
    // No binding may begin there. If a word does, a copy of the row may.
    if (offset % 4) return sampler.sample((await this.read([row]))[0]);
    const bytes = 4 * Math.ceil((bytesOf(type) * size) / 4);
    const copy = await this.#take(bytes, ofTensor);
    try {
      const encoder = this.device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, offset, copy, 0, bytes);
      this.device.queue.submit([encoder.finish()]);
      return await sampler.sampleFrom(copy, place);
    } finally {
      this.#give(copy);
    }
  }

  /**
   * Reads rows, in one round trip.
   * @param {readonly DeviceRow[]} rows of one size and type
   * @returns {Promise<Logits[]>}
   */
  async read(rows) {
    const [{ type, size }] = rows;
    // A row of halves may begin and end inside a word.
    const from = (/** @type {DeviceRow} */ { offset }) => offset - (offset % 4);
    const bytes = Math.max(...rows.map((row) => 4 * Math.ceil((row.offset - from(row) + bytesOf(type) * size) / 4)));
    const buffer = await this.#take(bytes * rows.length, ofRead);
    const beat = this.#wake ? setInterval(() => this.device.queue.submit([]), 1) : undefined;
    try {
      const encoder = this.device.createCommandEncoder();
      rows.forEach((row, i) => {
        const count = Math.min(bytes, row.buffer.size - from(row));
        encoder.copyBufferToBuffer(row.buffer, from(row), buffer, i * bytes, count);
      });
      this.device.queue.submit([encoder.finish()]);
      await buffer.mapAsync(MAP_READ, 0, bytes * rows.length);
      const all = buffer.getMappedRange(0, bytes * rows.length).slice(0);
      buffer.unmap();
      this.#give(buffer);
      const List = type === "float16" ? Uint16Array : Float32Array;
      return rows.map((row, i) => new List(all, i * bytes + row.offset - from(row), size));
    } catch (cause) {
      buffer.destroy();
      throw await this.explain(cause);
    } finally {
      clearInterval(beat);
    }
  }

  /** Ends a pass: buffers that the last two passes have not used are freed. */
  endPass() {
    this.#pass++;
    this.#free(this.#pass - 2);
  }

  /**
   * The error of a pass or a read. Before the first pass has ended, the session is likely not on the device.
   * @param {unknown} cause
   */
  async explain(cause) {
    if (isLastInchError(cause)) return cause;
    const { lost } = this.device;
    const now = new Promise((resolve) => setTimeout(resolve, 0, false));
    if (await Promise.race([lost.then(() => true), now]))
      return new LastInchError("gpu-lost", "The session's device is lost.", { cause });
    if (this.#pass) return cause;
    const detail =
      'The session takes no buffers of the device. Create it for "webgpu", with the device of the same env.';
    return Object.assign(typeError("conflict", `${detail} It says: ${cause}`), { cause });
  }

  /** Frees the buffers that no tensor has. */
  end() {
    this.#free(Infinity);
  }

  /** @param {number} pass buffers given back earlier are freed */
  #free(pass) {
    for (const one of this.#idle) if (one.pass < pass) one.buffer.destroy();
    this.#idle = this.#idle.filter((one) => one.pass >= pass);
  }

  /** @param {number} bytes @param {number} usage */
  async #take(bytes, usage) {
    const { maxBufferSize, maxStorageBufferBindingSize } = this.device.limits;
    const limit = usage === ofRead ? maxBufferSize : Math.min(maxBufferSize, maxStorageBufferBindingSize);
    const detail = `The device has no room for ${bytes} bytes of keys, values or logits.`;
    if (bytes > limit) throw new LastInchError("out-of-memory", `${detail} It allows buffers of ${limit}.`);
    const size = Math.min(roomFor(bytes), limit - (limit % 4));
    const at = this.#idle.findIndex(({ buffer }) => buffer.size === size && buffer.usage === usage);
    if (at >= 0) return this.#idle.splice(at, 1)[0].buffer;
    this.device.pushErrorScope("out-of-memory");
    const buffer = this.device.createBuffer({ size, usage });
    if (!(await this.device.popErrorScope())) return buffer;
    buffer.destroy();
    throw new LastInchError("out-of-memory", detail);
  }

  /** @param {any} buffer */
  #give(buffer) {
    this.#idle.push({ buffer, pass: this.#pass });
  }
}
