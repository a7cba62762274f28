// What sampleFrom asks of a GPUDevice, in the page's memory, for browsers without WebGPU: it runs no shaders, but brings
// what they bring.
import { partOf } from "./part-of-row.js";

/** @typedef {ReturnType<typeof makeBuffer>} PageBuffer */

/** @param {{ size: number, usage: number }} descriptor */
function makeBuffer({ size, usage }) {
  const memory = new ArrayBuffer(size);
  return {
    size,
    usage,
    memory,
    mapAsync: async () => {},
    getMappedRange: (/** @type {number} */ offset, /** @type {number} */ bytes) =>
      offset || bytes < size ? memory.slice(offset, offset + bytes) : memory,
    unmap() {},
    destroy() {},
  };
}

/** @param {{ entries: { resource: any }[] }} group */
const wordsOf = ({ entries }) =>
  entries.map(({ resource: { buffer, offset = 0, size = buffer.size - offset } }) => ({
    words: new Uint32Array(buffer.memory, offset, size / 4),
  }));

/** All passes at once: a row, then the mask, the ids, the part and the numbers of row-words.js. @param {any[]} groups */
function runPasses(groups) {
  const [[{ words: row }], [mask, ids, part, params]] = groups.map(wordsOf);
  const [size, listed, isMasked] = params.words;
  const logits = new Float32Array(row.buffer, row.byteOffset, row.length);
  part.words.set(partOf(logits, size, isMasked ? mask.words : undefined, ids.words.subarray(0, listed)));
}

function makeEncoder() {
  /** @type {(() => void)[]} */
  const work = [];
  return {
    clearBuffer() {}, // the passes write all of the part
    beginComputePass() {
      /** @type {any[]} */
      const groups = [];
      return {
        setBindGroup: (/** @type {number} */ at, /** @type {any} */ group) => (groups[at] = group),
        setPipeline() {},
        dispatchWorkgroups() {},
        end: () => work.push(() => runPasses(groups)),
      };
    },
    /** @param {PageBuffer} from @param {number} at @param {PageBuffer} to @param {number} place @param {number} bytes */
    copyBufferToBuffer(from, at, to, place, bytes) {
      work.push(() => new Uint8Array(to.memory).set(new Uint8Array(from.memory, at, bytes), place));
    },
    finish: () => work,
  };
}

/** A device for rows of float32. @returns {import("../../index.js").Device} */
export function makePageDevice() {
  return {
    limits: { maxComputeInvocationsPerWorkgroup: 256, maxComputeWorkgroupSizeX: 256 },
    lost: new Promise(() => {}),
    queue: {
      /** @param {PageBuffer} buffer @param {number} offset @param {Uint32Array | Float32Array} data */
      writeBuffer(buffer, offset, { buffer: from, byteOffset, byteLength }) {
        new Uint8Array(buffer.memory).set(new Uint8Array(from, byteOffset, byteLength), offset);
      },
      submit(/** @type {(() => void)[][]} */ lists) {
        for (const step of lists.flat()) step();
      },
    },
    createBuffer: makeBuffer,
    createBindGroup: (group) => group,
    createBindGroupLayout: () => ({}),
    createPipelineLayout: () => ({}),
    createShaderModule: () => ({}),
    createComputePipelineAsync: async () => ({}),
    createCommandEncoder: makeEncoder,
    pushErrorScope() {},
    popErrorScope: async () => null,
  };
}
