// One thread of models for all tabs of an origin. A tab leads if it has the lock of the leader: it has the Worker. Tabs ask
// for it on a channel of all, the door, and then have a channel of their own with it, the leader's tab too. If the leader
// or its Worker is gone, each tab loses its calls, and at its next call asks again, or leads.
import { version } from "../core/version.js";
import { ModelError } from "../core/model-errors.js";
import { reasonOf } from "../core/start-script.js";
import { holdLock, whenGone } from "../core/thread-lock.js";
import { inTime } from "../core/time-limit.js";
import { pingWhileWaiting, startWorker } from "./start-thread.js";

/** @typedef {import("./worker/serve-tabs.js").Admission} Admission */

/** The lock of the leader, and the door. Tabs with another version of this package have a leader of their own. */
const LEADER = `lastinch-leader ${version}`;

/** ms in which the leader must answer. A page that is frozen does not. */
const PATIENCE = 60_000;

/** @type {import("./start-thread.js").StartThread} */
export async function startShared(receive, fail) {
  try {
    return await enter(receive, fail);
  } catch (cause) {
    throw cause instanceof ModelError ? cause : new ModelError("worker-unavailable", `(${reasonOf(cause)})`, { cause });
  }
}

/** @type {import("./start-thread.js").StartThread} */
async function enter(receive, fail) {
  const tab = await holdLock("tab");
  if (!tab) throw new Error("this page may hold no Web Locks, which need https: and an origin");
  const door = new BroadcastChannel(LEADER);
  const leave = () => {
    door.close();
    tab.release();
  };
  /** @type {Admission} */
  let admission;
  try {
    admission = await join(tab.name, door);
  } catch (error) {
    leave();
    throw error;
  }
  const channel = new BroadcastChannel(admission.channel);
  /** @type {import("./start-thread.js").Thread["post"]} */
  const post = (request) => channel.postMessage(request);
  const pings = pingWhileWaiting(post, PATIENCE, () => fail(new Error("the worker of all tabs does not answer")));
  channel.onmessage = ({ data }) => {
    pings.hear();
    receive(data);
  };
  // Another Worker opens while this one has not gone: the tab that has this one was frozen, and does not lead any more.
  door.onmessage = ({ data }) => data?.opened && data.opened !== admission.lock && fail(new Error("another tab leads"));
  const endWatch = whenGone(admission.lock, () => fail(new Error("the worker of all tabs is gone")));
  // A page that comes back as it was left must not keep other tabs waiting meanwhile.
  const left = () => fail(new Error("the page was left"));
  globalThis.addEventListener("pagehide", left);
  const end = () => {
    globalThis.removeEventListener("pagehide", left);
    endWatch();
    pings.end();
    channel.close();
    leave();
  };
  return { post, end, hold: pings.hold };
}

/**
 * Asks the leader's Worker to admit the tab, and leads if nobody else does.
 * @param {string} tab
 * @param {BroadcastChannel} door
 * @returns {Promise<Admission>}
 */
async function join(tab, door) {
  const election = new AbortController();
  /** This page's own, while it leads. @type {AbortController | undefined} */
  let reign;
  /** @type {(error: unknown) => void} */
  let refuse = () => {};
  /** @type {Promise<Admission>} */
  const answered = new Promise((resolve, reject) => {
    refuse = reject;
    const ask = () => door.postMessage({ tab });
    door.onmessage = ({ data }) => {
      if (data?.opened) ask();
      else if (data?.tab === tab) resolve(data);
    };
    ask();
  });
  answered.catch(() => {}); // also where nothing waits for it yet
  /** @param {LockOptions} options */
  async function lead(options) {
    const own = new AbortController();
    try {
      await navigator.locks.request(LEADER, options, async () => {
        if (election.signal.aborted) return;
        reign = own;
        await serve(tab, own.signal);
      });
      refuse(new Error("the worker of all tabs is gone")); // no refusal once it has answered
    } catch (/** @type {any} */ error) {
      const isStolen = reign === own && error.name === "AbortError";
      if (!isStolen) return refuse(error);
      own.abort();
      reign = undefined;
      await lead({ signal: election.signal });
    }
  }
  const left = () => refuse(new Error("the page was left"));
  globalThis.addEventListener("pagehide", left);
  void lead({ signal: election.signal });
  try {
    for (;;) {
      const [leader, before] = [await findLeader(), reign];
      const late = new Error("the worker of all tabs does not answer");
      const admission = await inTime(answered, PATIENCE, () => late).catch((error) => {
        if (error !== late || (reign && reign === before)) throw error;
      });
      if (admission) return admission;
      // A new leader has the same time.
      if ((await findLeader()) === leader && !reign) void lead({ steal: true });
    }
  } catch (error) {
    reign?.abort();
    throw error;
  } finally {
    election.abort();
    globalThis.removeEventListener("pagehide", left);
  }
}

/** The id of the page that leads. */
const findLeader = async () => (await navigator.locks.query()).held?.find(({ name }) => name === LEADER)?.clientId;

/**
 * Runs the Worker of all tabs until no tab needs it.
 * @param {string} tab the page's own
 * @param {AbortSignal} signal
 */
async function serve(tab, signal) {
  let isOver = signal.aborted;
  let end = () => {};
  /** @type {Promise<void>} */
  const over = new Promise((resolve) => {
    end = () => {
      isOver = true;
      resolve();
    };
  });
  signal.addEventListener("abort", end);
  globalThis.addEventListener("pagehide", end);
  const starting = startWorker((reply) => reply.kind === "idle" && end(), end);
  try {
    const worker = await Promise.race([starting, over]);
    if (worker && !isOver) worker.post({ kind: "serve", door: LEADER, tab });
    await over;
  } finally {
    globalThis.removeEventListener("pagehide", end);
    starting.then(
      (worker) => worker.end(),
      () => {}, // told already
    );
  }
}
