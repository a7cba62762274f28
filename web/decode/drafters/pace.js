// How many tokens to propose at a time: as many as give the most text for the time, which may be none.
//
// With a_i the probability that proposal i is accepted when those before it were, k proposals give
// 1 + a_1 + a_1 a_2 + ... + a_1 ... a_k tokens for one pass of k + 1 rows and k tokens of the draft (Leviathan et al.,
// "Fast inference from transformers via speculative decoding", 2023, with one a for all). Both sides are measured while
// the text is written: acceptance by position and by kind of proposal, times as means over many passes, since the clocks
// of browsers may be as coarse as 100 us, and in units of the machine's present speed, since that changes when others use
// it. What drafting has lost against plain passes is on account: beyond its share it has to rest, so that text is never
// much slower than without a draft, however wrong the estimates are.
//
// With a second model and a temperature the numbers of proposals have a say in which random numbers are used for what. Those
// do not depend on what is not yet drawn, so they change nothing of the distribution; but where they depend on the clock,
// so does the text. A number that is given is obeyed: then the same seed gives the same text.

/** Rows of passes that are tried: models work on four at a time. */
const ARMS = [1, 3, 7, 15];
/** More proposals than this are never worth their while. */
export const MOST_PROPOSALS = ARMS[ARMS.length - 1];
/** Passes that are timed before anything is tried. */
const FIRST = 4;
/** Samples that a mean remembers. */
const MEMORY = 64;
/** How much the last pass says of the machine's speed. */
const NEWS = 1 / 12;
/** Most that passes are to be repeated because the clock is coarse. */
const LONGEST = 50;
/** Passes after which decisions look at the times anew. */
const RECENT = 8;
/** By how much drafting must seem to gain. */
const MARGIN = 1.02;
/** Passes until drafting that did not pay is tried again; each time twice as many, up to a limit. */
const FIRST_GAP = 16;
const LAST_GAP = 512;
/** A plain pass among so many others, to know what it takes. */
const PLAIN_EVERY = 24;
/** Passes in a row that seemed to pay, after which they are thought to. */
const SURE = 12;
/** What may be lost: so many plain passes, and a share of the time. */
const CREDIT = 3;
const SHARE = 0.03;
/** What a row beside others is taken to cost before that is measured: a little less than it does, so that it is tried. */
const ROW = 0.8;

/** A mean that forgets. */
class Mean {
  sum = 0;
  count = 0;

  /**
   * @param {number} value
   * @param {number} [grain] how many times as many it shall remember
   */
  add(value, grain = 1) {
    if (this.count > MEMORY * grain) this.forget(1 - 1 / (MEMORY * grain));
    this.sum += value;
    this.count++;
  }

  /** @param {number} share that stays */
  forget(share) {
    this.sum *= share;
    this.count *= share;
  }

  get value() {
    return this.sum / this.count;
  }
}

/** How often proposals are accepted, by their place. */
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
   * Tokens that a pass gives, by the number of proposals from 0 on.
   * @param {number} most
   */
  expected(most) {
    const expected = [1];
    let all = 1;
    let rate = this.#prior;
    for (let i = 0; i < most; i++) {
      const place = this.#places[Math.min(i, MOST_PROPOSALS - 1)];
      // A place that was seldom reached is like the one before it.
      rate = (place.sum + 2 * rate) / (place.count + 2);
      all *= rate;
      expected.push(expected[i] + all);
    }
    return expected;
  }
}

/** A number that is obeyed. */
export class FixedPace {
  isFixed = true;
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
  #priors;
  /** @type {Map<number, Acceptance>} by kind */
  #acceptances = new Map();
  /** What passes take, by rows, in units of the speed. @type {Map<number, Mean>} */
  #passes = new Map();
  /** Milliseconds that the unit takes now. */
  #speed = 0;
  /** The least milliseconds that a pass has taken: what a coarse clock can tell, or less than two passes of one row. */
  #tick = Infinity;
  /** How many passes say as much as one with a fine clock. */
  #grain = 1;
  /** Those as they were a few passes ago. @type {Map<number, number>} */
  #recent = new Map();
  #age = 0;
  #draft = new Mean();
  #lanes = 1;
  #gap = FIRST_GAP;
  #rested = 0;
  #streak = 0;
  #isProbing = false;
  #isPromising = false;
  /** What went into proposals of the coming pass. */
  #spent = 0;
  #loss = 0;
  #total = 0;

  /**
   * @param {number[]} priors acceptance by kind of proposal, before it is known
   * @param {boolean} isFree whether proposals cost nothing, so that it is seen without a try which would be accepted
   */
  constructor(priors, isFree) {
    this.#priors = priors;
    this.#isFree = isFree;
  }

