// Sequences of tokens in a model's KV cache. A later text shares the slots of a common prefix. The least recently used
// sequences lose their slots when other texts need them; recurrent states go by what they are worth.
import { CACHE_PAGE, STATES_PLANNED } from "../../core/layouts.js";
import { ModelError, checkModel } from "../../core/model-errors.js";
import { LayerTaps } from "./layer-taps.js";
import { writeRows } from "./pass-rows.js";
import { PassPace } from "./pass-pace.js";
import { Sequence } from "./sequence.js";
import { pause } from "./turns.js";
import { commonLength, leastWorth } from "./worth.js";

/** @typedef {import("./sequence.js").Run} Run */
/** @typedef {import("./turns.js").Job} Job */
/** @typedef {import("../../decode/decode-types.js").ReadRow} ReadRow */
/** @typedef {import("../../decode/decode-types.js").Taps} Taps */
/** @typedef {import("../../core/wasm.js").ModelInstance} Instance */

/** Sequences that a model can have at once. */
export const SEATS = 128;

/** Recurrent states kept beside the running ones: li_model_plan also counts that of one running text and its copy. */
const STATES = STATES_PLANNED - 2;

/** Tokens that texts share before a state or a window is kept at that place (as in Marconi, Pan et al., 2024). */
const PARTING = 32;

export class Sequences {
  #instance;
  #model;
  #vocabSize;
  #contextLength;
  #check;
  #slots;
  #isRecurrent;
  #pace = new PassPace();
  /** The sequences with a seat, least recently used first. @type {Sequence[]} */
  #seated = [];
  /** Counts how often a sequence was used. */
  #uses = 0;

  /**
   * @param {Instance} instance
   * @param {number} model
   * @param {{ vocabSize: number, contextLength: number, dim: number }} config
   * @param {(job: Job) => void} check throws if the job or the model is no longer wanted
   */
  constructor(instance, model, { vocabSize, contextLength, dim }, check) {
    this.#instance = instance;
    this.#model = model;
    this.#vocabSize = vocabSize;
    this.#contextLength = contextLength;
    this.#check = check;
    this.#slots = contextLength;
    /** The hidden states that passes keep. */
    this.taps = new LayerTaps(instance, model, dim);
    this.#isRecurrent = Boolean(instance.exports.li_model_is_recurrent(model));
    /** The most branches that a pass may have: a recurrent state cannot be shared in the middle of a pass. */
    this.branches = this.#isRecurrent ? 0 : SEATS / 2;
  }

  /** The most tokens of a sequence. */
  get contextLength() {
    return this.#contextLength;
  }

  /**
   * A sequence for a text that begins with `ids`. It shares the slots of the longest prefix that another sequence has,
   * but the last of `ids` always runs.
   * @param {ArrayLike<number>} ids
   * @returns {Sequence}
   */
  open(ids) {
    const sequence = new Sequence();
    const common = this.#adopt(sequence, ids, ids.length - 1);
    if (common - sequence.tokens.length >= PARTING) sequence.parting = common;
    return sequence;
  }

  /**
   * How many of the first tokens of a prompt a text would find in the cache.
   * @param {ArrayLike<number>} ids
   */
  covered(ids) {
    return this.#find(ids, ids.length - 1).best;
  }

