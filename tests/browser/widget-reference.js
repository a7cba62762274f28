// The sampler's definitions in float64, written for the widgets' tests, and a check of printed numbers.

/** @param {number[]} logits @param {number} [temperature] */
export function softmax(logits, temperature = 1) {
  const top = Math.max(...logits);
  if (temperature === 0) return logits.map((_, id) => Number(id === logits.indexOf(top)));
  const weights = logits.map((logit) => Math.exp((logit - top) / temperature));
  const total = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / total);
}

/** Ids from the likeliest down. @param {number[]} values */
export const byRank = (values) => values.map((_, id) => id).sort((a, b) => values[b] - values[a] || a - b);

/** @typedef {{ topK?: number, topP?: number, minP?: number }} Cuts */

/**
 * Which ids stay when each cut works on the survivors of the one before.
 * @param {number[]} probabilities
 * @param {[keyof Cuts, number][]} cuts in order
 */
export function survivors(probabilities, cuts) {
  let ids = byRank(probabilities);
  for (const [name, value] of cuts) {
    const total = ids.reduce((sum, id) => sum + probabilities[id], 0);
    if (name === "topK" && value > 0) ids = ids.slice(0, value);
    if (name === "minP") ids = ids.filter((id) => probabilities[id] >= value * probabilities[ids[0]]);
    if (name === "topP" && value < 1) {
      let sum = 0;
      const end = ids.findIndex((id) => (sum += probabilities[id] / total) >= value - 1e-9);
      ids = ids.slice(0, end + 1);
    }
  }
  return ids;
}

/** Whether a printed percentage is the probability, to the digits that it has. @param {string} text @param {number} value */
export function isPercent(text, value) {
  if (text === "<0.01%") return value > 0 && value < 0.0001;
  if (text === ">99.9%") return value < 1 && value > 0.999;
  const digits = text.split(".")[1]?.replace("%", "").length ?? 0;
  return Math.abs(parseFloat(text) / 100 - value) <= 0.5001 * 10 ** -(digits + 2);
}

export const cat = { tokens: ["mat", "sofa", "floor", "bed", "moon", "banana"], logits: [6, 5, 4.5, 3.5, 2, 0] };
