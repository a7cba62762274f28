// Starts a helper of a model: a Worker, or in Node a thread.
import { broughtScript } from "../../core/inlined.js";
import { startScript } from "../../core/start-script.js";

/** @typedef {import("./helper.js").Task} Task */

/**
 * @typedef {object} Helper
 * @property {Promise<unknown>} ready rejected when it could not start
 * @property {() => void} end
 */

/**
 * @param {Task} task
 * @returns {Helper}
 */
export function startHelper(task) {
  if (typeof Worker === "undefined") return startNodeHelper(task);
  return startWebHelper(portTo(task));
}

/**
 * A port from which the task can be read.
 * @param {Task} task
 */
export function portTo(task) {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(task);
  return port2;
}

/**
 * @param {MessagePort} port from which the task comes
 * @returns {Helper}
 */
export function startWebHelper(port) {
  const script = broughtScript("helper");
  // Bundlers follow only this literal form.
  const worker = startScript(() =>
    script
      ? new Worker(script, { name: "lastinch-helper" })
      : new Worker(new URL("./helper.js", import.meta.url), { type: "module", name: "lastinch-helper" }),
  );
  const end = () => worker.terminate();
  const ready = new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = (event) => {
      event.preventDefault();
      end();
      reject(event);
    };
  });
  worker.postMessage(port, [port]);
  return { ready, end };
}

/** @type {typeof startHelper} */
function startNodeHelper(task) {
  const threads = /** @type {typeof import("node:worker_threads")} */ (
    globalThis.process.getBuiltinModule("node:worker_threads")
  );
  const script = broughtScript("helper") ?? new URL("./helper.js", import.meta.url);
  const worker = new threads.Worker(script, { name: "lastinch-helper", execArgv: [] });
  const ready = new Promise((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
    worker.on("exit", reject);
  });
  worker.postMessage(task);
  worker.unref();
  return { ready, end: () => void worker.terminate() };
}
