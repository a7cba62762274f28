// Trees of proposals: which guesses of which heads to run, by how often each has been right.
//
// Head d guesses the token at depth d, whatever the tokens before it are. Its guess of rank r is right with the rate
// a_dr, if the guesses before it were. A node of the tree is a guess after other guesses, and is reached with the
// product of the rates on its path. The tree of k nodes with the most tokens a pass has the k largest products (Cai et
// al., "Medusa", 2024, section 2.3.3, who measure the rates once on a set of texts; here they are measured while texts
// are written).

/** Guesses of a head that take part in a tree. */
const WIDTH = 8;
/** The weight of the assumed rates, as a number of tokens. */
const PRIOR = 8;
/** Tokens of a head that its rates remember best. */
const MEMORY = 512;
/** Tokens after which the tree is drawn anew. */
const RECENT = 16;

/** @typedef {{ parent: number, depth: number, rank: number }} Node parent: its index, or -1; depth: from 0 */

export class TreeAcceptance {
  /** By depth and rank, how often the guess was right, of how many. */
  #depths;
  /** The nodes by falling products. @type {(Node & { product: number })[]} */
  #nodes = [];
  #age = 0;

  /**
   * @param {number} heads
   * @param {number} [width] guesses of a head that take part; 1: a chain
   */
  constructor(heads, width = WIDTH) {
    this.width = width;
    this.#depths = Array.from({ length: heads }, (_, depth) => ({
      count: PRIOR,
      right: Float64Array.from({ length: width }, (_, rank) => (PRIOR * 0.6 * 0.85 ** depth) / (1 + rank) ** 1.5),
    }));
  }

  /**
   * Notes a token that follows accepted guesses.
   * @param {number} depth of the head that guessed it
   * @param {number} rank of the token among the guesses; -1: none of them
   */
  see(depth, rank) {
    const at = this.#depths[depth];
    if (at.count > MEMORY) {
      at.count /= 2;
      for (let i = 0; i < this.width; i++) at.right[i] /= 2;
    }
    at.count++;
    if (rank >= 0) at.right[rank]++;
    if (++this.#age % RECENT === 0) this.#nodes = [];
  }

  /**
   * The expected tokens of a pass, by the number of nodes from 0 on.
   * @param {number} most
   */
  expected(most) {
    const expected = [1];
    for (const { product } of this.#grow(most)) expected.push(expected[expected.length - 1] + product);
    return expected;
  }

  /** Heads that a tree needs. @param {number} count nodes */
  cost(count) {
    return this.nodes(count).reduce((most, { depth }) => Math.max(most, depth + 1), 0);
  }

  /**
   * The tree with the most tokens a pass; parents come before their children.
   * @param {number} count
   * @returns {Node[]}
   */
  nodes(count) {
    return this.#grow(count).slice(0, count);
  }

  /** @param {number} count */
  #grow(count) {
    if (this.#nodes.length >= count) return this.#nodes;
    /** @param {number} parent @param {number} depth @param {number} rank @param {number} before */
    const node = (parent, depth, rank, before) => {
      const { right, count } = this.#depths[depth];
      return { parent, depth, rank, before, product: (before * right[rank]) / count };
    };
    const open = [node(-1, 0, 0, 1)];
    const nodes = [];
    while (nodes.length < count && open.length) {
      let best = 0;
      for (let i = 1; i < open.length; i++) if (open[i].product > open[best].product) best = i;
      const [taken] = open.splice(best, 1);
      const { parent, depth, rank, before, product } = taken;
      if (depth + 1 < this.#depths.length) open.push(node(nodes.length, depth + 1, 0, product));
      if (rank + 1 < this.width) open.push(node(parent, depth, rank + 1, before));
      nodes.push(taken);
    }
    return (this.#nodes = nodes);
  }
}

/**
 * Of a drafter that guesses step by step: what follows a node is guessed when its token has been read.
 */
export class StepAcceptance extends TreeAcceptance {
  /**
   * Tokens that are read for a tree: the last of the text, and each that others follow.
   * @override
   * @param {number} count nodes
   */
  cost(count) {
    return new Set(this.nodes(count).map(({ parent }) => parent)).size;
  }
}

/** Measured for later texts, by the heads. @type {WeakMap<object, { chain: TreeAcceptance, tree: TreeAcceptance }>} */
const measured = new WeakMap();

/**
 * What the guesses of a call make, and the most of them in a pass: a tree, of which each may need a branch of its own,
 * or the chain of the likeliest guesses where there are fewer branches than guesses in a row.
 * @param {import("../loop.js").Call} call whose heads guess
 * @param {number} depth guesses in a row
 * @param {typeof TreeAcceptance} Acceptance
 */
export function shapeOf({ engine, heads, source, settings }, depth, Acceptance) {
  const key = /** @type {object} */ (heads);
  let own = measured.get(key);
  if (!own) measured.set(key, (own = { chain: new Acceptance(depth, 1), tree: new Acceptance(depth) }));
  // Sources that combine the rows of several models take no branches.
  const branches = source === engine.sequences ? Math.floor(engine.sequences.branches / settings.n) : 0;
  return branches < depth ? { acceptance: own.chain, limit: depth } : { acceptance: own.tree, limit: branches };
}

/**
 * The nodes of a tree that can follow a text: none after an end token, and none that the grammar forbids.
 * @param {import("../strategies/sampling-strategy.js").Tree} tree
 * @param {import("../strategies/sampling-strategy.js").Lane} lane
 * @param {ReadonlySet<number>} eos
 * @returns {import("../strategies/sampling-strategy.js").Tree}
 */
export function possibleNodes({ tokens, parents }, { constraint }, eos) {
  const matcher = constraint?.matcher;
  /** By node, its place in the result, or -1. @type {number[]} */
  const places = [];
  /** @type {number[]} */
  const path = []; // the nodes that the matcher has read
  /** @type {import("../strategies/sampling-strategy.js").Tree} */
  const kept = { tokens: [], parents: [] };
  tokens.forEach((id, i) => {
    const parent = parents[i];
    let isPossible = parent < 0 || (places[parent] >= 0 && !eos.has(tokens[parent]));
    if (isPossible && matcher) {
      /** @type {number[]} */
      const ancestors = [];
      for (let at = parent; at >= 0; at = parents[at]) ancestors.unshift(at);
      const common = path.findIndex((at, depth) => at !== ancestors[depth]);
      const same = common < 0 ? path.length : common;
      if (same < path.length) matcher.rollback(path.length - same);
      path.length = same;
      for (const at of ancestors.slice(same)) {
        matcher.accept(tokens[at]);
        path.push(at);
      }
      isPossible = matcher.accept(id) === true;
      if (isPossible) path.push(i);
    }
    places.push(isPossible ? kept.tokens.length : -1);
    if (!isPossible) return;
    kept.tokens.push(id);
    kept.parents.push(parent < 0 ? -1 : places[parent]);
  });
  if (path.length) matcher?.rollback(path.length);
  return kept;
}
