// The Worker's side of models that several tabs share: each tab has a host of its own, and the hosts share engines.
import { unlessAborted } from "../../core/signal.js";
import { whenGone } from "../../core/thread-lock.js";
import { createHost } from "./host.js";

/** @typedef {import("./host.js").Engines} Engines */
/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {import("./load-progress.js").LoadProgress} LoadProgress */

/**
 * The message to a Worker that is to serve tabs. door: the channel on which they ask. tab: the first one.
 * @typedef {{ kind: "serve", door: string, tab: string }} Serve
 */

/**
 * The answer to a tab. lock: the Worker's. channel: for the messages of this Worker and this tab alone.
 * @typedef {{ tab: string, lock: string, channel: string }} Admission
 */

/**
 * Lets tabs in, until the last has left.
 * @param {Serve} request
 * @param {string} lock that this thread holds
 * @param {typeof import("./start-helper.js").startHelper} startHelper
 * @param {() => void} left called when the last tab has left
 */
export function serveTabs({ door: name, tab: first }, lock, startHelper, left) {
  const door = new BroadcastChannel(name);
  const engines = new SharedEngines();
  /** @type {Set<string>} */
  const tabs = new Set();
  /** @param {string} tab the name of the lock that it holds */
  const admit = (tab) => {
    if (tabs.has(tab)) return;
    tabs.add(tab);
    // Two Workers may answer one tab, if the leader is replaced: each would have its own channel.
    const channel = new BroadcastChannel(`${lock} ${tab}`);
    const host = createHost(
      (reply) => {
        if (!tabs.has(tab)) return; // what it had called for may end later
        channel.postMessage(reply);
        // A step without its helper never ends. With this thread each tab loses its calls, and the next has another.
        if (reply.kind === "failed" && reply.error.code === "worker-lost") globalThis.close();
      },
      startHelper,
      engines,
    );
    channel.onmessage = ({ data }) => data && host(data);
    door.postMessage(/** @type {Admission} */ ({ tab, lock, channel: channel.name }));
    whenGone(tab, () => {
      tabs.delete(tab);
      channel.close();
      host({ kind: "leave" });
      if (tabs.size) return;
      door.close();
      left();
    });
  };
  // Workers hear each other's answers too.
  door.onmessage = ({ data }) => data?.tab && !data.lock && admit(data.tab);
  admit(first);
  door.postMessage({ opened: lock });
}

/**
 * @typedef {object} Entry
 * @property {Promise<Engine | import("./heads.js").Heads>} loading
 * @property {AbortController} controller
 * @property {number} users
 * @property {Set<(progress: LoadProgress) => void>} listeners
 * @property {LoadProgress} [progress] the last
 */

/**
 * One engine for each file and way to load it. It is disposed of when the last of its users has left.
 * @implements {Engines}
 */
class SharedEngines {
  /** @type {Map<string, Entry>} */
  #entries = new Map();

  /** @type {Engines["open"]} */
  async open(key, load, signal, tell) {
    const entry = this.#entries.get(key) ?? this.#load(key, load);
    const leave = () => this.#leave(key, entry);
    entry.users++;
    entry.listeners.add(tell);
    if (entry.progress) tell(entry.progress);
    try {
      return { engine: await unlessAborted(signal, entry.loading), leave };
    } catch (error) {
      leave();
      throw error;
    } finally {
      entry.listeners.delete(tell);
    }
  }

  /**
   * @param {string} key
   * @param {Parameters<Engines["open"]>[1]} load
   * @returns {Entry}
   */
  #load(key, load) {
    const controller = new AbortController();
    /** @type {Entry["listeners"]} */
    const listeners = new Set();
    /** @param {LoadProgress} progress */
    const tell = (progress) => {
      entry.progress = progress;
      for (const listener of listeners) listener(progress);
    };
    // In a later task, because it may tell at once.
    const loading = Promise.resolve().then(() => load(controller.signal, tell));
    /** @type {Entry} */
    const entry = { loading, controller, users: 0, listeners };
    this.#entries.set(key, entry);
    return entry;
  }

  /**
   * @param {string} key
   * @param {Entry} entry
   */
  #leave(key, entry) {
    if (--entry.users) return;
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    entry.controller.abort();
    entry.loading.then(
      (engine) => engine.dispose(),
      () => {}, // told to those who waited
    );
  }
}
