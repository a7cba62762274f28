// The errors of models, like those of errors.js, with their own sentences.
import { LastInchError, check } from "./errors.js";
import { modelErrorTable } from "./model-error-table.js";

/** @typedef {import("./errors.js").ErrorCode} ErrorCode */

/** A LastInchError with the sentences of models. */
export class ModelError extends LastInchError {
  /**
   * @param {ErrorCode} code
   * @param {string} [detail] a further sentence
   * @param {ErrorOptions} [options]
   */
  constructor(code, detail, options) {
    const sentence = modelErrorTable.find((entry) => entry[0] === code)?.[2];
    super(code, [sentence, detail].filter(Boolean).join(" "), options);
  }
}

/**
 * Like check in errors.js, with the errors of models.
 * @param {number} status
 * @param {string} [detail]
 */
export function checkModel(status, detail) {
  const row = modelErrorTable.find((entry) => entry[1] === status && status < 0);
  if (row) throw new ModelError(row[0], detail);
  return check(status, detail);
}
