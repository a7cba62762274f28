// A download that goes on where its connection broke.
import { LastInchError } from "../../core/errors.js";
import { ModelError } from "../../core/model-errors.js";
import { unlessAborted } from "../../core/signal.js";
import { inTime } from "../../core/time-limit.js";
import { Connections } from "./connections.js";
import { isDatable, isOtherVersion, validatorsOf } from "./file-cache.js";
import { noAnswer, refusal } from "./refusal.js";
import { ask } from "./request.js";

/** @typedef {import("./file-cache.js").Validators} Validators */
/** @typedef {import("./request.js").HowToAsk & { stallTimeout: number }} HowToTransfer stallTimeout: ms without a byte, 0: for ever */

/** ms to wait before each try without a byte since the last. A break is mostly short, so the first try is at once. */
const DELAYS = [0, 250, 500, 1000, 2000, 4000, 8000, 8000];
/** ms between tries while the browser is offline. */
const OFFLINE_DELAY = 1000;
/** Tries before the first byte: a server that has never answered well gets less time. */
const FIRST_TRIES = 4;
/** Times without a byte for stallTimeout before it counts as an error. */
const STALLS = 2;
/** s that a server may ask to wait. */
const LONGEST_WAIT = 60;
/** What a server answers if it may answer better later. */
const passing = [408, 425, 429, 500, 502, 503, 504];

export class Transfer {
  /**
   * Why it failed: the file is another one now, or has gone, so what has come is of no use; or for another reason.
   * @type {"changed" | "gone" | "broken" | undefined}
   */
  failure;
  /** Bytes of the file, 0: not known. */
  total = 0;
  /** @type {Validators} */
  validators = { etag: null, lastModified: null, length: null };
  /** Of the last answer. */
  headers = new Headers();
  #url;
  #how;
  /** Where the next byte stands in the file. */
  #at;
  /** Whether `validators` are those of the file. */
  #isNamed;
  #hasBegun = false;
  #tries = 0;
  #stalls = 0;
  /** @type {ReadableStreamDefaultReader<Uint8Array> | undefined} */
  #reader;
  #isOver = false;
  /** Where this connection ends, 0: not known. */
  #end = 0;
  /** If the server can serve several. @type {Connections | undefined} */
  #others;
  /** What has come of the bytes of a block. Of use if the block is silent. @type {Uint8Array | undefined} */
  #rest;
  /** Bytes of this connection to skip. */
  #skip = 0;
  /** Whether the server sends again what has come: then progress does not renew our patience. */
  #isAgain = false;

  /**
   * The transfer begins at byte `at` of a file of the version `validators`, if these are given.
   * @param {string} url
   * @param {HowToTransfer} how
   * @param {{ at: number, validators: Validators }} [begun]
   */
  constructor(url, how, begun) {
    this.#url = url;
    this.#how = how;
    this.#at = begun?.at ?? 0;
    this.#isNamed = begun !== undefined;
    if (begun) this.validators = begun.validators;
  }

  /** Waits for the headers, which say what `total` and `validators` are. */
  async connect() {
    try {
      await this.#connect();
    } catch (error) {
      this.failure ??= "broken";
      throw error;
    }
  }

