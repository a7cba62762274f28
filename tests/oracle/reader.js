// What every oracle does with a grammar: reads texts at once and token by token through masks, walks at random, and compares
// masks with the bytes of the tokens.
import { compileGrammar, prepareVocabulary } from "lastinch";
import { countSet, randomFrom, randomWalk, selectSet, stringState, tasteOf } from "../bench/grammar-random.js";
import { isSet } from "../bench/grammar-walk.js";
import { Failure } from "./failure.js";

/** @typedef {import("./vocabulary.js").OracleVocabulary} OracleVocabulary */

/** What there was to see: counted over all cases. */
export class Tally {
  /** @type {Record<string, number>} */
  counts = {};
  /** @type {{ ms: number, what: object }[]} masks over 25 ms */
  slow = [];

  /** @param {string} what @param {number} [by] */
  add(what, by = 1) {
    this.counts[what] = (this.counts[what] ?? 0) + by;
  }

  /** @param {number} ms @param {object} what */
  mask(ms, what) {
    this.add("masks");
    for (const limit of [1, 5, 25, 100]) if (ms > limit) this.add(`masks over ${limit} ms`);
    if (ms > 25) this.slow.push({ ms, what });
  }
}

/** A vocabulary made ready, and what is derived from it once. */
export class Bench {
  tally = new Tally();
  /** Milliseconds of processor time beyond which a mask is a failure: for a person who looks, never in a test. */
  patience = Infinity;

  /** @param {OracleVocabulary} vocabulary @param {any} prepared */
  constructor(vocabulary, prepared) {
    this.vocabulary = vocabulary;
    this.prepared = prepared;
    this.taste = tasteOf(vocabulary);
    /** The tokens that are text, by their bytes: neighbours differ at their ends. */
    this.sorted = vocabulary.tokens
      .map((bytes, id) => ({ id, key: Buffer.from(bytes) }))
      .filter(({ key }) => key.length)
      .sort((a, b) => Buffer.compare(a.key, b.key))
      .map(({ id }) => id);
    this.rank = new Map(this.sorted.map((id, rank) => [id, rank]));
  }

  /** @param {OracleVocabulary} vocabulary */
  static async open(vocabulary) {
    const { tokens, eos } = vocabulary;
    return new Bench(vocabulary, await prepareVocabulary({ tokens, eos }));
  }

  /**
   * @param {object} source what compileGrammar takes
   * @param {number} seed
   * @returns {Promise<Reader | undefined>} undefined: refused, with a code that says so
   */
  async compile(source, seed) {
    try {
      const grammar = await compileGrammar({ vocabulary: this.prepared, ...source });
      this.tally.add("compiled");
      return new Reader(this, grammar, source, randomFrom(seed));
    } catch (error) {
      const { code = "crash", message } = /** @type {any} */ (error);
      const isRefused = code === "grammar-unsupported" || /leads back to itself|lead in a circle/.test(message);
      if (!isRefused) throw new Failure(code, { ...source, message });
      this.tally.add("refused");
    }
  }
}

/** A compiled grammar and its matcher. */
export class Reader {
  #matcher;

  /** @param {Bench} bench @param {any} grammar @param {object} source @param {() => number} random */
  constructor(bench, grammar, source, random) {
    this.bench = bench;
    this.grammar = grammar;
    this.source = "regex" in source ? { regex: String(source.regex) } : source;
    this.random = random;
    this.isJson = "jsonSchema" in source;
    this.into = new Uint32Array(Math.ceil(bench.vocabulary.tokens.length / 32));
    this.#matcher = grammar.matcher();
  }

  dispose() {
    this.#matcher.dispose();
    this.grammar.dispose();
  }

