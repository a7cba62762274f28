// The page starts and ends the helpers of models in its Worker, because in Firefox 153 about one in ten to twenty calls
// of new Worker() inside a Worker blocks that thread for ever. This file has both sides of the messages. Tasks do not
// pass through the page, because it would keep a model's memory until its next garbage collection.
import { portTo, startWebHelper } from "./start-helper.js";

/** @typedef {import("./start-helper.js").Helper} Helper */
/** @typedef {{ helper: number, port: MessagePort | null }} Wish what the Worker asks for; no port: that the helper ends */
/** @typedef {{ helper: number, hasStarted: boolean }} Outcome what the page answers */

/**
 * The page's side. A helper does not end with the Worker that asked for it.
 * @param {(outcome: Outcome) => void} post
 */
export function lendHelpers(post) {
  /** @type {Map<number, Helper>} */
  const helpers = new Map();
  let isEnded = false;
  /** @param {Wish} wish */
  async function receive({ helper: number, port }) {
    // A browser may deliver what the Worker posted before the page terminated it.
    if (isEnded) return;
    if (!port) {
      helpers.get(number)?.end();
      return void helpers.delete(number);
    }
    let hasStarted = true;
    try {
      const helper = startWebHelper(port);
      helpers.set(number, helper);
      await helper.ready;
    } catch {
      hasStarted = false;
    }
    post({ helper: number, hasStarted });
  }
  function end() {
    isEnded = true;
    helpers.forEach((helper) => helper.end());
  }
  return { receive, end };
}

/**
 * The Worker's side.
 * @param {(wish: Wish, transfer: Transferable[]) => void} post
 */
export function borrowHelpers(post) {
  let last = 0;
  /** @type {Map<number, (hasStarted: boolean) => void>} */
  const starting = new Map();
  /** @type {typeof import("./start-helper.js").startHelper} */
  const start = (task) => {
    const helper = ++last;
    /** @type {Promise<void>} */
    const ready = new Promise((resolve, reject) => {
      starting.set(helper, (hasStarted) => (hasStarted ? resolve() : reject()));
    });
    const port = portTo(task);
    post({ helper, port }, [port]);
    return { ready, end: () => post({ helper, port: null }, []) };
  };
  /** @param {Outcome} outcome */
  const receive = ({ helper, hasStarted }) => {
    starting.get(helper)?.(hasStarted);
    starting.delete(helper);
  };
  return { start, receive };
}
