// Lets calls share a thread: turns, cancelled calls, and pauses in which messages arrive.

/** Thrown inside a call whose answer is no longer wanted. */
export const CANCELLED = Symbol("cancelled");

/** The caller's wishes for one call: whether it is cancelled, and how many more tokens the reader takes. */
export class Job {
  isCancelled = false;
  /** @type {import("../../decode/decode-types.js").Job["onPass"]} */
  onPass;
  #room;
  /** @type {() => void} */
  #wake = () => {};

  /** @param {number} [room] */
  constructor(room = 0) {
    this.#room = room;
  }

  get hasRoom() {
    return this.#room > 0 || this.isCancelled;
  }

  takeRoom() {
    this.#room--;
  }

  /** @param {number} count */
  addRoom(count) {
    this.#room += count;
    this.#wake();
  }

  cancel() {
    this.isCancelled = true;
    this.#wake();
  }

  /** Resolves when the reader takes more tokens or has left. */
  async waitForRoom() {
    while (!this.hasRoom) await new Promise((resolve) => (this.#wake = () => resolve(undefined)));
  }
}

/** First come, first served. */
export class Turns {
  #isTaken = false;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @returns {Promise<void>} */
  async take() {
    if (this.#isTaken) await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
    this.#isTaken = true;
  }

  leave() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}

/** @type {(() => Promise<void>) | undefined} */
let letOthersRun;

/** Handles messages that have arrived. Not with a timer, because browsers stretch nested timers to 4 ms. */
export function pause() {
  letOthersRun ??= makePause();
  return letOthersRun();
}

/** @returns {() => Promise<void>} */
function makePause() {
  if (typeof setImmediate === "function") return () => new Promise((resolve) => setImmediate(resolve));
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(0);
    });
}
