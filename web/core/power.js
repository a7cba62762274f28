// Powers with the same bits in every engine. Math.pow and Math.exp may differ in the last bits.

const LN2_HIGH = 0.6931471803691238; // with its last 32 bits 0, so that multiples of it are exact
const LN2_LOW = 1.9082149292705877e-10;

/**
 * e to the power of x.
 * @param {number} x
 */
export function exponential(x) {
  if (!(x > -745)) return x === x ? 0 : NaN;
  if (x > 709.7) return Infinity;
  const halvings = Math.round(x / (LN2_HIGH + LN2_LOW));
  const rest = x - halvings * LN2_HIGH - halvings * LN2_LOW;
  let sum = 1;
  for (let i = 16; i > 0; i--) sum = 1 + (sum * rest) / i;
  // In two steps, because the power of 2 may be out of range even if the result is not.
  const half = Math.abs(halvings) / 2;
  const [first, second] = [whole(2, half), whole(2, half + 0.5)];
  return halvings < 0 ? sum / first / second : sum * first * second;
}

/**
 * @param {number} base 1 or more
 * @param {number} exponent
 */
export function power(base, exponent) {
  if (Number.isInteger(exponent)) return exponent < 0 ? 1 / whole(base, -exponent) : whole(base, exponent);
  return exponential(exponent * logarithm(base));
}

/**
 * @param {number} base
 * @param {number} exponent its fraction is ignored
 */
function whole(base, exponent) {
  let product = 1;
  for (let left = Math.floor(exponent), square = base; left; left = Math.floor(left / 2), square *= square)
    if (left % 2) product *= square;
  return product;
}

/** @param {number} x 1 or more */
function logarithm(x) {
  let halvings = 0;
  for (; x > 1.5; halvings++) x /= 2;
  // ln x = 2 artanh((x - 1) / (x + 1)), whose series needs few terms here.
  const ratio = (x - 1) / (x + 1);
  let sum = 0;
  for (let i = 25; i > 0; i -= 2) sum = sum * ratio * ratio + 1 / i;
  return halvings * LN2_HIGH + (halvings * LN2_LOW + 2 * ratio * sum);
}
