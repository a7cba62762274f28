// Runs C tests that were compiled to wasm, under Node's WASI: `node run-wasm.js c-tests.wasm [--only NAME]`.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [path, ...words] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [path, ...words] });
const imports = {
  // Node's own proc_exit throws through the wasm frames, which has crashed Node 20.
  wasi_snapshot_preview1: { ...wasi.wasiImport, proc_exit: end },
  env: { emscripten_notify_memory_growth() {} },
};
const { instance } = await WebAssembly.instantiate(readFileSync(path), imports);
end(wasi.start(instance));

/** @param {number} code */
function end(code) {
  if (code) console.error(`${path} exited with ${code}`);
  process.exit(code);
}
