// Entry of the Worker in which a model learns.
import { createTrainHost } from "./train-host.js";

const node = globalThis.process?.getBuiltinModule?.("node:worker_threads");
if (node?.parentPort) {
  const port = node.parentPort;
  port.on(
    "message",
    createTrainHost((reply) => port.postMessage(reply)),
  );
  port.postMessage({ kind: "ready" });
} else {
  // The part of a Worker's global scope that a MessagePort has too.
  const scope = /** @type {MessagePort} */ (/** @type {unknown} */ (globalThis));
  const receive = createTrainHost((reply) => scope.postMessage(reply));
  scope.onmessage = ({ data }) => receive(data);
  scope.postMessage({ kind: "ready" });
}
