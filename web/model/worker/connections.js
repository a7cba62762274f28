// Further connections of a download. If a server limits the rate of each, several are faster, otherwise not. So they are
// tried and measured. Each fetches a block that comes later in the file. Blocks are read in order, because
// weights are repacked in order, and wait in memory until then: at most COUNT_MAX of them.
import { inTime } from "../../core/time-limit.js";

/** Bytes of a block. */
export const BLOCK = 1 << 23;
const COUNT_MAX = 4;
/** Of a shorter rest several connections would fetch too little to pay. */
const REST_MIN = 4 * BLOCK;
/** How much faster twice as many connections must be: at best they are 2 times as fast. */
const GAIN = 1.3;
/** ms without a byte of a block that is waited for, until the first connection goes on. Lost packets take less. */
const SILENCE = 10_000;
/** Blocks with such a silence before the server is asked for no more. */
const SILENCES = 2;

/** How many connections a download should have, by the rate at which its bytes are read. */
export class ConnectionCount {
  count = 1;
  #isFinal = false;
  /** Bytes a ms of the last round. */
  #rate = 0;
  /** Where and when this round began. @type {{ at: number, time: number } | undefined} */
  #round;

  /**
   * @param {number} at bytes of the file that have been read
   * @param {number} time ms
   */
  note(at, time) {
    this.#round ??= { at, time };
    const bytes = at - this.#round.at;
    if (this.#isFinal || bytes < this.count * BLOCK) return;
    const rate = bytes / Math.max(1, time - this.#round.time);
    const isFaster = rate >= GAIN * this.#rate;
    this.#rate = rate;
    this.#round = { at, time };
    if (this.count === 1) {
      // A connection begins slowly. The first is measured until it grows no faster.
      if (!isFaster) this.count = 2;
    } else if (isFaster && this.count < COUNT_MAX) {
      this.count *= 2;
    } else {
      this.#isFinal = true;
      if (!isFaster) this.count /= 2;
    }
  }
}

/**
 * @typedef {object} Block
 * @property {number} start its first byte that has not been read
 * @property {number} end
 * @property {Uint8Array[]} pieces that have come and have not been read
 * @property {boolean} isOver whether it is not wanted any more
 * @property {() => void} wake called when something has come
 * @property {AbortController} controller of the request
 * @property {ReadableStreamDefaultReader<Uint8Array>} [reader]
 */

export class Connections {
  /** In the order of the file. @type {Block[]} */
  #blocks = [];
  #count = new ConnectionCount();
  #isRefused = false;
  #silences = 0;
  #open;
  #total;
  #how;

  /**
   * @param {(start: number, end: number, signal: AbortSignal) => Promise<ReadableStreamDefaultReader<Uint8Array>>} open
   *   asks the server for these bytes of the file; rejects if it gives others
   * @param {number} total bytes of the file
   * @param {{ signal: AbortSignal, stallTimeout: number }} how stallTimeout: ms without a byte, 0: for ever
   */
  constructor(open, total, how) {
    this.#open = open;
    this.#total = total;
    this.#how = how;
  }

  /** Where the next block begins. The first connection fetches the bytes before. */
  get start() {
    return this.#blocks[0]?.start ?? Infinity;
  }

  /**
   * @param {number} at of the file
   * @returns {Promise<Uint8Array | undefined>} the next bytes, if a block begins at `at`
   */
  async read(at) {
    for (;;) {
      const [block] = this.#blocks;
      if (block?.start !== at) return undefined;
      const bytes = block.pieces.shift();
      if (bytes) block.start += bytes.length;
      if (block.start === block.end) this.#blocks.shift();
      if (bytes) return bytes;
      if (block.start === block.end) continue;
      /** @type {Promise<void>} */
      const waking = new Promise((resolve) => (block.wake = resolve));
      await inTime(waking, SILENCE).catch(() => {
        this.#cut(block, block.start, true);
        drop(block);
      });
    }
  }

  /**
   * Begins blocks, if that pays.
   * @param {number} at bytes of the file that have been read
   * @param {boolean} isOpen whether the first connection is
   */
  advance(at, isOpen) {
    if (this.#isRefused || (this.#count.count === 1 && this.#total - at < REST_MIN)) return;
    // With the rest of earlier blocks one connection looks faster than it is.
    if (this.#count.count > 1 || !this.#blocks.length) this.#count.note(at, performance.now());
    const others = this.#count.count - (isOpen || at < this.start ? 1 : 0);
    while (this.#blocks.length < others) {
      const start = this.#blocks[this.#blocks.length - 1]?.end ?? at + BLOCK;
      const end = Math.min(start + BLOCK, this.#total);
      if (start >= end) return;
      const block = { start, end, pieces: [], isOver: false, wake() {}, controller: new AbortController() };
      this.#blocks.push(block);
      void this.#fetch(block);
    }
  }

  close() {
    this.#isRefused = true;
    for (const block of this.#blocks.splice(0)) drop(block);
  }

  /** @param {Block} block */
  async #fetch(block) {
    const { signal, stallTimeout } = this.#how;
    const stop = () => block.controller.abort(signal.reason);
    let at = block.start;
    let isSilent = false;
    signal.addEventListener("abort", stop);
    try {
      signal.throwIfAborted();
      block.reader = await this.#open(block.start, block.end, block.controller.signal);
      while (at < block.end && !block.isOver) {
        const { value, done } = await inTime(block.reader.read(), stallTimeout);
        if (done || block.isOver) break;
        const piece = value.subarray(0, block.end - at);
        at += piece.length;
        if (piece.length) block.pieces.push(piece);
        block.wake();
      }
    } catch (error) {
      // The first connection fetches what is missing, and finds out why.
      isSilent = /** @type {{ code?: string }} */ (error).code === "model-stalled";
    }
    signal.removeEventListener("abort", stop);
    block.reader?.cancel().catch(() => {});
    if (at < block.end && !block.isOver) this.#cut(block, at, isSilent);
    block.wake();
  }

  /**
   * Ends a block before its end.
   * @param {Block} block
   * @param {number} end
   * @param {boolean} isSilent
   */
  #cut(block, end, isSilent) {
    block.end = end;
    if (block.start === end) this.#blocks = this.#blocks.filter((other) => other !== block);
    // A server that gives no further connection is not asked again. One that broke may come again.
    if (isSilent ? ++this.#silences >= SILENCES : !block.reader) this.#isRefused = true;
    else this.#count = new ConnectionCount();
  }
}

/** Ends the request for a block that is not wanted any more. @param {Block} block */
function drop(block) {
  block.isOver = true;
  block.controller.abort();
  block.reader?.cancel().catch(() => {});
  block.wake();
}