  /**
   * Makes the sequence that holds all these tokens the most recently used.
   * @param {ArrayLike<number>} ids
   * @param {number} least of how many tokens a text must have the same to use it
   * @returns {boolean} false: no sequence holds them, or it can only be used by texts that have more in common
   */
  touch(ids, least) {
    const { length } = ids;
    const found = this.#seated.find(
      (other) =>
        this.#cached(other) >= length &&
        this.least(other) <= least &&
        commonLength(other.tokens, ids, length) === length,
    );
    if (found) this.#take(found, []);
    return found !== undefined;
  }

  /**
   * Makes a sequence share the longest prefix of the first `most` of `ids` that another sequence holds.
   * @param {Sequence} sequence
   * @param {ArrayLike<number>} ids
   * @param {number} most
   * @returns {number} length of that prefix; `least` may forbid sharing all of it
   */
  #adopt(sequence, ids, most) {
    const { donor, best, longest } = this.#find(ids, most);
    if (donor) this.#share(donor, sequence, best);
    return longest;
  }

  /**
   * The sequence that has the longest prefix of the first `most` of `ids`.
   * @param {ArrayLike<number>} ids
   * @param {number} most
   * @returns {{ donor?: Sequence, best: number, longest: number }} best: the prefix that can be shared
   */
  #find(ids, most) {
    let best = 0;
    let longest = 0;
    /** @type {Sequence | undefined} */
    let donor;
    for (const other of this.#seated) {
      const common = commonLength(other.tokens, ids, Math.min(this.#cached(other), most));
      longest = Math.max(longest, common);
      if (common <= best || common < this.least(other)) continue;
      best = common;
      donor = other;
    }
    return { donor, best, longest };
  }

  /**
   * The least number of tokens that a sequence can be cut to: 0, unless it has a recurrent state or has dropped slots of
   * sliding-window layers.
   * @param {Sequence} sequence
   */
  least({ seat }) {
    return this.#instance.exports.li_sequence_least(this.#model, seat) >>> 0;
  }

  /**
   * A sequence with the first `length` tokens of this sequence. Both share the slots.
   * @param {Sequence} sequence
   * @param {number} [length]
   */
  fork(sequence, length = sequence.tokens.length) {
    const copy = new Sequence();
    this.#share(sequence, copy, length);
    return copy;
  }

  /**
   * A branch shares the first `length` tokens of another sequence when it first runs; an earlier run of the same call may
   * add some of them. After the call it must be dropped or adopted.
   * @param {Sequence} from
   * @param {number} length
   */
  branch(from, length) {
    const sequence = new Sequence();
    sequence.branch = { from, length };
    return sequence;
  }

  /**
   * Makes a sequence the first `length` tokens of its branch.
   * @param {Sequence} sequence
   * @param {Sequence} branch
   * @param {number} length
   */
  adopt(sequence, branch, length) {
    [sequence.seat, branch.seat] = [branch.seat, sequence.seat];
    [sequence.tokens, branch.tokens] = [branch.tokens, sequence.tokens];
    this.drop(branch);
    this.truncate(sequence, length);
  }

  /**
   * Keeps the recurrent state of a sequence at its current length, until the next checkpoint. A sequence that is cut
   * after it need not run again from the start.
   * @param {Sequence} sequence
   * @param {Job} job
   */
  async checkpoint(sequence, job) {
    if (!this.#isRecurrent) return;
    await this.run([{ sequence, ids: [], wanted: 0 }], job);
    if (sequence.checkpoint) this.drop(sequence.checkpoint);
    sequence.checkpoint = this.fork(sequence);
  }

  /**
   * @param {Sequence} sequence
   * @param {number} length
   */
  truncate(sequence, length) {
    sequence.tokens.length = Math.min(sequence.tokens.length, length);
    if (sequence.seat >= 0 && this.#cached(sequence) > length)
      checkModel(this.#instance.exports.li_sequence_keep(this.#model, sequence.seat, length));
  }

  /**
   * Frees a sequence. Unless it is dropped, it keeps its slots for later texts as long as there is room.
   * @param {Sequence} sequence
   */
  drop(sequence) {
    if (sequence.checkpoint) this.drop(sequence.checkpoint);
    if (sequence.seat < 0) return;
    checkModel(this.#instance.exports.li_sequence_keep(this.#model, sequence.seat, 0));
    this.#seated = this.#seated.filter((other) => other !== sequence);
    sequence.seat = -1;
  }

  /**
   * Runs tokens of several sequences, as many as possible in a pass. An error leaves the sequences unchanged.
   * @param {Run[]} runs
   * @param {Job} job
   * @param {ReadRow} [read]
   * @param {Taps} [taps]
   */
  async run(runs, job, read, taps) {
    for (const i of runs.keys()) await this.#part(runs, i, job, taps);
    const passes = this.#passes(runs, job, read, taps);
    while (!passes.next().done) await pause();
  }

  /** Runs a few tokens without a pause. @param {Run[]} runs @param {Job} job @param {ReadRow} [read] @param {Taps} [taps] */
  runAtOnce(runs, job, read, taps) {
    const passes = this.#passes(runs, job, read, taps);
    while (!passes.next().done);
  }

  /** Stops before each pass. @param {Run[]} runs @param {Job} job @param {ReadRow} [read] @param {Taps} [taps] */
  *#passes(runs, job, read, taps) {
    const { exports } = this.#instance;
    const starts = runs.map(({ sequence }) => sequence.tokens.length);
    try {
      this.taps.set(taps?.layers ?? []);
      for (const { sequence, ids } of runs) {
        if (sequence.branch) sequence.tokens = sequence.branch.from.tokens.slice(0, sequence.branch.length);
        for (let i = 0; i < ids.length; i++) sequence.tokens.push(ids[i]);
      }
      runs.forEach(({ sequence }, i) => this.#recover(sequence, starts[i]));
      this.#seat(runs.map(({ sequence }) => sequence));
      const places = runs.map(({ sequence }) => this.#begun(sequence));
      const left = () => runs.findIndex(({ sequence }, i) => places[i] < sequence.tokens.length);
      for (let first = left(); first >= 0; first = left()) {
        yield;
        this.#check(job);
        const count = writeRows(this.#instance, this.#model, this.#pace.rows, runs, places, first, taps?.give);
        this.#pace.begin();
        checkModel(exports.li_model_forward(this.#model, count));
        this.#pace.end(count);
        this.taps.rows = count;
        let logits = exports.li_model_logits(this.#model) >>> 0;
        for (let place = 0, run = first; place < count; run++) {
          const { sequence, wanted } = runs[run];
          const { length } = sequence.tokens;
          for (; places[run] < length && place < count; places[run]++, place++) {
            const row = places[run] - (length - wanted);
            if (row < 0) taps?.see?.(run, places[run], place);
            else read?.(run, row, logits, place);
            if (row >= 0) logits += 4 * this.#vocabSize;
          }
        }
        job.onPass?.(this, places[places.length - 1]);
      }
      for (const { sequence } of runs) sequence.branch = undefined;
      for (const { sequence, ids, wanted } of runs) if (ids.length > 1 && wanted <= 1) this.#remember(sequence, wanted);
    } catch (error) {
      runs.forEach(({ sequence }, i) => (sequence.branch ? this.drop(sequence) : this.truncate(sequence, starts[i])));
      throw error;
    } finally {
      if (taps) this.taps.set([]);
    }
  }

  /**
   * Runs a prompt to the end of the prefix that it shares with another prompt, and keeps the recurrent state or window there.
   * @param {Run[]} runs
   * @param {number} at which one; left with the remaining tokens
   * @param {Job} job its onPass hears of the last run
   * @param {Taps} [taps]
   */
  async #part(runs, at, job, taps) {
    const run = runs[at];
    const { sequence, ids, wanted } = run;
    const count = sequence.parting - sequence.tokens.length;
    sequence.parting = 0;
    if (count <= 0 || count >= ids.length - wanted) return;
    const list = Array.from(ids);
    const isLast = at === runs.length - 1;
    const { onPass } = job;
    if (!isLast) job.onPass = undefined;
    /** @type {Taps | undefined} */
    const own = taps?.see && { layers: [], see: (_run, position, place) => taps.see?.(at, position, place) };
    await this.run([{ sequence, ids: list.slice(0, count), wanted: 0 }], job, undefined, own);
    if (!isLast) job.onPass = onPass;
    run.ids = list.slice(count);
  }

  /**
   * Restores a sequence that lost its slots, or was cut to fewer tokens than `least`: shares another sequence's slots
   * as far as possible, and runs the remaining tokens again.
   * @param {Sequence} sequence
   * @param {number} length tokens that the sequence had
   */
  #recover(sequence, length) {
    const { tokens } = sequence;
    if (!length || this.#cached(sequence)) return;
    this.#adopt(sequence, tokens, length);
    sequence.tokens = tokens;
  }

  /**
   * Keeps the recurrent state or the window at the end of a prompt in its own sequence, for another answer to the
   * prompt, or for a conversation that continues with an edited answer.
   * @param {Sequence} sequence
   * @param {number} wanted 1: another answer runs the last token again, for its logits
   */
  #remember(sequence, wanted) {
    const most = this.#instance.exports.li_model_window_slots(this.#model) >>> 0; // that a sequence holds
    if (this.#isRecurrent || most < this.#contextLength) this.fork(sequence, sequence.tokens.length - wanted);
  }

  /**
   * Address of the hidden state (dim) of a row of the last pass.
   * @param {number} place
   * @param {number} [tap] index among the tapped layers
   */
  state(place, tap) {
    return this.taps.state(place, tap);
  }

  /**
   * Writes the logits of hidden states as if their layers were the last.
   * @param {number} states address (count, dim)
   * @param {number} count
   * @param {number} into address (count, vocabSize)
   */
  earlyLogits(states, count, into) {
    checkModel(this.#instance.exports.li_model_early_logits(this.#model, states, count, into));
  }

  /** @param {number} length */
  contextError(length) {
    return new ModelError("model-context-full", `(${length} tokens, but ${this.#contextLength} positions)`);
  }

  /**
   * Makes room for `count` more tokens of a sequence. False if the sequence itself has lost its slots.
   * @param {Sequence} sequence
   * @param {number} count
   */
  reserve(sequence, count) {
    if (this.#cached(sequence) < sequence.tokens.length) return false;
    this.#seat([sequence], count);
    return true;
  }

  /**
   * Makes room for a sequence whose tokens another one has run: a saved text is loaded into it.
   * @param {Sequence} sequence
   */
  seat(sequence) {
    this.#seat([sequence]);
  }

  /**
   * Gives the sequences seats, and slots for all their tokens. The least recently used sequences lose theirs; if no
   * others are left, the model gets more slots. A sequence without slots runs again when it continues.
   * @param {Sequence[]} sequences
   * @param {number} [more] extra slots
   */
  #seat(sequences, more = 0) {
    for (const { tokens } of sequences) if (tokens.length > this.#contextLength) throw this.contextError(tokens.length);
    for (const sequence of sequences) this.#take(sequence, sequences);
    let needed = more;
    const { exports } = this.#instance;
    for (const sequence of sequences) needed += sequence.tokens.length - this.#begun(sequence);
    const windowNeeded = () => this.#windowNeeded(sequences);
    const lack = () => needed - (exports.li_model_free_slots(this.#model) >>> 0);
    const lacksWindow = () => exports.li_model_free_window_slots(this.#model) >>> 0 < windowNeeded();
    while ((lack() > 0 || lacksWindow()) && this.#displace(sequences));
    if (lack() > 0) {
      const least = CACHE_PAGE * Math.ceil((this.#slots + lack()) / CACHE_PAGE);
      let slots = Math.max(least, Math.floor(1.5 * this.#slots));
      // Takes more slots than needed, if memory allows.
      if (exports.li_model_reserve_slots(this.#model, slots) < 0) slots = least;
      checkModel(exports.li_model_reserve_slots(this.#model, slots), this.#positionsLeft(needed));
      this.#slots = slots;
    }
    for (const sequence of sequences) this.#own(sequence, sequences);
    while (exports.li_model_states(this.#model) >>> 0 > sequences.length + STATES && this.#displaceState(sequences));
    // Takes the memory of all slots that the runs need before anything is computed. If memory is full, others give up
    // slots that have theirs.
    const take = () => exports.li_model_take_slots(this.#model, needed, windowNeeded());
    let status = take();
    while (status < 0 && this.#displace(sequences)) status = take();
    checkModel(status, this.#positionsLeft(needed));
  }

  /**
   * Slots of sliding-window layers that the sequences need for all their tokens.
   * @param {Sequence[]} sequences
   */
  #windowNeeded(sequences) {
    const { li_sequence_window_need: need } = this.#instance.exports;
    return sequences.reduce((sum, sequence) => {
      const count = sequence.tokens.length - this.#begun(sequence);
      return sum + (need(this.#model, sequence.seat, count) >>> 0);
    }, 0);
  }

  /**
   * Makes the recurrent state of a sequence exclusive, if the model has recurrent layers.
   * @param {Sequence} sequence
   * @param {Sequence[]} others that stay
   */
  #own({ seat }, others) {
    const { exports } = this.#instance;
    const own = () => exports.li_sequence_own(this.#model, seat);
    let status = own();
    while (status < 0 && this.#displaceState(others)) status = own();
    checkModel(status, `(There is no room for the states of ${others.length} texts at a time.)`);
  }

  /** @param {number} needed positions */
  #positionsLeft(needed) {
    const used = this.#slots - (this.#instance.exports.li_model_free_slots(this.#model) >>> 0);
    return `(${needed} more positions, of ${this.#contextLength} that a text can have; ${used} are in use.)`;
  }

  /**
   * Gives the sequence a seat and makes the sequence the most recently used.
   * @param {Sequence} sequence
   * @param {Sequence[]} others that stay
   */
  #take(sequence, others) {
    this.#seated = this.#seated.filter((other) => other !== sequence);
    if (sequence.seat < 0) {
      if (this.#seated.length === SEATS) this.#displace(others);
      const taken = new Set(this.#seated.map(({ seat }) => seat));
      for (sequence.seat = 0; taken.has(sequence.seat);) sequence.seat++;
    }
    this.#seated.push(sequence);
    sequence.usedAt = ++this.#uses;
  }

  /**
   * Frees the least recently used sequence.
   * @param {Sequence[]} others that stay
   */
  #displace(others) {
    const unused = this.#seated.find((sequence) => !others.includes(sequence));
    if (unused) this.drop(unused);
    return unused !== undefined;
  }

  /**
   * Frees the sequence whose recurrent state is worth least.
   * @param {Sequence[]} others that stay
   */
  #displaceState(others) {
    const unused = this.#seated.filter((sequence) => !others.includes(sequence));
    const lengthOf = (/** @type {Sequence} */ sequence) => this.#cached(sequence);
    const leastOf = (/** @type {Sequence} */ sequence) => this.least(sequence);
    const least = leastWorth(unused, { uses: this.#uses, lengthOf, leastOf });
    if (least) this.drop(least);
    return least !== undefined;
  }

  /**
   * @param {Sequence} from
   * @param {Sequence} to
   * @param {number} length
   */
  #share(from, to, length) {
    this.#take(to, [from]);
    const shared = Math.min(length, this.#cached(from));
    if (shared) checkModel(this.#instance.exports.li_sequence_share(this.#model, from.seat, to.seat, shared));
    to.tokens = from.tokens.slice(0, length);
  }

  /** Tokens that need not run, of a branch even before it has begun. @param {Sequence} sequence */
  #begun(sequence) {
    return this.#cached(sequence) || (sequence.branch?.length ?? 0);
  }

  /** @param {Sequence} sequence */
  #cached(sequence) {
    return sequence.seat < 0 ? 0 : this.#instance.exports.li_sequence_length(this.#model, sequence.seat) >>> 0;
  }
}
