// The second thread of a model where memory cannot be shared: a Worker whose instance has half of the rows of the large
// matrices (src/model/partner.h). The forward pass waits for the partner by JavaScript Promise Integration.
import { checkModel } from "../../core/model-errors.js";
import { inTime } from "../../core/time-limit.js";
import { startPartner } from "./start-helper.js";

/** @typedef {import("../../core/wasm.js").Instance} Instance */

const LENT_SIZE = 1 << 15; // bytes of the smallest matrix whose rows are shared
const ROOM = 1 << 20; // bytes of orders without an answer that are sent together
const START_LIMIT = 5000; // ms that a model waits for its partner to start
const AWAKE = 0.3; // ms that this thread polls for an answer before it sleeps

/** The exports that wait for the partner. */
const waiting = [
  "li_model_finish",
  "li_model_forward",
  "li_model_early_logits",
  "li_model_draft",
  "li_model_attention",
  "li_partner_check",
];

/** The parts of the standard that TypeScript does not know. */
const { Suspending, promising } = /** @type {any} */ (globalThis.WebAssembly ?? {});
const { scheduler } = /** @type {any} */ (globalThis);

/**
 * The partner of a model, which has not started; undefined: the model gets none here. With "auto" there is none: text of small
 * models, and any text on a busy machine, would become slower.
 * @param {number | "auto"} threads
 */
export function openPartner(threads) {
  // In Firefox 153 a message between Workers takes up to 1.3 ms, and a Worker that starts another may block for ever.
  const isFirefox = globalThis.navigator?.userAgent?.includes("Gecko/");
  // A page's own thread would keep the page waiting.
  if (!Suspending || !promising || isFirefox || typeof document !== "undefined") return undefined;
  return threads === "auto" || threads < 2 ? undefined : new Partner();
}

export class Partner {
  /** Threads beside the model's own. */
  count = 1;
  /** Orders that wait to be sent. */
  #orders = new Uint8Array(ROOM);
  #filled = 0;
  /** @type {Uint8Array | undefined} */
  #answer;
  #taken = 0;
  /** @type {((isThere: number) => void) | undefined} */
  #answered;
  #isLost = false;
  /** @type {Instance | undefined} */
  #instance;
  /** @type {import("./start-helper.js").Line | undefined} */
  #worker;

  constructor() {
    this.line = {
      li_partner_post: this.#post.bind(this),
      li_partner_wait: new Suspending(this.#wait.bind(this)),
      li_partner_take: this.#take.bind(this),
    };
  }

  /**
   * Makes an instance lend rows of its matrices from now on.
   * @param {Instance} instance that has this line
   */
  bind(instance) {
    this.#instance = instance;
    const { exports } = instance;
    instance.exports = { ...exports };
    for (const name of waiting) instance.exports[name] = promising(exports[name]);
    exports.li_partner_use(LENT_SIZE);
  }

  /** Starts the partner. False: the partner cannot start, or has no memory. It has ended then. */
  async start() {
    const { module, exports } = /** @type {Instance} */ (this.#instance);
    try {
      this.#worker = startPartner(module, (answer) => this.#receive(answer));
      checkModel(await inTime(Promise.resolve(exports.li_partner_check()), START_LIMIT));
      return true;
    } catch {
      this.end();
      return false;
    }
  }

  /** Ends the partner. A pass that waits for it fails. */
  end() {
    this.#receive(null);
    this.#worker?.end();
  }

  /**
   * @param {number} head address
   * @param {number} headSize
   * @param {number} body address
   * @param {number} bodySize
   * @param {number} wantsAnswer
   */
  #post(head, headSize, body, bodySize, wantsAnswer) {
    if (this.#isLost) return;
    const { bytes } = /** @type {Instance} */ (this.#instance).views();
    const size = headSize + ((bodySize + 3) & ~3);
    if (this.#filled + size > this.#orders.length) {
      this.#send();
      this.#orders = new Uint8Array(Math.max(size, ROOM));
    }
    this.#orders.set(bytes.subarray(head >>> 0, (head >>> 0) + headSize), this.#filled);
    this.#orders.set(bytes.subarray(body >>> 0, (body >>> 0) + bodySize), this.#filled + headSize);
    this.#filled += size;
    if (wantsAnswer) this.#send();
  }

  #send() {
    if (this.#filled) this.#worker?.post(this.#orders.subarray(0, this.#filled));
    this.#filled = 0;
  }

  /** @param {Uint8Array | null} answer null: the partner has failed or ended */
  #receive(answer) {
    if (!answer) this.#isLost = true;
    else {
      this.#answer = answer;
      this.#taken = 0;
      this.#orders = new Uint8Array(/** @type {ArrayBuffer} */ (answer.buffer)); // the memory goes to and fro
    }
    this.#answered?.(answer ? 1 : 0);
  }

  /** Resolves when the answer is there, with 0 if there will be none. */
  #wait() {
    if (this.#isLost) return 0;
    return new Promise((resolve) => {
      let isWaiting = true;
      this.#answered = (isThere) => {
        isWaiting = false;
        resolve(isThere);
      };
      // A thread that sleeps takes longer to wake than many products take.
      const end = performance.now() + AWAKE;
      const poll = () => void (isWaiting && performance.now() < end && scheduler.postTask(poll));
      if (scheduler) poll();
    });
  }

  /**
   * @param {number} to address
   * @param {number} size
   */
  #take(to, size) {
    const answer = /** @type {Uint8Array} */ (this.#answer);
    const { bytes } = /** @type {Instance} */ (this.#instance).views();
    bytes.set(answer.subarray(this.#taken, (this.#taken += size)), to >>> 0);
  }
}
