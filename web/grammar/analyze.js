// analyzeSchema says whether each keyword of a JSON Schema will be enforced. It reads the schema, then compiles it,
// because some answers need that.
import { compileGrammar } from "./compile.js";
import { GrammarError } from "./grammar-errors.js";
import { analyzeSchema as readSchema } from "./readers/schema/findings.js";
import { withPatternTools } from "./readers/schema/pattern-tools.js";

/** @typedef {import("./readers/schema/findings.js").Finding} Finding */

/** Any vocabulary will do, because the findings do not depend on the tokens. */
const vocabulary = { tokens: [Uint8Array.of(0x20)], eos: [] };

/**
 * Says for each reachable keyword whether it will be enforced, and at what cost. Throws only for a value that is not a
 * schema, never for a keyword.
 * @param {object | boolean | string} schema
 * @param {{ remotes?: Record<string, object | boolean | string>, format?: "assert" | "annotate" }} [options] like those
 *   of compileGrammar
 * @returns {Promise<Finding[]>}
 * @throws {LastInchError} "grammar-syntax" for text that is not JSON
 */
export async function analyzeSchema(schema, options = {}) {
  const findings = await withPatternTools(() => readSchema(schema, options));
  if (findings.some(({ status }) => status === "refused")) return findings;
  try {
    const grammar = await compileGrammar({ vocabulary, jsonSchema: schema, lenient: true, ...options });
    const { refusals } = grammar;
    grammar.dispose();
    const key = (/** @type {{ pointer: string, keyword: string }} */ { pointer, keyword }) => `${pointer} ${keyword}`;
    const known = new Map(findings.map((finding) => [key(finding), finding]));
    for (const { pointer, keyword, reason } of refusals) {
      const finding = known.get(key({ pointer, keyword }));
      if (!finding) findings.push({ pointer, keyword, status: "refused", reason });
      else Object.assign(finding, { status: "refused", reason, cost: undefined });
    }
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error;
    const { pointer = "", keyword = "", message: reason } = error;
    findings.push({ pointer, keyword, status: "refused", reason });
  }
  return findings;
}
