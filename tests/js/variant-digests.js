// Run by relaxed.slow.test.js in its own Node: prints what the variants of model.wasm compute there, and which one the
// library uses.
import { readFileSync } from "node:fs";
import { loadModel } from "lastinch";
import { libraryDigests, logitDigests } from "../vectors/logit-digests.js";
import { openModel } from "./model-wasm.js";

const wasm = (name) => readFileSync(new URL(`../../build/wasm/${name}.wasm`, import.meta.url));

function digestsOf(bytes, prepare = () => {}) {
  return logitDigests(async (file, tokens, cache) => {
    const model = await openModel(file, { wasm: bytes, cache });
    prepare(model.c);
    return [model.forward(tokens, { all: true })];
  });
}

const plain = wasm("model");
const relaxed = wasm("model-relaxed");
const result = { version: process.version, isRelaxed: WebAssembly.validate(relaxed), plain: await digestsOf(plain) };
if (result.isRelaxed) {
  result.byDigits = await digestsOf(relaxed, (c) => c.li_go_by_bytes(0));
  result.byBytes = await digestsOf(relaxed, (c) => c.li_go_by_bytes(1));
}

result.together = await libraryDigests((file, how) => loadModel(file, { ...how, threads: 2 }));

const { compile } = WebAssembly;
WebAssembly.compile = (bytes) => {
  result.taken = bytes.byteLength === relaxed.length ? "relaxed" : "plain";
  return compile(bytes);
};
result.library = await libraryDigests((file, how) => loadModel(file, { ...how, worker: false, threads: 1 }));
console.log(JSON.stringify(result));
