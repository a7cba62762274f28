// How many numbers a model learns.

/**
 * Those outside its embedding, of which C pads the rows.
 * @param {import("./train-types.js").TrainerShape} shape
 */
export const blockWeights = ({ layers, dim, hidden }) => layers * (4 * dim * dim + 3 * dim * hidden + 2 * dim) + dim;
