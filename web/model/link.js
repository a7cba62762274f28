// The page's side of the messages between a page and its models: one Worker for all of them, or the same code here. If
// the Worker is lost, the next call starts another and loads its models again.
import { ModelError } from "../core/model-errors.js";
import { unlessAborted } from "../core/signal.js";
import { reasonOf } from "../core/start-script.js";
import { isServer, startHere, startWorker } from "./start-thread.js";

/** @typedef {import("./worker/host.js").Request} Request */
/** @typedef {import("./worker/host.js").Call} Call */
/** @typedef {import("./worker/host.js").Reply} Reply */
/** @typedef {import("./worker/host.js").PlainError} PlainError */
/** @typedef {import("./start-thread.js").StartThread} StartThread */
/** @template R @typedef {R extends { call: number } ? Omit<R, "call"> : never} WithoutCall */

/**
 * The waiting side of one call.
 * @typedef {object} Listener
 * @property {number} model
 * @property {(value: any) => void} done
 * @property {(error: unknown) => void} failed
 * @property {(chunk: import("../decode/decode-types.js").Chunk) => void} [chunk]
 * @property {(progress: any) => void} [progress] of a file that is read, or of a prompt
 * @property {() => void} [pull]
 */

/**
 * A model that was loaded.
 * @typedef {object} Seat
 * @property {() => Promise<void>} [reload] loads it again; missing if its source can be read only once
 * @property {boolean} isLost whether its thread is gone, or one of its helpers
 * @property {Promise<void>} [loading] while it is loaded again
 */

let lastCall = 0;
let lastModel = 0;
/** @type {Set<string>} */
const warnings = new Set();

/** @typedef {"worker" | "tabs" | "here"} Place */

/** The links in use. @type {Map<Place, Entry>} */
const links = new Map();

/** @typedef {{ link: Promise<Link>, users: number }} Entry */
/** @typedef {{ link: Link, leave: () => void }} Connection to be left when it is no longer needed */

/**
 * The link to the thread that runs models.
 * @param {boolean | undefined} worker undefined: a Worker if one can start
 * @param {boolean} [isShared] whether one thread runs the models of all tabs
 * @returns {Promise<Connection>}
 */
export async function connect(worker, isShared) {
  if (isShared && !isServer()) {
    try {
      const { startShared } = await import("./shared-thread.js");
      return await enter("tabs", startShared);
    } catch (/** @type {any} */ error) {
      warnOnce(`tabs cannot share a model (${reasonOf(error.cause ?? error)}).`);
    }
  }
  if (worker !== false) {
    try {
      return await enter("worker", startWorker);
    } catch (/** @type {any} */ error) {
      // A server's thread is blocked only on request (worker: false).
      if (worker || isServer()) throw error;
      warnOnce(`no worker started, so the model runs in this thread and blocks it (${reasonOf(error.cause)}).`);
    }
  }
  return enter("here", startHere);
}

/** @param {string} text */
function warnOnce(text) {
  if (!warnings.has(text)) console.warn(`lastinch: ${text}`);
  warnings.add(text);
}

/**
 * @param {Place} place
 * @param {StartThread} start
 * @returns {Promise<Connection>}
 */
