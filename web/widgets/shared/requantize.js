// Writes a GGUF file again with fewer bits for each weight. Fetched when a reader first asks for it.
// The rule is that of llama.cpp's Q4_0 and Q5_0: 32 weights share a scale, in half precision, so that the largest of them
// is exact, and each is rounded to one of 2^bits multiples of it. 5 and 4 bits are these formats. Files have no format of
// 32 weights with 6, 3 or 2 bits, so those numbers are kept in bytes (Q8_0): they are the same, only the size is counted.
// Nor have they one for rows that are no whole blocks, such as the 48 weights of a model that learns in a page: the last
// block of such a row is shorter, and its numbers are kept as floats.
import { nextTask } from "./next-task.js";

/** GGML's numbers of types. */
const [F32, F16, Q4_0, Q5_0, Q8_0] = [0, 1, 2, 6, 8];
const BLOCK = 32;
/** Numbers that are rounded without a pause: about ten milliseconds. */
const SLICE = 32_768;
/** Bytes of a block of 32 numbers, by type. @type {Record<number, number>} */
const sizes = { [F32]: 128, [F16]: 64, [Q4_0]: 18, [Q5_0]: 22, [Q8_0]: 34 };
/** Bytes of a value of metadata, by type; of texts and lists it is read. */
const valueSizes = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const [TEXT, LIST] = [8, 9];

/** One tensor: where its type and its offset stand in the header. columns: of a row, or its numbers. @typedef {{ at: number, type: number, offset: number, count: number, columns: number, isMatrix: boolean }} Tensor */

/** @param {number} bits of a weight */
const typeFor = (bits) => ({ 16: F16, 8: Q8_0, 5: Q5_0, 4: Q4_0 })[bits] ?? Q8_0;

/**
 * Lets the page do something else every ten milliseconds or so.
 * @param {Uint8Array} file a GGUF file whose matrices are F32, F16 or Q8_0
 * @param {number} bits 16, 8, 6, 5, 4, 3 or 2
 * @param {AbortSignal} [signal] ends it with the signal's reason
 * @returns {Promise<{ bytes: Uint8Array<ArrayBuffer>, size: number }>} size: of a file that stores no more bits than these
 * @throws {RangeError} with the code "bad-weights": the file has tensors of other types
 */
export async function requantize(file, bits, signal) {
  const { tensors, start, alignment } = readHeader(file);
  const plans = tensors.map((tensor) => {
    const isChanged = tensor.isMatrix && !(bits === 8 && tensor.type === Q8_0);
    const fits = bits === 16 || tensor.columns % BLOCK === 0;
    const to = isChanged ? (fits ? typeFor(bits) : F32) : tensor.type;
    return { ...tensor, isChanged, to, size: (tensor.count / BLOCK) * sizes[to] };
  });
  const padded = (/** @type {number} */ size) => Math.ceil(size / alignment) * alignment;
  const bytes = new Uint8Array(start + plans.reduce((sum, { size }) => sum + padded(size), 0));
  const header = new DataView(bytes.buffer);
  bytes.set(file.subarray(0, start));
  let offset = 0;
  let spared = 0;
  let rounded = 0;
  for (const { at, type: from, offset: source, count, columns, isChanged, to, size } of plans) {
    header.setUint32(at, to, true);
    header.setBigUint64(at + 4, BigInt(offset), true);
    const into = bytes.subarray(start + offset, start + offset + size);
    const given = file.subarray(start + source, start + source + (count / BLOCK) * sizes[from]);
    if (isChanged) {
      // Whole rows; a very long one is a slice of its own.
      const slice = columns * Math.ceil(SLICE / columns);
      for (let first = 0; first < count; first += slice) {
        const end = Math.min(count, first + slice);
        rounded += end - first;
        if (rounded >= SLICE) {
          rounded = 0;
          await nextTask();
          signal?.throwIfAborted();
        }
        const part = (/** @type {Uint8Array} */ all, /** @type {number} */ type) =>
          all.subarray((first / BLOCK) * sizes[type], (end / BLOCK) * sizes[type]);
        writeBlocks(part(into, to), to, bits, readNumbers(part(given, from), from, end - first), columns);
      }
      if (to === Q8_0 || to === F32) spared += size - (count / columns) * sizeOfRow(columns, bits);
    } else into.set(given);
    offset += padded(size);
  }
  return { bytes, size: bytes.length - spared };
}

/** Bytes of a row whose blocks have a scale of two bytes. @param {number} columns @param {number} bits */
const sizeOfRow = (columns, bits) => 2 * Math.ceil(columns / BLOCK) + Math.ceil((columns * bits) / 8);

