// Starts the thread that runs a page's models: a Worker, a thread of Node's, or the calling thread itself.
import { broughtFiles, broughtScript } from "../core/inlined.js";
import { ModelError } from "../core/model-errors.js";
import { reasonOf, startScript } from "../core/start-script.js";
import { whenGone } from "../core/thread-lock.js";
import { inTime } from "../core/time-limit.js";
import { lendHelpers } from "./worker/lent-helpers.js";

/** @typedef {import("./worker/host.js").Request} Request */
/** @typedef {import("./worker/host.js").Reply} Reply */
/** @typedef {import("./worker/serve-tabs.js").Serve} Serve */

/**
 * A thread that runs the host's code.
 * @typedef {object} Thread
 * @property {(request: Request | Serve, transfer?: Transferable[]) => void} post
 * @property {() => void} end
 * @property {(isNeeded: boolean) => void} hold whether a call waits. In Node the process must then stay alive for the thread.
 */

/**
 * Starts a thread. `receive` gets its replies; `fail` is called when it has stopped by itself.
 * @typedef {(receive: (reply: Reply) => void, fail: (cause: unknown) => void) => Promise<Thread>} StartThread
 */

// ms that a Worker may take to start. Most of that time the browser fetches the scripts; if they are blocked, some
// browsers report no error. The scripts are at most 90 KB, so 3 KB a second suffice. A shorter limit would put models
// into the page's own thread.
const START_LIMIT = 30_000;

/** ms that a Worker whose loss no lock tells may be silent while a call waits. A long step of a slow machine is silent. */
const SILENCE = 150_000;

const nodeThreads = () => globalThis.process?.getBuiltinModule?.("node:worker_threads");
export const isServer = () => typeof Worker === "undefined" && !!nodeThreads()?.Worker;

/** Rejected when no worker can start. @type {StartThread} */
export async function startWorker(receive, fail) {
  try {
    return await (typeof Worker === "undefined" ? startNodeWorker : startWebWorker)(receive, fail);
  } catch (cause) {
    throw new ModelError("worker-unavailable", `(${reasonOf(cause)})`, { cause });
  }
}

/** @type {StartThread} */
async function startWebWorker(receive, fail) {
  const script = broughtScript("worker");
  // Scripts loaded as text are classic scripts, because Chromium starts no module Worker for a file: page. Bundlers
  // recognise only the literal form of the address.
  const worker = startScript(() =>
    script
      ? new Worker(script, { name: "lastinch" })
      : new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "lastinch" }),
  );
  const helpers = lendHelpers((outcome) => worker.postMessage(outcome));
  const post = (/** @type {Request | Serve} */ request, /** @type {Transferable[]} */ transfer = []) =>
    worker.postMessage(request, transfer);
  const pings = pingWhileWaiting(post, SILENCE, () => fail(new Error("it does not answer")));
  let endWatch = () => {};
  /** @type {Promise<void>} */
  const ready = new Promise((resolve, reject) => {
    worker.onerror = (event) => {
      event.preventDefault();
      reject(event);
      fail(event);
    };
    worker.onmessageerror = fail;
    worker.onmessage = ({ data }) => {
      resolve();
      pings.hear();
      if ("helper" in data)
        void helpers.receive(data); // posts its own errors
      else if (data.kind === "lock") {
        pings.end();
        endWatch = whenGone(data.name, () => fail(new Error("the browser has ended it")));
      } else receive(data);
    };
  });
  const late = (/** @type {string} */ seconds) => new Error(`it did not start within ${seconds}`);
  await inTime(ready, START_LIMIT, late).catch((error) => {
    worker.terminate();
    throw error;
  });
  shareFiles(post);
  return {
    post,
    end: () => {
      endWatch();
      pings.end();
      worker.terminate();
      helpers.end();
    },
    hold: pings.hold,
  };
}

/**
 * Asks a Worker for a sign of life as long as calls wait.
 * @param {(request: Request) => void} post
 * @param {number} limit ms of silence after which it is lost
 * @param {() => void} lost
 */
export function pingWhileWaiting(post, limit, lost) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  let silent = 0;
  let isOver = false;
  const stop = () => clearInterval(timer);
  const tick = () => {
    if (silent++ === 4) lost();
    else post({ kind: "ping" });
  };
  return {
    hear: () => void (silent = 0),
    hold: (/** @type {boolean} */ isNeeded) => {
      stop();
      silent = 0;
      if (isNeeded && !isOver) timer = setInterval(tick, limit / 5);
    },
    end: () => {
      isOver = true;
      stop();
    },
  };
}

/** @type {StartThread} */
async function startNodeWorker(receive, fail) {
  const threads = nodeThreads();
  if (!threads) throw new Error("there are no workers here");
  const script = broughtScript("worker") ?? new URL("./worker.js", import.meta.url);
  // The program's own flags, such as --input-type, may not suit the script.
  const worker = new threads.Worker(script, { name: "lastinch", execArgv: [] });
  let isEnded = false;
  /** @type {Promise<void>} */
  const ready = new Promise((resolve, reject) => {
    /** @param {unknown} cause */
    const stop = (cause) => {
      reject(cause);
      if (!isEnded) fail(cause);
    };
    worker.on("error", stop);
    worker.on("messageerror", stop);
    worker.on("exit", (code) => stop(new Error(`exit code ${code}`)));
    worker.on("message", (reply) => {
      resolve();
      receive(reply);
    });
  });
  await ready;
  const post = (/** @type {Request | Serve} */ request, /** @type {Transferable[]} */ transfer = []) =>
    worker.postMessage(request, /** @type {any} */ (transfer));
  shareFiles(post);
  return {
    post,
    end: () => {
      isEnded = true;
      void worker.terminate(); // nothing waits for the end
    },
    hold: (isNeeded) => (isNeeded ? worker.ref() : worker.unref()),
  };
}

/**
 * Sends a Worker the files that the page loaded as text.
 * @param {(request: Request) => void} post
 */
function shareFiles(post) {
  const files = broughtFiles();
  if (files) post({ kind: "files", files: { ...files } });
}

/** @type {StartThread} */
export async function startHere(receive) {
  // Fetched on demand: most pages run models in a Worker.
  const { createHost } = await import("./worker/host.js");
  const host = createHost((reply) => queueMicrotask(() => receive(reply)));
  return {
    post: (request) => queueMicrotask(() => host(/** @type {Request} */ (request))),
    end: () => {},
    hold: () => {},
  };
}
