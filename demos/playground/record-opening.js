// Records the story that the playground opens with: node demos/playground/record-opening.js (after make build).
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { format, resolveConfig } from "prettier";
import { createSampler, loadModel } from "../../dist/index.js";
import { tokenLabel } from "../../web/widgets/shared/format.js";
import { initialSettings } from "./playground-knobs.js";

/** What the page opens with. */
export const setup = { prompt: "Once upon a time, in a forest far away", seed: 48, maxTokens: 300 };
const SHOWN = 5;
const digits = (/** @type {number} */ number) => Number(number.toPrecision(4));

/** Each step as [id, text, probability of the draw, the model's own, bits, [[id, label, own, of the draw], …]]. */
export async function record() {
  const file = readFileSync(new URL("../model/storyteller.gguf", import.meta.url));
  const model = await loadModel(new Blob([file]), { worker: false });
  const { vocabSize, addBos } = model.config;
  const { eos, tokens } = model.vocabulary;
  const settings = initialSettings();
  const sampler = await createSampler({ vocabSize, tokenCount: tokens.length, eos, ...settings });
  sampler.accept(await model.tokenize(setup.prompt, { bos: addBos }), { prompt: true });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const steps = [];
  const options = { ...settings, seed: setup.seed, maxTokens: setup.maxTokens, captureLogits: true };
  for await (const chunk of model.generate(setup.prompt, options))
    for (const { id, probability, rawLogprob, logits } of chunk.tokens) {
      const row = /** @type {Float32Array} */ (logits);
      const { raw } = sampler.information(row, { top: SHOWN, token: id });
      const left = sampler.distribution(row);
      const shares = new Map(Array.from(left.tokens, (token, i) => [token, left.probabilities[i]]));
      const ids = raw.top.map(({ token }) => token);
      if (!ids.includes(id)) ids.push(id);
      const top = ids.map((token) => {
        const own = sampler.information(row, { top: 0, token }).raw.logprob ?? -Infinity;
        return [token, tokenLabel(token, model), digits(Math.exp(own)), digits(shares.get(token) ?? 0)];
      });
      const text = eos.includes(id) ? "" : decoder.decode(tokens[id], { stream: true });
      steps.push([id, text, digits(probability), digits(Math.exp(rawLogprob)), digits(raw.entropy), top]);
      sampler.accept(id);
    }
  sampler.dispose();
  model.dispose();
  return steps;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const target = new URL("recorded.js", import.meta.url);
  const lines = (await record()).map((step) => `${JSON.stringify(step)},\n`).join("");
  const source = `// The story that the page opens with. Made by demos/playground/record-opening.js, which says what each number is.
export const setup = ${JSON.stringify(setup)};
// prettier-ignore
export const steps = [
${lines}];
`;
  writeFileSync(target, await format(source, { ...(await resolveConfig(target)), parser: "babel" }));
}
