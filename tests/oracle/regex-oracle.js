// Random regular expressions, judged by JavaScript's own RegExp.
import fc from "fast-check";
import { randomFrom } from "../bench/grammar-random.js";
import { readChanged } from "./changed-texts.js";
import { expressions } from "./regex-arbitrary.js";
import { matchesInTime } from "./patient-regex.js";
import { textFor } from "./regex-texts.js";

export const cases = fc.record({ expression: expressions, seed: fc.nat() });

const letters = [..."abkAKx01 -_.é\n", "ſ", "K", "😀", "中"];

/**
 * @param {import("./reader.js").Bench} bench
 * @param {{ expression: { source: string, flags: string }, seed: number }} chosen
 */
export async function check(bench, { expression: { source, flags }, seed }) {
  const whole = new RegExp(`^(?:${source})$`, flags);
  // Without u and v RegExp takes a character beyond the BMP for two, and V8 finds \B between the halves of one.
  const isLost =
    !/[uv]/.test(flags) || source.includes("\\B") ? /[\u{10000}-\u{10ffff}]|\p{Surrogate}/u : /\p{Surrogate}/u;
  const judge = (/** @type {string} */ text) => (isLost.test(text) ? undefined : matchesInTime(whole, text));
  const reader = await bench.compile({ regex: new RegExp(source, flags) }, seed);
  if (!reader) return;
  try {
    const random = randomFrom(seed);
    const texts = readChanged(reader, {
      sentence: () => [...textFor(source, flags, random)],
      count: 14,
      lengths: [4, 0],
      letters,
      random,
      judge,
    });
    for (const text of texts.slice(0, 4)) reader.follow(text);
    for (let time = 0; time < 2; time++) await reader.walk(texts[time] ?? "", (text) => judge(text) ?? true);
    if (seed % 64 === 0 && texts.length) reader.compareAll(texts[0]);
  } finally {
    reader.dispose();
  }
}
