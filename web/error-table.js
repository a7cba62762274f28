// Generated from src/tables/errors.json by wasm/generate.js: edit that, then run `make generate`.

/** @typedef {"out-of-memory" | "bad-argument" | "logits-nan" | "logits-infinite" | "nothing-left" | "bad-order" | "bad-state" | "gguf-magic" | "gguf-version" | "gguf-truncated" | "gguf-corrupt" | "gguf-too-large" | "model-architecture" | "model-tensor-missing" | "model-tensor-shape" | "model-tensor-type" | "model-config" | "model-incomplete" | "model-context-full" | "model-rows" | "model-tokenizer" | "model-download" | "unknown-option" | "bad-type" | "out-of-range" | "conflict" | "wrong-length" | "disposed" | "no-webassembly" | "no-simd" | "wasm-unavailable" | "worker-failed"} ErrorCode */

/** Every error: stable code, number in C (0: JavaScript only), sentence. @type {[ErrorCode, number, string][]} */
export const errorTable = [
  ["out-of-memory", -1, "There is not enough memory. Dispose of models and samplers that are no longer needed, or use a smaller model."],
  ["bad-argument", -2, "An argument is outside what the function allows."],
  ["logits-nan", -3, "The logits contain NaN, so the model's output is broken: check its weights and its input."],
  ["logits-infinite", -4, "The logits contain +Infinity, so no probability can be computed: check the engine that produced them."],
  ["nothing-left", -5, "Every token is masked, so there is nothing to choose from: loosen the bans, the allowed tokens or the grammar."],
  ["bad-order", -6, "The order names a stage twice, or edits logits after temperature or a truncation has used them."],
  ["bad-state", -7, "The snapshot was not made by a sampler of this vocabulary size and version."],
  ["gguf-magic", -20, "The file is not GGUF: it does not begin with the letters GGUF."],
  ["gguf-version", -21, "Only little-endian GGUF of version 2 or 3 can be read: convert the file again with a current tool."],
  ["gguf-truncated", -22, "The file ends before its header or its tensors do: download it again."],
  ["gguf-corrupt", -23, "The GGUF header contradicts itself: the file is damaged or hostile."],
  ["gguf-too-large", -24, "The file's header or tensors are larger than WebAssembly memory can hold: use a smaller or more strongly quantised model."],
  ["model-architecture", -30, "Only models of the llama layout can be run (general.architecture = llama, without mixture of experts or RoPE scaling)."],
  ["model-tensor-missing", -31, "The file lacks a tensor that a model of its shape needs."],
  ["model-tensor-shape", -32, "A tensor's shape does not fit the model's configuration."],
  ["model-tensor-type", -33, "A tensor's type is not supported: use F32, F16 or Q8_0."],
  ["model-config", -34, "The model's configuration is missing, absurd or not supported."],
  ["model-incomplete", -35, "The model's weights have not arrived completely: the download was cut off."],
  ["model-context-full", -36, "The context is full: shorten the prompt, ask for fewer tokens or load the model with a longer context."],
  ["model-rows", -37, "A row names an unknown token or sequence, or a position that does not follow its sequence."],
  ["model-tokenizer", 0, "The file's tokenizer is missing or of a kind that is not supported (tokenizer.ggml.model = llama)."],
  ["model-download", 0, "The model could not be downloaded."],
  ["unknown-option", 0, "There is no such option."],
  ["bad-type", 0, "A value has the wrong type."],
  ["out-of-range", 0, "A value is out of range."],
  ["conflict", 0, "Two options contradict each other."],
  ["wrong-length", 0, "A row of logits must have vocabSize elements."],
  ["disposed", 0, "The object was disposed and can no longer be used."],
  ["no-webassembly", 0, "This engine has no WebAssembly: use a current browser, or allow it with 'wasm-unsafe-eval' in the Content-Security-Policy."],
  ["no-simd", 0, "This engine has no WebAssembly SIMD: use Chrome 91, Firefox 89, Safari 16.4, Node 16 or newer."],
  ["wasm-unavailable", 0, "The .wasm file beside the module could not be loaded: serve it from the same folder."],
  ["worker-failed", 0, "The worker that runs the model stopped unexpectedly."],
];
