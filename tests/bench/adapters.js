// Bytes that each adapter adds to a page that has lastinch already. Run: node tests/bench/adapters.js
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "../..");
const folder = resolve(root, "web/adapters");
const { exports } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));

/** What is not the adapter's own stays outside. */
const own = {
  name: "own",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, resolveDir, kind }) => {
      const isOwn = path.startsWith(".") && resolve(resolveDir, path).startsWith(folder);
      if (kind === "entry-point" || isOwn) return undefined;
      return { path, external: true };
    });
  },
};

/** @param {string} entry @param {import("esbuild").Plugin[]} plugins */
async function brotli(entry, plugins) {
  const how = { bundle: true, minify: true, write: false, format: "esm", target: "es2022" };
  const { outputFiles } = await build({ entryPoints: [entry], absWorkingDir: root, plugins, ...how });
  return brotliCompressSync(outputFiles[0].contents).length;
}

for (const name of Object.keys(exports).map((key) => key.slice(2)))
  if (existsSync(resolve(folder, `${name}.js`)))
    console.log(`${name}: ${await brotli(`web/adapters/${name}.js`, [own])} bytes`);
console.log(`chat templates, on use: ${await brotli("@huggingface/jinja", [])} bytes`);
