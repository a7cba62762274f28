// Real checkpoints, from the file to the text, beside llama.cpp on the same files.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "lastinch";
import { createLanguageModel } from "lastinch/prompt-api";
import { argmax, distance, wrongChoices } from "./distance.js";
import * as llama from "./llama.js";

const PROMPT = 20; // tokens before the chosen tokens
const CHOSEN = 100;
const BEGIN = 1; // <s>, <|im_start|>
const PAGE = 800; // the most tokens of the page on which perplexity is measured
const CLOSE = 0.005;
const CERTAIN = 6; // distances, as in random.test.js

const text = process.env.LASTINCH_TEST_DATA && `${process.env.LASTINCH_TEST_DATA}/text/tinystories_propercase_3m.txt`;
const files = [
  ...["", "-Q8_0", "-Q4_0", "-Q4_K_M"].map((mix) => `stories15M${mix}`),
  ...["", "-Q8_0", "-Q4_0", "-Q4_K_M"].map((mix) => `MiniMind2-Small${mix}`),
  ...["-Q4_K_M", "-Q8_0", "-Q4_0"].map((mix) => `TinyLlama-1.1B-Chat${mix}`),
];

const contextOf = (path) => (path.includes("stories15M") ? 256 : PAGE);
const load = (path) => loadModel(path, { contextLength: contextOf(path), cache: false });

function rowsOf(logits, width) {
  return Array.from({ length: logits.length / width }, (_, i) => logits.subarray(i * width, (i + 1) * width));
}

// The mean of -log p of every token after the first, in nats.
function surprise(rows, ids) {
  const sum = ids.slice(1).reduce((total, id, i) => {
    const peak = rows[i][argmax(rows[i])];
    return total + peak + Math.log(rows[i].reduce((all, logit) => all + Math.exp(logit - peak), 0)) - rows[i][id];
  }, 0);
  return sum / (ids.length - 1);
}

function reasonToSkip(name, ...needed) {
  if (!existsSync(llama.pathOf(`${name}.gguf`))) return "run make models first";
  return needed.every(Boolean) ? false : "LASTINCH_TEST_DATA is not set";
}

for (const name of files) {
  const path = llama.pathOf(`${name}.gguf`);

  test(`${name}: a page has llama.cpp's tokens and perplexity`, { skip: reasonToSkip(name, text) }, async (t) => {
    const page = readFileSync(text, "utf8").slice(0, 4000).replaceAll("<|endoftext|>", "");
    const model = await load(path);
    t.after(() => model.dispose());
    const whole = [...(await model.tokenize(page))];
    assert.deepEqual(whole, [...llama.tokenise(path, page)]);
    // Without its first token MiniMind2 predicts a text no better than chance.
    const ids = [BEGIN, ...whole].slice(0, contextOf(path));
    const ours = await model.forward(ids, { rows: "all" });
    const theirs = rowsOf(llama.logits(path, ids), model.config.vocabSize);
    const [our, their] = [ours, theirs].map((rows) => Math.exp(surprise(rows, ids)));
    t.diagnostic(`perplexity ${our.toFixed(3)}, llama.cpp ${their.toFixed(3)}`);
    assert.ok(Math.abs(our / their - 1) <= CLOSE);
  });

  test(`${name}: ${CHOSEN} greedy tokens are llama.cpp's`, { skip: reasonToSkip(name) }, async (t) => {
    const model = await load(path);
    t.after(() => model.dispose());
    const prompt = [
      BEGIN,
      ...(await model.tokenize("Once upon a time there was a little girl who lived near the sea.")),
    ];
    const start = prompt.slice(0, PROMPT);
    const theirs = rowsOf(llama.logits(path, start, { greedy: CHOSEN - 1 }), model.config.vocabSize);
    const chosen = theirs.slice(start.length - 1);
    assert.equal(chosen.length, CHOSEN);
    const ours = await model.forward([...start, ...chosen.slice(0, -1).map(argmax)], { rows: "all" });
    const away = distance(ours, theirs);
    const same = ours.slice(start.length - 1).filter((row, i) => argmax(row) === argmax(chosen[i])).length;
    t.diagnostic(`${same} equal, distance ${away.toExponential(2)}`);
    assert.equal(wrongChoices(ours, theirs, CERTAIN * away), 0);
  });
}

// TinyLlama's weights once had two bits: at Q8_0 llama.cpp's answer differs, too.
for (const name of ["MiniMind2-Small-Q8_0", "TinyLlama-1.1B-Chat-Q4_0", "TinyLlama-1.1B-Chat-Q4_K_M"]) {
  test(`${name} knows the capital of France`, { skip: reasonToSkip(name) }, async (t) => {
    const model = await load(llama.pathOf(`${name}.gguf`));
    t.after(() => model.dispose());
    const session = await createLanguageModel(model, { generate: { maxTokens: 16 } }).create({ temperature: 0 });
    assert.equal(await session.prompt("What is the capital of France?"), "The capital of France is Paris.");
  });
}
