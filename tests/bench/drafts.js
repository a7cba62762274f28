// What drafts gain on a real checkpoint, one thread: text that copies its prompt by lookup, and JSON whose schema forces
// most tokens. `make models`, then `node tests/bench/drafts.js [--model TinyLlama-1.1B-Chat-Q4_K_M] [--rounds 3]`, best in a
// Node with relaxed SIMD. Times are the least of the rounds; the first text with "auto" begins without measurements.
import { openAsBlob } from "node:fs";
import { parseArgs } from "node:util";
import { loadModel } from "lastinch";

const { values } = parseArgs({
  options: {
    model: { type: "string", default: "TinyLlama-1.1B-Chat-Q4_K_M" },
    folder: { type: "string", default: "build/models" },
    rounds: { type: "string", default: "3" },
    tokens: { type: "string", default: "100" },
  },
});
const count = Number(values.tokens);
const page =
  "In the village of Ashby there lived a baker named Tom, who sold warm bread, sweet rolls and apple pies to everyone. " +
  "Each morning he rose before the sun and lit the big stone oven behind the shop. ";
const copied = page + page + page.slice(0, 40);
const string = { type: "string", maxLength: 12 };
const properties = { firstName: string, familyName: string, isRegisteredCustomer: { type: "boolean" } };
const jsonSchema = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };

const blob = await openAsBlob(`${values.folder}/${values.model}.gguf`);
const model = await loadModel(blob, { threads: 1, cache: false, worker: false });

/** A text, its milliseconds and its passes. */
async function write(prompt, options) {
  await model.complete(prompt, { maxTokens: 1, temperature: 0 }); // the prompt is computed
  const start = performance.now();
  const { usage } = await model.complete(prompt, { temperature: 0, maxTokens: count, ...options });
  const ms = performance.now() - start;
  return { ms, passes: usage.passes, tokens: usage.completionTokens };
}

const ways = {
  plain: {},
  "lookup, 3 guesses": { draft: "lookup", draftTokens: 3 },
  "lookup, 7 guesses": { draft: "lookup", draftTokens: 7 },
  'lookup, "auto"': { draft: "lookup", draftTokens: "auto" },
};
/** @type {Record<string, any>} */
const table = {};
for (let round = 0; round < Number(values.rounds); round++)
  for (const [name, options] of Object.entries({ ...ways, "JSON by a schema": { jsonSchema } })) {
    const isCopy = !options.jsonSchema;
    const found = await write(isCopy ? copied : "A customer:\n", { ...options, ...(isCopy && { minTokens: count }) });
    const row = (table[name] ??= { ...found, "first, ms": found.ms });
    row.ms = Math.min(row.ms, found.ms);
  }
for (const row of Object.values(table)) {
  const plain = table.plain.ms / table.plain.tokens;
  row["times plain, first text"] = Number(((plain * row.tokens) / row["first, ms"]).toFixed(2));
  row["times plain"] = Number(((plain * row.tokens) / row.ms).toFixed(2));
}
console.table(table, ["tokens", "passes", "times plain, first text", "times plain"]);
model.dispose();
