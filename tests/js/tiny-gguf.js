// Makes small GGUF files for tests: a custom tokenizer, and weights that are random or follow a script.

const types = { uint32: 4, float32: 6, bool: 7, string: 8, array: 9, int32: 5 };
const utf8 = new TextEncoder();

class Writer {
  #parts = [];
  size = 0;

  bytes(bytes) {
    this.#parts.push(bytes);
    this.size += bytes.length;
  }

  number(size, set, value) {
    const view = new DataView(new ArrayBuffer(size));
    view[set](0, value, true);
    this.bytes(new Uint8Array(view.buffer));
  }

  u32(value) {
    this.number(4, "setUint32", value);
  }

  u64(value) {
    this.number(8, "setBigUint64", BigInt(value));
  }

  string(value) {
    const bytes = typeof value === "string" ? utf8.encode(value) : value;
    this.u64(bytes.length);
    this.bytes(bytes);
  }

  value(type, value) {
    if (type === "uint32") this.u32(value);
    if (type === "int32") this.number(4, "setInt32", value);
    if (type === "float32") this.number(4, "setFloat32", value);
    if (type === "bool") this.bytes(Uint8Array.of(value ? 1 : 0));
    if (type === "string") this.string(value);
  }

  pad(alignment) {
    this.bytes(new Uint8Array((alignment - (this.size % alignment)) % alignment));
  }

