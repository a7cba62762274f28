// Shared by the tests of engines that run ONNX: our models in transformers.js, from the folder of the exported files.
import { AutoModelForCausalLM, AutoTokenizer, env } from "@huggingface/transformers";
import { onnxModel } from "../vectors/export-onnx.js";

/**
 * A shipped model in transformers.js, as a pipeline for text generation holds it.
 * @param {string} name "draft" or "storyteller"
 * @param {"fp32" | "fp16" | "q4"} [dtype] fp16: keys, values and logits; the rows have 16 logits of padding
 * @param {object} [session_options] of onnxruntime
 */
export async function openPeer(name, dtype = "fp32", session_options = {}) {
  const folder = onnxModel(name);
  env.allowRemoteModels = false;
  env.localModelPath = folder.models;
  const tokenizer = await AutoTokenizer.from_pretrained(folder.name);
  const model = await AutoModelForCausalLM.from_pretrained(folder.name, { dtype, session_options });
  return { model, tokenizer, folder };
}

/** A processor that keeps copies of the rows it gets, in a list for each text of a batch. */
export function recorder() {
  const rows = [];
  const processor = (texts, logits) => {
    const [count, size] = logits.dims;
    for (let i = 0; i < count; i++) (rows[i] ??= []).push(logits.data.slice(i * size, (i + 1) * size));
    return logits;
  };
  return { rows, processor };
}
