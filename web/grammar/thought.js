// A thought of the model before the text of a grammar.

/**
 * A thought of the model, before the text of the grammar.
 * @typedef {object} Thought
 * @property {string} [begin] opens the thought, which the text may lack. Undefined: the prompt has opened the thought
 * @property {string} end ends the thought, which cannot contain `end`
 */

/** Most newlines between a thought and a grammar. The grammar allows them, and the reader of answers removes them. */
export const AFTER_THOUGHT = 2;
