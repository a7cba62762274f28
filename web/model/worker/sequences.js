// Sequences of tokens in a model. Their keys and values are a cache: later texts share them, and other texts may displace
// them.
import { ROWS_LIMIT, ROW_POSITION, ROW_SEQUENCE, ROW_SIZE, ROW_TOKEN, ROW_WANTS_LOGITS } from "../../core/layouts.js";
import { withMemory } from "../../core/memory.js";
import { ModelError, checkModel } from "../../core/model-errors.js";
import { pause } from "./turns.js";

/** @typedef {import("./turns.js").Job} Job */
/** @typedef {import("../../core/wasm.js").Instance} Instance */

/** Sequences that a model can have at once. */
export const SEATS = 128;

/** Slots that take memory together. */
const PAGE = 256;

/**
 * Recurrent states that stay beside those of the sequences that run; the least recently used sequences lose theirs. With
 * one text as many as li_model_plan counts.
 */
const STATES = 4;

/** Common tokens after which a state is kept where two texts part (as in Marconi, Pan et al., 2024). */
const PARTING = 32;

/** What li_model_attention says of a layer without attention: LI_ERROR_BAD_ARGUMENT. */
const NO_ATTENTION = -2;

/** The tokens of one text. */
export class Sequence {
  /** @type {number[]} */
  tokens = [];
  seat = -1;
  /** What it is cut back to: see Sequences.mark. @type {Sequence | undefined} */
  mark;
  /** Tokens that another text begins with too, where a recurrent state is worth keeping. */
  parting = 0;
}

/**
 * Tokens to run after those of a sequence.
 * @typedef {object} Run
 * @property {Sequence} sequence
 * @property {ArrayLike<number>} ids
 * @property {number} wanted the number of last rows that give logits
 */

/**
 * Gets each wanted row: the number of its run, its number among those wanted of the run, the address of its logits, which
 * stay until the next rows are run, its number among the rows that were run with it, and, where the logits are combined
 * ones, the address of the model's own.
 * @typedef {(run: number, row: number, logits: number, place: number, raw?: number) => void} ReadRow
 */

/**
 * Hidden states to keep of every row.
 * @typedef {object} Taps
 * @property {number[]} layers after which they are taken; as many as the model has: after the final norm
 * @property {(run: number, position: number, place: number) => void} [see] gets every row before it is read, also those
 *   whose logits nobody wants
 */

export class Sequences {
  #instance;
  #model;
  #vocabSize;
  #contextLength;
  #check;
  #slots;
  #dim;
  /** Rows of the last pass. */
  #count = 0;
  /** Who has a seat, the longest unused first. @type {Sequence[]} */
  #seated = [];

  /**
   * @param {Instance} instance
   * @param {number} model
   * @param {{ vocabSize: number, contextLength: number, dim: number }} config
   * @param {(job: Job) => void} check throws when the job or the model is no longer wanted
   */
  constructor(instance, model, { vocabSize, contextLength, dim }, check) {
    this.#instance = instance;
    this.#model = model;
    this.#vocabSize = vocabSize;
    this.#contextLength = contextLength;
    this.#check = check;
    this.#slots = contextLength;
    this.#dim = dim;
  }

  /** Tokens that a sequence can have. */
  get contextLength() {
    return this.#contextLength;
  }

  /**
   * A sequence that will begin with `ids`. It shares the keys and values of another sequence's equal tokens, except for the
   * last of `ids`.
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
   * Makes a sequence share as many of the first `most` of `ids` as another sequence has: it has these tokens then.
   * @param {Sequence} sequence
   * @param {ArrayLike<number>} ids
   * @param {number} most
   * @returns {number} how many of them another sequence has, though its state may not allow to share them
   */
  #adopt(sequence, ids, most) {
    let best = 0;
    let longest = 0;
    /** @type {Sequence | undefined} */
    let donor;
    for (const other of this.#seated) {
      const end = Math.min(this.#cached(other), most);
      let common = 0;
      while (common < end && other.tokens[common] === ids[common]) common++;
      longest = Math.max(longest, common);
      if (common <= best || common < this.#least(other)) continue;
      best = common;
      donor = other;
    }
    if (donor) this.#share(donor, sequence, best);
    return longest;
  }

  /**
   * The least number of tokens that a sequence with a recurrent state can be cut to; 0 without one.
   * @param {Sequence} sequence
   */
  #least({ seat }) {
    return this.#instance.exports.li_sequence_least(this.#model, seat) >>> 0;
  }

