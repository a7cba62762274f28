// Importing the package has no side effect: in Node, in a worker, while a server renders a page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const cwd = new URL("../..", import.meta.url);

/** Runs a module in a process of its own and returns what it logs. */
function run(script, ...flags) {
  const given = [...flags, "--input-type=module", "-e", script];
  return String(execFileSync(process.execPath, given, { cwd, timeout: 300_000 })).trim();
}

// Everything that an import could touch reports it, and what an import leaves behind is counted.
const watch = `
  const touched = [];
  const { setTimeout } = globalThis;
  for (const name of ["fetch", "Worker", "MessageChannel", "BroadcastChannel", "setTimeout", "setInterval", "setImmediate", "queueMicrotask"])
    globalThis[name] = new Proxy(function () {}, {
      apply: () => touched.push(name),
      construct: () => (touched.push(name), {}),
    });
  for (const name of ["compile", "compileStreaming", "instantiate", "instantiateStreaming", "validate", "Module", "Instance", "Memory"])
    WebAssembly[name] = new Proxy(function () {}, {
      apply: () => touched.push("WebAssembly." + name),
      construct: () => (touched.push("WebAssembly." + name), {}),
    });
  const names = () => [...Reflect.ownKeys(globalThis)].map(String);
  const known = new Set(names());
  const library = await import("lastinch");
  // Node may close a file some time after reading it.
  const open = () => process.getActiveResourcesInfo().filter((name) => name !== "MessagePort");
  for (let waits = 0; open().length && waits < 200; waits++) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const name of names()) if (!known.has(name)) touched.push("globalThis." + name);
  touched.push(...open());
  const result = JSON.stringify({ touched, functions: ["createSampler", "loadModel", "LastInchError"].map((name) => typeof library[name]) });
`;
const untouched = '{"touched":[],"functions":["function","function","function"]}';

test("importing has no side effect in Node", () => {
  assert.equal(run(`${watch} console.log(result);`), untouched);
});

test("importing has no side effect in a worker", () => {
  const script = `
    import { Worker } from "node:worker_threads";
    const code = ${JSON.stringify(`${watch} const { parentPort } = await import("node:worker_threads"); parentPort.postMessage(result);`)};
    const worker = new Worker(new URL("data:text/javascript," + encodeURIComponent(code.replace('import("lastinch")', 'import("' + import.meta.resolve("lastinch") + '")'))));
    worker.on("message", (result) => console.log(result));`;
  assert.equal(run(script), untouched);
});

test("importing needs neither a document nor WebAssembly", () => {
  const script = `
    for (const name of ["WebAssembly", "fetch", "Worker", "ReadableStream", "Blob", "AbortSignal", "crypto", "navigator", "MessageChannel"])
      delete globalThis[name];
    const { loadModel } = await import("lastinch");
    console.log(typeof loadModel);`;
  assert.equal(run(script), "function");
});

test("lastinch/model runs models where neither a Worker nor dynamic import exists", () => {
  const script = `
    import threads from "node:worker_threads";
    import { loadModel } from "lastinch/model";
    import { randomModel } from "./tests/js/tiny-gguf.js";
    delete threads.Worker;
    const model = await loadModel(randomModel());
    console.log((await model.tokenize("ab")).length);
    process.exit();`;
  assert.equal(run(script), "2");
});
