// The number of tokens to propose at a time: the number with the most tokens a second. It may be 0.
//
// Let a_i be the probability that proposal i is accepted if all before it were. Then k proposals give
// 1 + a_1 + a_1 a_2 + ... + a_1 ... a_k tokens for one pass of k + 1 rows and k tokens of the draft (Leviathan et al.,
// "Fast inference from transformers via speculative decoding", 2023, with one a for all). Both the
// tokens and the time are measured while the text is written. Acceptance is measured by position and by kind of proposal.
// Times are means over many passes, since browser clocks may tick every 100 us. Their unit is the machine's present speed,
// which changes with its load. The time that drafting lost against plain passes is recorded; above a limit drafting pauses.
// So text is never much slower than without a draft, even if all estimates are wrong.
//
// With a draft model and a temperature above 0, the number of proposals decides which random number is used for which choice.
// The number does not depend on later draws, so the distribution stays the same. But it depends on the clock, and so does the
// text of a seed. With a fixed number the same seed gives the same text.

/** Numbers of rows to try: models compute four rows at a time. */
const ARMS = [1, 3, 7, 15];
/** More proposals than this never pay. */
export const MOST_PROPOSALS = ARMS[ARMS.length - 1];
/** Passes to time before the first proposal. */
const FIRST = 4;
/** Number of samples in a mean. */
const MEMORY = 64;
/** The weight of the last pass in the machine's speed. */
const NEWS = 1 / 12;
/** Limit of repeated passes if the clock is coarse. */
const LONGEST = 50;
/** Passes after which decisions read the times again. */
const RECENT = 8;
/** The estimated gain that drafting must have: less is within what load does to the times, and may be a loss. */
const MARGIN = 1.1;
/** The gain with which it goes on, so that noise does not switch it on and off. */
const LAST_MARGIN = 1.08;
/** The gain of a number of proposals that has been chosen so fewer than KNOWN times: it must become known. */
const FIRST_MARGIN = 1.02;
const KNOWN = 20;
/** Passes until drafting that did not pay is tried again. Doubles each time, up to a limit. */
const FIRST_GAP = 16;
const LAST_GAP = 512;
/** One of this many passes is plain, to measure its time. */
const PLAIN_EVERY = 24;
/** Consecutive passes with an estimated gain after which drafting counts as paying off. */
const SURE = 12;
/** How much time drafting may lose: a number of plain passes, plus a share of all time. */
const CREDIT = 3;
const SHARE = 0.03;
/**
 * The assumed cost of another row before the first measurement. It is lower than the real cost, so that rows are tried.
 */
const ROW = 0.8;

/** A moving mean. */
class Mean {
  sum = 0;
  count = 0;

  /**
   * @param {number} value
   * @param {number} [grain] factor of the number of samples that the mean covers
   */
  add(value, grain = 1) {
    if (this.count > MEMORY * grain) this.forget(1 - 1 / (MEMORY * grain));
    this.sum += value;
    this.count++;
  }

  /** @param {number} share of the weight that is kept */
  forget(share) {
    this.sum *= share;
    this.count *= share;
  }

  get value() {
    return this.sum / this.count;
  }
}

/** The acceptance of proposals by their position. */
class Acceptance {
  /** @type {Mean[]} */
  #places = Array.from({ length: MOST_PROPOSALS }, () => new Mean());
  #prior;

  /** @param {number} prior */
  constructor(prior) {
    this.#prior = prior;
  }

  /**
   * @param {number} accepted
   * @param {boolean} isRejected the next one was not
   */
  note(accepted, isRejected) {
    const last = this.#places.length - 1;
    for (let i = 0; i < accepted; i++) this.#places[Math.min(i, last)].add(1);
    if (isRejected) this.#places[Math.min(accepted, last)].add(0);
  }

  /**
   * The expected tokens of a pass, by the number of proposals from 0 on.
   * @param {number} most
   */
  expected(most) {
    const expected = [1];
    let all = 1;
    let rate = this.#prior;
    for (let i = 0; i < most; i++) {
      const place = this.#places[Math.min(i, MOST_PROPOSALS - 1)];
      // A rarely reached position takes the acceptance of the position before.
      rate = (place.sum + 2 * rate) / (place.count + 2);
      all *= rate;
      expected.push(expected[i] + all);
    }
    return expected;
  }

  /** What drafting costs, in units of noteDraft. @param {number} count */
  cost(count) {
    return count;
  }
}

/** @typedef {import("./draft-tree.js").TreeAcceptance} TreeAcceptance */

/** A fixed number of proposals. */
export class FixedPace {
  isFixed = true;
  isTiming = false;
  #tokens;

  /** @param {number} tokens */
  constructor(tokens) {
    this.#tokens = tokens;
  }

  begin() {}

  isSure() {
    return true;
  }

