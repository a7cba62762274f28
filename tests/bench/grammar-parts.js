// The rows of the bench that are not walks over MaskBench: any JSON, vocabularies, bytes of the engine.
import { readFileSync, existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { engines } from "./grammar-engines.js";
import { shippedFiles } from "./grammar-packages.js";
import { openVocabulary } from "./grammar-vocabulary.js";
import { walk, walkEntry } from "./grammar-walk.js";

/** Texts to walk as any JSON: of every part a few valid instances, those next to 1,500 characters. */
export function anyJsonTexts(entries) {
  const splits = [...new Set(entries.map((entry) => entry.split))];
  return splits.flatMap((split) =>
    entries
      .filter((entry) => entry.split === split)
      .flatMap((entry) => entry.tests.filter((test) => test.valid).map((test) => test.text))
      .sort((a, b) => Math.abs(a.length - 1500) - Math.abs(b.length - 1500))
      .slice(0, 2),
  );
}

/** The times of masks of any JSON in one engine, each the least of `runs` walks if there are several. */
export async function anyJsonMasks(engineName, vocabularyName, texts, runs = 1) {
  const vocabulary = openVocabulary(vocabularyName);
  const engine = await engines[engineName](vocabulary);
  /** @type {Float64Array | undefined} */
  let least;
  for (let run = 0; run < runs; run++) {
    const grammar = await engine.compile("true");
    /** @type {number[]} */
    const masks = [];
    for (const text of texts) {
      const matcher = await grammar.matcher();
      const end = await walk(matcher, vocabulary.encode(text), vocabulary.eos, masks);
      if (end !== -1) throw new Error(`${engineName} rejects ${text.slice(0, 80)} at token ${end}`);
      matcher.dispose?.();
    }
    grammar.dispose();
    least = least?.map((value, i) => Math.min(value, masks[i])) ?? Float64Array.from(masks);
  }
  return /** @type {Float64Array} */ (least);
}

/** Masks of the entries, each step the least of `runs` walks over grammars compiled anew. */
export async function leastMasks(vocabularyName, entries, runs = 5) {
  const vocabulary = openVocabulary(vocabularyName);
  const engine = await engines.lastinch(vocabulary);
  const found = [];
  for (const entry of entries) {
    /** @type {{ masks: Float64Array, compile: number } | undefined} */
    let least;
    for (let run = 0; run < runs; run++) {
      const { masks, compile = Infinity } = await walkEntry(engine, vocabulary.eos, entry);
      if (!masks) continue;
      const before = least;
      least = {
        masks: before ? masks.map((value, i) => Math.min(value, before.masks[i])) : masks,
        compile: Math.min(compile, before?.compile ?? Infinity),
      };
    }
    if (least)
      found.push({ id: entry.id, compile: least.compile, mask: least.masks.reduce((a, b) => Math.max(a, b), 0) });
  }
  return found;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const brotli = (/** @type {Uint8Array} */ bytes) => brotliCompressSync(bytes).length;

/** Bytes in brotli of what a page loads: for JSON Schema and regular expressions, and for every kind of grammar. */
export async function engineSizes() {
  const { outputFiles, metafile } = await build({
    stdin: { contents: 'export { compileGrammar } from "./web/grammar.js";', resolveDir: root },
    outdir: "out",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    metafile: true,
    logLevel: "error",
  });
  const size = (path) => {
    const file = outputFiles.find((output) => output.path.endsWith(path.split("/").at(-1)));
    return file ? brotli(file.contents) : 0;
  };
  const first = new Set();
  const visit = (path) => {
    if (first.has(path)) return;
    first.add(path);
    for (const { path: next, kind } of metafile.outputs[path].imports) {
      const isOther = /(gbnf|ebnf|lark|tool-calls)\.js$/.test(metafile.outputs[next]?.entryPoint ?? "");
      if (kind === "import-statement" || !isOther) visit(next);
    }
  };
  const entry = Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint);
  if (entry) visit(entry);
  const sum = (paths) => [...paths].reduce((total, path) => total + size(path), 0);
  const wasmFile = `${root}dist/grammar.wasm`;
  const wasm = existsSync(wasmFile) ? brotli(readFileSync(wasmFile)) : NaN;
  const peers = Object.entries(shippedFiles).map(([name, file]) => [name, brotli(readFileSync(file))]);
  return { wasm, first: sum(first), all: sum(Object.keys(metafile.outputs)), peers: Object.fromEntries(peers) };
}
