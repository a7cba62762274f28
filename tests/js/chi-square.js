// The chi-square test of counts against probabilities.

/** ln of the gamma function (Lanczos). */
function logGamma(x) {
  const c = [
    76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 1.208650973866179e-3,
    -5.395239384953e-6,
  ];
  const sum = c.reduce((total, value, i) => total + value / (x + 1 + i), 1.000000000190015);
  return (x + 0.5) * Math.log(x + 5.5) - (x + 5.5) + Math.log((2.5066282746310005 * sum) / x);
}

/** Probability that chi-square with so many degrees of freedom is at least x: the upper incomplete gamma function. */
export function tail(x, freedom) {
  const a = freedom / 2;
  const y = x / 2;
  const front = Math.exp(-y + a * Math.log(y) - logGamma(a));
  if (y < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = a + 1; term > sum * 1e-14; n++) sum += term *= y / n;
    return 1 - sum * front;
  }
  let b = y + 1 - a;
  let [c, d] = [1e300, 1 / b];
  let h = d;
  for (let i = 1; i < 1000; i++) {
    const an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
  }
  return front * h;
}

/**
 * p of the counts by key under the probabilities by key; what is expected less than five times is one class together.
 * Impossible keys make it 0.
 */
export function pValue(counts, probabilities) {
  const total = [...counts.values()].reduce((a, b) => a + b);
  for (const key of counts.keys()) if (!(probabilities.get(key) > 0)) return 0;
  let [statistic, classes, rest, restExpected] = [0, 0, 0, 0];
  const add = (count, expected) => ((statistic += (count - expected) ** 2 / expected), classes++);
  for (const [key, probability] of probabilities) {
    const [count, expected] = [counts.get(key) ?? 0, probability * total];
    if (expected >= 5) add(count, expected);
    else [rest, restExpected] = [rest + count, restExpected + expected];
  }
  if (restExpected >= 5) add(rest, restExpected);
  return tail(statistic, classes - 1);
}

export const count = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);
