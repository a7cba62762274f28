// The peers that a visitor may have fetched: from a CDN, at fixed versions, or in the checkout from what it or the benches
// of tests/ have installed. Runs in a Worker, whose policy is not that of the page.

/** @type {Record<string, { version: string, folder: string }>} folder: with node_modules in the checkout */
export const peers = {
  "@mlc-ai/web-xgrammar": { version: "0.1.27", folder: "build/bench/grammar/" },
  "@wllama/wllama": { version: "3.8.1", folder: "build/bench/" },
  "@huggingface/transformers": { version: "4.3.1", folder: "" },
};

/**
 * Where the files of a peer are: on the developer's machine, if the benches have installed it there, or on the CDN.
 * @param {string} name
 */
async function addressOf(name) {
  const { version, folder } = peers[name];
  const installed = new URL(`../../${folder}node_modules/${name}/`, import.meta.url);
  const isHere = import.meta.url.includes("/demos/bench/") && ["localhost", "127.0.0.1"].includes(installed.hostname);
  if (isHere && (await fetch(new URL("package.json", installed), { method: "HEAD" })).ok) return installed.href;
  return `https://cdn.jsdelivr.net/npm/${name}@${version}/`;
}

/** @param {string} address */
async function fetchText(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answers with ${response.status}`);
  return response.text();
}

/**
 * web-xgrammar's masks, compiled in open mode as JSON Schema says.
 * @param {{ tokens: Uint8Array[], eos: number[] }} vocabulary
 */
export async function openXgrammar({ tokens, eos }) {
  const source = await fetchText(`${await addressOf("@mlc-ai/web-xgrammar")}lib/index.js`);
  // Its file is a script of the old kind, which its package calls a module.
  const module = `const module = { exports: {} }, exports = module.exports;\n${source}\nexport default module.exports;`;
  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const { default: xgrammar } = await import(address);
  URL.revokeObjectURL(address);
  const pieces = tokens.map(byteLevel);
  const info = await xgrammar.TokenizerInfo.createTokenizerInfo(pieces, "byte_level", false, pieces.length, eos);
  return {
    /** @param {object} schema */
    async compile(schema) {
      const compiler = await xgrammar.GrammarCompiler.createGrammarCompiler(info, false);
      const compiled = await compiler.compileJSONSchema(JSON.stringify(schema), true, undefined, undefined, false);
      const matcher = await xgrammar.GrammarMatcher.createGrammarMatcher(compiled);
      return {
        mask: () => matcher.getNextTokenBitmask(),
        accept: (/** @type {number} */ token) => matcher.acceptToken(token),
        dispose: () => [matcher, compiled, compiler].forEach((one) => one.dispose()),
      };
    },
  };
}

/** GPT-2's letters for bytes, in which such tokenizers spell their tokens. */
const letters = (() => {
  const isPlain = (/** @type {number} */ byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPlain(byte) ? byte : next++));
})();

/** @param {Uint8Array} bytes */
export const byteLevel = (bytes) => Array.from(bytes, (byte) => letters[byte]).join("");

/**
 * wllama with a model, on one thread of the CPU.
 * @param {Blob} file
 */
export async function openWllama(file) {
  const address = await addressOf("@wllama/wllama");
  const { Wllama } = await import(`${address}esm/index.js`);
  const quiet = { debug() {}, log() {}, warn() {}, error() {} };
  const wllama = new Wllama({ default: `${address}esm/wasm/wllama.wasm` }, { logger: quiet });
  await wllama.loadModel([file], { n_ctx: 512, n_threads: 1, n_gpu_layers: 0 });
  return {
    /** Tokens a second by its own clock, as ours has one, and without truncations, as ours. @param {number} count */
    async write(count) {
      const plain = { temperature: 0.8, top_k: 0, top_p: 1, min_p: 0, repeat_penalty: 1, ignore_eos: true };
      const { timings } = await wllama.createCompletion({ prompt: "Once upon a time", max_tokens: count, ...plain });
      return (1000 * timings.predicted_n) / timings.predicted_ms;
    },
    close: () => wllama.exit(),
  };
}

/**
 * The loop of transformers.js over a row of logits, which takes the place of a model's pass.
 * @param {Float32Array} row
 */
export async function openTransformers(row) {
  const address = await addressOf("@huggingface/transformers");
  const { LlamaForCausalLM, PretrainedConfig, Tensor, env } = await import(`${address}dist/transformers.min.js`);
  env.useWasmCache = false; // it would keep 27 MB with this site's data
  if (address.startsWith(location.origin))
    env.backends.onnx.wasm.wasmPaths = new URL("../../onnxruntime-web/dist/", address).href;
  const small = { num_hidden_layers: 1, num_attention_heads: 1, num_key_value_heads: 1, hidden_size: 1 };
  const config = new PretrainedConfig({ model_type: "llama", vocab_size: row.length, ...small });
  const model = new LlamaForCausalLM(config, {}, {});
  // A copy, since processors write into it.
  model.forward = async () => ({ logits: new Tensor("float32", row.slice(), [1, 1, row.length]) });
  // What our adapter asks of a tokenizer.
  const tokenizer = {
    id_to_token: String,
    get_vocab: () => Array.from(row, (_, id) => [String(id), id]),
    get_added_tokens_decoder: () => new Map(),
    decoder: { config: { type: "ByteLevel" } },
  };
  const inputs = new Tensor("int64", BigInt64Array.of(0n), [1, 1]);
  /** @param {object} options @param {number} count of tokens */
  const write = (options, count) => model.generate({ inputs, max_new_tokens: count, ...options });
  return { model, tokenizer, write };
}
