// What a teacher needs for each widget. Answers belong to the predictions, one each.
import { drawingNotes } from "./drawing-notes.js";
import { modelNotes } from "./model-notes.js";

/**
 * @typedef {object} Notes
 * @property {number} minutes
 * @property {string} aim what pupils can say afterwards
 * @property {string[]} predict three: predict, then try
 * @property {string[]} answers
 * @property {[claim: string, truth: string][]} misconceptions two
 */

/** @type {Record<string, Notes>} By the names of the widgets. */
export const notes = { ...drawingNotes, ...modelNotes };