  finish() {
    const all = new Uint8Array(this.size);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

/**
 * metadata: { key: [type, value] } or { key: [type, [values]] }; tensors: [{ name, rows, columns?, data: Float32Array,
 * type? }], the type by GGML's number.
 */
export function writeGguf(metadata, tensors, headerOnly = false) {
  const out = new Writer();
  out.bytes(utf8.encode("GGUF"));
  out.u32(3);
  out.u64(tensors.length);
  out.u64(Object.keys(metadata).length);
  for (const [key, [type, value]] of Object.entries(metadata)) {
    out.string(key);
    if (!Array.isArray(value)) {
      out.u32(types[type]);
      out.value(type, value);
      continue;
    }
    out.u32(types.array);
    out.u32(types[type]);
    out.u64(value.length);
    for (const element of value) out.value(type, element);
  }
  let offset = 0;
  for (const { name, rows, columns, data, type = 0 } of tensors) {
    out.string(name);
    out.u32(columns ? 2 : 1);
    if (columns) out.u64(columns);
    out.u64(rows);
    out.u32(type);
    out.u64(offset);
    offset += Math.ceil((4 * data.length) / 32) * 32;
  }
  for (const { data } of headerOnly ? [] : tensors) {
    out.pad(32);
    out.bytes(new Uint8Array(data.buffer));
  }
  return out.finish();
}

/** <unk>, <s>, </s>, the 256 bytes, then `pieces`, the first with the best score. As [text, score, type]. */
export function vocabularyOf(pieces) {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  return [
    ["<unk>", 0, 2],
    ["<s>", 0, 3],
    ["</s>", 0, 3],
    ...bytes.map((text) => [text, 0, 6]),
    ...pieces.map((text, i) => [text, -i, 1]),
  ];
}

function metadataOf({ vocabulary, dim, context, spacePrefix = false, addBos = true, extra = {} }) {
  return {
    "general.architecture": ["string", "llama"],
    "general.name": ["string", "tiny"],
    "llama.context_length": ["uint32", context],
    "llama.embedding_length": ["uint32", dim],
    "llama.block_count": ["uint32", 1],
    "llama.feed_forward_length": ["uint32", 32],
    "llama.attention.head_count": ["uint32", 2],
    "llama.attention.layer_norm_rms_epsilon": ["float32", 1e-6],
    "tokenizer.ggml.model": ["string", "llama"],
    "tokenizer.ggml.tokens": ["string", vocabulary.map(([text]) => text)],
    "tokenizer.ggml.scores": ["float32", vocabulary.map(([, score]) => score)],
    "tokenizer.ggml.token_type": ["int32", vocabulary.map(([, , type]) => type)],
    "tokenizer.ggml.bos_token_id": ["uint32", 1],
    "tokenizer.ggml.eos_token_id": ["uint32", 2],
    "tokenizer.ggml.add_bos_token": ["bool", addBos],
    "tokenizer.ggml.add_space_prefix": ["bool", spacePrefix],
    ...extra,
  };
}

/** `fill(name, row, column)` gives every weight. */
function tensorsOf({ dim, rows, fill, headerOnly }) {
  const shapes = {
    "token_embd.weight": [rows, dim],
    "blk.0.attn_norm.weight": [dim],
    "blk.0.attn_q.weight": [dim, dim],
    "blk.0.attn_k.weight": [dim, dim],
    "blk.0.attn_v.weight": [dim, dim],
    "blk.0.attn_output.weight": [dim, dim],
    "blk.0.ffn_norm.weight": [dim],
    "blk.0.ffn_gate.weight": [32, dim],
    "blk.0.ffn_up.weight": [32, dim],
    "blk.0.ffn_down.weight": [dim, 32],
    "output_norm.weight": [dim],
    "output.weight": [rows, dim],
  };
  return Object.entries(shapes).map(([name, [count, columns]]) => {
    const length = count * (columns ?? 1);
    if (headerOnly) return { name, rows: count, columns, data: { length } };
    const data = new Float32Array(length);
    for (let i = 0; i < data.length; i++)
      data[i] = columns ? fill(name, Math.floor(i / columns), i % columns) : fill(name, i, 0);
    return { name, rows: count, columns, data };
  });
}

/**
 * A model whose logits mean nothing but depend on every token before. `without`: tensors that the file lacks; `types`:
 * types of tensors other than F32, whose bytes are then wrong.
 */
export function randomModel({
  vocabulary = vocabularyOf(["a", "b"]),
  context = 64,
  seed = 1,
  dim = 32,
  rows,
  headerOnly,
  without = [],
  types = {},
  ...rest
} = {}) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const fill = (name) => (name.includes("norm") ? 1 : name.startsWith("output") ? random() : 0.5 * random());
  const all = tensorsOf({ dim, rows: rows ?? vocabulary.length, fill, headerOnly });
  const kept = all.filter(({ name }) => !without.includes(name));
  const tensors = kept.map((tensor) => ({ ...tensor, type: types[tensor.name] }));
  return writeGguf(metadataOf({ vocabulary, dim, context, ...rest }), tensors, headerOnly);
}

/**
 * A model that, decoded greedily, always writes one text: after the BOS the tokens of `script` (numbers: bytes; texts:
 * pieces of their own), each at most once, then EOS.
 */
export function scriptedModel({ script, context = 512, ...rest }) {
  const pieces = [...new Set(script.filter((token) => typeof token === "string"))];
  const vocabulary = vocabularyOf(pieces);
  const ids = script.map((token) => (typeof token === "number" ? 3 + token : 259 + pieces.indexOf(token)));
  if (new Set(ids).size < ids.length) throw new Error("a scripted model needs tokens that differ");
  const next = new Map([1, ...ids].map((id, i) => [id, ids[i] ?? 2]));
  const dim = Math.ceil(vocabulary.length / 32) * 32;
  // Embeddings are the unit vectors and the layer adds nothing, so the output matrix is the table of what follows.
  const fill = (name, row, column) => {
    if (name === "token_embd.weight") return row === column ? 1 : 0;
    if (name === "output.weight") return next.get(column) === row ? 1 : 0;
    return name.includes("norm") ? 1 : 0;
  };
  const bytes = writeGguf(
    metadataOf({ vocabulary, dim, context, ...rest }),
    tensorsOf({ dim, rows: vocabulary.length, fill }),
  );
  return { bytes, ids };
}
