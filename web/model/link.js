// The page's side of the messages between a page and its models: one Worker for all of them, or the same code here.
import { broughtFiles, broughtScript } from "../core/inlined.js";
import { ModelError } from "../core/model-errors.js";
import { unlessAborted } from "../core/signal.js";
import { inTime } from "../core/time-limit.js";
import { lendHelpers } from "./worker/lent-helpers.js";

/** @typedef {import("./worker/host.js").Request} Request */
/** @typedef {import("./worker/host.js").Reply} Reply */
/** @typedef {import("./worker/host.js").PlainError} PlainError */
/** @template R @typedef {R extends { call: number } ? Omit<R, "call"> : never} WithoutCall */

/**
 * The waiting side of one call.
 * @typedef {object} Listener
 * @property {number} model
 * @property {(value: any) => void} done
 * @property {(error: unknown) => void} failed
 * @property {(chunk: import("../decode/decode-types.js").Chunk) => void} [chunk]
 * @property {(progress: import("./worker/load-progress.js").LoadProgress) => void} [progress]
 * @property {() => void} [pull]
 */

/**
 * A thread that runs the host's code.
 * @typedef {object} Thread
 * @property {(request: Request, transfer?: Transferable[]) => void} post
 * @property {() => void} end
 * @property {(isNeeded: boolean) => void} hold whether the process must stay alive for the thread (Node)
 */

// ms that a Worker may take to start. Most of that time the browser fetches the scripts; if they are blocked, some
// browsers report no error. The scripts are at most 90 KB, so 3 KB a second suffice. A shorter limit would put models
// into the page's own thread.
const START_LIMIT = 30_000;

let lastCall = 0;
let lastModel = 0;

/** @typedef {(receive: (reply: Reply) => void, fail: (cause: unknown) => void) => Promise<Thread>} StartThread */

/** The links in use. @type {Map<"worker" | "here", Entry>} */
const links = new Map();

/** @typedef {{ link: Promise<Link>, users: number }} Entry */
/** @typedef {{ link: Link, leave: () => void }} Connection to be left when it is no longer needed */

/**
 * The link to the thread that runs models.
 * @param {boolean | undefined} worker undefined: a Worker if one can start
 * @returns {Promise<Connection>}
 */
export async function connect(worker) {
  if (worker !== false) {
    try {
      return await enter("worker", startWorker);
    } catch (error) {
      // A server's thread is blocked only on request (worker: false).
      if (worker || isServer()) throw error;
    }
  }
  return enter("here", startHere);
}

/**
 * @param {"worker" | "here"} place
 * @param {StartThread} start
 * @returns {Promise<Connection>}
 */
async function enter(place, start) {
  const forget = () => {
    if (links.get(place) === entry) links.delete(place);
  };
  const entry = links.get(place) ?? { link: Link.open(start, forget), users: 0 };
  links.set(place, entry);
  entry.link.catch(forget);
  entry.users++; // before waiting: otherwise the last other user would end the thread
  const link = await entry.link;
  const leave = () => {
    if (--entry.users) return;
    forget();
    link.end();
  };
  return { link, leave };
}

export class Link {
  /** @type {Thread} */
  #thread;
  /** @type {Map<number, Listener>} */
  #listeners = new Map();
  #waiting = 0;
  /** @type {ModelError | undefined} set when the thread has stopped or was ended */
  #failure;
  #forget;

