// One schema through one engine: compile it, and walk its instances token by token.

/** @typedef {import("./grammar-engines.js").Engine} Engine */
/**
 * What an engine made of a schema. Over-constrained: a valid instance was not let through; under-constrained: an invalid
 * one was. The times are in microseconds.
 * @typedef {object} Outcome
 * @property {"right" | "refused" | "over" | "under" | "error" | "crash" | "timeout"} status
 * @property {string} [keyword] why it was refused
 * @property {string} [message]
 * @property {{ test: number, token: number, text: string }[]} [wrong] where a valid instance stopped, or -1: accepted whole
 * @property {number} [compile]
 * @property {Float64Array} [masks] of every step of every instance
 * @property {Float64Array} [commits]
 * @property {[number, number, number, number]} [verdicts] valid accepted, valid, invalid rejected, invalid
 */

export const isSet = (/** @type {ArrayLike<number>} */ mask, /** @type {number} */ id) =>
  ((mask[id >>> 5] >>> (id & 31)) & 1) === 1;

/**
 * Walks one text. Returns the token at which it was rejected (their number: at the end), or -1: accepted.
 * @param {import("./grammar-engines.js").EngineMatcher} matcher
 * @param {number[]} tokens
 * @param {number[]} eos
 * @param {number[]} [masks] times are added
 * @param {number[]} [commits]
 */
export async function walk(matcher, tokens, eos, masks = [], commits = []) {
  for (let at = 0; at <= tokens.length; at++) {
    let start = performance.now();
    let mask = matcher.mask();
    if (mask instanceof Promise) mask = await mask;
    masks.push((performance.now() - start) * 1000);
    if (at === tokens.length) return eos.some((id) => isSet(/** @type {any} */ (mask), id)) ? -1 : at;
    const isAllowed = isSet(/** @type {any} */ (mask), tokens[at]);
    start = performance.now();
    const isAccepted = isAllowed && matcher.accept(tokens[at]);
    if (isAllowed) commits.push((performance.now() - start) * 1000);
    if (isAllowed !== isAccepted) throw new Error(`the mask allows token ${tokens[at]}, accept does not (step ${at})`);
    if (!isAllowed) return at;
  }
}

/**
 * @param {Engine} engine
 * @param {number[]} eos
 * @param {{ schema: string, tests: { valid: boolean, text: string, tokens: number[] }[] }} entry
 * @param {object} [options] of the grammar
 * @returns {Promise<Outcome>}
 */
export async function walkEntry(engine, eos, { schema, tests }, options) {
  /** @type {number[]} */
  const masks = [];
  /** @type {number[]} */
  const commits = [];
  /** @type {NonNullable<Outcome["wrong"]>} */
  const wrong = [];
  const start = performance.now();
  let grammar;
  try {
    grammar = await engine.compile(schema, options);
  } catch (error) {
    const { kind, keyword, message } = engine.refusal(error);
    return { status: kind, keyword, message, compile: (performance.now() - start) * 1000 };
  }
  const compile = (performance.now() - start) * 1000;
  /** @type {[number, number, number, number]} */
  const verdicts = [0, 0, 0, 0];
  let isOver = false;
  let isUnder = false;
  try {
    for (const [index, { valid, text, tokens }] of tests.entries()) {
      const matcher = await grammar.matcher();
      const token = await walk(matcher, tokens, eos, masks, commits);
      matcher.dispose?.();
      const isRight = (token === -1) === valid;
      verdicts[valid ? 1 : 3]++;
      if (isRight) verdicts[valid ? 0 : 2]++;
      else wrong.push({ test: index, token, text });
      if (!isRight && valid) isOver = true;
      if (!isRight && !valid) isUnder = true;
    }
  } catch (error) {
    const { keyword, message } = engine.refusal(error);
    return { status: "error", keyword, message: `while masking: ${message}`, compile };
  }
  grammar.dispose();
  const status = isUnder ? "under" : isOver ? "over" : "right";
  return { status, compile, wrong, verdicts, masks: Float64Array.from(masks), commits: Float64Array.from(commits) };
}
