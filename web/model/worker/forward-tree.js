// A pass over a tree of tokens that leaves no trace: what `model.forward` computes with `parents`.
import { rangeError } from "../../core/errors.js";
import { treeRuns } from "../../decode/tree-runs.js";

/**
 * @param {import("./sequences.js").Sequences} sequences
 * @param {import("./sequence.js").Sequence} sequence whose end the tree follows, and which stays as it is
 * @param {Uint32Array} ids
 * @param {Int32Array} parents of each token, the one that it follows, or -1
 * @param {import("./turns.js").Job} job
 * @param {(token: number, logits: number) => void} read called with the index of each token and the address of its row
 */
export async function forwardTree(sequences, sequence, ids, parents, job, read) {
  const { length } = sequence.tokens;
  const { branches } = sequences;
  const runs = treeRuns(sequences, sequence, [], ids, parents);
  if (runs.length - 1 > branches) {
    const detail = `parents makes ${runs.length - 1} branches, but this model takes at most ${branches} in a pass.`;
    throw rangeError("out-of-range", detail);
  }
  try {
    await sequences.run(runs, job, (run, row, logits) => {
      const { rows, wanted } = runs[run];
      read(rows[rows.length - wanted + row] - 1, logits);
    });
  } finally {
    for (const { sequence: branch } of runs.slice(1)) sequences.drop(branch);
    sequences.truncate(sequence, length);
  }
}
