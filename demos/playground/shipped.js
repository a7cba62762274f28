// Where the shipped models are that write stories, by their names.

/** @type {Record<string, () => Promise<{ default: URL }>>} */
export const shipped = {
  storyteller: () => import("../../dist/storyteller.js"),
  draft: () => import("../../dist/draft.js"),
};

/** Tokens of their vocabularies. */
export const VOCABULARY = 2048;
