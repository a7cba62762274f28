// Run by lost-helper.package.test.js in its own Node. A model's helper dies in the middle of its first piece, because
// it has no stack. Prints the errors of two calls that needed the helper, and after how many milliseconds they failed.
import threads from "node:worker_threads";
import { loadModel } from "lastinch";
import { threadedGguf } from "../vectors/thread-digests.js";

threads.Worker = class extends threads.Worker {
  postMessage(task) {
    super.postMessage({ ...task, stack: 16 });
    this.on("error", () => {}); // the error of the trap itself, which arrives only after the call
  }
};
const model = await loadModel(threadedGguf(), { threads: 2, worker: false });
const errors = [];
const waited = [];
let start = performance.now();
for (let i = 0; i < 10_000 && errors.length < 2; i++) {
  try {
    await model.forward([1, 2, 3], { keep: 0 });
  } catch ({ code, message }) {
    errors.push({ code, message });
    waited.push(performance.now() - start);
  }
  start = performance.now();
}
console.log(JSON.stringify({ threads: model.threads, errors, waited }));
model.dispose();
