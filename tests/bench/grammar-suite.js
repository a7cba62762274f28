// The official JSON Schema test suite through a vocabulary of single bytes: right verdicts, false accepts, refusals.
// LASTINCH_TEST_DATA=... node tests/bench/grammar-suite.js [--engine lastinch] [--drafts draft2020-12,draft7,draft4]
//   [--files] [--wrong 20] [--list wrong.json]
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { isAbsent, readRemotes, readSuite } from "./grammar-data.js";
import { engines } from "./grammar-engines.js";
import { counts, line } from "./grammar-tables.js";
import { byteVocabulary } from "./grammar-vocabulary.js";
import { walk } from "./grammar-walk.js";

/** The dialect of schemas that do not say theirs. */
const addresses = {
  "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
  draft7: "http://json-schema.org/draft-07/schema#",
  draft4: "http://json-schema.org/draft-04/schema#",
};

/** The schema with its dialect in it, as the suite requires. */
function withDialect(schema, draft) {
  if (!schema.startsWith("{") || schema.includes('"$schema"')) return schema;
  return `{"$schema":${JSON.stringify(addresses[draft])}${schema === "{}" ? "" : ","}${schema.slice(1)}`;
}

/** Every so many-th group of all drafts, with a name. */
export const suiteEntries = (every) =>
  /** @type {const} */ (["draft2020-12", "draft7", "draft4"])
    .flatMap((draft) =>
      readSuite(draft).map((group, i) => ({
        ...group,
        schema: withDialect(group.schema, draft),
        id: `${draft} ${group.file} ${i}`,
      })),
    )
    .filter((_, i) => i % every === 0);

/**
 * @typedef {object} Verdict
 * @property {string} file
 * @property {string} group
 * @property {string} test
 * @property {boolean} valid what the suite says
 * @property {"right" | "accepts" | "rejects" | "refused" | "error"} verdict
 * @property {string} keyword why it was refused
 * @property {string} message
 * @property {string} schema
 * @property {string} text
 */

/**
 * Every test of some groups of the suite.
 * @param {import("./grammar-engines.js").Engine} engine
 * @param {"draft2020-12" | "draft7" | "draft4"} draft
 * @param {string} below
 * @param {object} [options]
 * @param {{ reopen?: () => Promise<import("./grammar-engines.js").Engine> }} [how] for engines that an error breaks
 * @returns {Promise<Verdict[]>}
 */
export async function runSuite(engine, draft, below, options = {}, { reopen } = {}) {
  const { eos, encode } = byteVocabulary();
  /** @type {Verdict[]} */
  const verdicts = [];
  const remotes = readRemotes();
  for (const group of readSuite(draft, below)) {
    const schema = withDialect(group.schema, draft);
    let grammar;
    let refusal = { kind: "error", keyword: "", message: "" };
    const note = (test, verdict) =>
      verdicts.push({
        ...{ file: group.file, group: group.description, test: test.description, valid: test.valid, verdict },
        ...{ keyword: refusal.keyword, message: refusal.message, schema: group.schema, text: test.text },
      });
    const fail = async (error) => {
      refusal = engine.refusal(error);
      if (reopen) engine = await reopen();
    };
    try {
      grammar = await engine.compile(schema, { propertyOrder: "any", remotes, ...options });
    } catch (error) {
      await fail(error);
    }
    for (const test of group.tests) {
      if (!grammar) {
        note(test, refusal.kind);
        continue;
      }
      try {
        const matcher = await grammar.matcher();
        const isAccepted = (await walk(matcher, encode(test.text), eos)) === -1;
        matcher.dispose?.();
        note(test, isAccepted === test.valid ? "right" : isAccepted ? "accepts" : "rejects");
      } catch (error) {
        await fail(error);
        note(test, "error");
      }
    }
    grammar?.dispose();
  }
  return verdicts;
}

const isOf = (verdict) => (one) => one.verdict === verdict;

/** One line of counts. @param {string} title @param {Verdict[]} verdicts */
function printCounts(title, verdicts) {
  const cells = ["right", "accepts", "rejects", "refused", "error"].map((kind) => verdicts.filter(isOf(kind)).length);
  line(title, verdicts.length, ...cells);
}

async function main() {
  const { values: flags } = parseArgs({
    options: {
      engine: { type: "string", default: "lastinch" },
      drafts: { type: "string", default: "draft2020-12,draft7,draft4" },
      files: { type: "boolean", default: false },
      wrong: { type: "string", default: "10" },
      list: { type: "string" },
    },
  });
  if (isAbsent) throw new Error(isAbsent);
  if (flags.engine === "web-xgrammar") console.error = console.warn = () => {}; // it warns of all that it ignores
  const open = () => engines[flags.engine](byteVocabulary());
  let engine = await open();
  line(flags.engine, "tests", "right", "false accepts", "over", "refused", "error");
  const all = [];
  for (const draft of /** @type {any[]} */ (flags.drafts.split(",")))
    for (const below of ["", "optional", "optional/format"]) {
      const verdicts = await runSuite(engine, draft, below, {}, engine.isFragile ? { reopen: open } : {});
      if (engine.isFragile) engine = await open();
      if (flags.files)
        for (const file of new Set(verdicts.map((one) => one.file)))
          printCounts(
            `  ${file}`,
            verdicts.filter((one) => one.file === file),
          );
      printCounts(`${draft} ${below}`, verdicts);
      if (!below)
        printCounts(
          "  without format.json",
          verdicts.filter((one) => one.file !== "format.json"),
        );
      const refused = verdicts.filter((one) => one.verdict === "refused" || one.verdict === "error");
      if (refused.length) console.log(`  refused: ${counts(refused.map((one) => one.keyword))}`);
      all.push(...verdicts.map((one) => ({ draft, ...one })));
    }
  const wrong = all.filter((one) => one.verdict !== "right");
  for (const one of wrong.filter((one) => one.verdict !== "refused").slice(0, Number(flags.wrong)))
    console.log(`${one.draft} ${one.file}: ${one.group}: ${one.test}: ${one.verdict} ${one.text} under ${one.schema}`);
  if (flags.list) writeFileSync(flags.list, JSON.stringify(wrong, null, 1));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
