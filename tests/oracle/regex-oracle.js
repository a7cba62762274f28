// Random regular expressions, judged by JavaScript's own RegExp.
import fc from "fast-check";
import { randomFrom } from "../bench/grammar-random.js";
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
    const pick = (/** @type {any} */ list) => list[Math.floor(random() * list.length)];
    const valid = new Set();
    for (let time = 0; time < 16; time++) {
      let points = [...textFor(source, flags, random)];
      for (let change = Math.floor(random() * 3); change > 0; change--)
        points.splice(
          Math.floor(random() * (points.length + 1)),
          Math.floor(random() * 2),
          ...(random() < 0.6 ? [pick(letters)] : []),
        );
      if (time > 13) points = Array.from({ length: time % 5 }, () => pick(letters));
      const text = points.join("");
      const isValid = judge(text);
      if (isValid === undefined) continue;
      reader.read(text, isValid);
      if (isValid) valid.add(text);
    }
    const texts = [...valid];
    for (const text of texts.slice(0, 4)) reader.follow(text);
    for (let time = 0; time < 2; time++) await reader.walk(texts[time] ?? "", (text) => judge(text) ?? true);
    if (seed % 64 === 0 && texts.length) reader.compareAll(texts[0]);
  } finally {
    reader.dispose();
  }
}
