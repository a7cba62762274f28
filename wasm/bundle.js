// Bundles web/ into dist/: one entry per export with shared chunks, the .wasm files beside them, the types.
import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const shared = {
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: /** @type {const} */ ("esm"),
  target: "es2022",
  minify: true,
  sourcemap: true,
  chunkNames: "[hash]",
  logLevel: /** @type {const} */ ("warning"),
};

rmSync("dist", { recursive: true, force: true });
await build({
  ...shared,
  entryPoints: { index: "web/index.js", model: "web/model.js", worker: "web/worker.js", helper: "web/helper.js" },
});

// Widgets use the package's entry as any page would: as a file of its own, which stays as small as it is.
/** @type {import("esbuild").Plugin} */
const asPublic = {
  name: "public API",
  setup: ({ onResolve }) => onResolve({ filter: /\/\.\.\/index\.js$/ }, () => ({ path: "./index.js", external: true })),
};
const files = readdirSync("web/widgets").filter((file) => file.endsWith(".js") && file !== "index.js");
await build({
  ...shared,
  entryPoints: {
    widgets: "web/widgets/index.js",
    ...Object.fromEntries(files.map((file) => [`widget-${file.slice(0, -3)}`, `web/widgets/${file}`])),
  },
  plugins: [asPublic],
  // So that they can be imported where there is no document.
  inject: ["wasm/no-document.js"],
});
for (const name of ["sampler", "decode", "grammar", "model", "model-threads", "model-relaxed", "model-relaxed-threads"])
  copyFileSync(`build/wasm/${name}.wasm`, `dist/${name}.wasm`);
for (const name of ["storyteller", "draft", "shakespeare"])
  copyFileSync(`demos/model/${name}.gguf`, `dist/${name}.gguf`);
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], { stdio: "inherit" });
