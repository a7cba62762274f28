// Every entry, and what a page does with them, for compilers from TypeScript 5.4 on.
import { createSampler, isLastInchError, loadModel, type ErrorCode, type GenerateOptions, type Usage } from "lastinch";
import "lastinch/inline";
import draft from "lastinch/models/draft";

export * as aiSdk from "lastinch/ai-sdk";
export * as engine from "lastinch/engine";
export * as grammar from "lastinch/grammar";
export * as train from "lastinch/train";
export * as model from "lastinch/model";
export * as onnxruntime from "lastinch/onnxruntime";
export * as openai from "lastinch/openai";
export * as promptApi from "lastinch/prompt-api";
export * as samplers from "lastinch/sampler";
export * as transformers from "lastinch/transformers";
export * as webLlm from "lastinch/web-llm";
export * as widgets from "lastinch/widgets";
export * as nucleus from "lastinch/widgets/nucleus";

const sampler = await createSampler({ vocabSize: 6, topK: 3, min_p: 0.05 });
export const token: number = sampler.sample(new Float32Array(6));
export const kept: Uint32Array = sampler.trace().kept;
const options: GenerateOptions = { maxTokens: 10 };
const loaded = await loadModel(draft);
for await (const { text, usage } of loaded.generate("Once", options))
  console.log(text, usage satisfies Usage | undefined);
try {
  sampler.set({ topK: -1 });
} catch (error) {
  if (isLastInchError(error)) console.log(error.code satisfies ErrorCode);
}
// @ts-expect-error there is no such option
await createSampler({ vocabSize: 6, topq: 1 });
sampler.dispose();
