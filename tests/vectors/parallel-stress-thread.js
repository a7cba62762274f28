// A thread of parallel-stress.js, in Node or a browser: the caller, which answers with its counts, or a helper.
const node = globalThis.process?.getBuiltinModule?.("node:worker_threads");

/** @param {{ module: WebAssembly.Module, memory: WebAssembly.Memory, stack?: number, loops: number }} task */
function run({ module, memory, stack, loops }) {
  const { exports } = /** @type {any} */ (new WebAssembly.Instance(module, { env: { memory } }));
  if (stack !== undefined) {
    exports.__stack_pointer.value = stack;
    return void exports.li_parallel_help();
  }
  const wrongLoops = exports.stress_loops(loops);
  const counts = {
    wrongLoops,
    helpedLoops: exports.stress_helped_loops(),
    lostWakes: exports.stress_lost_wakes(),
    slowWaits: exports.stress_slow_waits(),
  };
  (node?.parentPort ?? globalThis).postMessage(counts);
}

if (node?.parentPort) node.parentPort.once("message", run);
else globalThis.onmessage = ({ data }) => run(data);
