// Entry of a Worker that computes a part of a model: a helper, which shares the model's memory and runs pieces of its loops
// until it is terminated or no longer wanted, or a partner, which has a part of the weights in a memory of its own.

const AWAKE = 1; // ms that a partner polls for the next order before it sleeps: longer than most pauses of a pass

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
  const { exports } = /** @type {any} */ (new WebAssembly.Instance(module, { env: { memory } }));
  exports.__stack_pointer.value = stack;
  tellReady();
  exports.li_parallel_help();
}

/**
 * What a partner does with a message of orders.
 * @param {WebAssembly.Module} module
 * @param {(answer: Uint8Array, transfer: any[]) => void} post
 */
function accompany(module, post) {
  // A partner has no partner of its own.
  const line = WebAssembly.Module.imports(module).map(({ name }) => [name, () => 0]);
  const { exports } = /** @type {any} */ (new WebAssembly.Instance(module, { env: Object.fromEntries(line) }));
  exports._initialize?.();
  const { scheduler } = /** @type {any} */ (globalThis);
  let sleepAt = 0;
  let isAwake = !scheduler;
  const poll = () => {
    isAwake = performance.now() < sleepAt;
    if (isAwake) scheduler.postTask(poll);
  };
  return (/** @type {Uint8Array} */ orders) => {
    const at = exports.li_partner_room(orders.length) >>> 0;
    new Uint8Array(exports.memory.buffer, at, orders.length).set(orders);
    const size = exports.li_partner_obey(orders.length) >>> 0;
    if (!size) return;
    // The memory of the orders goes back with the answer.
    const { buffer } = orders.buffer.byteLength < size ? new Uint8Array(size) : orders;
    const answer = new Uint8Array(buffer, 0, size);
    answer.set(new Uint8Array(exports.memory.buffer, exports.li_partner_answer() >>> 0, size));
    post(answer, [buffer]);
    sleepAt = performance.now() + AWAKE;
    if (!isAwake) poll();
  };
}

const node = globalThis.process?.getBuiltinModule?.("node:worker_threads");
if (node?.parentPort) {
  const port = node.parentPort;
  port.once("message", (task) => {
    if (task.memory) return help(task, () => port.postMessage(null));
    port.on(
      "message",
      accompany(task.module, (answer, transfer) => port.postMessage(answer, transfer)),
    );
  });
} else {
  // The part of a Worker's global scope that a MessagePort has too.
  const scope = /** @type {MessagePort} */ (/** @type {unknown} */ (globalThis));
  scope.onmessage = ({ data }) => {
    if (data.module) {
      const obey = accompany(data.module, (answer, transfer) => scope.postMessage(answer, transfer));
      scope.onmessage = ({ data: orders }) => obey(orders);
      return;
    }
    data.onmessage = (/** @type {MessageEvent<Task>} */ { data: task }) => {
      help(task, () => scope.postMessage(null));
      globalThis.close();
    };
  };
}
