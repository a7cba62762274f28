// Records what the storyteller writes at three temperatures with one seed: node demos/model/record.js (after make build).
import { readFileSync, writeFileSync } from "node:fs";
import { loadModel } from "../../dist/index.js";

const settings = { prompt: "Once upon a time", count: 70, seed: 1 };
const temperatures = [0, 0.7, 1.5];

const file = readFileSync(new URL("storyteller.gguf", import.meta.url));
const model = await loadModel(new Blob([file]), { worker: false });
const texts = [];
for (const temperature of temperatures) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const tokens = [];
  const options = { temperature, seed: settings.seed, maxTokens: settings.count };
  for await (const chunk of model.generate(settings.prompt, options))
    for (const { id } of chunk.tokens) tokens.push(decoder.decode(model.vocabulary.tokens[id], { stream: true }));
  if (tokens.some((text) => text.includes("|")))
    throw new Error("A token has the character that stands between tokens.");
  texts.push({ temperature, tokens: tokens.join("|") });
}
model.dispose();

writeFileSync(
  new URL("../../web/widgets/recorded/same-seed.js", import.meta.url),
  `// What the storyteller wrote, token by token. Made by demos/model/record.js.
export const settings = ${JSON.stringify(settings)};
export const texts = ${JSON.stringify(texts)};
`,
);
