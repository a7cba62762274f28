// Entry of the Worker in which a page's models run.
import { holdLock } from "../../core/thread-lock.js";
import { createHost } from "./host.js";
import { borrowHelpers } from "./lent-helpers.js";
import { serveTabs } from "./serve-tabs.js";

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
  // The page finds out by the lock that this thread is gone.
  const held = holdLock("worker");
  /** @param {import("./serve-tabs.js").Serve} request */
  const serve = async (request) => {
    const lock = await held;
    if (lock) serveTabs(request, lock.name, helpers.start, () => scope.postMessage({ kind: "idle" }));
  };
  scope.onmessage = ({ data }) => {
    if ("helper" in data) helpers.receive(data);
    else if (data.kind === "serve") void serve(data);
    else receive(data);
  };
  scope.postMessage({ kind: "ready" });
  void held.then((lock) => lock && scope.postMessage({ kind: "lock", name: lock.name }));
}
