// The adapters beside the packages that they are for.
import { generateText, streamText } from "ai";
import { MLCEngine, WebWorkerMLCEngineHandler, type LogitProcessor } from "@mlc-ai/web-llm";
import type OpenAI from "openai";
import { loadModel } from "lastinch";
import { createLastInch } from "lastinch/ai-sdk";
import { createOpenAI } from "lastinch/openai";
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

// Code written for the openai package accepts our client, and its request and response types fit ours.
const client = createOpenAI(model);
interface Chat {
  create(body: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming): Promise<OpenAI.Chat.ChatCompletion>;
  create(
    body: OpenAI.Chat.ChatCompletionCreateParamsStreaming,
  ): Promise<AsyncIterable<OpenAI.Chat.ChatCompletionChunk>>;
}
const chat: Chat = client.chat.completions;
interface Completions {
  create(body: OpenAI.CompletionCreateParamsNonStreaming): Promise<OpenAI.Completion>;
  create(body: OpenAI.CompletionCreateParamsStreaming): Promise<AsyncIterable<OpenAI.Completion>>;
}
const completions: Completions = client.completions;
const listed: OpenAI.Models.Model[] = (await client.models.list()).data;
const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: "user", content: "Hi" }];
const answer = await client.chat.completions.create({ messages, top_k: 20, reasoning_effort: "none", n: null });
messages.push(answer.choices[0].message);
for await (const { choices } of await client.chat.completions.create({ messages, stream: true }))
  choices[0].delta.reasoning_content?.length;
const both = await client.completions.create({ prompt: "Once", stream: Math.random() < 0.5 });
if ("choices" in both) both.choices[0].text;
// @ts-expect-error no server bills anything
await client.completions.create({ prompt: "Once", user: "me" });
// The same code runs over WebLLM's engine.
const either: Pick<MLCEngine["chat"]["completions"], "create"> | typeof client.chat.completions =
  client.chat.completions;

export { text, textStream, engine, chat, completions, listed, either };