  /** @param {number} lanes continuations that are written side by side in the coming pass */
  begin(lanes) {
    this.#lanes = lanes;
    this.#isProbing = false;
    this.#spent = 0;
  }

  /** Whether drafting has paid for some time, so that more can be spent on it. */
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
    if (gain > MARGIN) {
      this.#gap = FIRST_GAP;
      this.#rested = 0;
      return ++this.#streak % PLAIN_EVERY ? best : 0;
    }
    this.#streak = 0;
    if (this.#rested < this.#gap) return 0;
    let tried = best;
    if (this.#isFree) {
      // Acceptance is known, but times may have been mistaken.
      const [hoped, hope] = this.#best(kind, most, (rows) => plain.value * (1 + ROW * (rows / lanes - 1)));
      if (hope < MARGIN) return 0;
      tried = hoped;
    }
    this.#rested = 0;
    this.#gap = Math.min(2 * this.#gap, LAST_GAP);
    this.#isProbing = true;
    this.#isPromising = gain > 0.9;
    return tried;
  }

  /**
   * The number of proposals that gives most tokens for the time, and how many times those of a plain pass.
   * @param {number} kind
   * @param {number} most
   * @param {(rows: number) => number} time of a pass
   */
  #best(kind, most, time) {
    const lanes = this.#lanes;
    const expected = this.#acceptance(kind).expected(Math.min(most, MOST_PROPOSALS));
    let [best, bestRate] = [1, 0];
    let before = 0;
    for (const arm of ARMS) {
      // From one to the next: many at once that prove too many would be dear.
      if (arm > most || (before && !this.#passes.has(lanes + before))) break;
      before = arm === ARMS[0] ? 0 : arm;
      const rate = (lanes - 1 + expected[arm]) / (time(lanes + arm) + arm * this.#draftTime());
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
    this.#acceptance(kind).note(accepted, isRejected);
    if (this.#isProbing && this.#isPromising && !isRejected) this.#gap = Math.max(FIRST_GAP, this.#gap / 4);
  }

  /**
   * What drafting took before the pass.
   * @param {number} tokens proposed; 0: what must be done before
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
    // What was not tried for long is forgotten little by little, and looks worth a try again.
    this.#passes.forEach((mean, others) => others !== rows && mean.forget(0.9995));
    let mean = this.#passes.get(rows);
    if (!mean) this.#passes.set(rows, (mean = new Mean()));
    const usual = this.#time(rows);
    this.#speed ||= ms;
    const time = this.#speed && ms / this.#speed;
    // What takes longer was interrupted, which longer passes are more often: it must not count as theirs.
    if (ms > 0) this.#tick = Math.min(this.#tick, ms);
    const more = mean.count < FIRST ? usual : this.#time(lanes);
    const own = usual ? Math.min(time, usual + more + this.#tick / this.#speed) : time;
    // Of a pass that is shorter than a tick of the clock little is learned.
    const grain = Math.min(LONGEST, Math.max(1, (this.#tick / (this.#speed * this.#time(lanes))) ** 2)) || 1;
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
    let acceptance = this.#acceptances.get(kind);
    if (!acceptance) this.#acceptances.set(kind, (acceptance = new Acceptance(this.#priors[kind])));
    return acceptance;
  }

  /**
   * What a pass with so many rows takes.
   * @param {number} rows
   */
  #time(rows) {
    const mean = this.#passes.get(rows) ?? new Mean();
    if (mean.count >= FIRST) return mean.value;
    return (mean.sum + this.#guessTime(rows)) / (mean.count + 1);
  }

  /**
   * The same, looked up where it was asked for a few passes ago.
   * @param {number} rows
   */
  #recentTime(rows) {
    let time = this.#recent.get(rows);
    if (time === undefined) this.#recent.set(rows, (time = this.#time(rows)));
    return time;
  }

  /**
   * What a number of rows should cost that was seldom tried: on the line through the two below it that are known, but not
   * more for a row than those cost each.
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

/** @type {WeakMap<object, Map<unknown, Pace>>} what was learned of a model with a draft stays for its next texts */
const paces = new WeakMap();

/**
 * @param {object} engine
 * @param {{ by: unknown, tokens: number | "auto" }} draft
 * @param {number[]} priors
 * @param {boolean} isFree
 */
export function paceOf(engine, { by, tokens }, priors, isFree) {
  if (tokens !== "auto") return new FixedPace(tokens);
  let own = paces.get(engine);
  if (!own) paces.set(engine, (own = new Map()));
  let pace = own.get(by);
  if (!pace) own.set(by, (pace = new Pace(priors, isFree)));
  return pace;
}
