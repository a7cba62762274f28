// One thread of models for all tabs of an origin. A tab leads if it has the lock of the leader: it has the Worker, which
// talks to every tab, its own too, by a BroadcastChannel of that tab. If the leader or its Worker is gone, each tab sees
// that the Worker's lock is free, loses its calls, and at its next call looks for a leader again, or leads.
import { ModelError } from "../core/model-errors.js";
import { holdLock, whenGone } from "../core/thread-lock.js";
import { inTime } from "../core/time-limit.js";
import { version } from "../core/version.js";
import { pingWhileWaiting, startWorker } from "./start-thread.js";

/** The lock of the leader, and the channel on which tabs ask for it. Each version of the package has its own messages. */
const LEADER = `lastinch-leader ${version}`;

/** ms in which the leader must answer a new tab. A page that is frozen does not: its lock is taken away. */
const PATIENCE = 60_000;

/** Whether tabs can share here. */
export const canShare = () => typeof BroadcastChannel !== "undefined" && !!globalThis.navigator?.locks;

/** @type {import("./start-thread.js").StartThread} */
export async function startShared(receive, fail) {
  const tab = await holdLock("tab");
  if (!tab) throw new ModelError("worker-unavailable", "(This page may hold no locks.)");
  const channel = new BroadcastChannel(tab.name);
  const door = new BroadcastChannel(LEADER);
  const election = new AbortController();
  const late = new Error("no answer");
  // A page that comes back as it was left must not keep other tabs waiting meanwhile.
  const leave = () => fail(new Error("the page was left"));
  const close = () => {
    globalThis.removeEventListener("pagehide", leave);
    channel.close();
    tab.release();
  };
  try {
    /** @type {(error?: unknown) => void} */
    let refuse = () => {};
    // Once the Worker has answered, its end is no refusal.
    const run = (/** @type {LockOptions} */ options) =>
      lead(tab.name, options).then(() => refuse(new ModelError("worker-unavailable")), refuse);
    /** @type {Promise<string>} */
    const answered = new Promise((resolve, reject) => {
      refuse = reject;
      const ask = () => door.postMessage({ tab: tab.name });
      channel.onmessage = ({ data }) => resolve(data.lock);
      door.onmessage = ({ data }) => data.isOpen && ask();
      ask();
      void run({ signal: election.signal });
    });
    const lock = await inTime(answered, PATIENCE, () => late).catch((error) => {
      if (error !== late) throw error;
      void run({ steal: true });
      return answered;
    });
    /** @type {import("./start-thread.js").Thread["post"]} */
    const post = (request) => channel.postMessage(request);
    const pings = pingWhileWaiting(post, () => fail(new Error("the tab that runs the model for all does not answer")));
    channel.onmessage = ({ data }) => {
      pings.hear();
      receive(data);
    };
    const endWatch = whenGone(lock, () => fail(new Error("the tab that ran the model for all was closed")));
    globalThis.addEventListener("pagehide", leave);
    const end = () => {
      endWatch();
      pings.end();
      close();
    };
    return { post, end, hold: pings.hold };
  } catch (error) {
    close();
    throw error;
  } finally {
    election.abort();
    door.close();
  }
}

/**
 * Waits until this page may lead, and leads until no tab needs a thread.
 * @param {string} tab the page's own
 * @param {LockOptions} options
 */
async function lead(tab, options) {
  const reign = new AbortController();
  try {
    await navigator.locks.request(LEADER, options, () => serve(tab, reign.signal));
  } finally {
    reign.abort(); // another tab may have taken the lock away
  }
}

/**
 * Runs the Worker of all tabs.
 * @param {string} tab the page's own
 * @param {AbortSignal} signal
 */
async function serve(tab, signal) {
  let end = () => {};
  /** @type {Promise<void>} */
  const over = new Promise((resolve) => (end = resolve));
  const worker = await startWorker((reply) => reply.kind === "idle" && end(), end);
  signal.addEventListener("abort", end);
  globalThis.addEventListener("pagehide", end);
  worker.post({ kind: "serve", door: LEADER, tab });
  await over;
  globalThis.removeEventListener("pagehide", end);
  worker.end();
}
