// The slowest masks and compilations of many schemas: their least times, and their units of work (fuel). The digest of
// all masks says whether a change has kept every bit.
// LASTINCH_TEST_DATA=... node tests/bench/slow-masks.js [--file slow-masks.jsonl.gz] [--every 1] [--from 0] [--runs 5]
//   [--vocabulary llama3] [--order schema] [--ids A,B] [--show 20] [--list all.json] [--no-digest]
//   [--random 20] so many random schemas of each dear class instead, from --seed 1 on
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compileGrammar, prepareVocabulary } from "lastinch";
import { isAbsent, readMaskBench } from "./grammar-data.js";
import fc from "fast-check";
import { dearSchemas } from "../oracle/dear-schemas.js";
import { isSet } from "./grammar-walk.js";
import { openVocabulary } from "./grammar-vocabulary.js";

const { values: flags } = parseArgs({
  options: {
    file: { type: "string" },
    every: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    runs: { type: "string", default: "5" },
    vocabulary: { type: "string", default: "llama3" },
    order: { type: "string", default: "schema" },
    ids: { type: "string" },
    show: { type: "string", default: "20" },
    list: { type: "string" },
    random: { type: "string" },
    seed: { type: "string", default: "1" },
    "no-digest": { type: "boolean", default: false },
  },
});
if (isAbsent) throw new Error(isAbsent);

const SLOW_MS = 0.5;
const DEAR_COMPILE_MS = 20;
const FEW_UNITS = 2000;
const { tokens, eos, encode } = openVocabulary(flags.vocabulary);
const vocabulary = await prepareVocabulary({ tokens, eos });
const { exports, views } = vocabulary.instance;
const words = Math.ceil(tokens.length / 32);

/** Every mask of every instance: time and units, in order. A mask that fails ends its instance. */
async function walkAll({ schema, tests }, hash) {
  const masks = [];
  let start = performance.now();
  let grammar;
  try {
    grammar = await compileGrammar({ vocabulary, jsonSchema: schema, propertyOrder: flags.order });
  } catch (error) {
    return { masks, compile: performance.now() - start, error: error.code ?? error.message };
  }
  const compile = performance.now() - start;
  const { form, limits } = grammar.posted;
  grammar.dispose();
  const address = exports.li_memory_alloc(form.length);
  views().bytes.set(form, address);
  start = performance.now();
  const compiled = exports.li_grammar_compile(address, form.length, limits.fuel);
  const compileC = performance.now() - start;
  const compileUnits = exports.li_grammar_spent(compiled);
  exports.li_memory_free(address);
  const masker = exports.li_masker_create(compiled, vocabulary.pointer, 0);
  let error;
  for (const [index, test] of tests.entries()) {
    const matcher = exports.li_matcher_create(masker, 0, 0);
    for (let at = 0; at <= test.tokens.length; at++) {
      start = performance.now();
      const mask = exports.li_matcher_mask(matcher) >>> 0;
      const ms = performance.now() - start;
      masks.push({ ms, units: exports.li_matcher_spent(matcher), index, at });
      if (!mask) error = "grammar-fuel";
      if (!mask) break;
      const bits = views().words.subarray(mask >>> 2, (mask >>> 2) + words);
      hash?.update(bits);
      if (at === test.tokens.length || !isSet(bits, test.tokens[at])) break;
      if (exports.li_matcher_accept(matcher, test.tokens[at]) !== 1) break;
    }
    exports.li_matcher_destroy(matcher);
  }
  exports.li_masker_destroy(masker);
  return { masks, compile, compileC, compileUnits, error };
}

const hash = flags["no-digest"] ? undefined : createHash("sha256");
const entries = flags.random
  ? Object.entries(dearSchemas).flatMap(([name, arbitrary]) =>
      fc.sample(arbitrary, { numRuns: Number(flags.random), seed: Number(flags.seed) }).map(({ schema, texts }, i) => ({
        id: `${name} ${i}`,
        schema: JSON.stringify(schema),
        tests: texts.map((text) => ({ text })),
      })),
    )
  : readMaskBench({ file: flags.file, ids: flags.ids?.split(",") }).filter(
      (_, i) => i % Number(flags.every) === Number(flags.from),
    );
