// Drives the tokenizer of model.wasm directly, without the library's JavaScript: for headers that have no model.
import { readFileSync } from "node:fs";
import { wasmPath } from "./model-wasm.js";

const utf8 = new TextEncoder();

/**
 * @param {Uint8Array} gguf a file, or its header alone
 * @param {object} [options]
 * @param {string} [options.pre] instead of the file's pre-tokenizer
 * @param {boolean} [options.prefix] SentencePiece: a space is put before text
 */
export async function openTokenizer(gguf, { pre = "", prefix = false } = {}) {
  const { instance } = await WebAssembly.instantiate(readFileSync(wasmPath), {});
  const c = instance.exports;
  c._initialize?.();
  const bytes = () => new Uint8Array(c.memory.buffer);
  const header = c.li_gguf_create();
  const headerAt = c.li_gguf_reserve(header, gguf.length);
  bytes().set(gguf, headerAt);
  const status = c.li_gguf_parse(header, gguf.length, 0);
  if (status !== 0) throw new Error(`the header is not parsed: ${status}`);
  const name = c.li_memory_alloc(64);
  bytes().set(utf8.encode(pre + "\0"), name);
  const faultAt = c.li_memory_alloc(8);
  const memoryBefore = c.memory.buffer.byteLength;
  const begin = performance.now();
  const tokenizer = c.li_tokenizer_create(header, name, prefix ? 1 : 0, faultAt);
  const milliseconds = performance.now() - begin;
  const fault = [...new Uint32Array(c.memory.buffer, faultAt, 2)];
  c.li_gguf_destroy(header);
  /** Texts of special tokens. */
  const specials = () => {
    const [count, , texts, ends] = new Uint32Array(c.memory.buffer, c.li_tokenizer_get_view(tokenizer) + 16, 4);
    const decoder = new TextDecoder();
    const all = new Uint32Array(c.memory.buffer, ends, count);
    return Array.from(all, (end, i) => decoder.decode(bytes().slice(texts + (all[i - 1] ?? 0), texts + end)));
  };
  return {
    specials: tokenizer ? specials() : [],
    /** li_tokenizer_fault and its index. */
    fault,
    milliseconds,
    memoryTaken: c.memory.buffer.byteLength - memoryBefore,
    /** @param {string} text @param {{ special?: boolean, continues?: boolean }} [how] @returns {number[]} */
    encode(text, { special = false, continues = false } = {}) {
      const input = utf8.encode(text);
      const idsAt = 4 * Math.ceil(input.length / 4);
      const at = c.li_memory_alloc(idsAt + 8 * input.length + 8);
      bytes().set(input, at);
      const flags = (special ? 1 : 0) | (continues ? 2 : 0);
      const count = c.li_tokenizer_encode(tokenizer, at, input.length, flags, at + idsAt);
      if (count < 0) throw new Error(`the text is refused: ${count}`);
      const ids = [...new Uint32Array(c.memory.buffer, at + idsAt, count)];
      c.li_memory_free(at);
      return ids;
    },
  };
}
