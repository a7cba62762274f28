// What a grammar costs each token of the shipped model: tokens beside and without one, in turn, in the same run.
// node tests/bench/grammar-overhead.js [rounds]
import { readFileSync } from "node:fs";
import { compileGrammar, loadModel } from "lastinch";

const rounds = Number(process.argv[2] ?? 15);
const bytes = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
const model = await loadModel(new Blob([bytes]), { cache: false });
const { vocabulary } = model;
const story = { type: "object", properties: { story: { type: "string", minLength: 700 } }, required: ["story"] };
const grammars = {
  none: undefined,
  "a regular expression": await compileGrammar({ vocabulary, regex: "[a-zA-Z ,.'\"!?\\n]*" }),
  "a story in an object": await compileGrammar({ vocabulary, jsonSchema: story }),
  "a list of 60 strings": await compileGrammar({
    vocabulary,
    jsonSchema: { type: "array", items: { type: "string" }, minItems: 60 },
  }),
};

/** Milliseconds a token, after the first. */
async function run(grammar) {
  let count = 0;
  let begin = 0;
  for await (const { tokens } of model.generate("Once upon a time", {
    grammar,
    maxTokens: 200,
    temperature: 0.8,
    seed: 7,
  })) {
    begin ||= performance.now();
    count += tokens.length;
  }
  return (performance.now() - begin) / (count - 1);
}

const times = Object.fromEntries(Object.keys(grammars).map((name) => [name, /** @type {number[]} */ ([])]));
for (let round = 0; round < rounds; round++)
  for (const [name, grammar] of Object.entries(grammars)) times[name].push(await run(grammar));
const least = Math.min(...times.none);
for (const [name, list] of Object.entries(times)) {
  list.sort((a, b) => a - b);
  console.log(
    name.padEnd(24),
    `least ${list[0].toFixed(4)} ms a token (${(list[0] / least).toFixed(3)}x), median ${list[rounds >> 1].toFixed(4)}`,
  );
}
model.dispose();
