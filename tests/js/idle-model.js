// Run by threads.slow.test.js in its own Node: prints how many threads a model has, and the milliseconds of processor
// time that they take in an idle second. Then the process must end on its own.
import { loadModel } from "lastinch";
import { threadedGguf } from "../vectors/thread-digests.js";

const model = await loadModel(threadedGguf(), { threads: 4, worker: process.argv[2] === "worker" });
await model.forward([1, 2, 3]);
await new Promise((resolve) => setTimeout(resolve, 300));
const before = process.cpuUsage();
await new Promise((resolve) => setTimeout(resolve, 1000));
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ threads: model.threads, used: (user + system) / 1000 }));
