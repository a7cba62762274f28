// llama.cpp as a program (llama.c), for the tests that compare with llama.cpp. All files are in build/models, or in the
// folder LASTINCH_MODELS.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = process.env.LASTINCH_MODELS ?? fileURLToPath(new URL("../../build/models", import.meta.url));
export const pathOf = (name) => join(folder, name);
const libraries = "llama.cpp/libraries/";
const program = pathOf("llama.cpp/llama");
export const isThere = () => existsSync(program);

const LIMIT = 2 ** 31 - 1;

function ask(task, words, input) {
  const stdio = ["pipe", "pipe", "inherit"];
  const out = execFileSync(program, [pathOf(libraries), task, ...words.map(String)], {
    input,
    maxBuffer: LIMIT,
    stdio,
  });
  return out.buffer.slice(out.byteOffset, out.byteOffset + out.length);
}

const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

export function compile() {
  const source = fileURLToPath(new URL("llama.c", import.meta.url));
  const path = pathOf(libraries);
  const files = readdirSync(path).filter((name) => /^lib(llama|ggml|ggml-base)\.(v.*\.)?so$/.test(name));
  const includes = ["include", "ggml/include"].map((name) => `-I${pathOf(`llama.cpp/${name}`)}`);
  const links = [`-L${path}`, ...files.map((name) => `-l:${name}`), `-Wl,-rpath,${path}`];
  execFileSync("clang", ["-O1", ...includes, source, "-o", program, ...links], { stdio: "inherit" });
}

/** Another mix of a file: the numbers of llama.h's llama_ftype. */
export const mixes = { F32: 0, F16: 1, Q4_0: 2, Q8_0: 7, Q4_K_M: 15 };
export const quantise = (from, to, mix) => void ask("quantise", [from, to, mixes[mix]]);

/** Float32 rows of `columns` values as a type's blocks. */
export const encodeRows = (values, number, columns) =>
  new Uint8Array(ask("encode", [number, columns], bytesOf(values)));

export const decodeBlocks = (blocks, number) => new Float32Array(ask("decode", [number], blocks));

/** Ids of a text in the middle of a prompt; texts of special tokens become these tokens. */
export const tokenise = (path, text) => new Int32Array(ask("tokens", [path], new TextEncoder().encode(text)));

/** Logits of every forced token, then of `greedy` tokens that llama.cpp chooses: (position, vocabulary). */
export const logits = (path, ids, { cache = "f32", greedy = 0 } = {}) =>
  new Float32Array(ask("logits", [path, cache, greedy], bytesOf(Int32Array.from(ids))));

/** Logits of EAGLE's layer for a text, and after each of `drafted`: (1 + drafted, vocabulary). */
export const eagle = (target, layer, layers, ids, drafted) =>
  new Float32Array(
    ask("eagle", [target, layer, ...layers, drafted.length], bytesOf(Int32Array.from([...ids, ...drafted]))),
  );
