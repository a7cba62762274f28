// What Vite copies into a site: the files that belong to what a page imports, and no others. Vite copies the files that
// a parsed module names, even if it then drops the module's code.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { join } from "node:path";
import { build } from "vite";

// Inside the checkout, so that "lastinch" is the checkout itself.
const root = join(import.meta.dirname, "../../build/bundled-files");
mkdirSync(root, { recursive: true });
after(() => rmSync(root, { recursive: true }));

/** The names of the files beside the scripts, without hashes, and the bytes of everything. @param {string} script */
async function builtFrom(script) {
  writeFileSync(join(root, "main.js"), script);
  const { output } = /** @type {any} */ (
    await build({
      root,
      configFile: false,
      logLevel: "silent",
      build: { write: false, rolldownOptions: { input: join(root, "main.js") } },
    })
  );
  const files = output.map(({ type, names, source, code }) => ({ type, names, bytes: (source ?? code).length }));
  const sumOf = (some) => some.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    // A file that two modules name is copied once, and has its name twice.
    copied: [...new Set(files.flatMap(({ type, names }) => (type === "asset" ? names : [])))].sort(),
    scripts: sumOf(files.filter(({ type }) => type === "chunk")),
    bytes: sumOf(files),
  };
}

// createSampler loads decode.wasm in place of sampler.wasm where a watermark is given.
const sampling = ["decode.wasm", "sampler.wasm"];
const forModels = [
  "decode.wasm",
  "grammar.wasm",
  "model-relaxed-threads.wasm",
  "model-relaxed.wasm",
  "model-threads.wasm",
  "model.wasm",
  "sampler.wasm",
  "storyteller.gguf",
];

for (const [what, script, copied, limit] of [
  [
    "lastinch/sampler",
    'import { createSampler } from "lastinch/sampler"; createSampler({ vocabSize: 2 });',
    sampling,
    110_000,
  ],
  [
    "lastinch/grammar",
    'import { compileGrammar } from "lastinch/grammar"; compileGrammar({});',
    ["grammar.wasm"],
    400_000,
  ],
  [
    "the adapter of transformers.js",
    'import { createTransformersSampler } from "lastinch/transformers"; createTransformersSampler();',
    sampling,
    128_000,
  ],
  ["a widget without a model", 'import "lastinch/widgets/nucleus";', sampling, 158_000],
  ["a widget with a model", 'import "lastinch/widgets/inspector";', forModels, 4_330_000],
])
  test(`a site of Vite with ${what} has ${copied.length} files beside its scripts`, async () => {
    const built = await builtFrom(script);
    assert.deepEqual(
      built.copied.filter((name) => !name.endsWith(".js")),
      copied,
    );
    assert.ok(built.bytes < limit, `${built.bytes} bytes`);
  });

// Vite copies the named files before it drops the functions that name them. Nothing fetches the files.
test("a site of Vite that only samples has one small script, even if createSampler comes from lastinch", async () => {
  const script = (entry) => `import { createSampler } from "${entry}"; createSampler({ vocabSize: 2 });`;
  const whole = await builtFrom(script("lastinch"));
  const own = await builtFrom(script("lastinch/sampler"));
  assert.ok(whole.scripts < 40_000, `${whole.scripts} bytes`);
  assert.ok(Math.abs(whole.scripts - own.scripts) < 500, `${whole.scripts} and ${own.scripts} bytes`);
  assert.deepEqual(
    whole.copied,
    forModels.filter((name) => name.endsWith(".wasm")),
  );
});
