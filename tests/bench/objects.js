// What it costs to read an object while it arrives, beside the AI SDK's parser, which reads the whole text again for each
// piece: node tests/bench/objects.js [rounds] [tokens]
import { readFileSync } from "node:fs";
import { parsePartialJson } from "ai";
import { compileGrammar, loadModel } from "lastinch";
import { ObjectReader } from "../../web/grammar/object-reader.js";

const rounds = Number(process.argv[2] ?? 9);
const most = Number(process.argv[3] ?? 5000);
const bytes = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
const model = await loadModel(new Blob([bytes]), { cache: false });

// People with a story, cut into the tokens of the model.
const story = 'Once upon a time there was a little girl named Lily. She said: "I want to play!"';
const people = Array.from({ length: most }, (_, i) => ({
  name: `Name ${i}`,
  age: i % 90,
  isGlad: true,
  story,
  tags: ["a", "bc"],
}));
const ids = (await model.tokenize(JSON.stringify({ people: people.slice(0, Math.ceil(most / 30)) }))).slice(0, most);
const decoder = new TextDecoder();
const pieces = ids.map((id) => decoder.decode(model.vocabulary.tokens[id], { stream: true }));
const schema = {
  type: "object",
  properties: { people: { type: "array", items: { type: "object" } } },
  required: ["people"],
};
const { vocabulary } = model;
const grammar = await compileGrammar({ vocabulary, jsonSchema: schema, uniqueKeys: true });

/** @type {Record<string, () => Promise<unknown>>} */
const ways = {
  "ObjectReader (streamObject)": async () => {
    const reader = new ObjectReader();
    for (const piece of pieces) reader.push(piece);
  },
  "grammar.objectReader": async () => {
    const reader = await grammar.objectReader();
    for (const piece of pieces) reader.push(piece);
    reader.dispose();
  },
  "parsePartialJson of the AI SDK": async () => {
    let text = "";
    for (const piece of pieces) await parsePartialJson((text += piece));
  },
};

/** Milliseconds a token of a text. @param {(options: object) => AsyncIterable<any>} write @param {number} seed */
async function write(write, seed) {
  let count = 0;
  let begin = 0;
  const string = { type: "string", minLength: 600 };
  const jsonSchema = { type: "object", properties: { title: { type: "string", maxLength: 30 }, story: string } };
  const required = { ...jsonSchema, required: ["title", "story"], additionalProperties: false };
  for await (const { tokens } of write({ jsonSchema: required, maxTokens: 300, seed })) {
    begin ||= performance.now();
    count += tokens.length;
  }
  return (performance.now() - begin) / (count - 1);
}

const show = (/** @type {string} */ name, /** @type {number[]} */ list, /** @type {string} */ unit) => {
  list.sort((a, b) => a - b);
  console.log(name.padEnd(32), `least ${list[0].toFixed(3)}, median ${list[list.length >> 1].toFixed(3)} ${unit}`);
};

console.log(`${pieces.length} tokens, ${pieces.join("").length} characters`);
/** @type {Record<string, number[]>} */
const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
const texts = { generate: /** @type {number[]} */ ([]), streamObject: /** @type {number[]} */ ([]) };
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of Object.entries(ways)) {
    if (name.startsWith("parsePartial") && round > rounds / 3) continue;
    const begin = performance.now();
    await run();
    times[name].push(performance.now() - begin);
  }
  texts.generate.push(await write((options) => model.generate("Once", options), round));
  texts.streamObject.push(await write((options) => model.streamObject("Once", options), round));
}
for (const [name, list] of Object.entries(times)) show(name, list, "ms");
for (const [name, list] of Object.entries(texts)) show(name, list, "ms a token");
model.dispose();
