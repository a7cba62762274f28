// Bundles web/ into dist/: one entry per export with shared chunks, the .wasm files beside them, the types.
import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const entries = { index: "web/index.js", model: "web/model.js", worker: "web/worker.js", helper: "web/helper.js" };
const widgets = readdirSync("web/widgets").filter((file) => file.endsWith(".js") && file !== "index.js");
for (const file of widgets) entries[`widget-${file.slice(0, -3)}`] = `web/widgets/${file}`;
entries.widgets = "web/widgets/index.js";

rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: entries,
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  sourcemap: true,
  chunkNames: "[hash]",
  // So that widgets can be imported where there is no document.
  inject: ["wasm/no-document.js"],
  logLevel: "warning",
});
for (const name of ["sampler", "decode", "grammar", "model", "model-threads", "model-relaxed", "model-relaxed-threads"])
  copyFileSync(`build/wasm/${name}.wasm`, `dist/${name}.wasm`);
for (const name of ["storyteller", "draft"]) copyFileSync(`demos/model/${name}.gguf`, `dist/${name}.gguf`);
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], { stdio: "inherit" });
