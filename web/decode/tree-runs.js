// The runs of a pass that computes a tree of tokens. Of the tokens that follow the same one, the first continues its run
// and the others branch from it.

/**
 * A run, as in decode-types.js.
 * @template [Sequence=import("./decode-types.js").Sequence]
 * @typedef {{ sequence: Sequence, ids: number[], wanted: number, rows: number[] }} TreeRun rows: i + 1 for token i of the
 *   tree, after 0, the row before the tree, in the first run
 */

/**
 * @template {import("./decode-types.js").Sequence} Sequence
 * @param {{ branch(from: Sequence, length: number): Sequence }} sequences
 * @param {Sequence} sequence whose end the tree follows
 * @param {ArrayLike<number>} pending tokens of the sequence that run before the tree; the last one wants logits
 * @param {ArrayLike<number>} tokens
 * @param {ArrayLike<number>} [parents] of each token, the one that it follows, or -1; absent: each follows the one before
 * @returns {TreeRun<Sequence>[]}
 */
export function treeRuns(sequences, sequence, pending, tokens, parents) {
  const start = sequence.tokens.length + pending.length;
  const trunk = { sequence, ids: Array.from(pending), wanted: Math.min(pending.length, 1), rows: [0] };
  const runs = [trunk];
  const places = [{ run: trunk, depth: 0 }]; // by row
  for (let i = 0; i < tokens.length; i++) {
    const parent = parents ? parents[i] + 1 : i;
    const { depth } = places[parent];
    let { run } = places[parent];
    if (run.rows[run.rows.length - 1] !== parent) {
      run = { sequence: sequences.branch(run.sequence, start + depth), ids: [], wanted: 0, rows: [] };
      runs.push(run);
    }
    run.ids.push(tokens[i]);
    run.rows.push(i + 1);
    run.wanted++;
    places.push({ run, depth: depth + 1 });
  }
  return runs;
}
