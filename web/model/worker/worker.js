// Entry of the Worker in which a page's models run.
import { holdLock } from "../../core/thread-lock.js";
import { createHost } from "./host.js";
import { borrowHelpers } from "./lent-helpers.js";

/** @typedef {import("./host.js").Request} Request */

const node = globalThis.process?.getBuiltinModule?.("node:worker_threads");
if (node?.parentPort) {
  const port = node.parentPort;
  port.on(
    "message",
    createHost((reply, transfer = []) => port.postMessage(reply, /** @type {any} */ (transfer))),
  );
  port.postMessage({ kind: "ready" });
} else {
  // The part of a Worker's global scope that a MessagePort has too.
  const scope = /** @type {MessagePort} */ (/** @type {unknown} */ (globalThis));
  const helpers = borrowHelpers((wish, transfer) => scope.postMessage(wish, transfer));
  const receive = createHost((reply, transfer = []) => scope.postMessage(reply, transfer), helpers.start);
  scope.onmessage = ({ data }) => ("helper" in data ? helpers.receive(data) : receive(data));
  scope.postMessage({ kind: "ready" });
  // The page finds out by the lock that this thread is gone.
  void holdLock("worker").then((name) => name && scope.postMessage({ kind: "lock", name }));
}
