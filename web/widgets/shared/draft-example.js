// The worked example of speculation.

/**
 * "The …": the tokens that may come at each place, with their probabilities in target and draft.
 * @type {[string, number, number][][]}
 */
export const PLACES = [
  [
    ["cat", 0.6, 0.55],
    ["dog", 0.4, 0.45],
  ],
  [
    ["sat", 0.7, 0.8],
    ["slept", 0.3, 0.2],
  ],
  [
    ["on", 0.85, 0.75],
    ["under", 0.15, 0.25],
  ],
  [
    ["the", 0.8, 0.9],
    ["a", 0.2, 0.1],
  ],
  [
    ["mat", 0.15, 0.6],
    ["sofa", 0.6, 0.2],
    ["floor", 0.25, 0.2],
  ],
  [
    ["again", 0.7, 0.7],
    ["today", 0.3, 0.3],
  ],
];