  /** The bytes from the place at which the transfer begins. */
  get stream() {
    return new ReadableStream(
      {
        pull: async (controller) => {
          const bytes = await this.#next().catch((error) => {
            this.#others?.close();
            throw error;
          });
          if (bytes) controller.enqueue(bytes);
          else controller.close();
        },
        cancel: (reason) => {
          this.#isOver = true;
          this.#others?.close();
          this.#reader?.cancel(reason).catch(() => {});
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** @returns {Promise<Uint8Array | undefined>} undefined: the end */
  async #next() {
    for (;;) {
      try {
        const block = await this.#others?.read(this.#at);
        const bytes = block ?? (await this.#read());
        if (bytes?.length === 0 || (!bytes && this.#at < this.total && !this.#isOver)) continue;
        if (!bytes) return undefined;
        this.#at += bytes.length;
        this.#hasBegun = true;
        if (block || !this.#isAgain) this.#tries = this.#stalls = 0;
        // Not before the block's first bytes: it may never get any.
        if (block) this.#leave();
        this.#others?.advance(this.#at, this.#reader !== undefined);
        return bytes;
      } catch (error) {
        await this.#recover(error);
      }
    }
  }

  /**
   * The next bytes of the first connection; undefined: it has no more.
   * @returns {Promise<Uint8Array | undefined>}
   */
  async #read() {
    if (!this.#reader && this.total && this.#at === this.total) return undefined;
    if (!this.#reader && !this.#isOver) await this.#connect();
    if (!this.#reader || this.#isOver) return undefined;
    const { value, done } = this.#rest
      ? { value: this.#rest, done: false }
      : await inTime(this.#reader.read(), this.#how.stallTimeout);
    if (done && this.#at < this.#end && !this.#isOver)
      throw new Error(`the connection ended at byte ${this.#at} of ${this.total}`);
    if (done) {
      this.#leave();
      return undefined;
    }
    const skipped = Math.min(this.#skip, value.length);
    this.#skip -= skipped;
    const end = skipped + (this.#others?.start ?? Infinity) - this.#at;
    this.#rest = end < value.length ? value.subarray(end) : undefined;
    return value.subarray(skipped, end);
  }

  /** Ends the first connection. */
  #leave() {
    this.#reader?.cancel().catch(() => {});
    this.#reader = this.#rest = undefined;
  }

  /**
   * Waits before the next try, or throws.
   * @param {any} error
   */
  async #recover(error) {
    const { signal } = this.#how;
    this.#leave();
    if (this.failure) throw error;
    this.failure = "broken";
    signal.throwIfAborted();
    const isStall = error.code === "model-stalled";
    if (error instanceof LastInchError && !isStall) throw error;
    // Without a version the rest cannot be asked for.
    const isStuck = this.#at > 0 && !isDatable(this.validators);
    if (isStall && (++this.#stalls === STALLS || isStuck)) throw error;
    await this.#wait(error);
    this.failure = undefined;
  }

  /**
   * @param {any} error thrown if there have been enough tries
   * @param {number} [seconds] that the server asks to wait
   */
  async #wait(error, seconds = 0) {
    // Without a network every try fails at once, and it may come back in a minute.
    const isOnline = globalThis.navigator?.onLine !== false;
    const delay = isOnline ? DELAYS[Math.min(this.#tries, DELAYS.length - 1)] : OFFLINE_DELAY;
    if (isOnline && ++this.#tries > (this.#hasBegun ? DELAYS.length : FIRST_TRIES)) throw error;
    const ms = Math.max(delay, 1000 * seconds);
    if (ms) await unlessAborted(this.#how.signal, new Promise((resolve) => setTimeout(resolve, ms)));
  }

  /** Asks for the bytes from `#at` on. */
  async #connect() {
    for (;;) {
      const response = await this.#ask();
      const { status, headers, body } = response;
      if (response.ok && body) return this.#take(response, body.getReader());
      body?.cancel().catch(() => {});
      if (status === 416 && this.#at) {
        // The server said too much of the length before, or a copy lacked only its list.
        if (sizeOf(headers) !== this.#at) throw this.#changed();
        this.#isOver = true;
        return;
      }
      if (status === 404 || status === 410) this.failure = "gone";
      const { code, detail } = refusal(this.#url, response);
      const error = new ModelError(code, detail);
      const seconds = secondsToWait(headers);
      if (!passing.includes(status) || seconds > LONGEST_WAIT) throw error;
      await this.#wait(error, seconds);
    }
  }

  async #ask() {
    const next = this.#others?.start ?? Infinity;
    try {
      return await (this.#at
        ? this.#askFrom(this.#at, next, this.#how.signal)
        : ask(this.#url, "GET", this.#how, this.#how.stallTimeout));
    } catch (cause) {
      // Before the first byte browsers do not tell a missing connection from a server that allows no other site.
      if (this.#hasBegun || this.#how.signal.aborted || cause instanceof LastInchError) throw cause;
      throw new ModelError("model-download", noAnswer(this.#url, cause).detail, { cause });
    }
  }

  /**
   * @param {number} start
   * @param {number} end Infinity: that of the file
   * @param {AbortSignal} signal
   */
  #askFrom(start, end, signal) {
    const { headers = [], stallTimeout } = this.#how;
    const range = rangeOf(this.#url, start, end, this.validators);
    return ask(this.#url, "GET", { ...this.#how, headers: [...headers, ...range], signal }, stallTimeout);
  }

  /**
   * Another connection, for some bytes of the same file. Any answer but these is an error.
   * @param {number} start
   * @param {number} end
   * @param {AbortSignal} signal
   */
  async #open(start, end, signal) {
    const { status, headers, body } = await this.#askFrom(start, end, signal);
    const range = headers.get("content-range");
    if (status === 206 && range === `bytes ${start}-${end - 1}/${this.total}` && this.#isSame(headers) && body)
      return body.getReader();
    body?.cancel().catch(() => {});
    throw new Error(`the server gives no second connection (${status}, ${range})`);
  }

  /** Whether the bytes are surely those of this file. @param {Headers} headers */
  #isSame(headers) {
    const { etag } = this.validators;
    return etag !== null && !etag.startsWith("W/") && headers.get("etag") === etag && !isPacked(headers);
  }

  /**
   * @param {Response} response
   * @param {ReadableStreamDefaultReader<Uint8Array>} reader
   */
  #take({ status, headers }, reader) {
    this.headers = headers;
    const from = status === 206 ? (startOf(headers) ?? this.#at) : 0;
    const length = isPacked(headers) ? null : headers.get("content-length");
    const total = sizeOf(headers) || (length === null ? 0 : from + Number(length));
    const validators = { ...validatorsOf(headers), length: total ? String(total) : null };
    const isOther = this.#isNamed && isOtherVersion(this.validators, validators);
    if (isOther || (this.#at && (from > this.#at || !isDatable(validators)))) {
      reader.cancel().catch(() => {});
      throw this.#changed();
    }
    if (!this.#isNamed) this.validators = validators;
    this.#isNamed = true;
    this.#reader = reader;
    this.total = total;
    const end = endOf(headers);
    this.#end = status === 206 && end > this.#at ? end : total;
    this.#skip = this.#at - from;
    this.#isAgain = this.#skip > 0;
    const hasRanges = status === 206 || headers.get("accept-ranges") === "bytes";
    if (hasRanges && total && this.#isSame(headers))
      this.#others ??= new Connections((...block) => this.#open(...block), total, this.#how);
  }

  #changed() {
    this.failure = "changed";
    const reason = isDatable(this.validators) ? "the file has changed on the server" : "the server sends no version";
    return new Error(`the connection broke, and ${reason}`);
  }
}

/**
 * The headers that ask for some bytes.
 * @param {string} url
 * @param {number} start
 * @param {number} end Infinity: that of the file
 * @param {Validators} validators
 * @returns {[string, string][]}
 */
function rangeOf(url, start, end, { etag, lastModified }) {
  const version = etag && !etag.startsWith("W/") ? etag : lastModified;
  // Of another site If-Range takes a request beforehand, which many refuse. The version is compared anyway.
  const isAllowed = version && (!globalThis.location || new URL(url).origin === globalThis.location.origin);
  const range = `bytes=${start}-${end === Infinity ? "" : end - 1}`;
  return [["Range", range], .../** @type {[string, string][]} */ (isAllowed ? [["If-Range", version]] : [])];
}

/** The first byte, by Content-Range: "bytes 5-9/10". Other sites may hide this header. @param {Headers} headers */
function startOf(headers) {
  const start = /^bytes (\d+)-/.exec(headers.get("content-range") ?? "")?.[1];
  return start === undefined ? undefined : Number(start);
}

/** The byte after the last, by Content-Range, otherwise 0. @param {Headers} headers */
const endOf = (headers) => Number(/-(\d+)\//.exec(headers.get("content-range") ?? "")?.[1] ?? -1) + 1;

/** The size of the whole file by Content-Range, otherwise 0. @param {Headers} headers */
const sizeOf = (headers) => Number(/\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1] ?? 0);

/** Whether Content-Length counts compressed bytes. @param {Headers} headers */
const isPacked = (headers) => !["identity", ""].includes(headers.get("content-encoding") ?? "");

/** Seconds or a date. @param {Headers} headers */
function secondsToWait(headers) {
  const after = headers.get("retry-after") ?? "";
  return Number(after) || Math.max(0, (Date.parse(after) - Date.now()) / 1000) || 0;
}
