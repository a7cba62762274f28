// The sampler: logits in, token out.
import { LastInchError, check, rangeError, typeError } from "../core/errors.js";
import { stageNames } from "./option-table.js";
import { disposeSymbol } from "../core/dispose.js";
import * as layout from "../core/layouts.js";
import { allocated, withMemory } from "../core/memory.js";
import { checkBoolean, checkNames, checkNumber, checkWhole } from "../core/arguments.js";
import { acceptTokens, acceptedTokens, cloneMatcher, fillBitmask, moveMatcher } from "./grammar-mask.js";
import { canonicalNames, listed, resolveOptions, tokenList } from "./options.js";

/** @typedef {import("./option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("./option-table.js").SamplerAliases} SamplerAliases */
/** @typedef {import("./options.js").ResolvedOptions} ResolvedOptions */
/** @typedef {import("../core/wasm.js").SamplerInstance} Instance */

/** @typedef {import("./sampler-types.js").Logits} Logits */
/** @typedef {import("./sampler-types.js").Information} Information */
/** @typedef {import("./sampler-types.js").Snapshot} Snapshot */
/** @typedef {import("./sampler-types.js").OwnSnapshot} OwnSnapshot */

export class Sampler {
  #instance;
  #options;
  #pointer;
  #input = 0;
  #halves = 0;
  #hasRow = false;
  /** A step on a GPU is under way. @internal */
  isBusy = false;
  /** @type {import("./grammar-mask.js").MatcherLike | undefined} the matcher of a clone, disposed with the clone */
  #ownMatcher;

