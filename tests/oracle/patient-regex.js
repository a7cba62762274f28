// RegExp with an end: JavaScript's engine backtracks, and takes exponential time for some expressions and texts.
import vm from "node:vm";

const context = vm.createContext({});
const script = new vm.Script("expression.test(text)");

/**
 * @param {RegExp} expression
 * @param {string} text
 * @returns {boolean | undefined} undefined: not known within a second
 */
export function matchesInTime(expression, text) {
  Object.assign(context, { expression, text });
  try {
    // A busy machine may not run this thread for a tenth of a second.
    return script.runInContext(context, { timeout: 1000 });
  } catch (error) {
    if (/** @type {any} */ (error).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}
