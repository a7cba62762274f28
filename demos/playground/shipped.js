// Where the shipped models that write stories are, by name.

/** @type {Record<string, () => Promise<{ default: URL }>>} */
export const shipped = {
  storyteller: () => import("../../dist/storyteller.js"),
  draft: () => import("../../dist/draft.js"),
};

/** The size of their vocabularies. */
export const VOCABULARY = 2048;
