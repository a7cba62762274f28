// A page in TypeScript: compiled by `make lint` against the types that the package ships.
import { createBeamSearch, createDecoder, createSampler, loadModel, majorityVote, LastInchError } from "lastinch";
import "lastinch/inline";
import storyteller from "lastinch/models/storyteller";
import { createLanguageModel } from "lastinch/prompt-api";
import {
  type Arriving,
  type BeamView,
  type ChatChunk,
  type ChatOptions,
  type Chunk,
  type Completion,
  type FoundText,
  type Message,
  type Reasoning,
  type Snapshot,
  type Trace,
  type TypedSchema,
  type ValueOf,
} from "lastinch";

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

using decoder = await createDecoder({ vocabSize: 3, temperature: 0.8 });
using ahead = decoder.clone({ stream: 1 });
const logits = Float32Array.of(1, 2, 3);
const { isAccepted, token: verdict } = decoder.acceptDraft(logits, logits, ahead.sample(logits), { u: 0.5 });
const [continuation] = decoder.beamStep([logits, logits], [0, -1], { count: 4, decoders: [decoder, ahead] });
const scores: number = continuation.score + decoder.divergence(logits, logits) + decoder.degeneration(logits, [logits]);
const combined: Float32Array = decoder.contrast(decoder.guide(logits, new Uint16Array(3), 1.5), logits, { weight: 1 });
using search = await createBeamSearch({ vocabSize: 3, beams: 2, maxTokens: 4, repetition_penalty: 1.1 });
while (!search.isOver) search.step(search.beams.map(({ tokens, parent }) => (tokens.length ? logits : combined)));
const texts: FoundText[] = search.results;
// @ts-expect-error beams is required
await createBeamSearch({ vocabSize: 3 });
// @ts-expect-error neither true, false nor "never"
await createBeamSearch({ vocabSize: 3, beams: 2, earlyStopping: "always" });

using model = await loadModel("storyteller.gguf", {
  cache: false,
  stallTimeout: 10_000,
  onProgress: ({ loaded, total }) => console.log(loaded / total),
});
for await (const chunk of model.generate("Once upon a time", { maxTokens: 10, topP: 0.9 })) show(chunk);
for await (const { beams, score } of model.generate("Once", { beams: 4, n: 2, captureBeams: true }))
  console.log((beams satisfies BeamView[] | undefined)?.[0].parent, score satisfies number | undefined);
const group: string[] = [];
for await (const { index = 0, text } of model.generate("Once", { n: 8, contrast: { model, weight: 0.5 }, heal: true }))
  group[index] = (group[index] ?? "") + text;
const vote: string | null = (await majorityVote(group)).answer;
const sum: number | undefined = (await majorityVote(group, (text) => Number(text))).counts[0]?.answer;
model.generate("Once", { num_beams: 2, max_tokens: 4, repetition_penalty: 1.1, assistant_model: undefined });
model.generate("Once", { jsonSchema: { type: "object" } });
model.generate("Once", { regex: /a+/, guided_choice: undefined });
model.generate("Once", {
  structuralTags: { triggers: ["<a"], tags: [{ begin: "<a>", schema: true, end: ["</a>", ""] }] },
});
model.generate("Once", { structural_tag: { type: "structural_tag", format: { type: "any_text" } }, maxTokens: 3 });
const messages: Message[] = [{ role: "user", content: "Rain?" }];
const chatOptions: ChatOptions = {
  tools: [{ name: "time" }],
  toolChoice: { name: "time" },
  reasoning: "off",
  minP: 0.1,
};
for await (const chunk of model.chat(messages, chatOptions)) ((one: ChatChunk) => one.toolCalls?.[0].arguments)(chunk);
const { reasoning, toolCalls: [wanted] = [] } = await model.answer(messages, { ...chatOptions, max_tokens: 9 });
messages.push({ role: "assistant", content: reasoning ?? "", toolCalls: wanted && [wanted] });
void model.answer(messages, { reasoning: { budget: 40, message: "Enough." } });
void model.answer(messages, { reasoning: { effort: "low" } satisfies Reasoning });
// @ts-expect-error no degree
void model.answer(messages, { reasoning: { effort: "some" } });
const { tokens, fits, context }: { tokens: number; fits: boolean; context: number } = await model.count("Once");
console.log(tokens, fits, context, await model.count(messages, chatOptions), await model.count([1, 2], { heal: true }));
// @ts-expect-error a text has no tools
void model.count("Once", { tools: [] });
const saved: Blob = await model.save(messages, { tools: [{ name: "time" }], reasoning: "off" });
const restored: { tokens: number } = await model.restore(saved, { signal: AbortSignal.timeout(9) });
const kept: { tokens: number; bytes: number } = await model.keepPrefix("Once", { bytes: 1e8 });
console.log(restored.tokens, kept.bytes, await model.save([1, 2]));
// @ts-expect-error a text has no tools
void model.save("Once", { tools: [] });
// @ts-expect-error save keeps nothing
void model.save(messages, { bytes: 3 });
// @ts-expect-error chat answers alone
void model.answer(messages, { echo: true });
const completion: Completion = await model.complete("Once", { choice: ["yes", "no"], maxTokens: 4 });
const { completionTokens = 0 } = completion.usage ?? {};
console.log(
  completion.text,
  completion.tokens[0]?.id,
  completion.finishReason satisfies "eos" | string,
  completionTokens,
);
const person = {
  type: "object",
  properties: {
    name: { type: "string" },
    kind: { enum: ["dog", "cat", null] },
    ages: { type: "array", items: { type: "integer" } },
    home: { anyOf: [{ type: "null" }, { type: "object", properties: { city: { type: ["string", "null"] } } }] },
  },
  required: ["name", "kind"],
  additionalProperties: false,
} as const;
type Person = { name: string; kind: "dog" | "cat" | null; ages?: number[]; home?: null | { city?: string | null } };
for await (const item of model.streamObject("Once", { jsonSchema: person, seed: 1, max_tokens: 9 })) {
  if (item.finishReason === "eos") {
    const whole: Person = item.value;
    // @ts-expect-error only some ages
    const age: number = item.value.ages[0];
    // @ts-expect-error no such property
    console.log(whole, age, item.value.size);
  } else {
    // While it arrives nothing need be there, and a text is any beginning of itself.
    const kind: string | null | undefined = item.value?.kind;
    // @ts-expect-error the name may not have come
    const name: string = item.value.name;
    console.log(kind, name, item.changed satisfies string[], item.done satisfies string[], item.text, item.reasoning);
  }
}
// Written in the call, the schema is constant by itself. Messages are answered.
for await (const item of model.streamObject(messages, { jsonSchema: { enum: ["yes", "no"] }, reasoning: "off" }))
  if (item.finishReason === "eos") console.log(item.value satisfies "yes" | "no", item.usage?.reasoningTokens);