  /**
   * @param {number} _kind
   * @param {number} most
   */
  choose(_kind, most) {
    return Math.min(this.#tokens, most);
  }

  noteOutcome() {}
  noteDraft() {}
  notePass() {}
}

export class Pace {
  isFixed = false;
  #isFree;
  #rates;
  /** @type {Map<number, Acceptance>} by kind */
  #acceptances = new Map();
  /** The time of a pass by its number of rows, in units of the speed. @type {Map<number, Mean>} */
  #passes = new Map();
  /** Milliseconds of the unit now. */
  #speed = 0;
  /** The shortest time of a pass in ms: a tick of a coarse clock, or less than two passes of one row. */
  #tick = Infinity;
  /** The number of passes that are as precise as one pass with a fine clock. */
  #grain = 1;
  /** The times as of a few passes ago. @type {Map<number, number>} */
  #recent = new Map();
  #age = 0;
  #draft = new Mean();
  #lanes = 1;
  #gap = FIRST_GAP;
  #rested = 0;
  #streak = 0;
  /** How often each number was chosen to become known. @type {Map<number, number>} */
  #trials = new Map();
  /** Whether drafting pays, but the coming pass is plain, for its time. */
  isTiming = false;
  #isProbing = false;
  #isPromising = false;
  /** Time of the coming pass's proposals. */
  #spent = 0;
  #loss = 0;
  #total = 0;

  /**
   * @param {number[] | TreeAcceptance} rates assumed acceptance by kind of proposal, before the first measurement, or
   *   the acceptance of a drafter that measures it itself
   * @param {boolean} isFree whether proposals cost nothing, so acceptance is measured without running them
   */
  constructor(rates, isFree) {
    this.#rates = rates;
    this.#isFree = isFree;
  }

  /** @param {number} lanes continuations in the next pass */
  begin(lanes) {
    this.#lanes = lanes;
    this.isTiming = this.#isProbing = false;
    this.#spent = 0;
  }

  /** Whether drafting has paid off for some time, so it may cost more. */
  isSure() {
    return this.#streak > SURE;
  }

