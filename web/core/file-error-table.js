// Generated from src/tables/errors.json by wasm/generate.js: edit that, then run `make generate`.

/** The errors of files, as in core/error-table.js. @type {[import("./error-table.js").ErrorCode, number, string][]} */
export const fileErrorTable = [
  ["file-safetensors", 0, "The file holds safetensors, not GGUF: choose a GGUF file of the same model, or convert the model with llama.cpp's convert_hf_to_gguf.py."],
  ["file-onnx", 0, "The file is an ONNX model, not GGUF: run it in transformers.js or onnxruntime-web, with \"lastinch/transformers\" or \"lastinch/onnxruntime\"."],
  ["file-pytorch", 0, "The file holds PyTorch weights, not GGUF: choose a GGUF file of the same model, or convert the model with llama.cpp's convert_hf_to_gguf.py."],
  ["file-ggml", 0, "The file has a format older than GGUF, which current programs do not read: choose a GGUF file of the same model."],
  ["file-lfs-pointer", 0, "The file is a pointer of Git LFS, not the model: run `git lfs pull` where the file is served, or use the address that downloads the whole file."],
  ["file-compressed", 0, "The file is compressed or an archive: unpack it and load the .gguf file itself."],
  ["file-page", 0, "The address gave a web page, not a model: use the address of the file itself."],
  ["file-json", 0, "The address gave JSON, not a model: use the address of a .gguf file."],
  ["file-shard", 0, "The file is one part of a model in several files: merge all parts with `llama-gguf-split --merge FIRST-PART.gguf MODEL.gguf`, or choose a model in one file."],
  ["file-adapter", 0, "The file is an adapter (LoRA), not a model: merge it into its base model with llama.cpp's llama-export-lora, and load the result."],
  ["file-projector", 0, "The file is the image or audio part of a model (mmproj): choose the file of the language model itself."],
  ["file-encoder", 0, "The file is an encoder, which makes embeddings and writes no text: run it in transformers.js, or choose a model that writes text."],
  ["file-gated", 0, "The server refuses the file to this visitor."],
  ["file-throttled", 0, "The server refuses the download after too many requests: wait before the next attempt, or serve the file yourself."],
];
