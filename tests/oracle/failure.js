/** A difference between the code and a judge. */
export class Failure extends Error {
  /**
   * @param {string} kind "accepts", "refuses", "no token", "mask", "dead end", "invalid walk" or the code of an error
   * @param {object} details
   */
  constructor(kind, details) {
    super(`${kind}: ${JSON.stringify(details, (_, value) => (value instanceof RegExp ? String(value) : value))}`);
    this.kind = kind;
    this.details = details;
  }
}
