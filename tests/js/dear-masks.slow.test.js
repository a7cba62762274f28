// Masks of schemas that used to be expensive, with the vocabulary of llama3. Work is measured in units of fuel, which a
// busy machine does not change. tests/bench/slow-masks.js prints times beside the units: a microsecond is 5 units or
// more, except for masks in which a table of terms doubles.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { compileGrammar, prepareVocabulary } from "lastinch";
import { dearSchemas } from "../oracle/dear-schemas.js";
import { openLlama3 } from "../oracle/vocabulary.js";
import { rounds } from "../rounds.js";

const { tokens, eos, encode } = openLlama3();
const vocabulary = await prepareVocabulary({ tokens, eos });
const { exports, views } = vocabulary.instance;

/** The most units of a mask, by class of schemas: a quarter more than was measured over 660 schemas. */
const MOST = { nested: 20_000, words: 45_000, anything: 4000, prefixes: 6000, keys: 20_000, lookaheads: 70_000 };
const MOST_OF_COMPILATION = 12_000;
/** LI_LIMIT_MEMORY of src/grammar/core/grammar.h. */
const LIMIT_MEMORY = 1;

/**
 * The most units of a mask along the texts, and whether every text is read to an end that its grammar names.
 * @param {object} schema @param {string[]} texts
 */
async function mostUnits(schema, texts) {
  const grammar = await compileGrammar({ vocabulary, jsonSchema: JSON.stringify(schema) });
  const { form } = grammar.posted;
  grammar.dispose();
  const address = exports.li_memory_alloc(form.length);
  views().bytes.set(form, address);
  const compiled = exports.li_grammar_compile(address, form.length, 0);
  exports.li_memory_free(address);
  const compilation = exports.li_grammar_spent(compiled);
  const masker = exports.li_masker_create(compiled, vocabulary.pointer, 0);
  let most = 0;
  let masks = 0;
  for (const text of texts) {
    const matcher = exports.li_matcher_create(masker, 0, 0);
    for (const token of [...encode(text), eos[0]]) {
      const mask = exports.li_matcher_mask(matcher) >>> 0;
      // The longest texts of items that are remembered exhaust the memory of a grammar.
      if (!mask && exports.li_matcher_limit(matcher) === LIMIT_MEMORY) break;
      assert.ok(mask, `a mask fails, by limit ${exports.li_matcher_limit(matcher)}`);
      masks++;
      most = Math.max(most, exports.li_matcher_spent(matcher));
      const isAllowed = (views().words[(mask >>> 2) + (token >>> 5)] >>> (token & 31)) & 1;
      assert.equal(exports.li_matcher_accept(matcher, token) === 1, isAllowed === 1);
      if (!isAllowed) break;
    }
    exports.li_matcher_destroy(matcher);
  }
  exports.li_masker_destroy(masker);
  return { most, masks, compilation };
}

for (const [name, arbitrary] of Object.entries(dearSchemas))
  test(`no mask of a random schema is expensive: ${name}`, async () => {
    let masks = 0;
    const property = fc.asyncProperty(arbitrary, async ({ schema, texts }) => {
      const found = await mostUnits(schema, texts);
      masks += found.masks;
      assert.ok(found.most <= MOST[name], `${found.most} units`);
      assert.ok(found.compilation <= MOST_OF_COMPILATION, `${found.compilation} units to compile`);
    });
    await fc.assert(property, { seed: 1, numRuns: rounds(100, 6), endOnFailure: true });
    assert.ok(masks > 20);
  });

test("an item that begins like an earlier long item takes no more units than a short one", async () => {
  const item = {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "array", items: { type: "string" } } },
  };
  const schema = { type: "array", uniqueItems: true, items: item };
  const of = (/** @type {number} */ length) => {
    const b = Array.from({ length }, (_, i) => `text ${i} and more`);
    return JSON.stringify([
      { a: "x", b },
      { a: "x", b: [...b.slice(1), "another"] },
      { a: "x", b: [...b, "z"] },
    ]);
  };
  const [short, long] = [await mostUnits(schema, [of(5)]), await mostUnits(schema, [of(120)])];
  assert.ok(long.most <= short.most + 1500, `${short.most} units, then ${long.most}`);
});

test("the first mask in a string costs no more than the next", async () => {
  const fresh = await prepareVocabulary({ tokens: tokens.slice(0, 20_000), eos: [] });
  const grammar = await compileGrammar({ vocabulary: fresh, jsonSchema: { type: "string" }, stepFuel: 200 });
  const matcher = grammar.matcher();
  assert.ok(matcher.acceptBytes('"'));
  assert.ok(matcher.bitmask().length > 0);
});

test("exactly one of seven words is masked without a search for each pair of words", async () => {
  const list = ["NEW", "ON_APPROVAL", "ON_SIGNING", "ON_MODIFICATION", "EXECUTED", "DEPRECATED", "REJECTED"];
  const schema = { type: "object", properties: { state: { oneOf: list.map((pattern) => ({ pattern })) } } };
  const { most, compilation } = await mostUnits(schema, ['{"state": "ON_SIGNING"}', '{"state": "x NEW REJECTED"}']);
  assert.ok(most < 25_000 && compilation < 12_000, `${most} units, ${compilation} to compile`);
});
