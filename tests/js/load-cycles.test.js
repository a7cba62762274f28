// Loads, writes and disposes of a model again and again: memory ends where it was.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { loadModel } from "lastinch";
import { rounds } from "../rounds.js";

const CYCLES = rounds(300, 20);
const file = new Blob([readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url))]);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
async function settle() {
  for (let i = 0; i < 3; i++) {
    // References are weak only from the next turn on.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
}

async function cycle(options) {
  const model = await loadModel(file, options);
  const { tokens } = await model.complete("Once upon a time", { maxTokens: 10, seed: 1 });
  assert.equal(tokens.length, 10);
  model.dispose();
}

test("instances of the calling thread are dropped", { timeout: 1_800_000 }, async (t) => {
  const { instantiate } = WebAssembly;
  t.after(() => Object.assign(WebAssembly, { instantiate }));
  const memories = [];
  WebAssembly.instantiate = async (module, imports) => {
    const instance = await instantiate(module, imports);
    memories.push(new WeakRef(instance.exports.memory ?? imports.env.memory));
    return instance;
  };
  const live = () => memories.map((one) => one.deref()?.buffer.byteLength).filter((bytes) => bytes !== undefined);
  await cycle({ worker: false });
  await settle();
  const before = live();
  const { arrayBuffers } = process.memoryUsage();
  for (let i = 0; i < CYCLES; i++) await cycle({ worker: false });
  await settle();
  assert.ok(memories.length > CYCLES);
  assert.deepEqual(live(), before);
  const grown = process.memoryUsage().arrayBuffers - arrayBuffers;
  assert.ok(grown < 2 ** 20, `${grown} bytes of buffers`);
});

test("the worker ends with its last model", { timeout: 1_800_000 }, async () => {
  const handles = () => process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length;
  const before = handles();
  for (let i = 0; i < CYCLES / 4; i++) await cycle({ worker: true });
  // A thread takes some time to end.
  for (let waits = 0; handles() > before && waits < 1000; waits++) await new Promise((done) => setTimeout(done, 20));
  assert.equal(handles(), before);
});

// The garbage collector of the worker is not ours: it lets some 150 MB pile up.
const skip = CYCLES < 300 && "needs CHECK_LONG: a few cycles say nothing";
test(
  "a worker that goes on for another model drops the memory of those that end",
  { skip, timeout: 1_800_000 },
  async () => {
    const other = await loadModel(file, { worker: true });
    const { rss } = process.memoryUsage();
    for (let i = 0; i < CYCLES; i++) await cycle({ worker: true });
    const grown = process.memoryUsage().rss - rss;
    assert.ok(grown < 0.5 * CYCLES * other.stats.memory, `${grown} bytes, for models of ${other.stats.memory}`);
    other.dispose();
  },
);
