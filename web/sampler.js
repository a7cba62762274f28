// The sampler: logits in, token out.
import { LastInchError, check, rangeError, typeError } from "./errors.js";
import { stageNames } from "./option-table.js";
import { disposeSymbol } from "./dispose.js";
import { checkBoolean, checkNames } from "./arguments.js";
import { canonicalNames, resolveOptions, tokenList } from "./options.js";
import { instantiate } from "./wasm.js";

/** @typedef {import("./option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("./option-table.js").SamplerAliases} SamplerAliases */
/** @typedef {import("./options.js").ResolvedOptions} ResolvedOptions */
/** @typedef {import("./wasm.js").Instance} Instance */

/**
 * A row of logits: float32, or float16 as bits, of length vocabSize.
 * @typedef {Float32Array | Uint16Array} Logits
 */

/**
 * Survivors only, most probable first, ties by lower id.
 * @typedef {object} Distribution
 * @property {Uint32Array} tokens
 * @property {Float64Array} probabilities they sum to 1
 */

/**
 * What one stage did. Threshold and mass are null for stages that cut nothing off.
 * @typedef {object} TraceStage
 * @property {string} name
 * @property {number} before tokens that reached the stage
 * @property {number} after tokens that left it
 * @property {number | null} threshold probability, among those that reached it, below which tokens were removed (typical: and above; XTC: from which on)
 * @property {number | null} mass share of their probability that survived
 */

/**
 * @typedef {object} Trace
 * @property {Float32Array} logits after bias and penalties, by token id
 * @property {Float64Array} probabilities softmax of those logits at the temperature over the whole vocabulary, before any truncation
 * @property {Uint32Array} kept the survivors, most probable first
 * @property {Uint8Array} removedBy index into stages by token id; 255 = kept
 * @property {TraceStage[]} stages in the order they ran
 */

/**
 * State of a sampler at one moment; opaque.
 * @typedef {object} Snapshot
 * @property {ResolvedOptions} options
 * @property {Uint8Array} state
 */

/** @type {Promise<Instance> | undefined} the samplers of a thread share one */
let shared;

/**
 * A sampler for rows of `vocabSize` logits. All mechanisms are off unless an option switches them on.
 * @param {SamplerOptions & SamplerAliases} options
 * @returns {Promise<Sampler>}
 * @throws {TypeError | RangeError} for an unknown option or a bad value, with a `code`
 * @throws {LastInchError} "no-webassembly", "no-simd", "wasm-unavailable", "out-of-memory"
 */
export async function createSampler(options) {
  const resolved = resolveOptions(options);
  if (!shared) {
    const mine = (shared = instantiate("sampler"));
    mine.catch(() => shared === mine && (shared = undefined));
  }
  return new Sampler(await shared, resolved);
}

export class Sampler {
  #instance;
  #options;
  #pointer;

