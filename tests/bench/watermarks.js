// How often detectors of watermarks are right, by the length of the text: false positives over unmarked texts, and how
// many marked texts are found, whole and after losing a fifth of their words. Prints Markdown tables of counts.
// `node tests/bench/watermarks.js`, or with another model: `node tests/bench/watermarks.js FILE unmarked=0 marked=200`.
// `texts=tinystories_5m.txt`: unmarked texts are passages of this file, not texts that the model writes.
import { readFileSync } from "node:fs";
import { createWatermarkDetector, detectWatermark, loadModel } from "lastinch";

const given = Object.fromEntries(process.argv.slice(2).map((word) => word.split("=")));
const file = Object.keys(given).find((name) => name.endsWith(".gguf")) ?? "demos/model/storyteller.gguf";
const unmarked = Number(given.unmarked ?? 400);
/** Each unmarked text is tried by some keys: over keys p-values are exact, whatever the text is. */
const keys = Number(given.keys ?? 5);
const marked = Number(given.marked ?? 40);
const temperature = Number(given.temperature ?? 1);

const schemes = /** @type {const} */ (["gumbel", "green", "synthid"]);
const lengths = [25, 50, 100, 200];
const longest = /** @type {number} */ (lengths.at(-1));
const limits = [0.01, 0.001];
/** Unmarked texts may be shorter: most of a run is theirs. */
const unmarkedLengths = lengths.filter((length) => length <= Number(given.longest ?? 100));
const GROUP = 50;

const model = await loadModel(new Uint8Array(readFileSync(file)), { worker: false });
const begins = ["Once upon a time", "One day, a little girl", "Tom and his dog", "There was a big tree", "The old man"];
const usual = { temperature, minTokens: longest };

/** The texts of a call, as token ids. */
async function write(/** @type {string} */ prompt, /** @type {object} */ options) {
  /** @type {number[][]} */
  const texts = [];
  for await (const { index = 0, tokens } of model.generate(prompt, { ...usual, ...options }))
    (texts[index] ??= []).push(...tokens.map(({ id }) => id));
  return texts;
}

/** @param {number[][]} rows p-values of texts, by length */
function counts(rows) {
  return rows.map((values) => limits.map((limit) => values.filter((p) => p <= limit).length));
}

/** @param {string} caption @param {number[]} columns @param {(scheme: string) => number[][]} rowsOf */
function print(caption, columns, rowsOf) {
  console.log(`\n*${caption}*\n`);
  console.log(`| Scheme | ${columns.map((length) => `${length} tokens`).join(" | ")} |`);
  console.log(`| --- |${" --- |".repeat(columns.length)}`);
  for (const scheme of schemes) {
    const cells = counts(rowsOf(scheme)).map((row) => row.join(", "));
    console.log(`| ${scheme} | ${cells.join(" | ")} |`);
  }
}

/** p-values by scheme and length. */
const empty = () =>
  Object.fromEntries(schemes.map((scheme) => [scheme, lengths.map(() => /** @type {number[]} */ ([]))]));

/** Unmarked texts, GROUP at a time, as token ids. */
async function* unmarkedTexts() {
  const most = Math.max(...unmarkedLengths);
  const passages = given.texts ? await passagesOf(readFileSync(given.texts, "utf8"), most) : undefined;
  for (let first = 0; first < unmarked; first += GROUP) {
    const n = Math.min(GROUP, unmarked - first);
    const prompt = begins[(first / GROUP) % begins.length];
    if (passages) yield passages.slice(first, first + n);
    else yield await write(prompt, { n, seed: first, maxTokens: most, minTokens: most });
  }
}

/** The texts of a file, cut to passages. @param {string} text @param {number} most tokens of a passage */
async function passagesOf(text, most) {
  /** @type {number[][]} */
  const passages = [];
  for (const story of text.split("<|endoftext|>")) {
    const ids = [...(await model.tokenize(story))];
    for (let at = 0; at + most <= ids.length; at += most) passages.push(ids.slice(at, at + most));
    if (passages.length >= unmarked) return passages;
  }
  throw new RangeError(`The file has ${passages.length} passages of ${most} tokens.`);
}

if (unmarked) {
  const found = empty();
  let count = 0;
  for await (const texts of unmarkedTexts()) {
    for (const ids of texts) {
      for (const scheme of schemes)
        for (let k = 0; k < keys; k++) {
          const detector = await createWatermarkDetector({ scheme, key: `unmarked ${count}, ${k}` });
          for (const [at, length] of unmarkedLengths.entries()) {
            detector.add(ids.slice(unmarkedLengths[at - 1] ?? 0, length));
            found[scheme][at].push(detector.result.pValue);
          }
        }
      count++;
    }
    if (count % 500 === 0) console.error(`${count} unmarked texts`);
  }
  const caption = `${unmarked} unmarked texts, each tried by ${keys} keys: how many have a p-value of at most 1 %, of at most .1 %`;
  print(caption, unmarkedLengths, (scheme) => found[scheme].slice(0, unmarkedLengths.length));
}

let state = 1;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;

if (marked) {
  const [whole, cut, byText] = [empty(), empty(), empty()];
  for (let i = 0; i < marked; i++) {
    for (const scheme of schemes) {
      const watermark = { scheme, key: `marked ${i}` };
      const [ids] = await write(begins[i % begins.length], { watermark, seed: i, maxTokens: longest });
      for (const [at, length] of lengths.entries()) {
        const part = ids.slice(0, length);
        whole[scheme][at].push((await detectWatermark(part, watermark)).pValue);
        const text = await model.detokenize(part);
        byText[scheme][at].push((await detectWatermark(text, { ...watermark, vocabulary: model })).pValue);
        const fewer = text.replace(/\s*\S+/g, (word) => (random() < 0.2 ? "" : word));
        cut[scheme][at].push((await detectWatermark(fewer, { ...watermark, vocabulary: model })).pValue);
      }
    }
    if (i % 5 === 0) console.error(`${i} marked texts of each scheme`);
  }
  const caption = `${marked} marked texts at temperature ${temperature}: how many are found at 1 %, at .1 %`;
  print(`${caption}, by their tokens`, lengths, (scheme) => whole[scheme]);
  print(`${caption}, by their text`, lengths, (scheme) => byText[scheme]);
  print(`${caption}, by their text without a fifth of its words`, lengths, (scheme) => cut[scheme]);
}
model.dispose();
