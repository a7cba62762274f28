// Watermarks by their definitions, written apart from the C code: Philox in BigInt, weights in float64, exact tails.

const MASK = 2n ** 32n - 1n;

/** Philox4x32-10. @param {bigint[]} counter @param {bigint[]} key */
function philox([a, b, c, d], [k, l]) {
  for (let round = 0; round < 10; round++) {
    const [left, right] = [0xd2511f53n * a, 0xcd9e8d57n * c];
    [a, b, c, d] = [(right >> 32n) ^ b ^ k, right & MASK, (left >> 32n) ^ d ^ l, left & MASK];
    [k, l] = [(k + 0x9e3779b9n) & MASK, (l + 0xbb67ae85n) & MASK];
  }
  return [a, b, c, d];
}

const unit = ([high, low]) => Number(((high >> 5n) << 26n) | (low >> 6n)) / 2 ** 53;

/** The sampler's own number for a draw. */
const drawNumber = (seed, step) => unit(philox([BigInt(step), 0n, 0n, 0n], [BigInt(seed) & MASK, BigInt(seed) >> 32n]));

const schemes = ["gumbel", "green", "synthid"];

/** Philox's key from the bytes of a key. */
function hashedKey(text) {
  const bytes = [...new TextEncoder().encode(text)].map(BigInt);
  let key = [BigInt(bytes.length), 0n];
  for (let at = 0; at < bytes.length; at += 16) {
    const block = [0, 4, 8, 12].map((from) =>
      [3, 2, 1, 0].reduce((word, i) => (word << 8n) | (bytes[at + from + i] ?? 0n), 0n),
    );
    const out = philox(block, key);
    key = [out[0] ^ block[0], out[1] ^ block[1]];
  }
  return key;
}

/** 128 bits of a token after a window. @param {number[]} window the oldest token first */
function block({ scheme, key }, window, token) {
  const hashed = hashedKey(key);
  let state = philox([BigInt(schemes.indexOf(scheme)), BigInt(window.length), 0n, 0n], hashed);
  for (let at = 0; at < window.length; at += 4)
    state = philox(
      state.map((word, i) => word ^ BigInt(window[at + i] ?? 0)),
      hashed,
    );
  return philox([state[0], state[1], state[2], state[3] ^ BigInt(token)], hashed);
}

const bitsOf = (mark, window, token) => {
  const [word] = block(mark, window, token);
  return Array.from({ length: mark.depth ?? 30 }, (_, layer) => Number((word >> BigInt(layer)) & 1n));
};

/** Probabilities after a tournament. @param {number[]} probabilities @param {number[][]} bits of each token */
function tournament(probabilities, bits) {
  let now = probabilities;
  for (let layer = 0; layer < bits[0].length; layer++) {
    const share = now.reduce((sum, p, i) => sum + p * bits[i][layer], 0);
    now = now.map((p, i) => p * (1 + bits[i][layer] - share));
  }
  return now;
}

const isGreen = (mark, window, token) =>
  Number(block(mark, window, token)[0]) / 2 ** 32 < Math.fround(mark.gamma ?? 0.5);

/** Whether an earlier token of the output followed the same window. @param {{ id: number, isPrompt?: boolean }[]} text */
function isRepeated(text, size) {
  const ids = text.map(({ id }) => id);
  const last = ids.slice(-size).join();
  return text.some(({ isPrompt }, at) => !isPrompt && at >= size && ids.slice(at - size, at).join() === last);
}

/**
 * The token of a draw, and how near it was to another one: the distance in the number that decided.
 * @param {Map<number, number>} probabilities of the survivors by id
 */
