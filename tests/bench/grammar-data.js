// What structured output is measured on: MaskBench's schemas with instances, and the official test suite.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { asPython, parts } from "./grammar-text.js";

const folder = process.env.LASTINCH_TEST_DATA && join(process.env.LASTINCH_TEST_DATA, "jsonschema");
/** False, or why the tests on this data cannot run. */
export const isAbsent = folder && existsSync(folder) ? false : "set LASTINCH_TEST_DATA to the folder with jsonschema/";

/**
 * @typedef {object} Entry
 * @property {string} id
 * @property {string} split the part of MaskBench that it belongs to
 * @property {string} schema JSON text, keys and numbers as they were written
 * @property {{ valid: boolean, text: string }[]} tests instances as JSON text
 */

/**
 * The schemas of MaskBench, part after part.
 * @param {{ splits?: string[], every?: number, ascii?: boolean, ids?: string[], file?: string }} [choice] every: that
 *   one of so many; file: a file beside the sample, in its place
 * @returns {Entry[]}
 */
export function readMaskBench({ splits, every = 1, ascii = false, ids, file: only } = {}) {
  const place = join(/** @type {string} */ (folder), only ? "." : "maskbench-sample");
  const entries = [];
  let count = 0;
  for (const file of only ? [only] : readdirSync(place).sort()) {
    const split = file.replace(/\.jsonl\.gz$/, "");
    if (split === file || (splits && !splits.includes(split))) continue;
    const lines = gunzipSync(readFileSync(join(place, file)))
      .toString()
      .split("\n");
    for (const line of lines) {
      if (!line || (count++ % every && !ids)) continue;
      if (ids && !ids.some((id) => line.includes(`"${id}"`))) continue;
      const record = new Map(parts(line));
      const tests = parts(/** @type {string} */ (record.get("tests") ?? "[]")).map(([, test]) => {
        const fields = new Map(parts(test));
        const text = asPython(/** @type {string} */ (fields.get("data")), ascii);
        return { valid: fields.get("valid") === "true", text };
      });
      const schema = /** @type {string} */ (record.get("schema"));
      entries.push({ id: JSON.parse(/** @type {string} */ (record.get("id"))), split, schema, tests });
    }
  }
  return entries;
}

/**
 * @typedef {object} SuiteGroup
 * @property {string} file below the folder of the draft
 * @property {string} description
 * @property {string} schema JSON text
 * @property {{ description: string, valid: boolean, text: string }[]} tests
 */

/**
 * The official suite: every file of a draft.
 * @param {"draft2020-12" | "draft7" | "draft4"} draft
 * @param {string} [below] "" (the core), "optional" or "optional/format"
 * @returns {SuiteGroup[]}
 */
export function readSuite(draft, below = "") {
  const place = join(/** @type {string} */ (folder), "JSON-Schema-Test-Suite/tests", draft, below);
  return readdirSync(place)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) =>
      parts(readFileSync(join(place, file), "utf8")).map(([, group]) => {
        const fields = new Map(parts(group));
        const tests = parts(/** @type {string} */ (fields.get("tests"))).map(([, test]) => {
          const of = new Map(parts(test));
          const [description, valid, data] = ["description", "valid", "data"].map((key) => of.get(key) ?? "null");
          return { description: JSON.parse(description), valid: valid === "true", text: data };
        });
        const [description, schema] = ["description", "schema"].map((key) => /** @type {string} */ (fields.get(key)));
        return { file: join(below, file), description: JSON.parse(description), schema, tests };
      }),
    );
}

/** The schemas that the suite refers to, by the address under which it does. */
export function readRemotes() {
  const place = join(/** @type {string} */ (folder), "JSON-Schema-Test-Suite/remotes");
  /** @type {Record<string, unknown>} */
  const remotes = {};
  for (const file of readdirSync(place, { recursive: true, withFileTypes: true })) {
    if (!file.name.endsWith(".json")) continue;
    const path = join(file.parentPath ?? file.path, file.name);
    remotes[`http://localhost:1234/${relative(place, path)}`] = JSON.parse(readFileSync(path, "utf8"));
  }
  return remotes;
}