  /**
   * @param {StartThread} start
   * @param {() => void} forget called when the thread has stopped by itself
   */
  static async open(start, forget) {
    /** @type {Link | undefined} */
    let link;
    const thread = await start(
      (reply) => void (link && link.#receive(reply)),
      (cause) => void (link && link.#fail(cause)),
    );
    return (link = new Link(thread, forget));
  }

  /**
   * @param {Thread} thread
   * @param {() => void} forget
   */
  constructor(thread, forget) {
    this.#thread = thread;
    this.#forget = forget;
  }

  end() {
    this.#failure ??= new ModelError("disposed");
    this.#thread.end();
  }

  newModel() {
    return ++lastModel;
  }

  /**
   * Begins a call and returns its number.
   * @param {WithoutCall<Extract<Request, { model: number }>>} request
   * @param {Listener} listener
   */
  begin(request, listener) {
    const call = ++lastCall;
    const failure = this.#failure;
    if (failure) {
      queueMicrotask(() => listener.failed(failure));
      return call;
    }
    this.#listeners.set(call, listener);
    this.post(/** @type {Request} */ ({ ...request, call }));
    return call;
  }

  /**
   * A call with one answer.
   * @param {WithoutCall<Extract<Request, { model: number }>>} request
   * @param {AbortSignal} [signal] cancels the call
   * @returns {Promise<any>}
   */
  ask(request, signal) {
    let call = 0;
    const stop = () => this.drop(call);
    const answered = new Promise((done, failed) => {
      signal?.throwIfAborted();
      call = this.begin(request, { model: request.model, done, failed });
      signal?.addEventListener("abort", stop);
    });
    const end = () => signal?.removeEventListener("abort", stop);
    return this.wait(unlessAborted(signal, answered).finally(end));
  }

  /**
   * Cancels a call and drops its answers.
   * @param {number} call
   */
  drop(call) {
    if (this.#listeners.delete(call)) this.post({ kind: "cancel", call });
  }

  /**
   * @param {Request} request
   * @param {Transferable[]} [transfer]
   */
  post(request, transfer) {
    this.#thread.post(request, transfer);
  }

  /**
   * Keeps the process alive until the promise is settled, and no longer.
   * @template T
   * @param {Promise<T>} promise
   * @returns {Promise<T>}
   */
  wait(promise) {
    if (++this.#waiting === 1) this.#thread.hold(true);
    const settle = () => {
      if (--this.#waiting === 0) this.#thread.hold(false);
    };
    promise.then(settle, settle);
    return promise;
  }

  /**
   * Ends every call of a model.
   * @param {number} model
   * @param {unknown} error
   */
  endModel(model, error) {
    for (const [call, listener] of this.#listeners) {
      if (listener.model !== model) continue;
      this.#listeners.delete(call);
      listener.failed(error);
    }
    this.post({ kind: "dispose", model });
  }

  /** @param {Reply} reply */
  #receive(reply) {
    if (reply.kind === "ready") return;
    const listener = this.#listeners.get(reply.call);
    if (!listener) return;
    switch (reply.kind) {
      case "done":
        this.#listeners.delete(reply.call);
        return listener.done(reply.value);
      case "failed":
        this.#listeners.delete(reply.call);
        return listener.failed(revive(reply.error));
      case "progress":
        return listener.progress?.(reply.progress);
      case "pull":
        return listener.pull?.();
      case "chunk":
        return listener.chunk?.(reply.chunk);
    }
  }

  /** @param {unknown} cause */
  #fail(cause) {
    if (this.#failure) return;
    this.#failure = workerFailed(cause);
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    this.#forget();
    this.#thread.end();
    for (const { failed } of listeners) failed(this.#failure);
  }
}

/** @param {unknown} cause @param {"worker-failed" | "worker-unavailable"} [code] */
function workerFailed(cause, code = "worker-failed") {
  const message = /** @type {any} */ (cause)?.message;
  return new ModelError(code, message ? `(${message})` : undefined, { cause });
}

const nodeThreads = () => globalThis.process?.getBuiltinModule?.("node:worker_threads");
const isServer = () => typeof Worker === "undefined" && !!nodeThreads()?.Worker;

/** @param {PlainError} plain */
function revive({ name, message, code }) {
  const kind = { TypeError, RangeError }[name];
  if (kind) return Object.assign(new kind(message), code && { code, isLastInch: true });
  if (name !== "LastInchError") return Object.assign(new Error(message), { name });
  const error = new ModelError(/** @type {import("../core/errors.js").ErrorCode} */ (code));
  error.message = message;
  return error;
}

/** Rejected when no worker can start. @type {StartThread} */
async function startWorker(receive, fail) {
  try {
    return await (typeof Worker === "undefined" ? startNodeWorker : startWebWorker)(receive, fail);
  } catch (cause) {
    throw workerFailed(cause, "worker-unavailable");
  }
}

/** @type {StartThread} */
async function startWebWorker(receive, fail) {
  const script = broughtScript("worker");
  // Scripts loaded as text are classic scripts, because Chromium starts no module Worker for a file: page. Bundlers
  // recognise only the literal form of the address.
  const worker = script
    ? new Worker(script, { name: "lastinch" })
    : new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "lastinch" });
  const helpers = lendHelpers((outcome) => worker.postMessage(outcome));
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
      if ("helper" in data)
        void helpers.receive(data); // posts its own errors
      else receive(data);
    };
  });
  const late = (/** @type {string} */ seconds) => new Error(`it did not start within ${seconds}`);
  await inTime(ready, START_LIMIT, late).catch((error) => {
    worker.terminate();
    throw error;
  });
  const post = (/** @type {Request} */ request, /** @type {Transferable[]} */ transfer = []) =>
    worker.postMessage(request, transfer);
  shareFiles(post);
  return {
    post,
    end: () => {
      worker.terminate();
      helpers.end();
    },
    hold: () => {},
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
  const post = (/** @type {Request} */ request, /** @type {Transferable[]} */ transfer = []) =>
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
async function startHere(receive) {
  // Fetched on demand: most pages run models in a Worker.
  const { createHost } = await import("./worker/host.js");
  const host = createHost((reply) => queueMicrotask(() => receive(reply)));
  return {
    post: (request) => queueMicrotask(() => host(request)),
    end: () => {},
    hold: () => {},
  };
}
