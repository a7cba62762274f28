// A page in TypeScript: compiled by `make lint` against the types that the package ships.
import { createSampler, loadModel, LastInchError, type Chunk, type Snapshot, type Trace } from "lastinch";

using sampler = await createSampler({ vocabSize: 6, topK: 3, min_p: 0.05, order: ["bias", "top_k", "min_p"] });
const token: number = sampler.sample(Float32Array.of(6, 5, 4.5, 3.5, 2, 0));
const trace: Trace = sampler.trace(new Uint16Array(6));
const snapshot: Snapshot = sampler.snapshot();
sampler.restore(snapshot);
sampler.set({ temperature: 0.5, logit_bias: { 3: -Infinity } });
sampler.accept([token], { prompt: true });
const counts: number[] = trace.stages.map((stage) => stage.before - stage.after);

// @ts-expect-error there is no such option
await createSampler({ vocabSize: 6, topq: 1 });
// @ts-expect-error a stage that does not exist
await createSampler({ vocabSize: 6, order: ["top_q"] });

using model = await loadModel("storyteller.gguf", {
  cache: false,
  stallTimeout: 10_000,
  onProgress: ({ loaded, total }) => console.log(loaded / total),
});
for await (const chunk of model.generate("Once upon a time", { maxTokens: 10, topP: 0.9 })) show(chunk);
using alone = await loadModel("storyteller.gguf", { threads: 1, worker: false });
const threads: number = alone.threads;
await loadModel("storyteller.gguf", { threads: "auto" });
// @ts-expect-error neither a number nor "auto"
await loadModel("storyteller.gguf", { threads: "two" });
const row: Float32Array = await model.forward([1, 2]);
const rows: Float32Array[] = await model.forward([1, 2], { keep: 0, rows: "all" });

function show({ text, tokens, finishReason }: Chunk) {
  console.log(text, tokens[0]?.rawLogprob, finishReason satisfies string | undefined);
}

export { threads, counts, row, rows, LastInchError };