const all = [];
const ratios = [];
let refused = 0;
for (const entry of entries) {
  const tests = entry.tests.map((test) => ({ ...test, tokens: encode(test.text) }));
  const own = hash && createHash("sha256");
  const first = await walkAll({ ...entry, tests }, own);
  const digest = own?.digest("hex").slice(0, 16);
  hash?.update(`${entry.id} ${digest}\n`);
  if (!first.masks.length && first.error) refused++;
  const isSlow =
    first.compile > DEAR_COMPILE_MS || first.masks.some((mask) => mask.ms > SLOW_MS || mask.units > FEW_UNITS);
  for (let run = 1; isSlow && run < Number(flags.runs); run++) {
    const again = await walkAll({ ...entry, tests });
    first.compile = Math.min(first.compile, again.compile);
    first.compileC = Math.min(first.compileC ?? 0, again.compileC ?? 0);
    for (const [i, mask] of first.masks.entries()) mask.ms = Math.min(mask.ms, again.masks[i].ms);
  }
  let worst = { ms: 0, units: 0, index: 0, at: 0 };
  let most = 0;
  for (const mask of first.masks) {
    if (mask.ms > worst.ms) worst = mask;
    most = Math.max(most, mask.units);
    if (mask.ms > 0.2) ratios.push({ id: entry.id, ratio: mask.units / (1000 * mask.ms), ...mask });
  }
  const { compile, compileC = 0, compileUnits = 0, error } = first;
  const { id, schema } = entry;
  all.push({
    id,
    digest,
    bytes: schema.length,
    worst,
    most,
    compile,
    compileC,
    compileUnits,
    error,
    times: first.masks,
  });
}

const times = Float64Array.from(all.flatMap((one) => one.times.map((mask) => mask.ms))).sort();
const units = Float64Array.from(all.flatMap((one) => one.times.map((mask) => mask.units))).sort();
const over = (limit) => times.length - times.findLastIndex((ms) => ms <= limit) - 1;
const mean = times.reduce((a, b) => a + b, 0) / times.length;
console.log(`${entries.length} schemas, ${refused} refused, ${times.length} masks`);
console.log(`masks: mean ${(1000 * mean).toFixed(2)} µs, p50 ${(1000 * times[times.length >> 1]).toFixed(2)} µs`);
console.log(`masks over 1, 5, 50 ms: ${over(1)}, ${over(5)}, ${over(50)}; most units ${units.at(-1)}`);
ratios.sort((a, b) => a.ratio - b.ratio);
const ratioAt = (share) => ratios[Math.floor(share * (ratios.length - 1))]?.ratio.toFixed(1);
console.log(
  `units a µs, of ${ratios.length} masks over 0.2 ms: least ${ratioAt(0)}, 1 % ${ratioAt(0.01)}, median ${ratioAt(0.5)}, most ${ratioAt(1)}`,
);
for (const { id, ratio, ms, units: spent, index, at } of ratios.filter((r) => r.ms > 0.4).slice(0, Number(flags.show)))
  console.log(
    `  ${ratio.toFixed(2)} units a µs: ${id} ${ms.toFixed(2)} ms, ${spent} units (instance ${index}, token ${at})`,
  );
console.log("worst masks: ms, units, most units, compile ms (C), units");
const show = Number(flags.show);
const row = ({ id, worst, most, compile, compileC, compileUnits, error = "" }) =>
  `  ${worst.ms.toFixed(2)} ${worst.units} (${worst.index}:${worst.at}) ${most}  ${compile.toFixed(1)} (${compileC.toFixed(1)}) ${compileUnits} ${id} ${error}`;
for (const one of all.sort((a, b) => b.worst.ms - a.worst.ms).slice(0, show)) console.log(row(one));
console.log("worst compilations");
for (const one of all.sort((a, b) => b.compile - a.compile).slice(0, show)) console.log(row(one));
console.log("most units");
for (const one of all.sort((a, b) => b.most - a.most).slice(0, show)) console.log(row(one));
if (hash) console.log(`digest of all masks: ${hash.digest("hex")}`);
if (flags.list)
  writeFileSync(
    flags.list,
    JSON.stringify(
      all.map(({ times: masks, ...one }) => ({ ...one, count: masks.length })).sort((a, b) => (a.id < b.id ? -1 : 1)),
      null,
      1,
    ),
  );