  /**
   * How many tokens to propose.
   * @param {number} kind of the proposals
   * @param {number} most
   * @returns {number}
   */
  choose(kind, most) {
    const lanes = this.#lanes;
    const plain = this.#passes.get(lanes);
    this.#rested++;
    if (!plain || plain.count < FIRST * this.#grain) return 0;
    if (this.#loss > SHARE * this.#total + CREDIT * plain.value) return 0;
    const [best, gain] = this.#best(kind, most, (rows) => this.#recentTime(rows));
    const trials = this.#trials.get(best) ?? 0;
    const isPaying = gain > (this.#streak ? LAST_MARGIN : MARGIN);
    if (isPaying || (gain > FIRST_MARGIN && trials < KNOWN * this.#grain)) {
      this.#rested = 0;
      if (isPaying) this.#gap = FIRST_GAP;
      else this.#trials.set(best, trials + 1);
      this.#streak = isPaying ? this.#streak + 1 : 0;
      this.isTiming = isPaying && this.#streak % PLAIN_EVERY === 0;
      return this.isTiming ? 0 : best;
    }
    this.#streak = 0;
    if (this.#rested < this.#gap) return 0;
    let tried = best;
    if (this.#isFree) {
      // Acceptance has been measured, but the times may be wrong.
      const [hoped, hope] = this.#best(kind, most, (rows) => plain.value * (1 + ROW * (rows / lanes - 1)));
      if (hope < FIRST_MARGIN) return 0;
      tried = hoped;
    }
    this.#rested = 0;
    this.#gap = Math.min(2 * this.#gap, LAST_GAP);
    this.#isProbing = true;
    this.#isPromising = gain > 0.9;
    return tried;
  }

  /**
   * The number of proposals with the most tokens a second, and its gain over a plain pass.
   * @param {number} kind
   * @param {number} most
   * @param {(rows: number) => number} time of a pass
   */
  #best(kind, most, time) {
    const lanes = this.#lanes;
    const acceptance = this.#acceptance(kind);
    const expected = acceptance.expected(Math.min(most, MOST_PROPOSALS));
    let [best, bestRate] = [1, 0];
    let before = 0;
    for (const arm of ARMS) {
      // The number grows step by step: too many proposals at once would be expensive.
      if (arm > most || (before && !this.#passes.has(lanes + before))) break;
      before = arm === ARMS[0] ? 0 : arm;
      const rate = (lanes - 1 + expected[arm]) / (time(lanes + arm) + acceptance.cost(arm) * this.#draftTime());
      if (rate > bestRate) [best, bestRate] = [arm, rate];
    }
    return [best, (bestRate * time(lanes)) / lanes];
  }

  /**
   * @param {number} kind
   * @param {number} accepted
   * @param {boolean} isRejected
   */
  noteOutcome(kind, accepted, isRejected) {
    const acceptance = this.#acceptance(kind);
    if (acceptance instanceof Acceptance) acceptance.note(accepted, isRejected);
    // Not oftener than every 32 passes: trials of what gains little may cost 3 % of the rows.
    if (this.#isProbing && this.#isPromising && !isRejected) this.#gap = Math.max(2 * FIRST_GAP, this.#gap / 4);
  }

  /**
   * Notes the time of drafting before the pass.
   * @param {number} tokens proposed, or heads that guessed; 0: preparation
   * @param {number} ms
   */
  noteDraft(tokens, ms) {
    if (!this.#speed) return;
    this.#spent += ms / this.#speed;
    for (let i = 0; i < tokens; i++) this.#draft.add(ms / tokens / this.#speed);
  }

  /**
   * @param {number} rows
   * @param {number} tokens that it gave
   * @param {number} ms
   */
  notePass(rows, tokens, ms) {
    const lanes = this.#lanes;
    // A number that was not tried for long loses weight in its mean, until it is tried again.
    this.#passes.forEach((mean, others) => others !== rows && mean.forget(0.9995));
    let mean = this.#passes.get(rows);
    if (!mean) this.#passes.set(rows, (mean = new Mean()));
    const usual = this.#time(rows);
    this.#speed ||= ms;
    const time = this.#speed && ms / this.#speed;
    // A much longer pass was interrupted and does not count, because longer passes are interrupted more often.
    if (ms > 0) this.#tick = Math.min(this.#tick, ms);
    const more = mean.count < FIRST ? usual : this.#time(lanes);
    const own = usual ? Math.min(time, usual + more + this.#tick / this.#speed) : time;
    // A pass shorter than a tick of the clock is imprecise.
    const grain = Math.min(LONGEST, Math.max(1, (this.#tick / (this.#speed * this.#time(lanes))) ** 2));
    if (mean.count >= FIRST * grain && usual) this.#speed *= 1 + (NEWS / grain) * (own / usual - 1);
    mean.add(own, grain);
    this.#grain = grain;
    if (mean.count <= FIRST || ++this.#age % RECENT === 0) this.#recent.clear();
    const plain = (this.#time(lanes) * tokens) / lanes;
    this.#total += plain;
    if (rows > lanes || this.#spent) this.#loss = Math.max(0, this.#loss + own + this.#spent - plain);
  }

  /** @param {number} kind */
  #acceptance(kind) {
    if (!Array.isArray(this.#rates)) return this.#rates;
    let acceptance = this.#acceptances.get(kind);
    if (!acceptance) this.#acceptances.set(kind, (acceptance = new Acceptance(this.#rates[kind])));
    return acceptance;
  }

  /**
   * The time of a pass with this number of rows.
   * @param {number} rows
   */
  #time(rows) {
    const mean = this.#passes.get(rows) ?? new Mean();
    if (mean.count >= FIRST) return mean.value;
    return (mean.sum + this.#guessTime(rows)) / (mean.count + 1);
  }

  /**
   * The same, from a cache of a few passes.
   * @param {number} rows
   */
  #recentTime(rows) {
    let time = this.#recent.get(rows);
    if (time === undefined) this.#recent.set(rows, (time = this.#time(rows)));
    return time;
  }

  /**
   * Estimates the time of a rarely tried number of rows: extrapolates from the two measured numbers below it, with at
   * most their time for each row.
   * @param {number} rows
   */
  #guessTime(rows) {
    const known = [...this.#passes].filter(([others, { count }]) => others !== rows && count >= FIRST / 2);
    known.sort(([a], [b]) => a - b);
    const below = known.filter(([others]) => others < rows);
    const [others, { value }] = below[below.length - 1] ?? known[0] ?? [1, { value: 0 }];
    const [fewer, less] = below[below.length - 2] ?? [0, { value: 0 }];
    const slope = Math.max(0, Math.min((value - less.value) / (others - fewer), (ROW * value) / others));
    return value + slope * (rows - others);
  }

  #draftTime() {
    return this.#isFree || !this.#draft.count ? 0 : this.#draft.value;
  }
}

/** Of a model and a drafter, kept for later texts. @type {WeakMap<object, WeakMap<object, Pace>>} */
const paces = new WeakMap();

/**
 * @param {object} engine
 * @param {object} drafter whose times and rates are its own
 * @param {number | "auto"} tokens
 * @param {() => Pace} make
 */
export function paceOf(engine, drafter, tokens, make) {
  if (tokens !== "auto") return new FixedPace(tokens);
  let own = paces.get(engine);
  if (!own) paces.set(engine, (own = new WeakMap()));
  let pace = own.get(drafter);
  if (!pace) own.set(drafter, (pace = make()));
  return pace;
}
