// The adapters beside the packages that they are for.
import { generateText, streamText } from "ai";
import { MLCEngine, WebWorkerMLCEngineHandler, type LogitProcessor } from "@mlc-ai/web-llm";
import { loadModel } from "lastinch";
import { createLastInch } from "lastinch/ai-sdk";
import { createLogitProcessor } from "lastinch/web-llm";

const model = await loadModel("storyteller.gguf");
const lastinch = createLastInch((id) => loadModel(`${id}.gguf`), { chatTemplate: null });
const { text } = await generateText({ model: lastinch("storyteller"), prompt: "Once", topK: 20, seed: 1 });
const { textStream } = streamText({ model: createLastInch(model)(), prompt: "Once" });
// @ts-expect-error neither a model nor a function that gives one
createLastInch("storyteller.gguf");

const processor: LogitProcessor = await createLogitProcessor({ temperature: 0.7, min_p: 0.05, seed: 1 });
const logitProcessorRegistry = new Map([["some-model", processor]]);
const engine = new MLCEngine({ logitProcessorRegistry });
new WebWorkerMLCEngineHandler().setLogitProcessorRegistry(logitProcessorRegistry);
// @ts-expect-error WebLLM's rows say it
await createLogitProcessor({ vocabSize: 10 });

export { text, textStream, engine };
