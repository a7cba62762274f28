// Finds banned texts in a text that arrives in pieces, and the place where one may have begun. All of them are searched
// at once: states of one automaton (Thompson 1968), each with the place where its match began. A character costs a step
// for each begun match, of which there are at most the automaton's states.
import { rangeError } from "../core/errors.js";

/** @typedef {import("../grammar/readers/form.js").Expression} Expression */

/**
 * A banned text.
 * @typedef {object} Ban
 * @property {string} shown in messages
 * @property {Expression} expression of texts, classes, sequences, choices, bounded repeats and edges, never empty
 */

/** The most characters of a banned text, and so of the text that is held back. */
export const LONGEST_BAN = 256;

/** The most states of all banned texts. */
const STATES_LIMIT = 20_000;

/**
 * A state. ranges: reads one of these code points and goes on to next[0]. edge: goes on if this holds here. Otherwise
 * goes on to all of next; one without next is the end of a ban.
 * @typedef {{ ranges?: [number, number][], edge?: (before: number, after: number) => boolean, next: number[],
 *   ban?: number, isFree?: boolean }} State
 *   isFree: the ban ends here whatever follows
 */

/** No character: before the beginning, or after the end. */
const NONE = -1;

class Automaton {
  /** @type {State[]} */
  states = [];
  /** The first state of each ban. @type {number[]} */
  #starts = [];
  /** Those that may read a code point, by code point. @type {Map<number, number[]>} */
  #byPoint = new Map();

  /** @param {readonly Ban[]} bans */
  constructor(bans) {
    bans.forEach(({ expression, shown }, ban) => {
      const end = this.#add({ next: [], ban, isFree: true });
      this.#starts.push(this.#build(expression, end, shown));
    });
  }

  /** The first states of the bans that may begin with a code point. @param {number} point */
  startsWith(point) {
    let starts = this.#byPoint.get(point);
    if (!starts) this.#byPoint.set(point, (starts = this.#starts.filter((start) => this.#mayRead(start, point))));
    return starts;
  }

