// Generated from src/tables/errors.json by wasm/generate.js: edit that, then run `make generate`.

/** @typedef {"out-of-memory" | "bad-argument" | "logits-nan" | "logits-infinite" | "nothing-left" | "bad-order" | "bad-state" | "conflict" | "gguf-magic" | "gguf-version" | "gguf-truncated" | "gguf-corrupt" | "gguf-too-large" | "model-architecture" | "model-tensor-missing" | "model-tensor-shape" | "model-tensor-type" | "model-config" | "model-incomplete" | "model-context-full" | "model-rows" | "model-cache-type" | "model-weights" | "grammar-form" | "grammar-unsupported" | "grammar-fuel" | "vocabulary-corrupt" | "grammar-schema" | "grammar-reference" | "grammar-syntax" | "grammar-empty" | "model-tokenizer" | "model-pre-tokenizer" | "model-no-mtp" | "model-download" | "model-stalled" | "file-safetensors" | "file-onnx" | "file-pytorch" | "file-ggml" | "file-lfs-pointer" | "file-compressed" | "file-page" | "file-json" | "file-shard" | "file-adapter" | "file-projector" | "file-encoder" | "file-gated" | "file-throttled" | "template-missing" | "template-invalid" | "template-refused" | "template-limit" | "bad-message" | "unknown-option" | "bad-type" | "out-of-range" | "grammar-refused" | "wrong-length" | "disposed" | "no-webassembly" | "no-simd" | "wasm-unavailable" | "worker-failed" | "worker-unavailable"} ErrorCode */

/** The errors of samplers: stable code, number in C (0: JavaScript only), sentence. @type {[ErrorCode, number, string][]} */
export const errorTable = [
  ["out-of-memory", -1, "Memory is full: dispose of models and samplers, or use a smaller model."],
  ["bad-argument", -2, "An argument is out of range."],
  ["logits-nan", -3, "The logits contain NaN: check the weights and the input."],
  ["logits-infinite", -4, "The logits contain +Infinity: check the weights and the input."],
  ["nothing-left", -5, "Every token is masked: loosen the bans, the allowed tokens or the grammar."],
  ["bad-order", -6, "The stages cannot run in this order."],
  ["bad-state", -7, "The snapshot has another vocabulary size or version."],
  ["conflict", -8, "Options contradict each other."],
  ["grammar-empty", 0, "No text satisfies the grammar."],
  ["grammar-refused", 0, "The grammar does not allow this token here."],
  ["disposed", 0, "The object was disposed."],
  ["no-webassembly", 0, "This engine has no WebAssembly: use a current browser, or allow 'wasm-unsafe-eval' in the Content-Security-Policy."],
  ["no-simd", 0, "This engine has no WebAssembly SIMD: use Chrome 91, Firefox 89 or Safari 16.4."],
  ["wasm-unavailable", 0, "The .wasm file beside the module did not load: serve it, or import \"lastinch/inline\"."],
];
