// Sampling token by token: one continuation, or several in one batch. A drafter may propose tokens for each continuation,
// which one pass of the model verifies.
import { LastInchError } from "../../core/errors.js";
import { ROWS_LIMIT } from "../../core/layouts.js";
import { Sampler } from "../../sampler/sampler.js";
import { resolveOptions } from "../../sampler/options.js";
import { allowWatermarks } from "../../sampler/watermark-options.js";
import { Continuation } from "../continuation.js";
import { drafting } from "../drafters/drafting.js";
import { TakingBack } from "../taking-back.js";
import { treeRuns } from "../tree-runs.js";

/** @typedef {import("../constraint.js").TextConstraint} TextConstraint */
/** @typedef {import("../decode-types.js").Sequence} Sequence */
/** @typedef {import("../loop.js").Call} Call */
/** @typedef {import("../loop.js").LogitSource} LogitSource */

/**
 * Proposals of which several may be the next token.
 * @typedef {object} Tree
 * @property {number[]} tokens
 * @property {number[]} parents of each token, the index of the one that it follows, which comes before it; -1:
 *   lane.pending. The tokens that follow the same one differ
 */

/**
 * Proposes the next tokens of a text.
 * @typedef {object} Drafter
 * @property {(lane: Lane, most: number) => number[] | Tree | Promise<number[]>} propose up to `most` tokens to
 *   follow lane.pending. Drafters that verify (choose) or see rows propose no trees
 * @property {(lane: Lane, row: number, logits: number) => number} [choose] verifies proposal `row` and returns the
 *   chosen token. Without choose the sampler chooses, and an equal proposal is accepted
 * @property {(lane: Lane, row: number, logits: number) => void} [see] called with every row, even after a rejection
 * @property {(lane: Lane, place: number, position: number) => void} [follow] called with each row from which a token,
 *   lane.pending, has been chosen: its place in the pass and its position
 * @property {(position: number, token: number, place: number) => void} [note] called with each other row of the text:
 *   its position, the token that follows it, and its place in the pass
 * @property {(ids: Uint32Array) => number} [covered] how many positions of a prompt need no pass for the drafter's sake
 * @property {(length: number) => void} [cut] called when the text was taken back to `length` positions and goes on with
 *   another token; without it a new drafter takes over
 * @property {(pace: any) => Drafter} [fork] makes a drafter for another continuation of what it has noted
 * @property {(lane: Lane, accepted: number) => void} [settle] called with the number of accepted proposals
 * @property {() => void} dispose
 */

// The options arrive read, but a lane reads them again with its stream and matcher.
allowWatermarks();

/** One continuation. */
export class Lane {
  /** Chosen tokens that have not run yet. @type {number[]} */
  pending = [];
  /** Tokens that may follow them. @type {number[]} */
  proposals = [];
  /** If the proposals are a tree: the parents of its tokens. @type {number[] | undefined} */
  parents;
  /** The row from which the next token is chosen: the first is that of the pending tokens, the others are of proposals. */
  row = 0;
  /** The tokens that this pass has chosen. @type {number[]} */
  chosen = [];
  /** Whether the proposals must follow. */
  isForced = false;
  /** The next tokens if the grammar allows no others. @type {number[]} */
  forced = [];
  /** Whether the last token was forced. If no token follows it, the model chooses the next one. */
  wasForced = false;
  accepted = 0;
  isRejected = false;
  /** @type {TakingBack | undefined} */
  takingBack;

  /**
   * @param {Sampler} sampler
   * @param {Continuation} continuation
   * @param {Sequence} sequence
   * @param {TextConstraint} [constraint]
   * @param {Drafter} [drafter]
   */
  constructor(sampler, continuation, sequence, constraint, drafter) {
    this.sampler = sampler;
    this.continuation = continuation;
    this.sequence = sequence;
    this.constraint = constraint;
    this.drafter = drafter;
  }

  /**
   * The row of the proposal of a token that follows a row, or -1.
   * @param {number} row
   * @param {number} id
   */
  rowOf(row, id) {
    const { parents, proposals } = this;
    if (!parents) return proposals[row] === id ? row + 1 : -1;
    return parents.findIndex((parent, i) => parent === row - 1 && proposals[i] === id) + 1 || -1;
  }