  /**
   * Use createSampler, or give an instance that has the sampler's exports.
   * @param {Instance} instance
   * @param {ResolvedOptions} options
   */
  constructor(instance, options) {
    this.#instance = instance;
    this.#options = options;
    this.#pointer = instance.exports.li_sampler_create(options.vocabSize) >>> 0;
    if (!this.#pointer) throw new LastInchError("out-of-memory");
    try {
      this.#configure(options);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** The seed in use: the one given, or the one drawn when none was. */
  get seed() {
    this.#live();
    return /** @type {number} */ (this.#options.given.seed);
  }

  /** Length of a row of logits. */
  get vocabSize() {
    this.#live();
    return this.#options.vocabSize;
  }

  /**
   * A fresh view of the sampler's own row of logits: write there, then call sample() without an argument.
   * The view is only good until the next call of any sampler's method: memory may move when it grows.
   */
  get logits() {
    const { exports, views } = this.#live();
    const start = exports.li_sampler_logits(this.#pointer) >>> 2;
    return views().floats.subarray(start, start + this.vocabSize);
  }

  /** Probability, among the survivors, with which the last sampled token was drawn. */
  get lastProbability() {
    return this.#live().exports.li_sampler_last_probability(this.#pointer);
  }

  /**
   * Chooses a token and accepts it. The logits are left as they were.
   * @param {Logits} [logits] default: the sampler's own row
   * @returns {number} token id
   * @throws {LastInchError} "logits-nan", "logits-infinite", "nothing-left"
   */
  sample(logits) {
    return this.sampleAt(this.#place(logits));
  }

  /**
   * As sample, for logits that lie at an address of the instance's own memory.
   * @internal
   * @param {number} address
   */
  sampleAt(address) {
    return check(this.#live().exports.li_sampler_sample(this.#pointer, address));
  }

  /**
   * The token that a uniform number u in [0, 1) chooses; accepts nothing and uses no random number.
   * @param {number} u
   * @param {Logits} [logits]
   */
  pick(u, logits) {
    if (typeof u !== "number") throw typeError("bad-type", "u must be a number.");
    if (!(u >= 0 && u < 1)) throw rangeError("out-of-range", `u is ${u}, but must be at least 0 and below 1.`);
    return check(this.#live().exports.li_sampler_pick(this.#pointer, this.#place(logits), u));
  }

  /**
   * The distribution that sample would draw from. Changes nothing.
   * @param {Logits} [logits]
   * @returns {Distribution}
   */
  distribution(logits) {
    const { exports } = this.#live();
    const count = check(exports.li_sampler_distribution(this.#pointer, this.#place(logits)));
    return {
      tokens: this.#copyWords(exports.li_sampler_tokens(this.#pointer), count),
      probabilities: this.#copyDoubles(exports.li_sampler_probabilities(this.#pointer), count),
    };
  }

  /**
   * What every stage does to a row of logits. Changes nothing.
   * @param {Logits} [logits]
   * @returns {Trace}
   */
  trace(logits) {
    const { exports, views } = this.#live();
    const count = check(exports.li_sampler_trace(this.#pointer, this.#place(logits)));
    const { bytes, words, floats, doubles } = views();
    const size = this.vocabSize;
    const removedBy = exports.li_sampler_trace_removed_by(this.#pointer) >>> 0;
    const edited = exports.li_sampler_trace_logits(this.#pointer) >>> 2;
    const records = exports.li_sampler_trace_records(this.#pointer) >>> 0;
    const stages = Array.from({ length: exports.li_sampler_trace_stages(this.#pointer) }, (_, i) => {
      // li_stage_record: four words and two doubles.
      const [stage, before, after, hasCut] = words.subarray((records + 32 * i) >>> 2);
      const [threshold, mass] = doubles.subarray((records + 32 * i + 16) >>> 3);
      return {
        name: stageNames[stage],
        before,
        after,
        threshold: hasCut ? threshold : null,
        mass: hasCut ? mass : null,
      };
    });
    return {
      logits: floats.slice(edited, edited + size),
      probabilities: this.#copyDoubles(exports.li_sampler_trace_probabilities(this.#pointer), size),
      kept: this.#copyWords(exports.li_sampler_tokens(this.#pointer), count),
      removedBy: bytes.slice(removedBy, removedBy + size),
      stages,
    };
  }

  /**
   * Tells the history what was emitted, or read: penalties count it.
   * @param {number | ArrayLike<number>} tokens
   * @param {{ prompt?: boolean }} [options] prompt: the tokens were read, not generated
   */
  accept(tokens, options = {}) {
    checkNames("accept", options, ["prompt"]);
    checkBoolean("prompt", options.prompt);
    const ids = tokenList("accept", typeof tokens === "number" ? [tokens] : tokens, this.vocabSize);
    this.#withWords(ids, (address, { exports }) =>
      check(exports.li_sampler_accept(this.#pointer, address, ids.length, options.prompt ? 1 : 0)),
    );
  }

  /** Forgets the history and starts the random stream again. */
  reset() {
    this.#live().exports.li_sampler_reset(this.#pointer);
  }

  /**
   * Changes options in place; the history stays. An option that is undefined goes back to its default. Another seed
   * starts its random stream at the beginning.
   * @param {Partial<SamplerOptions> & SamplerAliases} changes
   */
  set(changes) {
    this.#live();
    const resolved = resolveOptions({ ...this.#options.given, ...canonicalNames(changes) });
    if (resolved.vocabSize !== this.vocabSize)
      throw rangeError("out-of-range", `vocabSize stays ${this.vocabSize}: create another sampler instead.`);
    this.#configure(resolved);
  }

  /**
   * Everything that sample depends on: options, history, place in the random stream.
   * @returns {Snapshot}
   */
  snapshot() {
    const { exports, views } = this.#live();
    const size = exports.li_sampler_state_size(this.#pointer) >>> 0;
    return this.#withBytes(size, (address) => {
      exports.li_sampler_save_state(this.#pointer, address);
      return Object.freeze({ options: this.#options, state: views().bytes.slice(address, address + size) });
    });
  }

  /**
   * Goes back to a snapshot of this sampler or of another one of the same vocabulary size.
   * @param {Snapshot} snapshot
   */
  restore(snapshot) {
    const { exports, views } = this.#live();
    const { options, state } = snapshot ?? {};
    if (!(state instanceof Uint8Array) || options?.vocabSize !== this.vocabSize) throw new LastInchError("bad-state");
    const former = options === this.#options ? undefined : this.snapshot();
    try {
      if (former) this.#configure(options);
      this.#withBytes(state.length, (address) => {
        views().bytes.set(state, address);
        check(exports.li_sampler_load_state(this.#pointer, address, state.length));
      });
    } catch (error) {
      if (former) {
        this.#configure(former.options);
        this.restore(former);
      }
      throw error;
    }
  }

  /**
   * An independent sampler in the same state: both go on alike.
   * @returns {Sampler}
   */
  clone() {
    const copy = new Sampler(this.#live(), this.#options);
    copy.restore(this.snapshot());
    return copy;
  }

  /** Gives the memory back; using the sampler afterwards throws. */
  dispose() {
    if (!this.#pointer) return;
    this.#instance.exports.li_sampler_destroy(this.#pointer);
    this.#pointer = 0;
  }

  [disposeSymbol]() {
    this.dispose();
  }

  #live() {
    if (!this.#pointer) throw new LastInchError("disposed");
    return this.#instance;
  }

  /** @param {ResolvedOptions} options */
  #configure(options) {
    const { exports, views } = this.#instance;
    const pointer = this.#pointer;
    this.#withWords(options.biasIds, (ids) =>
      this.#withBytes(4 * options.biasValues.length, (values) => {
        views().floats.set(options.biasValues, values >>> 2);
        check(exports.li_sampler_set_bias(pointer, ids, values, options.biasIds.length));
      }),
    );
    this.#withWords(options.banned, (ids) => check(exports.li_sampler_set_banned(pointer, ids, options.banned.length)));
    this.#withWords(options.allowed, (ids) =>
      check(exports.li_sampler_set_allowed(pointer, ids, options.allowed.length)),
    );
    this.#withWords(options.order, (stages) =>
      check(exports.li_sampler_set_order(pointer, stages, options.order.length, options.rules)),
    );
    views().doubles.set(options.numbers, exports.li_sampler_options(pointer) >>> 3);
    check(exports.li_sampler_configure(pointer));
    this.#options = options;
  }

  /**
   * Address of the logits in wasm memory: where they lie, or where they were copied to.
   * @param {Logits} [logits]
   */
  #place(logits) {
    const { exports, views } = this.#live();
    if (logits === undefined) return exports.li_sampler_logits(this.#pointer) >>> 0;
    if (!(logits instanceof Float32Array || logits instanceof Uint16Array))
      throw typeError("bad-type", "Logits must be a Float32Array, or a Uint16Array of float16 bits.");
    if (logits.length !== this.vocabSize)
      throw rangeError(
        "wrong-length",
        `The row has ${logits.length} logits, but vocabSize is ${this.vocabSize}.` +
          (logits.length ? "" : " A view on wasm memory is empty once the memory has grown: fetch it anew."),
      );
    const { bytes, halves, floats } = views();
    const input = exports.li_sampler_input(this.#pointer) >>> 0;
    if (logits instanceof Uint16Array) {
      halves.set(logits, exports.li_sampler_halves(this.#pointer) >>> 1);
      exports.li_sampler_widen(this.#pointer);
    } else if (logits.buffer === bytes.buffer) {
      return logits.byteOffset;
    } else {
      floats.set(logits, input >>> 2);
    }
    return input;
  }

  /**
   * Runs `use` with the address of `size` bytes, which are freed afterwards.
   * @template Result
   * @param {number} size
   * @param {(address: number) => Result} use
   */
  #withBytes(size, use) {
    const { exports } = this.#live();
    const address = exports.li_memory_alloc(size) >>> 0;
    if (!address) throw new LastInchError("out-of-memory");
    try {
      return use(address);
    } finally {
      exports.li_memory_free(address);
    }
  }

  /**
   * Runs `use` with the address of a copy of `values`.
   * @template Result
   * @param {number[]} values
   * @param {(address: number, instance: Instance) => Result} use
   */
  #withWords(values, use) {
    return this.#withBytes(4 * values.length, (address) => {
      this.#instance.views().words.set(values, address >>> 2);
      return use(address, this.#instance);
    });
  }

  /**
   * @param {number} address
   * @param {number} count
   */
  #copyWords(address, count) {
    return this.#instance.views().words.slice(address >>> 2, (address >>> 2) + count);
  }

  /**
   * @param {number} address
   * @param {number} count
   */
  #copyDoubles(address, count) {
    return this.#instance.views().doubles.slice(address >>> 3, (address >>> 3) + count);
  }
}
