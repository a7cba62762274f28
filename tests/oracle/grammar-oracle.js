// Random grammars of GBNF and Lark, judged by a small recogniser.
import fc from "fast-check";
import { randomFrom } from "../bench/grammar-random.js";
import { readChanged } from "./changed-texts.js";
import { asGbnf, asLark, gbnf, isSentence, lark, sentence } from "./grammar-arbitrary.js";

const dialects = fc.constantFrom("ebnf", "lark");
export const cases = dialects.chain((dialect) =>
  fc.record({ dialect: fc.constant(dialect), rules: dialect === "lark" ? lark : gbnf, seed: fc.nat() }),
);

const letters = [...'ab(),z09é- ]^"\\\n'];

/**
 * @param {import("./reader.js").Bench} bench
 * @param {{ dialect: string, rules: import("./grammar-arbitrary.js").Rules, seed: number }} chosen
 */
export async function check(bench, { dialect, rules, seed }) {
  const source = { [dialect]: dialect === "lark" ? asLark(rules) : asGbnf(rules) };
  const judge = (/** @type {string} */ text) => isSentence(rules, text);
  const reader = await bench.compile(source, seed);
  if (!reader) return;
  try {
    const random = randomFrom(seed);
    const texts = readChanged(reader, {
      sentence: () => [...sentence(rules, random)].slice(0, 60),
      count: 10,
      lengths: [2, 3],
      letters,
      random,
      judge,
    });
    for (const text of texts.slice(0, 4)) reader.follow(text);
    const isShort = (/** @type {string} */ text) => text.length > 80 || judge(text); // the recogniser is slow
    for (let time = 0; time < 2; time++) await reader.walk(texts[time] ?? "", isShort);
    if (seed % 64 === 0 && texts.length) reader.compareAll(texts[0]);
  } finally {
    reader.dispose();
  }
}