  dispose() {
    this.sampler.dispose();
    this.constraint?.dispose();
    this.drafter?.dispose();
  }
}

/**
 * A run of a lane: its sequence with the first proposals, or a branch of it.
 * @typedef {import("../tree-runs.js").TreeRun & { lane: Lane }} LaneRun
 */

export class SamplingStrategy {
  #call;
  #source;
  /** @type {Lane[]} */
  #lanes = [];
  #drafting;
  /** Of the first lane, until it takes it. @type {Drafter | undefined} */
  #drafter;

  /** @param {Call} call */
  static async open(call) {
    const sampling = new SamplingStrategy(call, call.source);
    try {
      await sampling.#begin();
      return sampling;
    } catch (error) {
      sampling.dispose();
      throw error;
    }
  }

  /**
   * @param {Call} call
   * @param {LogitSource} source
   */
  constructor(call, source) {
    this.#call = call;
    this.#source = source;
    this.#drafting = drafting(call);
  }

  isOver() {
    return this.#lanes.every(({ continuation }) => continuation.isOver);
  }

  dispose() {
    const { engine, ids } = this.#call;
    this.#drafter?.dispose();
    this.#lanes.forEach((lane, i) => {
      const { sequence, continuation } = lane;
      engine.texts.learn(sequence.tokens, i ? ids.length : continuation.usage.cachedTokens);
      lane.dispose();
    });
  }

  /** All continuations share the keys and values of the prompt. */
  async #begin() {
    const { engine, ids, settings, constraint, job } = this.#call;
    const { given } = settings.sampler;
    const { n } = settings;
    const base = this.#source.open(ids);
    const drafter = (this.#drafter = this.#drafting?.open());
    const covered = drafter?.covered?.(ids) ?? Infinity;
    // With a few more rows the drafter sees the whole prompt; not where a cut would lose the text (see Sequences.least).
    const isCut = this.#source === engine.sequences && covered >= engine.sequences.least(base);
    if (isCut && engine.sequences.branches && base.tokens.length - covered <= ROWS_LIMIT)
      this.#source.truncate(base, covered);
    const cached = base.tokens.length;
    const run = { sequence: base, ids: ids.subarray(cached, -1), wanted: 0 };
    if (n > 1)
      await this.#source.run(
        [run],
        job,
        undefined,
        tapsOf([run], ids, () => drafter),
      );
    for (let i = 0; i < n; i++) {
      const own = constraint && (i ? constraint.fork() : constraint);
      const stream = (given.stream ?? 0) + i;
      const options = i || own ? resolveOptions({ ...given, stream, grammar: own?.matcher }) : settings.sampler;
      const sampler = new Sampler(engine.instance, options, this.#lanes[0]?.sampler.address);
      const sequence = i ? this.#source.fork(base) : base;
      const lane = new Lane(sampler, new Continuation(this.#call, n > 1 ? i : undefined), sequence, own);
      this.#lanes.push(lane);
      lane.drafter = i ? (drafter?.fork?.(this.#drafting?.pace) ?? this.#drafting?.open()) : drafter;
      this.#drafter = undefined;
      sampler.accept(ids, { prompt: true });
      lane.pending = [...ids.subarray(sequence.tokens.length)];
      lane.continuation.usage.cachedTokens = cached;
      if (lane.continuation.past) lane.takingBack = new TakingBack(engine, settings);
    }
  }

  async step() {
    const { job } = this.#call;
    const lanes = this.#lanes.filter(({ continuation }) => !continuation.isOver);
    const pace = this.#drafting?.pace;
    pace?.begin(lanes.length);
    for (const lane of lanes) await this.#propose(lane);
    const starts = lanes.map(({ sequence, pending }) => sequence.tokens.length + pending.length);
    const runs = lanes.flatMap((lane) => this.#runsOf(lane));
    const isUsual = lanes.every(({ pending, isForced }) => pending.length === 1 && !isForced);
    const began = performance.now();
    await this.#source.run(
      runs,
      job,
      (run, row, logits, place, raw = logits) => {
        const { lane, rows } = runs[run];
        this.#read(lane, rows[row], logits, raw, place);
      },
      tapsOf(runs, this.#call.ids, (run) => runs[run].lane.drafter),
    );
    const ms = performance.now() - began;
    lanes.forEach((lane, i) => {
      const { sequence, proposals, accepted, drafter, takingBack } = lane;
      if (lane.parents) this.#cutTree(lane, runs, starts[i]);
      if (takingBack?.isBack) return this.#goBack(lane);
      if (accepted < proposals.length) this.#source.truncate(sequence, starts[i] + accepted);
      if (!lane.isForced) drafter?.settle?.(lane, accepted);
    });
    if (!isUsual) return;
    const [rows, tokens] = [total(lanes, (lane) => lane.proposals.length), total(lanes, (lane) => lane.accepted)];
    pace?.notePass(lanes.length + rows, lanes.length + tokens, ms);
  }

  /**
   * The runs of a lane: its pending tokens, and the tree of its proposals.
   * @param {Lane} lane
   * @returns {LaneRun[]}
   */
  #runsOf(lane) {
    const { sequence, pending, proposals, parents } = lane;
    if (!proposals.length) return [{ lane, sequence, ids: pending, wanted: 1, rows: [0] }];
    const runs = treeRuns(this.#call.engine.sequences, sequence, pending, proposals, parents);
    return runs.map((run) => ({ ...run, lane }));
  }

  /**
   * Makes the accepted branch the sequence of a lane, and drops the others.
   * @param {Lane} lane
   * @param {LaneRun[]} runs of all lanes
   * @param {number} start position after the pending tokens
   */
  #cutTree(lane, runs, start) {
    const { sequences } = this.#call.engine;
    for (const run of runs) {
      if (run.lane !== lane || run.sequence === lane.sequence) continue;
      if (run.rows.includes(lane.row)) sequences.adopt(lane.sequence, run.sequence, start + lane.accepted);
      else sequences.drop(run.sequence);
    }
  }

  /**
   * Cuts the sequence of a lane whose text was taken back.
   * @param {Lane} lane
   */
  #goBack(lane) {
    const { sequence, continuation } = lane;
    const length = this.#call.ids.length + continuation.count - 1;
    lane.pending = [sequence.tokens[length]];
    this.#source.truncate(sequence, length);
    if (lane.takingBack) lane.takingBack.isBack = false;
    if (lane.drafter?.cut) return lane.drafter.cut(length);
    lane.drafter?.dispose();
    lane.drafter = this.#drafting?.open();
  }

  /** @param {Lane} lane */
  async #propose(lane) {
    const { settings } = this.#call;
    const { drafter, continuation, sequence, pending, takingBack } = lane;
    const left = this.#source.contextLength - sequence.tokens.length - pending.length;
    const most = Math.min(settings.maxTokens - continuation.count, left);
    this.#force(lane);
    lane.isForced = lane.forced.length > 0;
    /** @type {number[] | Tree} */
    let proposals = [];
    if (lane.isForced) proposals = lane.forced.slice(0, Math.max(0, most));
    else if (drafter && most > 1 && !takingBack?.refuses(continuation.count))
      proposals = await drafter.propose(lane, most - 1);
    [lane.proposals, lane.parents] = Array.isArray(proposals) ? [proposals] : [proposals.tokens, proposals.parents];
    lane.accepted = lane.row = 0;
    lane.chosen = [];
    lane.isRejected = false;
    const { usage } = continuation;
    usage.passes++;
    const proposed = lane.isForced ? [] : lane.proposals;
    usage.draftedTokens += proposed.length;
    if (settings.captureDrafts)
      continuation.showDraft(
        [...proposed],
        proposed.map((_, i) => lane.parents?.[i] ?? i - 1),
      );
  }

  /**
   * Finds the forced tokens. These do not depend on where a pass begins, so drafts do not change the text.
   * @param {Lane} lane
   */
  #force(lane) {
    const { constraint, continuation } = lane;
    if (lane.forced.length) return;
    const closing = continuation.thought?.forced();
    if (closing) {
      lane.forced = closing;
      return;
    }
    if (!constraint || !continuation.count || lane.wasForced) return;
    lane.forced = constraint.forced(this.#call.engine.tokenizer, this.#call.settings.maxTokens - continuation.count);
  }

  /**
   * @param {Lane} lane
   * @param {number} row
   * @param {number} logits
   * @param {number} raw the model's own
   * @param {number} place of the row in the pass
   */
  #read(lane, row, logits, raw, place) {
    const { continuation, drafter } = lane;
    drafter?.see?.(lane, row, logits);
    if (lane.isRejected || continuation.isOver || row !== lane.row) return;
    const position = this.#call.ids.length + continuation.count;
    if (row) this.#force(lane);
    let id = this.#write(lane, row, logits, raw, position);
    // What begins a banned text by itself is refused at once: the row is still there.
    while (id === undefined && !lane.takingBack?.isBack) id = this.#write(lane, row, logits, raw, position);
    const next = id === undefined ? -1 : lane.rowOf(row, id);
    if (next > 0) {
      lane.row = next;
      lane.accepted++;
      if (!lane.isForced) continuation.usage.acceptedTokens++;
    } else lane.isRejected = true;
    if (id === undefined) return;
    lane.pending = [id];
    lane.chosen.push(id);
    drafter?.follow?.(lane, place, position - 1);
  }

  /**
   * Chooses a token and writes it.
   * @param {Lane} lane
   * @param {number} row
   * @param {number} logits
   * @param {number} raw
   * @param {number} position
   * @returns {number | undefined} undefined: the text was taken back
   */
  #write(lane, row, logits, raw, position) {
    const { engine, settings } = this.#call;
    const { sampler, continuation, constraint, takingBack } = lane;
    let id = lane.forced.shift();
    const isForced = id !== undefined;
    id ??= takingBack
      ? takingBack.choose(lane, [logits, raw], () => this.#choose(lane, row, logits, raw))
      : this.#choose(lane, row, logits, raw);
    if (id === undefined) return undefined;
    const isOnly = isForced || takingBack?.isOnly;
    takingBack?.note(lane, id, isForced);
    lane.wasForced = isForced;
    if (isForced) sampler.accept([id]);
    else sampler.emit(id);
    const token = engine.token(id, raw, isOnly ? 1 : sampler.lastProbability, settings.captureLogits);
    const bytes = settings.bans.length ? constraint?.forcedBytes() : undefined;
    const fault = continuation.write(token, position, bytes);
    return fault && takingBack?.turn(lane, fault) ? undefined : id;
  }

  /**
   * @param {Lane} lane
   * @param {number} row
   * @param {number} logits
   * @param {number} raw
   */
  #choose(lane, row, logits, raw) {
    const { sampler, drafter, proposals, takingBack } = lane;
    const isDrafted = proposals[row] !== undefined && !takingBack?.refuses(lane.continuation.count);
    const chooseFrom = (/** @type {number} */ at) =>
      isDrafted && drafter?.choose ? drafter.choose(lane, row, at) : sampler.chooseAt(at);
    try {
      return chooseFrom(logits);
    } catch (error) {
      // A contrast keeps few tokens. If the options mask all of them, the token is sampled from the model's own row.
      if (raw === logits || !(error instanceof LastInchError && error.code === "nothing-left")) throw error;
      return chooseFrom(raw);
    }
  }
}

/**
 * Tells drafters of the rows from which no token is chosen.
 * @param {import("../decode-types.js").Run[]} runs
 * @param {Uint32Array} ids the prompt, of which a pass may end before the run does
 * @param {(run: number) => Drafter | undefined} drafterOf
 * @returns {import("../decode-types.js").Taps | undefined}
 */
function tapsOf(runs, ids, drafterOf) {
  if (!drafterOf(0)?.note) return undefined;
  return {
    layers: [],
    see(run, position, place) {
      const next = runs[run].sequence.tokens[position + 1] ?? ids[position + 1];
      drafterOf(run)?.note?.(position, next, place);
    },
  };
}

/**
 * @param {Lane[]} lanes
 * @param {(lane: Lane) => number} count
 */
function total(lanes, count) {
  return lanes.reduce((sum, lane) => sum + count(lane), 0);
}