  /**
   * Use createSampler, or give an instance that has the sampler's exports.
   * @internal
   * @param {Instance} instance
   * @param {ResolvedOptions} options
   * @param {number} [beside] address of a sampler whose scratch memory to share
   */
  constructor(instance, options, beside) {
    const { exports } = instance;
    this.#instance = instance;
    this.#options = options;
    this.#pointer = allocated(
      beside ? exports.li_sampler_create_beside(beside) : exports.li_sampler_create(options.vocabSize),
    );
    const arrays = this.#arrays();
    this.#input = arrays[layout.SAMPLER_ARRAYS_INPUT];
    this.#halves = arrays[layout.SAMPLER_ARRAYS_HALVES];
    try {
      this.#configure(options);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** The seed in use: the given seed, or one drawn from crypto. */
  get seed() {
    this.#exists();
    return /** @type {number} */ (this.#options.given.seed);
  }

  /** Of the li_sampler. @internal */
  get address() {
    return this.#pointer;
  }

  /** The instance that it lives in. @internal */
  get instance() {
    return this.#instance;
  }

  /** Length of a row of logits. */
  get vocabSize() {
    this.#exists();
    return this.#options.vocabSize;
  }

  /**
   * A new view of the sampler's own row: write the logits there, then call sample() without an argument. The view is
   * valid only until the next call to any sampler, because growing memory detaches views.
   */
  get logits() {
    const start = allocated(this.#live().li_sampler_logits(this.#pointer)) >>> 2;
    this.#hasRow = true;
    return this.#instance.views().floats.subarray(start, start + this.vocabSize);
  }

  /** Probability, among the survivors, of the last sampled token. */
  get lastProbability() {
    return this.#live().li_sampler_last_probability(this.#pointer);
  }

  /**
   * Chooses a token and accepts it. The logits are not changed.
   * @param {Logits} [logits] default: the sampler's own row
   * @returns {number} token id
   * @throws {LastInchError} "logits-nan", "logits-infinite", "nothing-left"
   */
  sample(logits) {
    return this.sampleAt(this.place(logits));
  }

  /**
   * Like sample, for logits at an address in the instance's memory.
   * @internal
   * @param {number} address
   */
  sampleAt(address) {
    const token = this.chooseAt(address);
    this.emit(token);
    return token;
  }

  /** The first half of sampleAt, which changes nothing. @internal @param {number} address */
  chooseAt(address) {
    this.fillMask();
    return check(this.#live().li_sampler_choose(this.#pointer, address));
  }

  /** The second half. @internal @param {number} token */
  emit(token) {
    const { grammar } = this.#options.given;
    if (grammar) acceptTokens(grammar, [token]);
    check(this.#live().li_sampler_emit(this.#pointer, token));
  }

  /**
   * Chooses a token with the given uniform number u in [0, 1), accepts nothing and uses no random number. `pick`, then
   * `accept`, does what `sample` does.
   * @param {number} u
   * @param {Logits} [logits]
   */
  pick(u, logits) {
    checkNumber("u", u, 0, 1 - 2 ** -53);
    const address = this.#ready(logits);
    return check(this.#live().li_sampler_pick(this.#pointer, address, u));
  }

  /**
   * The distribution that sample would draw from. Changes nothing.
   * @param {Logits} [logits]
   * @returns {import("./sampler-types.js").Distribution}
   */
  distribution(logits) {
    const address = this.#ready(logits);
    return this.survivors(check(this.#live().li_sampler_distribution(this.#pointer, address)));
  }

  /** The result of C, as a distribution of `count` tokens. @internal @param {number} count */
  survivors(count) {
    const arrays = this.#arrays();
    return {
      tokens: this.#copy("words", arrays[layout.SAMPLER_ARRAYS_TOKENS], count),
      probabilities: this.#copy("doubles", arrays[layout.SAMPLER_ARRAYS_PROBABILITIES], count),
    };
  }

  /**
   * Describes two distributions: that of the given logits (raw), and the one that sample would draw from (processed),
   * with a token and the `top` likeliest. Changes nothing. Call it before sample, which moves to the next step.
   * @param {Logits} [logits]
   * @param {{ token?: number, top?: number }} [options]
   * @returns {{ raw: Information, processed: Information }}
   */
  information(logits, options = {}) {
    this.#live();
    checkNames("information", options, ["token", "top"]);
    const { token, top = 0 } = options;
    if (token !== undefined) checkWhole("token", token, 0, this.vocabSize - 1);
    checkWhole("top", top, 0, this.vocabSize);
    const address = this.#ready(logits);
    return { raw: this.#inform(address, 1, token, top), processed: this.#inform(address, 0, token, top) };
  }

  /**
   * @param {number} address
   * @param {0 | 1} isRaw
   * @param {number | undefined} token
   * @param {number} top
   * @returns {Information}
   */
  #inform(address, isRaw, token, top) {
    const count = check(this.#live().li_sampler_inform(this.#pointer, address, isRaw, token ?? 0, top));
    const arrays = this.#arrays();
    const { words, doubles } = this.#struct(arrays[layout.SAMPLER_ARRAYS_INFORMATION], layout.INFORMATION_SIZE);
    const logprob = doubles[layout.INFORMATION_LOG_PROBABILITY];
    const rank = words[layout.INFORMATION_RANK];
    const tokens = this.#copy("words", arrays[layout.SAMPLER_ARRAYS_TOKENS], count);
    const logprobs = this.#copy("doubles", arrays[layout.SAMPLER_ARRAYS_PROBABILITIES], count);
    return {
      logprob: token === undefined ? null : logprob,
      surprise: token === undefined ? null : -logprob / Math.LN2,
      rank: token === undefined || !rank ? null : rank,
      entropy: doubles[layout.INFORMATION_ENTROPY] / Math.LN2,
      choices: doubles[layout.INFORMATION_CHOICES],
      survivors: words[layout.INFORMATION_SURVIVORS],
      top: Array.from(tokens, (id, i) => ({ token: id, logprob: logprobs[i] })),
    };
  }

  /**
   * The effect of every stage on a row of logits. Changes nothing.
   * @param {Logits} [logits]
   * @returns {import("./sampler-types.js").Trace}
   */
  trace(logits) {
    const address = this.#ready(logits);
    const count = check(this.#live().li_sampler_trace(this.#pointer, address));
    const size = this.vocabSize;
    const arrays = this.#arrays();
    const stages = Array.from({ length: arrays[layout.SAMPLER_ARRAYS_TRACE_STAGES] }, (_, i) => {
      const record = arrays[layout.SAMPLER_ARRAYS_TRACE_RECORDS] + layout.STAGE_RECORD_SIZE * i;
      const { words, doubles } = this.#struct(record, layout.STAGE_RECORD_SIZE);
      const hasCut = words[layout.STAGE_RECORD_HAS_CUT];
      return {
        name: stageNames[words[layout.STAGE_RECORD_STAGE]],
        before: words[layout.STAGE_RECORD_BEFORE],
        after: words[layout.STAGE_RECORD_AFTER],
        threshold: hasCut ? doubles[layout.STAGE_RECORD_THRESHOLD] : null,
        mass: hasCut ? doubles[layout.STAGE_RECORD_MASS] : null,
      };
    });
    return {
      logits: this.#copy("floats", arrays[layout.SAMPLER_ARRAYS_TRACE_LOGITS], size),
      probabilities: this.#copy("doubles", arrays[layout.SAMPLER_ARRAYS_TRACE_PROBABILITIES], size),
      kept: this.#copy("words", arrays[layout.SAMPLER_ARRAYS_TOKENS], count),
      removedBy: this.#copy("bytes", arrays[layout.SAMPLER_ARRAYS_TRACE_REMOVED_BY], size),
      stages,
    };
  }

  /**
   * Appends tokens to the history, which penalties count. Generated tokens also advance the grammar and the random stream.
   * mirostat and adaptive-p learn from a token that pick has just chosen.
   * @param {number | readonly number[] | Uint32Array | Int32Array} tokens
   * @param {{ prompt?: boolean }} [options] prompt: the tokens belong to the prompt
   */
  accept(tokens, options = {}) {
    checkNames("accept", options, ["prompt"]);
    checkBoolean("prompt", options.prompt);
    const ids = tokenList("accept", listed(tokens), this.vocabSize);
    const { grammar } = this.#options.given;
    if (grammar && !options.prompt) acceptTokens(grammar, ids);
    this.#withWords(ids, (address) =>
      check(this.#live().li_sampler_accept(this.#pointer, address, ids.length, options.prompt ? 1 : 0)),
    );
  }

  /** Clears the history, and restarts the grammar and the random stream. */
  reset() {
    this.#live();
    const { grammar } = this.#options.given;
    if (grammar) moveMatcher(grammar, []);
    this.#live().li_sampler_reset(this.#pointer);
  }

  /**
   * Changes options; the history stays. The value undefined resets an option to its default. A new seed starts its random
   * stream at the beginning.
   * @param {Partial<SamplerOptions> & SamplerAliases} changes
   */
  set(changes) {
    this.#live();
    const resolved = resolveOptions({ ...this.#options.given, ...canonicalNames(changes) });
    if (resolved.vocabSize !== this.vocabSize)
      throw rangeError("out-of-range", `vocabSize stays ${this.vocabSize}: create another sampler.`);
    this.#configure(resolved);
  }

  /**
   * The whole state of the sampler: options, history, feedback, position in the grammar and in the random stream.
   * @returns {Snapshot}
   */
  snapshot() {
    const size = this.#live().li_sampler_state_size(this.#pointer);
    return withMemory(this.#instance, size, (address) => {
      this.#live().li_sampler_save_state(this.#pointer, address);
      const options = this.#options;
      const { grammar } = options.given;
      const accepted = grammar ? [...acceptedTokens(grammar)] : [];
      return Object.freeze({ options, accepted, state: this.#copy("bytes", address, size) });
    });
  }

  /**
   * Restores a snapshot of this sampler or of another sampler with the same vocabulary size. A sampler with a grammar keeps
   * its matcher and moves the matcher to the snapshot's position; the matcher of another sampler is cloned.
   * @param {Snapshot} snapshot
   */
  restore(snapshot) {
    const former = this.snapshot();
    try {
      let { options, ...rest } = /** @type {OwnSnapshot} */ (snapshot);
      if (options !== this.#options) {
        const { grammar: theirs } = options.given;
        const grammar = theirs && (this.#options.given.grammar ?? (this.#ownMatcher = cloneMatcher(theirs)));
        options = resolveOptions({ ...options.given, grammar });
      }
      if (options.vocabSize !== this.vocabSize) throw new LastInchError("bad-state");
      this.#load({ options, ...rest });
    } catch (cause) {
      this.#load(/** @type {OwnSnapshot} */ (former));
      throw /** @type {any} */ (cause).name === "LastInchError"
        ? cause
        : new LastInchError("bad-state", undefined, { cause });
    }
  }

  /** @param {OwnSnapshot} snapshot */
  #load({ options, state, accepted }) {
    if (options !== this.#options) this.#configure(options);
    withMemory(this.#instance, state.length, (address) => {
      this.#instance.views().bytes.set(state, address);
      check(this.#live().li_sampler_load_state(this.#pointer, address, state.length));
    });
    if (options.given.grammar) moveMatcher(options.given.grammar, accepted);
  }

  /**
   * An independent sampler in the same state. With the same options both choose the same tokens; with another `stream` of
   * the seed the clone's draws are independent. With the watermark "gumbel" the key draws: give the clone another key.
   * Clones share scratch memory, so they are small.
   * @param {Partial<SamplerOptions> & SamplerAliases} [changes]
   * @returns {Sampler}
   */
  clone(changes = {}) {
    const { options, ...rest } = /** @type {OwnSnapshot} */ (this.snapshot());
    const { grammar } = options.given;
    const matcher = grammar && !("grammar" in changes) ? cloneMatcher(grammar) : undefined;
    const own = { ...options, given: { ...options.given, grammar: matcher } };
    const copy = /** @type {Sampler} */ (new /** @type {any} */ (this.constructor)(this.#instance, own, this.#pointer));
    copy.#ownMatcher = matcher;
    try {
      copy.#load({ options: own, ...rest });
      copy.set(changes);
    } catch (error) {
      copy.dispose();
      throw error;
    }
    return copy;
  }

  /** Goes on as another sampler, which is in the same state and is not used any more. @internal @param {Sampler} other */
  replace(other) {
    if (this.#hasRow) other.logits.set(this.logits);
    this.#live().li_sampler_destroy(this.#pointer);
    this.#instance = other.#instance;
    this.#pointer = other.#pointer;
    this.#input = other.#input;
    this.#halves = other.#halves;
  }

  /** Frees the memory. Using the sampler afterwards throws. */
  dispose() {
    if (!this.#pointer) return;
    this.#instance.exports.li_sampler_destroy(this.#pointer);
    this.#pointer = 0;
    this.#ownMatcher?.dispose?.();
  }

  [disposeSymbol]() {
    this.dispose();
  }

  #exists() {
    if (!this.#pointer) throw new LastInchError("disposed");
  }

  #live() {
    this.#exists();
    if (this.isBusy) throw new LastInchError("busy");
    return this.#instance.exports;
  }

  /** @param {ResolvedOptions} options */
  #configure(options) {
    options.lists.forEach((list, name) =>
      this.#withWords(list, (words) =>
        check(this.#live().li_sampler_set_list(this.#pointer, name, words, list.length)),
      ),
    );
    this.#withWords(options.order, (stages) =>
      check(this.#live().li_sampler_set_order(this.#pointer, stages, options.order.length, options.rules)),
    );
    this.#instance.views().doubles.set(options.numbers, this.#live().li_sampler_options(this.#pointer) >>> 3);
    check(this.#live().li_sampler_configure(this.#pointer));
    if (this.#options.given.grammar || options.given.grammar)
      allocated(this.#live().li_sampler_bitmask(this.#pointer, options.given.grammar ? 1 : 0));
    this.#options = options;
  }

  /**
   * Address of the logits, for functions that run the chain of stages on them. Also masks what the grammar refuses.
   * @param {Logits} [logits]
   */
  #ready(logits) {
    const address = this.place(logits);
    this.fillMask();
    return address;
  }

  /** The number of tokens, without padding. @internal */
  get tokenCount() {
    return /** @type {number} */ (this.#options.given.tokenCount);
  }

  /** Masks the tokens that the grammar refuses. Returns the mask, a view. @internal */
  fillMask() {
    const { grammar } = this.#options.given;
    if (!grammar) return;
    const start = this.#live().li_sampler_bitmask(this.#pointer, 1) >>> 2;
    const mask = this.#instance.views().words.subarray(start, start + Math.ceil(this.vocabSize / 32));
    fillBitmask(grammar, mask, this.tokenCount);
    return mask;
  }

  /** The words of li_sampler_arrays. */
  #arrays() {
    const address = this.#live().li_sampler_get_arrays(this.#pointer);
    return this.#copy("words", address, layout.SAMPLER_ARRAYS_SIZE / 4);
  }

  /**
   * A copy of a struct of `size` bytes, as words and as doubles. core/layouts.js has the index of each field.
   * @param {number} address
   * @param {number} size
   */
  #struct(address, size) {
    return { words: this.#copy("words", address, size / 4), doubles: this.#copy("doubles", address, size / 8) };
  }

  /**
   * Address of the logits in wasm memory. Logits from elsewhere are copied there.
   * @internal
   * @param {Logits} [logits]
   */
  place(logits) {
    if (logits === undefined) {
      if (!this.#hasRow) throw typeError("bad-type", "There are no logits: pass a row or write sampler.logits.");
      return allocated(this.#live().li_sampler_logits(this.#pointer));
    }
    if (!(logits instanceof Float32Array || logits instanceof Uint16Array))
      throw typeError("bad-type", "Logits must be a Float32Array, or a Uint16Array of float16 bits.");
    if (logits.length !== this.vocabSize)
      throw rangeError(
        "wrong-length",
        `The row has ${logits.length} logits, but vocabSize is ${this.vocabSize}.` +
          (logits.length ? "" : " The view is stale: memory has grown."),
      );
    const { bytes, halves, floats } = this.#instance.views();
    if (logits instanceof Uint16Array) {
      halves.set(logits, this.#halves >>> 1);
      this.#live().li_sampler_widen(this.#pointer);
    } else if (logits.buffer === bytes.buffer) {
      return logits.byteOffset;
    } else {
      floats.set(logits, this.#input >>> 2);
    }
    return this.#input;
  }

  /**
   * Runs `use` with the address of a copy of `values`.
   * @template Result
   * @param {number[]} values
   * @param {(address: number) => Result} use
   */
  #withWords(values, use) {
    return withMemory(this.#instance, 4 * values.length, (address) => {
      this.#instance.views().words.set(values, address >>> 2);
      return use(address);
    });
  }

  /**
   * A copy of `count` elements at an address.
   * @template {keyof import("../core/wasm.js").Views} Kind
   * @param {Kind} kind
   * @param {number} address
   * @param {number} count
   * @returns {import("../core/wasm.js").Views[Kind]}
   */
  #copy(kind, address, count) {
    const elements = this.#instance.views()[kind];
    const start = (address >>> 0) / elements.BYTES_PER_ELEMENT;
    return /** @type {any} */ (elements.slice(start, start + count));
  }
}
