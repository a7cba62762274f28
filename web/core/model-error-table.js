// Generated from src/tables/errors.json by wasm/generate.js: edit that, then run `make generate`.

/** The errors of models, as in core/error-table.js. @type {[import("./error-table.js").ErrorCode, number, string][]} */
export const modelErrorTable = [
  ["gguf-magic", -20, "The file is not GGUF: it does not begin with the letters GGUF. Check the address: a server may answer with a page instead."],
  ["gguf-version", -21, "Only little-endian GGUF of version 2 or 3 can be read: convert the file again with a current tool."],
  ["gguf-truncated", -22, "The file ends within its header or its tensors: download it again."],
  ["gguf-corrupt", -23, "The GGUF header contradicts itself: the file is damaged or hostile."],
  ["gguf-too-large", -24, "The file's header or tensors are larger than WebAssembly memory can hold: use a smaller or more strongly quantised model, or a smaller contextLength."],
  ["model-architecture", -30, "The model's family, or this variant of the family, is not supported."],
  ["model-tensor-missing", -31, "The file lacks a tensor that a model of its shape needs."],
  ["model-tensor-shape", -32, "A tensor's shape does not fit the model's configuration."],
  ["model-tensor-type", -33, "A tensor's type is not supported: choose a file in Q4_K_M or Q8_0, or quantise the model with llama.cpp."],
  ["model-config", -34, "The model's configuration is missing, out of range or not supported."],
  ["model-incomplete", -35, "The model's weights are incomplete: the download was cut off."],
  ["model-context-full", -36, "The context is full: shorten the prompt, ask for fewer tokens or load the model with a longer context."],
  ["model-rows", -37, "A row names an unknown token or sequence, or a position that does not follow its sequence."],
  ["model-cache-type", -45, "The cache type \"q8_0\" needs heads of keys and values whose widths are multiples of 32: use \"f16\"."],
  ["model-weights", -38, "A weight is not a finite number: the file is damaged, download it again."],
  ["model-tokenizer", 0, "The file's tokenizer is missing, damaged or of a kind that is not supported: tokenizer.ggml.model must be llama (SentencePiece) or gpt2 (byte-level BPE)."],
  ["model-pre-tokenizer", 0, "The pre-tokenizer is not known: choose, with loadModel's option preTokenizer, the pre-tokenizer with which the model was trained."],
  ["model-download", 0, "The model could not be downloaded."],
  ["model-stalled", 0, "No byte of the model arrived within stallTimeout: check the connection and load the model again."],
  ["worker-failed", -39, "A worker that runs the model stopped unexpectedly: load the model again."],
  ["worker-unavailable", 0, "No worker for the model started: load it with worker: false to use this thread. On a server whose code is bundled, add lastinch to serverExternalPackages (Next.js), or import \"lastinch/inline/model\"."],
];
