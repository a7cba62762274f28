// Entry of a Worker that helps a model. It runs pieces of the model thread's loops, and sleeps in between, until it is
// terminated or no longer wanted. It shares only the model's memory.

/** @typedef {import("../../core/exports.js").ThreadsExports & { __stack_pointer: WebAssembly.Global }} Exports */

/**
 * @typedef {object} Task
 * @property {WebAssembly.Module} module
 * @property {WebAssembly.Memory} memory
 * @property {number} stack the end of the memory that is this thread's stack
 */

/**
 * @param {Task} task
 * @param {() => void} tellReady
 */
function help({ module, memory, stack }, tellReady) {
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  const exports = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
  exports.__stack_pointer.value = stack;
  tellReady();
  exports.li_parallel_help();
}

const node = globalThis.process?.getBuiltinModule?.("node:worker_threads");
if (node?.parentPort) {
  const port = node.parentPort;
  port.once("message", (task) => help(task, () => port.postMessage(null)));
} else {
  // The part of a Worker's global scope that a MessagePort has too.
  const scope = /** @type {MessagePort} */ (/** @type {unknown} */ (globalThis));
  scope.onmessage = ({ data: port }) => {
    port.onmessage = (/** @type {MessageEvent<Task>} */ { data }) => {
      help(data, () => scope.postMessage(null));
      globalThis.close();
    };
  };
}