// A schema that notes its type, as libraries do, and one that says nothing.
for await (const item of model.streamObject("Once", { jsonSchema: person as TypedSchema<Person> }))
  console.log(item.value satisfies Arriving<Person> | undefined);
for await (const { value } of model.streamObject("Once", { jsonSchema: {} as object })) {
  const known: unknown = value;
  // @ts-expect-error a value of any type
  console.log(known, value.name);
}
const sameType: [ValueOf<{ readonly type: "array"; readonly items: { readonly const: 1 } }>] extends [1[]] ? 1 : 0 = 1;
console.log(sameType);
// @ts-expect-error a text of a search comes as a whole
model.streamObject("Once", { jsonSchema: person, beams: 2 });
// @ts-expect-error the schema is missing
model.streamObject("Once", { seed: 1 });
// @ts-expect-error a list of texts
model.generate("Once", { choice: "yes" });
// @ts-expect-error an option of compileGrammar
model.generate("Once", { jsonSchema: {}, whitespace: "flexible" });
// @ts-expect-error neither "low" nor "high" nor layers
model.generate("Once", { dola: "middle" });
using alone = await loadModel(storyteller, { threads: 1, worker: false });
const threads: number = alone.threads;
await loadModel("storyteller.gguf", { threads: "auto" });
// @ts-expect-error neither a number nor "auto"
await loadModel("storyteller.gguf", { threads: "two" });
const row: Float32Array = await model.forward([1, 2]);
const rows: Float32Array[] = await model.forward([1, 2], { keep: 0, rows: "all" });

const LanguageModel = createLanguageModel("storyteller.gguf", { install: true, generate: { minP: 0.05 } });
const most: number = (await LanguageModel.params()).maxTopK;
const session = await LanguageModel.create({
  samplingMode: "creative",
  initialPrompts: [{ role: "system", content: "" }],
});
const answer: string = await session.prompt("Once", { responseConstraint: /[a-z]+/ });
const pieces: ReadableStream<string> = (await session.clone()).promptStreaming([{ role: "user", content: "Once" }]);
// @ts-expect-error no such mode
await LanguageModel.create({ samplingMode: "wild" });
// @ts-expect-error no such role
await session.append([{ role: "robot", content: "" }]);

try {
  await model.complete("Once");
} catch (error) {
  if (error instanceof LastInchError && error.code === "worker-lost")
    console.log(error.text satisfies string | undefined, error.texts satisfies string[] | undefined);
}

function show({ text, tokens, finishReason }: Chunk) {
  console.log(text, tokens[0]?.rawLogprob, finishReason satisfies string | undefined);
}

export {
  most,
  answer,
  pieces,
  threads,
  vote,
  sum,
  counts,
  row,
  rows,
  isAccepted,
  verdict,
  scores,
  texts,
  LastInchError,
};
