// Starts the Worker in which a model learns.
import { broughtFiles, broughtScript } from "../core/inlined.js";
import { startScript } from "../core/start-script.js";
import { LastInchError } from "../core/errors.js";

/** @typedef {import("./train-host.js").TrainRequest} TrainRequest */
/** @typedef {import("./train-host.js").TrainReply} TrainReply */

/**
 * @typedef {object} TrainThread
 * @property {(request: TrainRequest) => void} post
 * @property {() => void} end
 */

/**
 * `fail` is called when the Worker cannot start, or has stopped by itself.
 * @param {(reply: TrainReply) => void} receive
 * @param {(error: Error) => void} fail
 * @returns {TrainThread}
 */
export function startTrainThread(receive, fail) {
  /** @param {any} cause */
  const lost = (cause) => {
    const reason = cause?.message || "its script could not be fetched, or a Content-Security-Policy forbids it";
    fail(
      new LastInchError("worker-unavailable", `The Worker in which a model learns did not start (${reason}).`, {
        cause,
      }),
    );
  };
  const script = broughtScript("train-worker");
  const threads = globalThis.process?.getBuiltinModule?.("node:worker_threads");
  if (typeof Worker === "undefined" && threads) {
    // The program's own flags, such as --input-type, may not suit the script.
    const worker = new threads.Worker(script ?? new URL("./train-worker.js", import.meta.url), { execArgv: [] });
    worker.on("message", receive);
    worker.on("error", lost);
    return { post: (request) => worker.postMessage(request), end: () => void worker.terminate() };
  }
  // Scripts loaded as text are classic scripts. Bundlers recognise only the literal form of the address.
  const worker = startScript(() =>
    script
      ? new Worker(script, { name: "lastinch-train" })
      : new Worker(new URL("./train-worker.js", import.meta.url), { type: "module", name: "lastinch-train" }),
  );
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = (event) => {
    event.preventDefault();
    lost(event);
  };
  return { post: (request) => worker.postMessage(request), end: () => worker.terminate() };
}

/** The files that the page loaded as text, for the Worker. */
export const filesToSend = () => {
  const files = broughtFiles();
  return files && { ...files };
};