/** @param {Uint8Array} file @returns {{ tensors: Tensor[], start: number, alignment: number }} start: of the tensors' data */
function readHeader(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let at = 8;
  const long = () => Number(view.getBigUint64((at += 8) - 8, true));
  const word = () => view.getUint32((at += 4) - 4, true);
  const refuse = () => {
    throw Object.assign(new RangeError("weights of another type"), { code: "bad-weights" });
  };
  const skip = (/** @type {number} */ type) => {
    if (type === TEXT) {
      const size = long();
      at += size;
    } else if (type === LIST) {
      const element = word();
      const count = long();
      if (element !== TEXT) at += count * (valueSizes[element] || refuse());
      else for (let i = 0; i < count; i++) skip(TEXT);
    } else at += valueSizes[type] || refuse();
    if (at > file.length) refuse();
  };
  const [tensorCount, keyCount] = [long(), long()];
  if (tensorCount > file.length) refuse();
  let alignment = BLOCK;
  for (let i = 0; i < keyCount; i++) {
    const size = long();
    const key = new TextDecoder().decode(file.subarray(at, at + size));
    at += size;
    const type = word();
    if (key === "general.alignment") alignment = view.getUint32(at, true) || refuse();
    skip(type);
  }
  const tensors = Array.from({ length: tensorCount }, () => {
    skip(TEXT);
    const sideCount = word();
    if (sideCount > 4) refuse();
    const sides = Array.from({ length: sideCount }, long);
    const tensor = { at, type: word(), offset: long(), count: sides.reduce((a, b) => a * b, 1) };
    const isMatrix = sides.length === 2;
    const columns = sides[0] ?? 1;
    if (![F32, F16, Q8_0].includes(tensor.type) || !(tensor.count > 0) || tensor.count > file.length) refuse();
    if (tensor.type === Q8_0 && columns % BLOCK) refuse();
    return { ...tensor, columns, isMatrix };
  });
  return { tensors, start: Math.ceil(at / alignment) * alignment, alignment };
}

/** The numbers of a tensor. @param {Uint8Array} bytes @param {number} type @param {number} count */
function readNumbers(bytes, type, count) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const numbers = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    if (type === F32) numbers[i] = view.getFloat32(4 * i, true);
    else if (type === F16) numbers[i] = fromHalf(view.getUint16(2 * i, true));
    else {
      const block = Math.floor(i / BLOCK) * 34;
      numbers[i] = fromHalf(view.getUint16(block, true)) * view.getInt8(block + 2 + (i % BLOCK));
    }
  }
  return numbers;
}

/**
 * @param {Uint8Array} into
 * @param {number} type of the blocks
 * @param {number} bits of a weight
 * @param {Float32Array} numbers whole rows
 * @param {number} columns of a row
 */
export function writeBlocks(into, type, bits, numbers, columns) {
  const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
  if (type === F16) return numbers.forEach((number, i) => view.setUint16(2 * i, toHalf(number), true));
  if (type === F32) return writeFloats(view, bits, numbers, columns);
  for (let first = 0, at = 0; first < numbers.length; first += BLOCK, at += sizes[type]) {
    const { scale, digits } = quantizeBlock(numbers.subarray(first, first + BLOCK), bits);
    view.setUint16(at, toHalf(scale), true);
    if (type === Q8_0) digits.forEach((digit, i) => view.setInt8(at + 2 + i, digit));
    else {
      // Nibbles from digit 0 on in the low halves of 16 bytes; of 5 bits the fifth ones come before them.
      const least = 2 ** (bits - 1);
      const nibbles = at + 2 + (bits === 5 ? 4 : 0);
      digits.forEach((digit, i) => {
        const stored = digit + least;
        into[nibbles + (i % 16)] |= (stored & 15) << (i < 16 ? 0 : 4);
        if (bits === 5) into[at + 2 + (i >> 3)] |= (stored >> 4) << (i & 7);
      });
    }
  }
}

/** The numbers of blocks that end with their row. @param {DataView} view @param {number} bits @param {Float32Array} numbers @param {number} columns */
function writeFloats(view, bits, numbers, columns) {
  for (let row = 0; row < numbers.length; row += columns)
    for (let first = row; first < row + columns; first += BLOCK) {
      const { scale, digits } = quantizeBlock(numbers.subarray(first, Math.min(row + columns, first + BLOCK)), bits);
      const half = fromHalf(toHalf(scale));
      digits.forEach((digit, i) => view.setFloat32(4 * (first + i), half * digit, true));
    }
}

/**
 * 32 numbers, or fewer, as multiples of a scale, in the single precision of llama.cpp.
 * @param {Float32Array} numbers
 * @param {number} bits
 * @returns {{ scale: number, digits: number[] }} digits from -2^(bits - 1) on, of 8 bits from -127
 */
function quantizeBlock(numbers, bits) {
  const { fround } = Math;
  const largest = numbers.reduce((most, number) => (Math.abs(number) > Math.abs(most) ? number : most), 0);
  const half = 2 ** (bits - 1);
  const scale = fround(bits === 8 ? Math.abs(largest) / 127 : largest / -half);
  const inverse = scale ? fround(1 / scale) : 0;
  const digits = Array.from(numbers, (number) => {
    const multiple = fround(number * inverse);
    if (bits === 8) return Math.sign(multiple) * Math.floor(Math.abs(multiple) + 0.5);
    return Math.min(2 * half - 1, Math.floor(fround(multiple + half + 0.5))) - half;
  });
  return { scale, digits };
}

/** @param {number} bits of a half-precision number */
function fromHalf(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24;
  return bits & 0x8000 ? -size : size;
}

/** The bits of the nearest half-precision number, of two the even one; weights are below its largest. @param {number} number */
function toHalf(number) {
  const size = Math.abs(number);
  const exponent = size ? Math.max(-14, Math.min(15, Math.floor(Math.log2(size)))) : -14;
  const steps = size * 2 ** (10 - exponent);
  const below = Math.floor(steps);
  const rest = steps - below;
  const rounded = rest > 0.5 || (rest === 0.5 && below % 2) ? below + 1 : below;
  // A carry out of the fraction raises the exponent.
  return (number < 0 || Object.is(number, -0) ? 0x8000 : 0) | (((exponent + 14) << 10) + rounded);
}
