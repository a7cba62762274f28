// The tensor types of GGUF, and their values in float64: exact, slow, and independent of src/model/.
// Formats: ggml/src/ggml-common.h and ggml-quants.c of llama.cpp. All numbers are little endian; `half` is IEEE binary16.

// { type: [number in the file, values of a block, bytes of a block] }
const formats = {
  F32: [0, 1, 4],
  F16: [1, 1, 2],
  BF16: [30, 1, 2],
  Q4_0: [2, 32, 18],
  Q4_1: [3, 32, 20],
  Q5_0: [6, 32, 22],
  Q5_1: [7, 32, 24],
  Q8_0: [8, 32, 34],
  Q2_K: [10, 256, 84],
  Q3_K: [11, 256, 110],
  Q4_K: [12, 256, 144],
  Q5_K: [13, 256, 176],
  Q6_K: [14, 256, 210],
  IQ4_NL: [20, 32, 18],
  IQ4_XS: [23, 256, 136],
  MXFP4: [39, 32, 17],
};

export const tensorTypes = Object.fromEntries(
  Object.entries(formats).map(([name, [number, values, bytes]]) => [name, { name, number, values, bytes }]),
);
const byNumber = new Map(Object.values(tensorTypes).map((type) => [type.number, type]));

/** Bytes of `count` values. */
export function tensorSize(number, count) {
  const type = byNumber.get(number);
  if (!type) throw new Error(`tensor type ${number} has no reader here`);
  return (count / type.values) * type.bytes;
}

export function halfToFloat(half) {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

const nonlinear = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
const halvedFloats = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12]; // e2m1, doubled

const low = (byte) => byte & 15;
const high = (byte) => byte >> 4;
// Bits `from` and from + 1 of a byte.
const pair = (byte, from) => (byte >> from) & 3;

// The 6-bit scale and minimum of group j of 8, which Q4_K and Q5_K pack into 12 bytes.
function scaleAndMinimum(packed, j) {
  if (j < 4) return [packed[j] & 63, packed[j + 4] & 63];
  return [
    low(packed[j + 4]) | ((packed[j - 4] >> 6) << 4), //
    high(packed[j + 4]) | ((packed[j] >> 6) << 4),
  ];
}

// The 6-bit scale j of 16 of Q3_K: four bits in the first 8 bytes, two in the last 4.
function scaleOf3Bits(packed, j) {
  const four = j < 8 ? low(packed[j]) : high(packed[j - 8]);
  return (four | (pair(packed[8 + (j % 4)], 2 * (j >> 2)) << 4)) - 32;
}

// Value i of 32 as stored: nibbles of 16 bytes, low nibbles first.
const nibble = (bytes, i) => (i < 16 ? low(bytes[i]) : high(bytes[i - 16]));

// For each type: the value i of a block. half(at), u32(at): numbers at a byte of the block; bytes(at, count).
const readers = {
  F32: ({ f32 }) => f32(0),
  F16: ({ half }) => half(0),
  BF16: ({ bfloat }) => bfloat(0),
  Q4_0: ({ half, bytes }, i) => half(0) * (nibble(bytes(2), i) - 8),
  Q4_1: ({ half, bytes }, i) => half(0) * nibble(bytes(4), i) + half(2),
  Q5_0: ({ half, u32, bytes }, i) => half(0) * (nibble(bytes(6), i) + 16 * ((u32(2) >>> i) & 1) - 16),
  Q5_1: ({ half, u32, bytes }, i) => half(0) * (nibble(bytes(8), i) + 16 * ((u32(4) >>> i) & 1)) + half(2),
  Q8_0: ({ half, i8 }, i) => half(0) * i8(2 + i),
  Q2_K({ half, bytes }, i) {
    const quant = pair(bytes(16)[32 * (i >> 7) + (i & 31)], 2 * ((i >> 5) & 3));
    const scale = bytes(0)[i >> 4];
    return half(80) * low(scale) * quant - half(82) * high(scale);
  },
  Q3_K({ half, bytes }, i) {
    const quant = pair(bytes(32)[32 * (i >> 7) + (i & 31)], 2 * ((i >> 5) & 3));
    const isHigh = (bytes(0)[i & 31] >> (i >> 5)) & 1;
    return half(108) * scaleOf3Bits(bytes(96), i >> 4) * (quant - (isHigh ? 0 : 4));
  },
  Q4_K({ half, bytes }, i) {
    const group = i >> 5;
    const byte = bytes(16)[32 * (group >> 1) + (i & 31)];
    const [scale, minimum] = scaleAndMinimum(bytes(4), group);
    return half(0) * scale * (group & 1 ? high(byte) : low(byte)) - half(2) * minimum;
  },
  Q5_K({ half, bytes }, i) {
    const group = i >> 5;
    const byte = bytes(48)[32 * (group >> 1) + (i & 31)];
    const fifth = (bytes(16)[i & 31] >> group) & 1;
    const [scale, minimum] = scaleAndMinimum(bytes(4), group);
    return half(0) * scale * ((group & 1 ? high(byte) : low(byte)) + 16 * fifth) - half(2) * minimum;
  },
  Q6_K({ half, bytes, i8 }, i) {
    const part = i >> 7;
    const quarter = (i >> 5) & 3;
    const byte = bytes(64 * part)[(i & 31) + 32 * (quarter & 1)];
    const upper = pair(bytes(128 + 32 * part)[i & 31], 2 * quarter);
    const quant = (quarter < 2 ? low(byte) : high(byte)) | (upper << 4);
    return half(208) * i8(192 + (i >> 4)) * (quant - 32);
  },
  IQ4_NL: ({ half, bytes }, i) => half(0) * nonlinear[nibble(bytes(2), i)],
  IQ4_XS({ half, u16, bytes }, i) {
    const group = i >> 5;
    const byte = bytes(4)[group >> 1];
    const scale = ((group & 1 ? high(byte) : low(byte)) | (((u16(2) >> (2 * group)) & 3) << 4)) - 32;
    return half(0) * scale * nonlinear[nibble(bytes(8 + 16 * group), i & 31)];
  },
  MXFP4: ({ bytes }, i) => 2 ** (bytes(0)[0] - 128) * halvedFloats[nibble(bytes(1), i)],
};

/** The first `count` values of a tensor's bytes. */
export function dequantise(data, number, count) {
  const type = byNumber.get(number);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let start = 0;
  const block = {
    f32: (at) => view.getFloat32(start + at, true),
    u32: (at) => view.getUint32(start + at, true),
    u16: (at) => view.getUint16(start + at, true),
    i8: (at) => view.getInt8(start + at),
    half: (at) => halfToFloat(view.getUint16(start + at, true)),
    bytes: (at) => data.subarray(start + at),
  };
  const word = new DataView(new ArrayBuffer(4));
  block.bfloat = (at) => (word.setUint32(0, block.u16(at) << 16), word.getFloat32(0));
  const read = readers[type.name];
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    start = Math.floor(i / type.values) * type.bytes;
    values[i] = read(block, i % type.values);
  }
  return values;
}