  /** @template T @param {object} where @param {() => T} use @returns {T} an error of the code is a failure */
  #try(where, use) {
    try {
      return use();
    } catch (error) {
      if (error instanceof Failure) throw error;
      const { code = "crash", message } = /** @type {any} */ (error);
      throw new Failure(code, { ...this.source, ...where, message });
    }
  }

  /** @param {string} text */
  #mask(text) {
    const start = process.cpuUsage();
    this.#try({ text }, () => this.#matcher.bitmask(this.into));
    const { user, system } = process.cpuUsage(start);
    const ms = (user + system) / 1000;
    this.bench.tally.mask(ms, { ...this.source, text });
    if (ms > this.bench.patience) throw new Failure("slow mask", { ...this.source, text, ms });
    return this.into;
  }

  /** Reads a text at once. @param {string} text @param {boolean} isValid what the judge says */
  read(text, isValid) {
    this.bench.tally.add(isValid ? "valid texts" : "invalid texts");
    this.#matcher.reset();
    const isRead = this.#try({ text }, () => this.#matcher.acceptBytes(text) && this.#matcher.isAccepting);
    if (isRead !== isValid) throw new Failure(isRead ? "accepts" : "refuses", { ...this.source, text });
    if (isValid && this.grammar.isEmpty) throw new Failure("called empty", { ...this.source, text });
  }

  /**
   * Reads a valid text token by token: each must be in its mask, and the end after the last.
   * @param {string} text
   * @param {number} samples at how many places a mask is compared with the bytes of tokens
   */
  follow(text, samples = 1) {
    const { tokens, eos, encode } = this.bench.vocabulary;
    const ids = encode(text);
    const places = new Set(Array.from({ length: samples }, () => Math.floor(this.random() * (ids.length + 1))));
    const until = (/** @type {number} */ at) =>
      Buffer.concat(ids.slice(0, at).map((id) => tokens[id])).toString("latin1");
    this.#matcher.reset();
    for (let at = 0; at <= ids.length; at++) {
      const mask = this.#mask(text);
      const isLast = at === ids.length;
      if (!(isLast ? eos.every((id) => isSet(mask, id)) : isSet(mask, ids[at])))
        throw new Failure("no token", { ...this.source, text, token: isLast ? "eos" : ids[at], at });
      if (places.has(at)) this.#compare(until(at), this.#sample(mask));
      if (isLast) break;
      const isTaken = this.#try({ text }, () => this.#matcher.accept(ids[at]));
      if (!isTaken) throw new Failure("mask", { ...this.source, text, token: ids[at], at, mask: true });
    }
  }

  /** Tokens to look at: any, some that the mask has, and their neighbours. @param {Uint32Array} mask */
  #sample(mask) {
    const { sorted, rank } = this.bench;
    const ids = Array.from({ length: 40 }, () => sorted[Math.floor(this.random() * sorted.length)]);
    const count = countSet(mask);
    for (let time = 0; time < 30 && count; time++) {
      const id = selectSet(mask, Math.floor(this.random() * count));
      const at = rank.get(id);
      ids.push(id);
      if (at !== undefined) ids.push(sorted[Math.max(0, at - 1)], sorted[Math.min(sorted.length - 1, at + 1)]);
    }
    return ids;
  }

  /**
   * Compares the mask here with what is read byte by byte.
   * @param {string} before the text before, a character for each byte
   * @param {Iterable<number>} ids
   */
  #compare(before, ids) {
    const { tokens, eos } = this.bench.vocabulary;
    const mask = this.into.slice();
    const state = stringState(0, Buffer.from(before, "latin1"));
    this.bench.tally.add("masks compared");
    for (const id of ids) {
      const bytes = tokens[id];
      let isRead = false;
      if (!bytes.length) isRead = eos.includes(id) && this.#matcher.isAccepting;
      else if (this.#try({ before, token: id }, () => this.#matcher.acceptBytes(bytes))) {
        isRead = true;
        this.#matcher.rollback(1);
      }
      if (isRead === isSet(mask, id) || (isRead && this.isJson && isOddSpelling(state, bytes))) continue;
      throw new Failure("mask", {
        ...this.source,
        before,
        token: id,
        bytes: Buffer.from(bytes).toString("latin1"),
        isRead,
      });
    }
  }

  /** Compares the masks of all tokens, at some place of a text that is read. @param {string} text */
  compareAll(text) {
    const { tokens } = this.bench.vocabulary;
    const bytes = Buffer.from(text);
    const before = bytes.subarray(0, Math.floor(this.random() * (bytes.length + 1)));
    this.#matcher.reset();
    if (!this.#matcher.acceptBytes(before)) throw new Failure("refuses", { ...this.source, text, before });
    this.#mask(before.toString("latin1"));
    this.#compare(before.toString("latin1"), tokens.keys());
  }

  /**
   * Walks through masks at random, from some place of a valid text on if there is one: the walk must end, and the judge
   * must find its text valid.
   * @param {string} text
   * @param {(text: string) => boolean} judge
   */
  async walk(text, judge) {
    const { tokens, encode } = this.bench.vocabulary;
    const ids = encode(text);
    const begun = ids.slice(0, Math.floor(this.random() * (ids.length + 1)));
    this.#matcher.reset();
    for (const id of begun) this.#try({ text }, () => this.#matcher.accept(id));
    const head = Buffer.concat(begun.map((id) => tokens[id]));
    const where = () => ({ begun: head.toString() });
    const matcher = {
      mask: () => this.#mask(where().begun),
      accept: (/** @type {number} */ id) => this.#matcher.accept(id),
    };
    const how = { taste: this.bench.taste, closing: 0.15, patience: 40, limit: 160, state: stringState(0, head) };
    let walked;
    try {
      walked = await randomWalk(
        /** @type {any} */ (matcher),
        /** @type {any} */ (this.bench.vocabulary),
        this.random,
        how,
      );
    } catch (error) {
      if (error instanceof Failure) throw error;
      const { code = "crash", message } = /** @type {any} */ (error);
      throw new Failure(code, { ...this.source, ...where(), message });
    }
    const bytes = Buffer.concat([head, walked.bytes]);
    const whole = bytes.toString();
    this.bench.tally.add(`walks ${walked.end}`);
    if (walked.end === "unfinished") return;
    if (walked.end !== "finished") {
      if (this.grammar.isEmpty && walked.end === "dead end" && !bytes.length) return;
      throw new Failure(walked.end, { ...this.source, text: whole, tokens: walked.tokens });
    }
    if (!Buffer.from(whole).equals(bytes) || !judge(whole))
      throw new Failure("invalid walk", { ...this.source, text: whole });
  }
}

/** Whether masks may leave out what is read all the same: longer whitespace, needless escapes, other spellings of numbers. */
function isOddSpelling(/** @type {number} */ state, /** @type {Uint8Array} */ bytes) {
  for (const byte of bytes) {
    if (state ? byte === 0x5c || state === 2 : /[\t\n\r \-+.\deE]/.test(String.fromCharCode(byte))) return true;
    state = stringState(state, [byte]);
  }
  return false;
}
