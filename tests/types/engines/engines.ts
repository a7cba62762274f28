// The adapters beside the types of the engines that they are for, some of which do not pass a check of their own.
import type { TextGenerationPipeline } from "@huggingface/transformers";
import type { InferenceSession, TypedTensor } from "onnxruntime-web";
import { Tensor } from "onnxruntime-web";
import { openSession, type SessionChunk } from "lastinch/onnxruntime";
import { createTransformersSampler, vocabularyOf, type WrittenRow } from "lastinch/transformers";

export async function inTransformers(generator: TextGenerationPipeline): Promise<WrittenRow[]> {
  const lastinch = await createTransformersSampler(generator, { top_p: 0.9, minP: 0.05, seeds: [1, 2], stop: "\n" });
  const output = await generator("Once", { max_new_tokens: 3, ...lastinch });
  void output;
  // @ts-expect-error no such option
  await createTransformersSampler(generator, { topp: 1 });
  lastinch.dispose();
  return lastinch.rows;
}

export async function inOnnxruntime(session: InferenceSession, tokenizer: object): Promise<string> {
  const model = openSession(session, { Tensor, vocabulary: vocabularyOf({ tokenizer, eos: [2] }) });
  let text = "";
  const read = (chunk: SessionChunk) => (text += chunk.text);
  for await (const chunk of model.generate([1, 2], { maxTokens: 3, beams: 2, num_return_sequences: 2 })) read(chunk);
  // @ts-expect-error a model of one's own cannot draft here
  model.generate([1], { draft: model });
  const cached: TypedTensor<"float32"> = new Tensor("float32", new Float32Array(1), [1]);
  cached.dispose();
  return text;
}
