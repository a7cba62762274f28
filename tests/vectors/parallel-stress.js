// Runs tests/c/parallel_stress.c as WebAssembly: a caller and two helpers, each in a Worker, which share one memory.

/**
 * @param {Uint8Array} bytes the module
 * @param {number} loops
 * @param {(task: object) => { answer: Promise<any>, end: () => void }} startThread
 * @returns {Promise<{ wrongLoops: number, lostWakes: number, slowWaits: number }>}
 */
export async function runStress(bytes, loops, startThread) {
  const module = await WebAssembly.compile(bytes);
  const memory = new WebAssembly.Memory({ initial: 8, maximum: 65536, shared: true });
  const { exports } = /** @type {any} */ (new WebAssembly.Instance(module, { env: { memory } }));
  const helpers = [0, 1].map((number) => startThread({ module, memory, stack: exports.stress_stack(number) }));
  const caller = startThread({ module, memory, loops });
  try {
    return await caller.answer;
  } finally {
    for (const thread of [caller, ...helpers]) thread.end();
  }
}

/** In a page. */
export function startWebThread(task) {
  const worker = new Worker(new URL("./parallel-stress-thread.js", import.meta.url));
  const answer = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
  worker.postMessage(task);
  return { answer, end: () => worker.terminate() };
}
