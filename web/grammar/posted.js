// What of a grammar goes to a model: the form, by a number.

/**
 * The data with which another thread compiles a grammar.
 * @typedef {object} PostedGrammar
 * @property {number} id unique among the grammars of a thread
 * @property {Uint8Array} form
 * @property {{ fuel?: number, stepFuel?: number }} limits
 * @property {number} size of the vocabulary
 * @property {Uint8Array} [begun] bytes that the text has already
 */

let lastGrammar = 0;

/**
 * @param {Uint8Array} form
 * @param {number} size of the vocabulary
 * @param {{ fuel?: number, stepFuel?: number }} [limits]
 * @returns {PostedGrammar}
 */
export const newPosted = (form, size, limits = {}) => ({ id: ++lastGrammar, form, limits, size });
