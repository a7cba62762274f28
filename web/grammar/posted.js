// The part of a grammar that goes to a model: its form and a number.

/**
 * Everything that another thread needs to compile a grammar.
 * @typedef {object} PostedGrammar
 * @property {number} id unique among the grammars of a thread
 * @property {Uint8Array} form
 * @property {{ fuel?: number, stepFuel?: number }} limits
 * @property {number} size of the vocabulary
 * @property {Uint8Array} [begun] bytes that the text already has
 */

let lastGrammar = 0;

/**
 * @param {Uint8Array} form
 * @param {number} size of the vocabulary
 * @param {{ fuel?: number, stepFuel?: number }} [limits]
 * @returns {PostedGrammar}
 */
export const newPosted = (form, size, limits = {}) => ({ id: ++lastGrammar, form, limits, size });
