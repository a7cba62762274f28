// The rows of the bench that are not walks over MaskBench: any JSON, vocabularies, bytes of the engine.
import { readFileSync, existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { leanRegexpp } from "../../tools/package/lean-regexpp.js";
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

/**
 * Bytes in brotli of what a page loads for schemas that have neither pattern nor format, for those and regular
 * expressions, and for every kind of grammar: beside what every page loads, which is the sampler and its errors.
 */
export async function engineSizes() {
  const { outputFiles, metafile } = await build({
    stdin: { contents: 'export * from "./web/index.js";', resolveDir: root },
    outdir: "out",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    metafile: true,
    plugins: [leanRegexpp],
    logLevel: "error",
  });
  const { outputs } = metafile;
  const withImports = (path, found) => {
    if (found.has(path)) return found;
    found.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind === "import-statement") withImports(next, found);
    return found;
  };
  const loaded = (...names) => {
    const found = new Set();
    for (const [path, { entryPoint = "" }] of Object.entries(outputs))
      if (names.some((name) => entryPoint.endsWith(name))) withImports(path, found);
    return found;
  };
  const always = loaded("<stdin>");
  const size = (...names) =>
    [...loaded(...names)]
      .filter((path) => !always.has(path))
      .map((path) => outputFiles.find((file) => file.path.endsWith(path.split("/").at(-1))))
      .reduce((total, file) => total + (file ? brotli(file.contents) : 0), 0);
  const plain = ["web/grammar/compile.js", "readers/schema/schema.js"];
  const first = [...plain, "readers/regex.js", "schema/formats.js"];
  const all = [...first, "readers/gbnf.js", "readers/lark.js", "readers/tool-calls.js"];
  const wasmFile = `${root}dist/grammar.wasm`;
  const wasm = existsSync(wasmFile) ? brotli(readFileSync(wasmFile)) : NaN;
  const peers = Object.entries(shippedFiles).map(([name, file]) => [name, brotli(readFileSync(file))]);
  return { wasm, plain: size(...plain), first: size(...first), all: size(...all), peers: Object.fromEntries(peers) };
}
