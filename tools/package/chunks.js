// Says which modules of web/ share a file of dist/. esbuild puts modules that the same entries reach into one file. The
// lists below add what else belongs together, so web/ can import each module from where it is defined.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";

/** Modules whose import() gives one file, so that entries fetch one file for all functions of a kind. */
const fetchedTogether = [
  ["web/model/load.js", "web/model/estimate.js"],
  ["web/chat/chat.js", "web/chat/shared-prefix.js"],
  ["web/grammar/compile.js", "web/grammar/compile-there.js", "web/grammar/vocabulary.js"],
  ["web/model/stream-object.js", "web/grammar/grammar-object-reader.js"],
  [
    "web/decode/drafters/lookup.js",
    "web/decode/loop-options.js",
    "web/decode/steps/beam-searcher.js",
    "web/decode/steps/decoder.js",
    "web/decode/steps/majority-vote.js",
    "web/decode/watermark-detector.js",
    "web/sampler/sampler-group.js",
  ],
];

/** Small modules without a state, of which each importer gets its own copy in place of one more file to load. */
const copied = ["create-sampler", "gpu-sampler", "sampler-instance"].map((name) => `web/sampler/${name}.js`);

/**
 * The plugin that keeps chunks together: it turns an import of one module of a list into an import of the whole list.
 * @param {import("esbuild").BuildOptions} options of the bundle
 * @returns {Promise<import("esbuild").Plugin>}
 */
export async function inChunks(options) {
  const used = await build({ ...options, entryPoints: ["web/sampler/sampler.js"], metafile: true, write: false });
  const importedTogether = [
    // A page that samples loads only one file besides its entry.
    [...withImports("web/sampler/sampler.js", used.metafile.inputs), "web/core/wasm.js"],
    ["web/decode/text-stream.js", "web/decode/healing.js"],
    // Small, and of what writes answers.
    ["web/chat/new-id.js", "web/chat/sampling-defaults.js"],
  ];
  return {
    name: "chunks",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./, namespace: "file" }, ({ path, importer, resolveDir, kind, pluginData }) => {
        const file = relative(".", join(resolveDir, path));
        // A module with another suffix is another module.
        if (copied.includes(file)) return { path: join(resolveDir, path), suffix: `?${pluginData ?? importer}` };
        const lists = kind === "dynamic-import" ? fetchedTogether : importedTogether;
        const chunk = lists.find((files) => files.includes(file) && !files.includes(relative(".", importer)));
        return chunk && { path: chunk.join(), namespace: "chunk" };
      });
      onLoad({ filter: /./, namespace: "file" }, ({ path, suffix }) =>
        suffix ? { contents: readFileSync(path, "utf8"), pluginData: suffix } : undefined,
      );
      onLoad({ filter: /\/web\/adapters\// }, ({ path }) => ({ contents: pastEngine(readFileSync(path, "utf8")) }));
      onLoad({ filter: /./, namespace: "chunk" }, ({ path }) => ({
        contents: path
          .split(",")
          .map((file) => `export * from "./${file}";`)
          .join("\n"),
        resolveDir: ".",
      }));
    },
  };
}

/**
 * A module with those that it imports, without what it fetches on use.
 * @param {string} path
 * @param {import("esbuild").Metafile["inputs"]} inputs
 */
function withImports(path, inputs) {
  const found = new Set([path]);
  for (const file of found)
    for (const { path: other, kind } of inputs[file].imports) if (kind === "import-statement") found.add(other);
  return [...found];
}

/** Where web/engine.js takes each name from. */
const definers = Object.fromEntries(
  [...readFileSync("web/engine.js", "utf8").matchAll(/^export \{([^}]*)\} from "\.([^"]+)";/gm)].flatMap(
    ([, names, file]) => names.split(",").map((name) => [name.trim(), `..${file}`]),
  ),
);

/**
 * An adapter that imports from engine.js would load all of it. The bundle has its imports from where each is defined.
 * @param {string} code
 */
function pastEngine(code) {
  const past = code.replace(/^import \{([^}]*)\} from "\.\.\/engine\.js";/gm, (_, names) =>
    names
      .split(",")
      .filter((/** @type {string} */ name) => name.trim())
      .map((/** @type {string} */ name) => `import { ${name} } from "${definers[name.trim().split(" ")[0]]}";`)
      .join("\n"),
  );
  if (/^(import|export|\}).* from "\.\.\/engine\.js"/m.test(past))
    throw new Error("An adapter must import engine.js by `import { … }`.");
  return past;
}
