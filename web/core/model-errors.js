// The errors of models: as those of errors.js, with sentences of their own.
import { LastInchError, check } from "./errors.js";
import { modelErrorTable } from "./model-error-table.js";

/** @typedef {import("./errors.js").ErrorCode} ErrorCode */

/** A LastInchError that knows the sentences of models too. */
export class ModelError extends LastInchError {
  /**
   * @param {ErrorCode} code
   * @param {string} [detail] what in particular went wrong
   * @param {ErrorOptions} [options]
   */
  constructor(code, detail, options) {
    const sentence = modelErrorTable.find((entry) => entry[0] === code)?.[2];
    super(code, [sentence, detail].filter(Boolean).join(" "), options);
  }
}

/**
 * As check of errors.js.
 * @param {number} status
 * @param {string} [detail]
 */
export function checkModel(status, detail) {
  const row = modelErrorTable.find((entry) => entry[1] === status && status < 0);
  if (row) throw new ModelError(row[0], detail);
  return check(status, detail);
}
