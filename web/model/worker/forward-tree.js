// A pass over a tree of tokens that leaves no trace: what `model.forward` computes with `parents`.
import { rangeError } from "../../core/errors.js";
import { treeRuns } from "../../decode/tree-runs.js";

/**
 * Throws unless the tree can follow the first `keep` tokens of a text.
 * @param {import("./sequences.js").Sequences} sequences
 * @param {number} keep
 * @param {Int32Array} parents
 */
export function checkTree(sequences, keep, parents) {
  if (!sequences.branches && parents.some((parent, i) => parent !== i - 1)) {
    const detail = "This model has a recurrent state, which cannot branch: parents must be a chain, -1, 0, 1 …";
    throw rangeError("out-of-range", detail);
  }
  const depths = new Int32Array(parents.length);
  parents.forEach((parent, i) => (depths[i] = 1 + (parent < 0 ? 0 : depths[parent])));
  const length = keep + Math.max(...depths);
  if (length > sequences.contextLength) throw sequences.contextError(length);
}

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
  const runs = treeRuns(sequences, sequence, [], ids, parents);
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
