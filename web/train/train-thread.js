// Starts the Worker in which a model learns.
import { broughtFiles, broughtScript } from "../core/inlined.js";
import { reasonOf, startScript } from "../core/start-script.js";
import { LastInchError } from "../core/errors.js";
import { inTime } from "../core/time-limit.js";

/** @typedef {import("./train-host.js").TrainRequest} TrainRequest */
/** @typedef {import("./train-host.js").TrainReply} TrainReply */

/**
 * @typedef {object} TrainThread
 * @property {(request: TrainRequest) => void} post
 * @property {() => void} end
 * @property {(isNeeded: boolean) => void} hold whether a call waits. In Node the process must then stay alive for it
 */

/** ms that the Worker may take to start: some browsers report no error if its script is blocked. */
const START_LIMIT = 30_000;

/**
 * Starts a Worker. `receive` gets its replies; `fail` is called when it has stopped by itself.
 * @param {(reply: TrainReply) => void} receive
 * @param {(error: Error) => void} fail
 * @returns {Promise<TrainThread>}
 * @throws {LastInchError} "worker-unavailable"
 */
export async function startTrainThread(receive, fail) {
  /** @type {TrainThread | undefined} */
  let thread;
  const ready = new Promise((resolve, reject) => {
    const hear = (/** @type {TrainReply} */ reply) => (reply.kind === "ready" ? resolve(undefined) : receive(reply));
    /** @param {any} cause */
    const stop = (cause) => {
      reject(cause);
      fail(new LastInchError("worker-lost", "The Worker in which a model learns has stopped.", { cause }));
    };
    thread = typeof Worker === "undefined" ? openInNode(hear, stop) : openInPage(hear, stop);
  });
  try {
    await inTime(ready, START_LIMIT, (seconds) => new Error(`it did not start within ${seconds}`));
    if (thread) return thread;
    throw new Error("there are no workers here");
  } catch (/** @type {any} */ cause) {
    thread?.end();
    const text = `The Worker in which a model learns did not start (${reasonOf(cause)}).`;
    throw new LastInchError("worker-unavailable", text, { cause });
  }
}

/**
 * @param {(reply: TrainReply) => void} hear
 * @param {(cause: unknown) => void} stop
 * @returns {TrainThread}
 */
function openInPage(hear, stop) {
  const script = broughtScript("train-worker");
  // Scripts loaded as text are classic scripts. Bundlers recognise only the literal form of the address.
  const worker = startScript(() =>
    script
      ? new Worker(script, { name: "lastinch-train" })
      : new Worker(new URL("./train-worker.js", import.meta.url), { type: "module", name: "lastinch-train" }),
  );
  worker.onmessage = ({ data }) => hear(data);
  worker.onmessageerror = stop;
  worker.onerror = (event) => {
    event.preventDefault();
    stop(event);
  };
  return { post: (request) => worker.postMessage(request), end: () => worker.terminate(), hold: () => {} };
}

/**
 * @param {(reply: TrainReply) => void} hear
 * @param {(cause: unknown) => void} stop
 * @returns {TrainThread | undefined}
 */
function openInNode(hear, stop) {
  const threads = globalThis.process?.getBuiltinModule?.("node:worker_threads");
  if (!threads) throw new Error("there are no workers here");
  const script = broughtScript("train-worker") ?? new URL("./train-worker.js", import.meta.url);
  // The program's own flags, such as --input-type, may not suit the script.
  const worker = new threads.Worker(script, { name: "lastinch-train", execArgv: [] });
  let isEnded = false;
  worker.on("message", hear);
  worker.on("messageerror", stop);
  worker.on("error", stop);
  worker.on("exit", (code) => isEnded || stop(new Error(`exit code ${code}`)));
  return {
    post: (request) => worker.postMessage(request),
    end: () => {
      isEnded = true;
      void worker.terminate(); // nothing waits for the end
    },
    hold: (isNeeded) => (isNeeded ? worker.ref() : worker.unref()),
  };
}

/** The files that the page loaded as text, for the Worker. */
export const filesToSend = () => {
  const files = broughtFiles();
  return files && { ...files };
};