export function choose(mark, probabilities, text, seed) {
  const ids = [...probabilities.keys()].sort((a, b) => a - b);
  const weights = ids.map((id) => probabilities.get(id) ?? 0);
  const size = mark?.window ?? 4;
  const isMarked = mark && ids.length > 1 && text.length >= size && !isRepeated(text, size);
  const window = text.slice(-size).map(({ id }) => id);
  const u = drawNumber(seed, text.filter(({ isPrompt }) => !isPrompt).length);
  if (isMarked && mark.scheme === "gumbel") {
    const scores = ids.map((id, i) => Math.log(unit(block(mark, window, id))) / weights[i]);
    const [first, second] = [...scores].sort((a, b) => b - a);
    return { token: ids[scores.indexOf(first)], margin: (first - second) / -second, isMarked };
  }
  let marked = weights;
  if (isMarked && mark.scheme === "green")
    marked = weights.map((p, i) => (isGreen(mark, window, ids[i]) ? p * Math.exp(Math.fround(mark.delta ?? 2)) : p));
  if (isMarked && mark.scheme === "synthid")
    marked = tournament(
      weights,
      ids.map((id) => bitsOf(mark, window, id)),
    );
  const target = u * marked.reduce((a, b) => a + b);
  let [running, at, margin] = [0, 0, Infinity];
  for (let i = 0; i < marked.length; i++) {
    running += marked[i];
    margin = Math.min(margin, i < marked.length - 1 ? Math.abs(running - target) : Infinity);
    if (running <= target) at = Math.min(i + 1, marked.length - 1);
  }
  return { token: ids[at], margin, isMarked };
}

/** Scores of the tokens that count: those after a window that is new. */
export function scores(mark, ids) {
  const size = mark.window ?? 4;
  const found = [];
  for (let at = size; at < ids.length; at++)
    if (
      !isRepeated(
        ids.slice(0, at).map((id) => ({ id })),
        size,
      )
    )
      found.push(scoreOf(mark, ids.slice(at - size, at), ids[at]));
  return found;
}

function scoreOf(mark, window, token) {
  if (mark.scheme === "gumbel") return -Math.log1p(-unit(block(mark, window, token)));
  if (mark.scheme === "green") return Number(isGreen(mark, window, token));
  const weights = layerWeights(mark.depth ?? 30);
  const bits = bitsOf(mark, window, token);
  return bits.reduce((sum, bit, i) => sum + bit * weights[i], 0) / weights.reduce((a, b) => a + b);
}

/** Whole weights nearest to a line from 10 to 1, halves down. */
export const layerWeights = (depth) =>
  depth === 1 ? [1] : Array.from({ length: depth }, (_, i) => 10 - Math.floor((9 * i) / (depth - 1) + 0.5));

/** P(at least k of n), the probability being a / 2^32, exactly. */
export function binomialTail(k, n, a) {
  const [p, q] = [BigInt(a), 2n ** 32n - BigInt(a)];
  let sum = 0n;
  let ways = 1n;
  for (let i = 0n; i <= BigInt(n); i++) {
    if (i >= BigInt(k)) sum += ways * p ** i * q ** (BigInt(n) - i);
    ways = (ways * (BigInt(n) - i)) / (i + 1n);
  }
  return ratio(sum, 2n ** (32n * BigInt(n)));
}

/** P(a sum of n exponentials is at least t / 1000): e^-x times a sum of fractions. */
export function gammaTail(t, n) {
  let [sum, power, factorial] = [0n, 1n, 1n];
  // Over the common denominator 1000^(n - 1) * (n - 1)!.
  const whole = (from, to) => {
    let product = 1n;
    for (let i = from; i <= to; i++) product *= BigInt(i);
    return product;
  };
  for (let i = 0; i < n; i++) {
    sum += power * 1000n ** BigInt(n - 1 - i) * whole(i + 1, n - 1);
    power *= BigInt(t);
    factorial *= BigInt(Math.max(1, i));
  }
  return Math.exp(-t / 1000) * ratio(sum, 1000n ** BigInt(n - 1) * factorial);
}

/** P(the sum of the weights of random bits is at least each number), by counting all outcomes. */
export function weightTails(weights, n) {
  let ways = [1n];
  for (let i = 0; i < n; i++)
    for (const weight of weights) {
      const next = [...ways, ...Array(weight).fill(0n)];
      ways.forEach((count, at) => (next[at + weight] += count));
      ways = next;
    }
  const all = 2n ** BigInt(weights.length * n);
  let sum = 0n;
  return ways
    .reverse()
    .map((count) => ratio((sum += count), all))
    .reverse();
}

/** A quotient of large whole numbers, to 60 bits. */
function ratio(above, below) {
  if (!above) return 0;
  const shift = below.toString(2).length - above.toString(2).length + 60;
  const scaled = shift > 0 ? (above << BigInt(shift)) / below : above / below;
  return shift > 0 ? (Number(scaled) / 2 ** 60) * 2 ** (60 - shift) : Number(scaled);
}
