// Blocks of random bits, whose values have mean 0 and a given deviation: every bit pattern of scales and digits occurs,
// and no quantiser is needed.
import { floatToHalf, halfBytes, randomNumbers, randomValues } from "../vectors/gguf-files.js";
import { tensorSize } from "./blocks.js";

// For each type, with a scale of 1: the deviation of the values, the byte of the scale, the byte of the offset (-1:
// none), and the ratio of offset and scale for a mean of 0.
const scales = {
  Q4_0: [4.6, 0, -1],
  Q4_1: [4.6, 0, 2, -7.5],
  Q5_0: [9.2, 0, -1],
  Q5_1: [9.2, 0, 2, -15.5],
  Q8_0: [74, 0, -1],
  Q2_K: [13.9, 80, 82, 1.5],
  Q3_K: [43, 108, -1],
  Q4_K: [258, 0, 2, 7.5],
  Q5_K: [527, 0, 2, 15.5],
  Q6_K: [1366, 208, -1],
  IQ4_NL: [72, 0, -1],
  IQ4_XS: [1330, 0, -1],
};

const PATTERN = 1 << 14; // blocks after which the bits of a large tensor repeat

/** `type`: of tensorTypes. The bytes are the same for the same name. */
export function randomBlocks(name, { name: type, number, bytes }, count, deviation) {
  if (type === "F16") return halfBytes(randomValues(name, count, deviation));
  if (type === "BF16") return halfBytes(randomValues(name, count, deviation), upperHalf);
  const data = new Uint8Array(tensorSize(number, count));
  const pattern = Uint8Array.from(randomNumbers(name, Math.min(data.length, PATTERN * bytes), 256));
  for (let at = 0; at < data.length; at += pattern.length) data.set(pattern.subarray(0, data.length - at), at);
  const view = new DataView(data.buffer);
  for (let at = 0; at < data.length; at += bytes) {
    if (type === "MXFP4") {
      data[at] = 128 + Math.round(Math.log2(deviation / 5.8));
      continue;
    }
    const [unit, scaleAt, otherAt, other] = scales[type];
    view.setUint16(at + scaleAt, floatToHalf(deviation / unit), true);
    if (otherAt >= 0) view.setUint16(at + otherAt, floatToHalf((other * deviation) / unit), true);
  }
  return data;
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);
const upperHalf = (value) => ((float[0] = value), word[0] >>> 16);
