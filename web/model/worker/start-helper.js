// Starts a helper or the partner of a model: a Worker, or in Node a thread.
import { broughtScript } from "../../core/inlined.js";

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

function openWebWorker() {
  const script = broughtScript("helper");
  // Bundlers follow only this literal form.
  return script
    ? new Worker(script, { name: "lastinch-helper" })
    : new Worker(new URL("./helper.js", import.meta.url), { type: "module", name: "lastinch-helper" });
}

/**
 * @param {MessagePort} port from which the task comes
 * @returns {Helper}
 */
export function startWebHelper(port) {
  const worker = openWebWorker();
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

function openNodeWorker() {
  const threads = /** @type {typeof import("node:worker_threads")} */ (
    globalThis.process.getBuiltinModule("node:worker_threads")
  );
  const script = broughtScript("helper") ?? new URL("./helper.js", import.meta.url);
  return new threads.Worker(script, { name: "lastinch-helper", execArgv: [] });
}

/** @type {typeof startHelper} */
function startNodeHelper(task) {
  const worker = openNodeWorker();
  const ready = new Promise((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
    worker.on("exit", reject);
  });
  worker.postMessage(task);
  worker.unref();
  return { ready, end: () => void worker.terminate() };
}

/**
 * A partner, and how to reach it.
 * @typedef {object} Line
 * @property {(orders: Uint8Array) => void} post gives the buffer away
 * @property {() => void} end
 */

/**
 * Starts a partner from the thread of its model: messages between a Worker and the thread that started it take the least
 * time.
 * @param {WebAssembly.Module} module
 * @param {(answer: Uint8Array | null) => void} receive null: the partner has failed
 * @returns {Line}
 */
export function startPartner(module, receive) {
  if (typeof Worker === "undefined") return startNodePartner(module, receive);
  const worker = openWebWorker();
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = (event) => {
    event.preventDefault();
    receive(null);
  };
  worker.postMessage({ module });
  return { post: (orders) => worker.postMessage(orders, [orders.buffer]), end: () => worker.terminate() };
}

/** @type {typeof startPartner} */
function startNodePartner(module, receive) {
  const worker = openNodeWorker();
  worker.on("message", receive);
  worker.on("error", () => receive(null));
  worker.on("exit", () => receive(null));
  worker.postMessage({ module });
  worker.unref();
  const post = (/** @type {Uint8Array} */ orders) =>
    worker.postMessage(orders, /** @type {ArrayBuffer[]} */ ([orders.buffer]));
  return { post, end: () => void worker.terminate() };
}
