// Finds out what reading a JSON Schema can tell, before compiling it.
import { GrammarError } from "../../grammar-errors.js";
import { constraints } from "./dialects.js";
import { writeSchema } from "./schema.js";

/**
 * @typedef {object} Finding
 * @property {string} pointer JSON pointer of the subschema; in a remote after its URI
 * @property {string} keyword
 * @property {"enforced" | "refused" | "annotation" | "warning"} status annotation: constrains nothing; warning: has no
 *   effect, or probably not the one that its author meant
 * @property {string} [reason] of a refusal or warning
 * @property {"low" | "high"} [cost] cost of enforcing it: high if alternatives, counts or seen items must be tracked
 */

const costly = new Set(
  (
    "uniqueItems contains oneOf not if then else dependencies dependentSchemas patternProperties propertyNames " +
    "unevaluatedItems unevaluatedProperties"
  ).split(" "),
);

/**
 * Reads a schema like compileGrammar, and lists a finding for each reachable keyword. Only compiling shows whether a
 * combination of keywords can be enforced.
 * @param {any} schema an object, a boolean or JSON text
 * @param {Omit<import("./schema.js").SchemaOptions, "lenient">} [options]
 * @returns {Finding[]}
 */
export function analyzeSchema(schema, options = {}) {
  /** @type {import("./schema.js").Reading[]} */
  const readings = [];
  /** @type {import("./schema.js").Remark[]} */
  let warnings = [];
  /** @type {import("./schema.js").Remark[]} */
  let refusals = [];
  try {
    ({ warnings, refusals } = writeSchema(schema, { ...options, lenient: true }, 0, readings));
  } catch (error) {
    // An error of the whole schema is a finding; text that is not JSON is an error.
    if (!(error instanceof GrammarError) || error.pointer === undefined) throw error;
    refusals = [{ pointer: error.pointer, keyword: error.keyword ?? "", reason: error.message }];
  }
  /** @type {Map<string, Finding>} */
  const findings = new Map();
  const key = (/** @type {{ pointer: string, keyword: string }} */ { pointer, keyword }) => `${pointer} ${keyword}`;
  for (const { pointer, keyword, value, isPassed } of readings) {
    const isCostly = costly.has(keyword) && !(keyword === "uniqueItems" && value === false);
    const isSilent =
      (isPassed && !constraints.includes(keyword)) || (keyword === "format" && options.format === "annotate");
    findings.set(
      key({ pointer, keyword }),
      isSilent
        ? { pointer, keyword, status: "annotation" }
        : { pointer, keyword, status: "enforced", cost: isCostly ? "high" : "low" },
    );
  }
  for (const [status, remarks] of /** @type {["warning" | "refused", typeof warnings][]} */ ([
    ["warning", warnings],
    ["refused", refusals],
  ]))
    for (const { pointer, keyword, reason } of remarks)
      findings.set(key({ pointer, keyword }), { pointer, keyword, status, reason });
  return [...findings.values()];
}
