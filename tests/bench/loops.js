// How often texts count as loops: texts that people wrote, code, lists, and what the storyteller writes; and the time
// of a token. Run `node --import ./tests/js/source/register.js tests/bench/loops.js`, with LASTINCH_TEST_DATA for the
// texts of people.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createLoopDetector } from "../../web/decode/loop-options.js";
import { load, shipped } from "../js/decode-tools.js";

const model = await load(shipped("storyteller"));
const { tokens: bytes } = model.vocabulary;
const decoder = new TextDecoder();

/** Loops of a text, and its tokens. */
function loopsOf(ids) {
  let detector = createLoopDetector();
  const found = [];
  for (const [i, id] of ids.entries()) {
    const loop = detector.push(id, decoder.decode(bytes[id] ?? new Uint8Array(0)));
    if (!loop) continue;
    found.push({ at: i, period: loop.period });
    detector = createLoopDetector();
  }
  return found;
}

const rows = [];
async function measure(name, texts) {
  let [count, tokens, lines] = [0, 0, 0];
  const shown = [];
  for (const text of texts) {
    for (let at = 0; at < text.length; at += 20_000) {
      const part = text.slice(at, at + 20_000);
      const ids = await model.tokenize(part);
      tokens += ids.length;
      for (const { at: place, period } of loopsOf(ids)) {
        count++;
        // A line of dashes, one token each.
        if (period === 1) lines++;
        else if (shown.length < 6)
          shown.push(`${period}: ${JSON.stringify(await model.detokenize(ids.slice(place - 24, place)))}`);
      }
    }
  }
  rows.push({ name, texts: texts.length, tokens, loops: count, lines });
  console.log(name, tokens, "tokens,", count, "loops,", lines, "of them of one token", shown);
}

const data = process.env.LASTINCH_TEST_DATA;
if (data)
  for (const file of readdirSync(join(data, "text")).filter(
    (name) => name.endsWith(".txt") && !/tinystories/.test(name),
  ))
    await measure(file, [readFileSync(join(data, "text", file), "utf8")]);
if (data && existsSync(join(data, "text/tinystories_propercase_3m.txt")))
  await measure(
    "tinystories",
    readFileSync(join(data, "text/tinystories_propercase_3m.txt"), "utf8").split("<|endoftext|>").slice(0, 1000),
  );
const root = new URL("../../", import.meta.url).pathname;
const sources = ["src", "web", "tests/js", "demos/docs"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.(c|h|js|md)$/.test(name))
    .map((name) => readFileSync(join(root, folder, name), "utf8")),
);
await measure("these sources", sources);
const base64 = Buffer.from(shipped("draft").subarray(100_000, 160_000)).toString("base64");
const numbers = (of) => Array.from({ length: 500 }, (_, i) => of(i)).join(", ");
const table = ["| Name | Price | Count |", "| --- | --- | --- |"];
for (let i = 0; i < 60; i++) table.push(`| Item ${i} | ${(i * 37) % 100}.${i % 10}0 | ${(i * 7) % 13} |`);
const verse = "Twinkle, twinkle, little star, how I wonder what you are!\n";
const refrain = [
  "Up above the world so high",
  "When the blazing sun is gone",
  "Then the traveller in the dark",
  "As your bright and tiny spark",
];
await measure("base64", [base64]);
await measure("numbers", [numbers((i) => i), numbers((i) => (i * i) % 1000), numbers((i) => (i / 7).toFixed(2))]);
await measure("a table", [table.join("\n")]);
await measure("a refrain", [refrain.map((line) => `${line},\n${verse}${verse}`).join("")]);

const write = async (name, options, prompts) => {
  const reasons = {};
  for (const [i, prompt] of prompts.entries()) {
    const { finishReason } = await model.complete(prompt, { ...options, seed: i + 1, maxTokens: 400, loops: "stop" });
    reasons[finishReason] = (reasons[finishReason] ?? 0) + 1;
  }
  console.log(name, reasons);
};
const stories = data
  ? readFileSync(join(data, "text/tinystories_propercase_3m.txt"), "utf8").split("<|endoftext|>")
  : [];
const openings = stories.slice(1000, 2000).map((story) => story.trim().split(" ").slice(0, 6).join(" "));
await write("greedy", { temperature: 0 }, openings.slice(0, Number(process.env.GREEDY ?? 200)));
await write("T = 0.8", { temperature: 0.8 }, openings.slice(0, Number(process.env.WARM ?? 1000)));
await write(
  "T = 0.8, top-p 0.95, of one opening",
  { temperature: 0.8, topP: 0.95 },
  Array(50).fill("Once upon a time"),
);

for (const [name, pick] of [
  ["words", (i) => 300 + ((i * 7919) % 3000)],
  ["three tokens", (i) => 300 + ((i * i) % 3)],
]) {
  const detector = createLoopDetector({ least: 1e6 });
  const texts = Array.from({ length: 4096 }, (_, id) => decoder.decode(bytes[id] ?? new Uint8Array(0)));
  for (let i = 0; i < 100_000; i++) detector.push(pick(i), texts[pick(i)]);
  const began = process.cpuUsage();
  for (let i = 100_000; i < 120_000; i++) detector.push(pick(i), texts[pick(i)]);
  const { user, system } = process.cpuUsage(began);
  console.log(`${name}: ${((user + system) / 20_000).toFixed(2)} µs a token after 100,000`);
}
model.dispose();
