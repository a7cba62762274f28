// What reads patterns and formats is large, and most schemas have neither: it is fetched when one does.

/** @typedef {typeof import("./regex.js") & typeof import("./formats.js")} PatternTools */

/** @type {PatternTools | undefined} */
let tools;
/** Thrown to begin anew with them. */
const missing = Symbol("missing");

/** @returns {PatternTools} */
export function patternTools() {
  if (!tools) throw missing;
  return tools;
}

/**
 * Runs what may need them: twice, where they have to be fetched in between.
 * @template Result
 * @param {() => Result} read
 * @returns {Promise<Result>}
 */
export async function withPatternTools(read) {
  try {
    return read();
  } catch (error) {
    if (error !== missing) throw error;
    const [regex, formats] = await Promise.all([import("./regex.js"), import("./formats.js")]);
    tools = { ...regex, ...formats };
    return read();
  }
}
