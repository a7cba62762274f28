// A WebGPU device for Node that only has memory: buffers, copies and reads, as strict about their ranges as WebGPU.
import assert from "node:assert/strict";

/** Counts bytes read, and keeps all buffers ever made. */
export function fakeDevice() {
  const buffers = [];
  const counts = { read: 0, reads: 0, moves: 0 };
  let refused = 0;
  let isLost = false;
  const device = {
    buffers,
    counts,
    limits: { maxBufferSize: 1 << 28, maxStorageBufferBindingSize: 1 << 27 },
    /** @type {Promise<object>} */
    lost: new Promise(() => {}),
    /** Reads fail from now on. */
    lose() {
      isLost = true;
      device.lost = Promise.resolve({ reason: "unknown" });
    },
    /** Has no memory for the k-th next buffer. */
    refuse: (/** @type {number} */ k) => (refused = k),
    pushErrorScope() {},
    popErrorScope: async () => (refused && --refused === 0 ? { message: "no memory" } : null),
    createBuffer({ size, usage }) {
      const buffer = {
        size,
        usage,
        bytes: new Uint8Array(size),
        isDestroyed: false,
        destroy: () => (buffer.isDestroyed = true),
        mapAsync: async (mode, offset, bytes) => {
          if (isLost) throw new Error("AbortError");
          assert.ok(mode === 1 && usage & 1 && offset % 8 === 0 && bytes % 4 === 0);
          counts.read += bytes;
          counts.reads++;
        },
        getMappedRange: (offset, bytes) => buffer.bytes.buffer.slice(offset, offset + bytes),
        unmap() {},
      };
      buffers.push(buffer);
      return buffer;
    },
    createCommandEncoder() {
      const work = [];
      return {
        copyBufferToBuffer(from, at, to, place, bytes) {
          for (const number of [at, place, bytes]) assert.equal(number % 4, 0);
          assert.ok(at + bytes <= from.size && place + bytes <= to.size, `${at} ${place} ${bytes}`);
          assert.ok(from !== to && from.usage & 4 && to.usage & 8);
          // Reads apart.
          if (to.usage & 128) counts.moves++;
          work.push(() => to.bytes.set(from.bytes.subarray(at, at + bytes), place));
        },
        finish: () => work,
      };
    },
    queue: {
      submit(lists) {
        for (const copy of lists.flat()) copy();
      },
    },
  };
  return device;
}

const bytesOf = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);

/** A session that takes and fills buffers of a fake device, as onnxruntime-web does with those of WebGPU. */
export function onDevice(real, Tensor) {
  return {
    inputMetadata: real.inputMetadata,
    outputMetadata: real.outputMetadata,
    async run(feeds, fetches) {
      const local = {};
      for (const [name, tensor] of Object.entries(feeds)) {
        const { type, dims, location } = tensor;
        if (location === "cpu") {
          // Keys and values never come from the page, but for none at the beginning.
          assert.ok(!name.startsWith("past") || dims.includes(0), name);
          local[name] = tensor;
        } else {
          const size = (type === "float16" ? 2 : 4) * dims.reduce((a, b) => a * b, 1);
          const { bytes, isDestroyed } = tensor.gpuBuffer;
          assert.ok(!isDestroyed);
          const List = type === "float16" ? Uint16Array : Float32Array;
          local[name] = new Tensor(type, new List(bytes.buffer.slice(0, size)), dims);
        }
      }
      const results = await real.run(local, Object.keys(fetches));
      for (const [name, tensor] of Object.entries(fetches)) {
        assert.deepEqual([...results[name].dims], [...tensor.dims], name);
        assert.equal(results[name].type, tensor.type);
        // What was there before must not matter.
        tensor.gpuBuffer.bytes.fill(0xff);
        tensor.gpuBuffer.bytes.set(bytesOf(results[name].data));
      }
      return fetches;
    },
  };
}