async function enter(place, start) {
  const forget = () => {
    if (links.get(place) === entry) links.delete(place);
  };
  const entry = links.get(place) ?? { link: Link.open(start, place), users: 0 };
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
  #start;
  /** Undefined while there is none. @type {import("./start-thread.js").Thread | undefined} */
  #thread;
  /** @type {Promise<void> | undefined} */
  #starting;
  /** @type {Map<number, Listener>} */
  #listeners = new Map();
  /** @type {Map<number, Seat>} */
  #seats = new Map();
  #waiting = 0;
  #isEnded = false;

  /**
   * A link whose thread runs.
   * @param {StartThread} start
   * @param {Place} place
   */
  static async open(start, place) {
    const link = new Link(start, place);
    await link.#startThread();
    return link;
  }

  /**
   * @param {StartThread} start
   * @param {Place} place
   */
  constructor(start, place) {
    this.#start = start;
    this.isInWorker = place !== "here";
    this.isShared = place === "tabs";
  }

  /** Starts a thread if there is none. */
  async #startThread() {
    if (this.#thread) return;
    if (this.#isEnded) throw new ModelError("disposed");
    this.#starting ??= this.#open().finally(() => (this.#starting = undefined));
    await this.#starting;
  }

  async #open() {
    /** @type {import("./start-thread.js").Thread | undefined} */
    let thread;
    thread = await this.#start(
      (reply) => this.#receive(reply),
      (cause) => void (thread && thread === this.#thread && this.#lose(cause)),
    );
    if (this.#isEnded) {
      thread.end();
      throw new ModelError("disposed");
    }
    this.#thread = thread;
    thread.hold(this.#waiting > 0);
  }

  end() {
    this.#isEnded = true;
    this.#thread?.end();
    this.#thread = undefined;
  }

  newModel() {
    return ++lastModel;
  }

  /**
   * Remembers a loaded model.
   * @param {number} model
   * @param {() => Promise<void>} [reload] loads it again under its number; missing if its source can be read only once
   */
  keep(model, reload) {
    this.#seats.set(model, { reload, isLost: false });
  }

  /**
   * Begins a call and returns its number.
   * @param {WithoutCall<Call>} request
   * @param {Listener} listener
   */
  begin(request, listener) {
    if (this.#isEnded) throw new ModelError("disposed");
    const call = ++lastCall;
    this.#listeners.set(call, listener);
    const post = () => {
      if (this.#listeners.has(call)) this.post(/** @type {Request} */ ({ ...request, call }));
    };
    const lost = modelsOf(request).filter((model) => this.#seats.get(model)?.isLost);
    if (this.#thread && !lost.length) post();
    else
      this.#restore(lost).then(post, (error) => {
        if (this.#listeners.delete(call)) listener.failed(error);
      });
    return call;
  }

  /**
   * Starts a thread if there is none, and loads models again.
   * @param {number[]} lost
   */
  async #restore(lost) {
    await this.#startThread();
    await Promise.all(lost.map((model) => this.#reload(model)));
  }

  /** @param {number} model */
  async #reload(model) {
    const seat = this.#seats.get(model);
    if (!seat?.isLost) return; // disposed of meanwhile
    if (!seat.reload) throw new ModelError("worker-lost", wayOut(seat));
    seat.loading ??= seat.reload().finally(() => (seat.loading = undefined));
    await seat.loading;
    seat.isLost = false;
    if (!this.#seats.has(model)) this.post({ kind: "dispose", model });
  }

  /**
   * A call with one answer.
   * @param {WithoutCall<Call>} request
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
    this.#thread?.post(request, transfer);
  }

  /**
   * Keeps the process alive until the promise is settled, and no longer.
   * @template T
   * @param {Promise<T>} promise
   * @returns {Promise<T>}
   */
  wait(promise) {
    if (++this.#waiting === 1) this.#thread?.hold(true);
    const settle = () => {
      if (--this.#waiting === 0) this.#thread?.hold(false);
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
    this.#seats.delete(model);
    this.post({ kind: "dispose", model });
  }

  /** @param {Reply} reply */
  #receive(reply) {
    if (!("call" in reply)) return;
    const listener = this.#listeners.get(reply.call);
    if (!listener) return;
    switch (reply.kind) {
      case "done":
        this.#listeners.delete(reply.call);
        return listener.done(reply.value);
      case "failed":
        // The step that a helper has left can never end.
        if (reply.error.code === "worker-lost") return this.#lose(undefined);
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

  /**
   * Ends every call, because the thread or one of its helpers is gone.
   * @param {any} cause
   */
  #lose(cause) {
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    const reason = cause?.message && `(${cause.message})`;
    for (const [model, seat] of this.#seats) {
      seat.isLost = true;
      this.post({ kind: "dispose", model }); // ends the helpers, if the thread still runs
    }
    this.#thread?.end();
    this.#thread = undefined;
    for (const { model, failed } of listeners) {
      const detail = [reason, wayOut(this.#seats.get(model))].filter(Boolean).join(" ");
      failed(new ModelError("worker-lost", detail, { cause }));
    }
  }
}

/** What to do when a thread is lost. @param {Seat | undefined} seat undefined: the model was being loaded */
function wayOut(seat) {
  if (seat?.reload) return "The next call starts another and loads the model again.";
  return `${seat ? "Its source can be read only once: load" : "Load"} the model again.`;
}

/**
 * The models that a call needs.
 * @param {WithoutCall<Call>} request
 */
function modelsOf(request) {
  if (["load", "estimate", "tokenizer"].includes(request.kind)) return [];
  const { draft, contrast } = request.kind === "generate" ? request.settings : {};
  return [request.model, draft?.by, contrast?.model].filter((model) => typeof model === "number");
}

/** @param {PlainError} plain */
function revive({ name, message, code }) {
  const kind = { TypeError, RangeError }[name];
  if (kind) return Object.assign(new kind(message), code && { code, isLastInch: true });
  if (name !== "LastInchError") return Object.assign(new Error(message), { name });
  const error = new ModelError(/** @type {import("../core/errors.js").ErrorCode} */ (code));
  error.message = message;
  return error;
}