  /**
   * A sequence with the first `length` tokens of this one. Both share the keys and values.
   * @param {Sequence} sequence
   * @param {number} [length]
   */
  fork(sequence, length = sequence.tokens.length) {
    const copy = new Sequence();
    this.#share(sequence, copy, length);
    return copy;
  }

  /**
   * Keeps the recurrent state of a sequence at its present length, until the next mark. Single tokens that are run after the
   * mark can then be cut off, and little is run again.
   * @param {Sequence} sequence
   * @param {Job} job
   */
  async mark(sequence, job) {
    if (!this.#instance.exports.li_model_states(this.#model)) return;
    await this.run([{ sequence, ids: [], wanted: 0 }], job);
    if (sequence.mark) this.drop(sequence.mark);
    sequence.mark = this.fork(sequence);
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
   * Frees a sequence. Otherwise its keys and values stay for other texts as long as there is room.
   * @param {Sequence} sequence
   */
  drop(sequence) {
    if (sequence.mark) this.drop(sequence.mark);
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
    const { exports } = this.#instance;
    for (const run of runs) await this.#part(run, job);
    const starts = runs.map(({ sequence }) => sequence.tokens.length);
    try {
      if (taps) this.#tap(taps.layers);
      for (const { sequence, ids } of runs) for (let i = 0; i < ids.length; i++) sequence.tokens.push(ids[i]);
      runs.forEach(({ sequence }, i) => this.#recover(sequence, starts[i]));
      this.#seat(runs.map(({ sequence }) => sequence));
      const places = runs.map(({ sequence }) => this.#cached(sequence));
      const left = () => runs.findIndex(({ sequence }, i) => places[i] < sequence.tokens.length);
      for (let first = left(); first >= 0; first = left()) {
        await pause();
        this.#check(job);
        const count = this.#write(runs, places, first);
        checkModel(exports.li_model_forward(this.#model, count));
        this.#count = count;
        let logits = exports.li_model_logits(this.#model) >>> 0;
        for (let place = 0, run = first; place < count; run++) {
          const { sequence, wanted } = runs[run];
          const { length } = sequence.tokens;
          for (; places[run] < length && place < count; places[run]++, place++) {
            const row = places[run] - (length - wanted);
            taps?.see?.(run, places[run], place);
            if (row < 0) continue;
            read?.(run, row, logits, place);
            logits += 4 * this.#vocabSize;
          }
        }
      }
      for (const { sequence, ids, wanted } of runs) if (ids.length > 1 && wanted <= 1) this.#remember(sequence);
    } catch (error) {
      runs.forEach(({ sequence }, i) => this.truncate(sequence, starts[i]));
      throw error;
    } finally {
      if (taps) this.#tap([]);
    }
  }

  /**
   * Runs a prompt up to where it parts with another one, and keeps the state there.
   * @param {Run} run whose other tokens are left
   * @param {Job} job
   */
  async #part(run, job) {
    const { sequence, ids, wanted } = run;
    const count = sequence.parting - sequence.tokens.length;
    sequence.parting = 0;
    if (count <= 0 || count >= ids.length - wanted) return;
    const list = Array.from(ids);
    await this.run([{ sequence, ids: list.slice(0, count), wanted: 0 }], job);
    run.ids = list.slice(count);
  }

  /**
   * A sequence that lost its slots, or was cut to fewer tokens than its recurrent state allows, shares those of another one
   * as far as it can. The rest of its tokens is run again.
   * @param {Sequence} sequence
   * @param {number} length tokens that it had
   */
  #recover(sequence, length) {
    const { tokens } = sequence;
    if (!length || this.#cached(sequence)) return;
    this.#adopt(sequence, tokens, length);
    sequence.tokens = tokens;
  }

  /**
   * Keeps the recurrent state at the end of a prompt, as a sequence of its own: another answer to the prompt, or a
   * conversation that goes on with the answer written otherwise, begins there.
   * @param {Sequence} sequence
   */
  #remember(sequence) {
    const least = this.#least(sequence);
    if (least) this.fork(sequence, least);
  }

  /** @param {number[]} layers */
  #tap(layers) {
    const { exports, views } = this.#instance;
    withMemory(this.#instance, 4 * Math.max(1, layers.length), (address) => {
      views().words.set(layers, address / 4);
      checkModel(exports.li_model_set_taps(this.#model, address, layers.length));
    });
  }

  /**
   * Address of the hidden state (dim) of a row of the last pass.
   * @param {number} place
   * @param {number} [tap] which of the layers that were asked for
   */
  state(place, tap = 0) {
    const taps = this.#instance.exports.li_model_taps(this.#model) >>> 0;
    return taps + 4 * this.#dim * (tap * this.#count + place);
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

  /**
   * Writes the weights with which the heads of a layer read a sequence, from its last token.
   * @param {Sequence} sequence whose tokens have all been run
   * @param {number} state address of the last token's hidden state (dim) before the layer
   * @param {number} layer
   * @param {number} into address (heads, tokens of the sequence)
   * @returns {boolean} false: the layer has no attention
   */
  attention({ seat, tokens }, state, layer, into) {
    const { li_model_attention: attention } = this.#instance.exports;
    const status = attention(this.#model, state, layer, seat, tokens.length - 1, into);
    if (status === NO_ATTENTION) return false;
    checkModel(status);
    return true;
  }

  /**
   * Writes the next rows of the runs from `first` on.
   * @param {Run[]} runs
   * @param {number[]} places first position of each run that has not been run
   * @param {number} first
   */
  #write(runs, places, first) {
    const at = (this.#instance.exports.li_model_rows(this.#model) >>> 0) / 4;
    const { words } = this.#instance.views();
    let count = 0;
    for (let run = first; run < runs.length && count < ROWS_LIMIT; run++) {
      const { sequence, wanted } = runs[run];
      const { tokens, seat } = sequence;
      // A pass of one last row would settle a recurrent state behind the place where another answer begins.
      const isOneOver = tokens.length - places[run] === ROWS_LIMIT - count + 1;
      const end = isOneOver ? tokens.length - 2 : tokens.length;
      for (let position = places[run]; position < end && count < ROWS_LIMIT; position++, count++) {
        const row = at + (ROW_SIZE / 4) * count;
        words[row + ROW_TOKEN] = tokens[position];
        words[row + ROW_POSITION] = position;
        words[row + ROW_SEQUENCE] = seat;
        words[row + ROW_WANTS_LOGITS] = Number(position >= tokens.length - wanted);
      }
      if (isOneOver) break;
    }
    return count;
  }

  /** @param {number} length */
  contextError(length) {
    return new ModelError("model-context-full", `(${length} tokens, but ${this.#contextLength} positions)`);
  }

  /**
   * Gives the sequences seats, and slots for all their tokens. The least recently used sequences lose theirs; when there are
   * no others, the model gets more slots. A sequence that lost its slots is run again when it continues.
   * @param {Sequence[]} sequences
   */
  #seat(sequences) {
    for (const { tokens } of sequences) if (tokens.length > this.#contextLength) throw this.contextError(tokens.length);
    for (const sequence of sequences) this.#take(sequence, sequences);
    let needed = 0;
    for (const sequence of sequences) needed += sequence.tokens.length - this.#cached(sequence);
    const { exports } = this.#instance;
    const lack = () => needed - (exports.li_model_free_slots(this.#model) >>> 0);
    while (lack() > 0 && this.#displace(sequences));
    if (lack() > 0) {
      const least = PAGE * Math.ceil((this.#slots + lack()) / PAGE);
      let slots = Math.max(least, Math.floor(1.5 * this.#slots));
      // More than are needed now, unless there is only room for these.
      if (exports.li_model_reserve_slots(this.#model, slots) < 0) slots = least;
      checkModel(exports.li_model_reserve_slots(this.#model, slots), this.#positionsLeft(needed));
      this.#slots = slots;
    }
    for (const sequence of sequences) this.#own(sequence, sequences);
    const { length } = sequences;
    while (exports.li_model_states(this.#model) >>> 0 > length + STATES && this.#displace(sequences));
    // All that is known to be needed, before anything is computed.
    checkModel(exports.li_model_take_slots(this.#model, needed), this.#positionsLeft(needed));
  }

  /**
   * Gives a sequence a recurrent state of its own, where the model has some.
   * @param {Sequence} sequence
   * @param {Sequence[]} others that stay
   */
  #own({ seat }, others) {
    const { exports } = this.#instance;
    const own = () => exports.li_sequence_own(this.#model, seat);
    let status = own();
    while (status < 0 && this.#displace(others)) status = own();
    checkModel(status, `(There is no room for the states of ${others.length} texts at a time.)`);
  }

  /** @param {number} needed positions */
  #positionsLeft(needed) {
    const used = this.#slots - (this.#instance.exports.li_model_free_slots(this.#model) >>> 0);
    return `(${needed} more positions, of ${this.#contextLength} that a text can have; ${used} are in use.)`;
  }

  /**
   * A seat for the sequence, which becomes the most recently used.
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

  /** @param {Sequence} sequence */
  #cached(sequence) {
    return sequence.seat < 0 ? 0 : this.#instance.exports.li_sequence_length(this.#model, sequence.seat) >>> 0;
  }
}
