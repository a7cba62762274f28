// Run by lost-helper.package.test.js in its own Node. A model's helper dies in the middle of its first piece, because
// it has no stack. Prints the error of the call that needed the helper, after how many milliseconds it failed, and
// whether the next call, with another helper, had the logits of one thread.
import threads from "node:worker_threads";
import { loadModel } from "lastinch";
import { threadedGguf } from "../vectors/thread-digests.js";

let helpers = 0;
const { Worker } = threads;
threads.Worker = class extends Worker {
  postMessage(task) {
    if (helpers++) return super.postMessage(task);
    super.postMessage({ ...task, stack: 16 });
    this.on("error", () => {}); // the error of the trap itself, which arrives only after the call
  }
};
const file = new Blob([threadedGguf()]);
const ids = [1, 2, 3];
const one = await loadModel(file, { threads: 1, worker: false });
const expected = await one.forward(ids);
const model = await loadModel(file, { threads: 2, worker: false });
let error;
let start = performance.now();
for (let i = 0; i < 10_000 && !error; i++) {
  start = performance.now();
  try {
    await model.forward(ids);
  } catch ({ code, message }) {
    error = { code, message };
  }
}
const waited = performance.now() - start;
const found = await model.forward(ids);
const isSame = found.length === expected.length && found.every((logit, i) => logit === expected[i]);
console.log(JSON.stringify({ threads: model.threads, error, waited, isSame, helpers }));
model.dispose();
