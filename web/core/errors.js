// Every error that lastinch throws has a stable `code`. The sentences are in error-table.js. Models and grammars have
// separate files for their errors, because pages that only sample do not need them.
import { errorTable } from "./error-table.js";

/** @typedef {import("./error-table.js").ErrorCode} ErrorCode */

/**
 * Whether this package, or another copy of it, made the error: a LastInchError, or a TypeError or RangeError about an
 * option. Each has a `code`.
 * @param {any} error
 * @returns {error is Error & { code: ErrorCode, text?: string, texts?: string[] }}
 */
export function isLastInchError(error) {
  return !!error?.isLastInch;
}

/** `instanceof` also finds the package's TypeErrors and RangeErrors. */
export class LastInchError extends Error {
  /**
   * @param {ErrorCode} code stable, for programs
   * @param {string} [detail] a further sentence
   * @param {ErrorOptions} [options]
   */
  constructor(code, detail, options) {
    super(sentence(code, detail), options);
    this.name = "LastInchError";
    this.code = code;
    this.isLastInch = true;
    /** With the code "worker-lost": what was written. @type {string | undefined} */
    this.text;
    /** The same of each of several continuations. @type {string[] | undefined} */
    this.texts;
  }

  /** @internal @param {unknown} error */
  static [Symbol.hasInstance](error) {
    return this === LastInchError ? isLastInchError(error) : super[Symbol.hasInstance](error);
  }
}

/**
 * @param {ErrorCode} code
 * @param {string} [detail]
 */
function sentence(code, detail) {
  return [errorTable[code], detail].filter(Boolean).join(" ");
}

/**
 * Throws the error of a negative status of C; returns any other number.
 * @param {number} status
 * @param {string} [detail]
 */
export function check(status, detail) {
  if (status >= 0) return status;
  const codes = /** @type {ErrorCode[]} */ (Object.keys(errorTable));
  throw new LastInchError(codes[-1 - status] ?? "bad-argument", detail);
}

/**
 * Creates errors of a built-in class, with a stable code.
 * @template {Error} Kind
 * @param {new (message: string) => Kind} Class
 */
const codedError = (Class) => (/** @type {ErrorCode} */ code, /** @type {string} */ detail) =>
  Object.assign(new Class(detail), { code, isLastInch: true });

/** A TypeError with a code. */
export const typeError = codedError(TypeError);
/** A RangeError with a code. */
export const rangeError = codedError(RangeError);
