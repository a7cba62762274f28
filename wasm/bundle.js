// Bundles web/ into dist/: one entry per export with shared chunks, the .wasm files beside them, the types.
import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { build } from "esbuild";

const entries = {
  index: "web/index.js",
  model: "web/model.js",
  worker: "web/worker.js",
  helper: "web/helper.js",
  transformers: "web/adapters/transformers.js",
  onnxruntime: "web/adapters/onnxruntime.js",
};

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
  logLevel: "warning",
});
for (const name of ["sampler", "decode", "grammar", "model", "model-threads", "model-relaxed", "model-relaxed-threads"])
  copyFileSync(`build/wasm/${name}.wasm`, `dist/${name}.wasm`);
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], { stdio: "inherit" });