  /** @param {number} start @param {number} point */
  #mayRead(start, point) {
    const reached = new Set([start]);
    for (const at of reached) {
      const { ranges, next } = this.states[at];
      if (ranges && includes(ranges, point)) return true;
      if (!ranges) for (const one of next) reached.add(one);
    }
    return false;
  }

  /** @param {State} state */
  #add(state) {
    this.states.push(state);
    return this.states.length - 1;
  }

  /**
   * The first state of an expression that goes on to `next`.
   * @param {Expression} node
   * @param {number} next
   * @param {string} shown
   * @returns {number}
   */
  #build(node, next, shown) {
    if (this.states.length > STATES_LIMIT)
      throw rangeError("out-of-range", `bannedStrings are too large together: ${shown} is one too many.`);
    const goOn = (/** @type {number[]} */ all) =>
      this.#add({ next: all, isFree: all.some((one) => this.states[one].isFree) });
    switch (node.kind) {
      case "empty":
      case "wordMark":
        return next;
      case "text": {
        const points = Array.from(new TextDecoder().decode(node.bytes), (letter) => letter.codePointAt(0) ?? 0);
        return points.reduceRight((then, point) => this.#add({ ranges: [[point, point]], next: [then] }), next);
      }
      case "class":
        return this.#add({ ranges: node.ranges, next: [next] });
      case "sequence":
        return node.parts.reduceRight((then, part) => this.#build(part, then, shown), next);
      case "choice":
        return goOn(node.parts.map((part) => this.#build(part, next, shown)));
      case "repeat": {
        let then = next;
        for (let i = node.least; i < node.most; i++) then = goOn([this.#build(node.body, then, shown), next]);
        for (let i = 0; i < node.least; i++) then = this.#build(node.body, then, shown);
        return then;
      }
      case "pattern":
        return this.#build(node.body, next, shown);
      case "start":
        return this.#add({ edge: (before) => before === NONE, next: [next] });
      case "end":
        return this.#add({ edge: (_, after) => after === NONE, next: [next] });
      case "edge": {
        const { negative, ignoresCase } = node;
        const edge = (/** @type {number} */ before, /** @type {number} */ after) =>
          (isWord(before, ignoresCase) !== isWord(after, ignoresCase)) !== negative;
        return this.#add({ edge, next: [next] });
      }
      default:
        // "nothing": no text has it.
        return this.#add({ ranges: [], next: [next] });
    }
  }
}

/** As \w: with the flags i and u, two letters have forms in it. @param {number} point @param {boolean} ignoresCase */
function isWord(point, ignoresCase) {
  const isAscii =
    (point > 96 && point < 123) || (point > 64 && point < 91) || (point > 47 && point < 58) || point === 95;
  return isAscii || (ignoresCase && (point === 0x17f || point === 0x212a));
}

/** @param {[number, number][]} ranges ascending @param {number} point */
function includes(ranges, point) {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle][1] < point) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length && ranges[low][0] <= point;
}

/** The automatons of lists, which the texts of a call share. @type {WeakMap<readonly Ban[], Automaton>} */
const automatons = new WeakMap();

/**
 * @typedef {object} Found
 * @property {number} start of the banned text, in UTF-16 units of the whole text
 * @property {string} shown
 */

export class BannedTexts {
  #bans;
  #automaton;
  /** States that begun matches have reached, and where these began, in ascending order. */
  #live = { states: /** @type {number[]} */ ([]), starts: /** @type {number[]} */ ([]) };
  #before = NONE;
  /** Length of the text, in UTF-16 units. */
  #length = 0;
  /** The round in which a state was visited last. */
  #visited;
  #round = 0;
  /** @type {number[]} */
  #stack = [];

  /** @param {readonly Ban[]} bans */
  constructor(bans) {
    this.#bans = bans;
    let automaton = automatons.get(bans);
    if (!automaton) automatons.set(bans, (automaton = new Automaton(bans)));
    this.#automaton = automaton;
    this.#visited = new Float64Array(2 * automaton.states.length);
  }

  /** Where the text begins that may still become a banned one; the text's length if there is none. */
  get begun() {
    return this.#live.starts.length ? this.#live.starts[0] : this.#length;
  }

  /**
   * Reads more of the text.
   * @param {string} text
   * @returns {Found | undefined} the first banned text; of those that end at the same place, the one that begins first
   */
  push(text) {
    for (let at = 0; at < text.length;) {
      const point = /** @type {number} */ (text.codePointAt(at));
      const found = this.#step(point, point > 0xffff ? 2 : 1);
      if (found) return found;
      at += point > 0xffff ? 2 : 1;
    }
    return undefined;
  }

  /** The text has ended. @returns {Found | undefined} */
  end() {
    return this.#step(NONE, 0);
  }

  /**
   * What `push` would find, which changes nothing.
   * @param {string} text
   * @returns {Found | undefined}
   */
  peek(text) {
    const [live, before, length] = [this.#live, this.#before, this.#length];
    const found = this.push(text);
    this.#live = live;
    this.#before = before;
    this.#length = length;
    return found;
  }

  /**
   * Goes to the end of another text, which has no banned one.
   * @param {string} text
   */
  restart(text) {
    // One character more than a match has, because an edge looks at the character before.
    const from = Math.max(0, text.length - 2 * LONGEST_BAN - 2);
    this.#live = { states: [], starts: [] };
    this.#before = from ? text.charCodeAt(from - 1) : NONE;
    this.#length = from;
    this.push(text.slice(from));
  }

  /**
   * @param {number} point the next code point, or NONE
   * @param {number} units
   * @returns {Found | undefined}
   */
  #step(point, units) {
    const { states: all } = this.#automaton;
    const next = { states: /** @type {number[]} */ ([]), starts: /** @type {number[]} */ ([]) };
    const { states, starts: begins } = this.#live;
    const at = this.#length;
    this.#round++;
    // Whatever began first is followed first, so the first visit of a state is the one to keep.
    for (let i = 0; i < states.length; i++) {
      const ban = this.#follow(states[i], begins[i], point, next);
      if (ban !== undefined) return { start: begins[i], shown: this.#bans[ban].shown };
    }
    if (point === NONE) return undefined;
    for (const start of this.#automaton.startsWith(point)) this.#follow(start, at, point, next);
    this.#live = next;
    this.#before = point;
    this.#length = at + units;
    for (let i = 0; i < next.states.length; i++) {
      const state = all[next.states[i]];
      if (state.isFree) return { start: next.starts[i], shown: this.#bans[this.#freeBan(state)].shown };
    }
    return undefined;
  }

  /**
   * Follows a match through the next code point.
   * @param {number} from state
   * @param {number} start
   * @param {number} point
   * @param {{ states: number[], starts: number[] }} next
   * @returns {number | undefined} the ban that ends before the code point
   */
  #follow(from, start, point, next) {
    const { states: all } = this.#automaton;
    const visited = this.#visited;
    const stack = this.#stack;
    stack.length = 0;
    stack.push(from);
    while (stack.length) {
      const at = /** @type {number} */ (stack.pop());
      if (visited[2 * at] === this.#round) continue;
      visited[2 * at] = this.#round;
      const state = all[at];
      if (state.ban !== undefined && start < this.#length) return state.ban;
      if (state.edge && !state.edge(this.#before, point)) continue;
      if (!state.ranges) for (const one of state.next) stack.push(one);
      else if (includes(state.ranges, point) && visited[2 * state.next[0] + 1] !== this.#round) {
        visited[2 * state.next[0] + 1] = this.#round;
        next.states.push(state.next[0]);
        next.starts.push(start);
      }
    }
    return undefined;
  }

  /** The ban that a free state ends. @param {State} state @returns {number} */
  #freeBan(state) {
    const { states: all } = this.#automaton;
    while (state.ban === undefined) state = all[/** @type {number} */ (state.next.find((one) => all[one].isFree))];
    return state.ban;
  }
}
