// Loops with random delays between their atomic steps: the threads of a model lose no wake-up.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { rounds } from "../rounds.js";
import { runStress } from "../vectors/parallel-stress.js";

const module = readFileSync(new URL("../../build/wasm/parallel-stress.wasm", import.meta.url));

function startThread(task) {
  const worker = new Worker(new URL("../vectors/parallel-stress-thread.js", import.meta.url));
  const answer = once(worker, "message").then(([message]) => message);
  worker.postMessage(task);
  return { answer, end: () => void worker.terminate() };
}

test("threads that meet in rare orders lose no wake-up", { timeout: 300_000 }, async (t) => {
  const { slowWaits, helpedLoops, ...faults } = await runStress(module, rounds(5_000_000, 300_000), startThread);
  t.diagnostic(`${helpedLoops} loops shared, ${slowWaits} waits of more than 100 ms`);
  assert.deepEqual(faults, { wrongLoops: 0, lostWakes: 0 });
  assert.ok(helpedLoops > 0);
});
