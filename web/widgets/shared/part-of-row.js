// What the kernels on a GPU bring of a row, in plain JavaScript: the words of an li_part (src/lastinch.h), then the logits
// of the listed ids. It shares no code with the kernels: the tests compare the two, word by word.
const BINS = 512;
const TOKENS = 1024;
const HEAD = 5;

const key = (/** @type {number} */ bits) =>
  bits >>> 31 ? (bits === 0x80000000 ? bits : ~bits >>> 0) : (bits | 0x80000000) >>> 0;
const isStrange = (/** @type {number} */ bits) => bits === 0x7f800000 || (bits & 0x7fffffff) > 0x7f800000;

/** In 2^-16, rounded towards zero, as floating-point numbers tell. @param {number} value */
const fixed = (value) => Math.trunc(Math.max(-(2 ** 14), Math.min(2 ** 14, value)) * 65536);

/** @param {number} distance in 2^-16 @returns {[number, number]} */
function binOf(distance) {
  for (const [first, start, width, count] of [
    [0, 0, 1 / 32, 256],
    [256, 8, 1 / 8, 128],
    [384, 24, 1 / 2, 64],
    [448, 56, 4, 63],
  ]) {
    const bin = Math.floor((distance / 65536 - start) / width);
    if (bin < count) return [first + bin, Math.floor(((distance / 65536 - start) / width - bin) * 2048)];
  }
  return [BINS - 1, 0];
}

/**
 * @param {Float32Array} row
 * @param {number} tokenCount ids from there on are not counted
 * @param {Uint32Array | undefined} mask a bit for each token; 1: allowed
 * @param {ArrayLike<number>} listed ids whose logits are gathered
 */
export function partOf(row, tokenCount, mask, listed) {
  const bits = new Uint32Array(row.buffer, row.byteOffset, row.length);
  const words = new Uint32Array(HEAD + 2 * BINS + 2 * TOKENS + listed.length);
  const counts = words.subarray(HEAD, HEAD + BINS);
  const rests = words.subarray(HEAD + BINS, HEAD + 2 * BINS);
  const isAllowed = (/** @type {number} */ id) => !mask || (mask[id >>> 5] >>> (id & 31)) & 1;
  /** @type {number[]} */
  const counted = [];
  for (let id = 0; id < tokenCount; id++) {
    if (!isAllowed(id)) continue;
    if (isStrange(bits[id])) words[2]++;
    else if (row[id] > Math.fround(-1e30)) counted.push(id);
  }
  for (const id of counted) words[0] = Math.max(words[0], key(bits[id]));
  const peak = fixed(counted.reduce((most, id) => Math.max(most, row[id]), -Infinity));
  const bins = counted.map((id) => {
    const [bin, rest] = binOf(peak - fixed(row[id]));
    counts[bin]++;
    rests[bin] += rest;
    return bin;
  });
  for (let kept = 0; words[3] < BINS && kept + counts[words[3]] <= TOKENS;) kept += counts[words[3]++];
  counted.forEach((id, i) => {
    if (bins[i] >= words[3]) words[1] = Math.max(words[1], key(bits[id]));
    else words.set([id, bits[id]], HEAD + 2 * BINS + 2 * words[4]++);
  });
  for (let i = 0; i < listed.length; i++) words[HEAD + 2 * BINS + 2 * TOKENS + i] = bits[listed[i]];
  return words;
}
