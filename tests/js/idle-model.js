// Run by threads.slow.test.js in its own Node: prints how many threads a model has, and the milliseconds of processor
// time that they take in an idle second, the least of some: in the first ones a busy machine may still compile. Then the
// process must end on its own.
import { loadModel } from "lastinch";
import { startProcessorClock } from "../processor-time.js";
import { loadWithThreads, threadedGguf } from "../vectors/thread-digests.js";

const load = () => loadModel(threadedGguf(), { threads: 4, worker: process.argv[2] === "worker" });
const model = await loadWithThreads(load, 4);
await model.forward([1, 2, 3]);
let used = Infinity;
for (let seconds = 0; seconds < 20 && used > 100; seconds++) {
  const elapsed = startProcessorClock();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  used = Math.min(used, elapsed());
}
console.log(JSON.stringify({ threads: model.threads, used }));
