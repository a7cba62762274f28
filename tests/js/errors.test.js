// How pages tell errors apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LastInchError, compileGrammar, createSampler, isLastInchError, loadModel } from "lastinch";
import * as whole from "lastinch/model";
import draft from "lastinch/models/draft";
import { z } from "zod/v4";
import { z as z3 } from "zod/v3";

const errorOf = (promise) =>
  promise.then(
    () => assert.fail("no error"),
    (error) => error,
  );

test("errors of options are TypeErrors or RangeErrors, and LastInchErrors as well", async () => {
  const unknown = await errorOf(createSampler(/** @type {any} */ ({ vocabSize: 6, topq: 1 })));
  const large = await errorOf(createSampler({ vocabSize: 6, topP: 2 }));
  assert.ok(unknown instanceof TypeError && unknown instanceof LastInchError && isLastInchError(unknown));
  assert.ok(large instanceof RangeError && large instanceof LastInchError && isLastInchError(large));
  assert.deepEqual([unknown.code, large.code], ["unknown-option", "out-of-range"]);
});

test("errors from inside are LastInchErrors and not TypeErrors", async () => {
  const sampler = await createSampler({ vocabSize: 2 });
  sampler.dispose();
  const disposed = await errorOf((async () => sampler.sample(new Float32Array(2)))());
  assert.ok(disposed instanceof LastInchError && isLastInchError(disposed) && !(disposed instanceof TypeError));
  assert.equal(disposed.code, "disposed");
});

test("isLastInchError recognises errors of grammars and of the model's thread", async () => {
  const vocabulary = { tokens: [Uint8Array.of(97), null], eos: [1] };
  const grammar = await errorOf(compileGrammar({ vocabulary, regex: "(" }));
  assert.ok(isLastInchError(grammar) && grammar instanceof LastInchError);
  const file = await errorOf(loadModel(new Blob(["no model"])));
  assert.ok(isLastInchError(file) && file instanceof LastInchError);
});

test("errors of a second copy of the package are recognised, and errors of others are not", async () => {
  const other = await errorOf(whole.createSampler({ vocabSize: 6, topP: 2 }));
  assert.ok(isLastInchError(other) && other instanceof LastInchError);
  const foreign = Object.assign(new TypeError("no"), { code: "out-of-range" });
  for (const error of [foreign, new Error(), null, undefined, "disposed"])
    assert.ok(!isLastInchError(error) && !(error instanceof LastInchError));
});

test("an old name of a method still works, and warns once", async () => {
  const warnings = [];
  const { warn } = console;
  console.warn = (text) => warnings.push(text);
  try {
    const grammar = await compileGrammar({ vocabulary: { tokens: [Uint8Array.of(97), null], eos: [1] }, regex: "aa" });
    const matcher = /** @type {any} */ (grammar.matcher());
    matcher.accept(0);
    const saved = [matcher.save(), matcher.save()];
    assert.deepEqual(saved, [[0], [0]]);
    const other = /** @type {any} */ (grammar.matcher());
    other.load(saved[0]);
    assert.equal(other.steps, 1);
  } finally {
    console.warn = warn;
  }
  assert.deepEqual(
    warnings.map((text) => /matcher\.(\w+) is now (\w+)/.exec(text)?.slice(1)),
    [
      ["save", "snapshot"],
      ["load", "restore"],
    ],
  );
});

const vocabulary = { tokens: [Uint8Array.of(97), null], eos: [1] };
const schema = { type: "object", properties: { a: { type: "string" } } };

test("schemas of other libraries are refused, with what to give instead", async () => {
  const libraries = {
    valibot: "@valibot/to-json-schema",
    arktype: "schema.toJsonSchema()",
    other: "that the library makes",
  };
  const foreign = [
    [z.object({ a: z.string() }), "give z.toJSONSchema(schema)."],
    [z3.object({ a: z3.string() }), "zod-to-json-schema"],
    ...Object.entries(libraries).map(([vendor, help]) => [{ "~standard": { vendor, version: 1 } }, help]),
    [{ name: "girl", strict: true, schema }, "give its schema."],
    [{ type: "json_schema", json_schema: { name: "girl", schema } }, "give its json_schema.schema."],
    [{ jsonSchema: schema, validate: undefined }, "give its jsonSchema."],
  ];
  const model = await loadModel(draft);
  for (const [given, help] of foreign)
    for (const refused of [
      () => compileGrammar({ vocabulary, jsonSchema: given }),
      () => compileGrammar({ vocabulary, toolCalls: { tools: [{ name: "call", parameters: given }] } }),
      () => model.complete("Once", { jsonSchema: given, maxTokens: 1 }),
    ]) {
      const error = await errorOf(refused());
      assert.equal(error.code, "bad-type");
      assert.ok(error.message.includes(help), error.message);
    }
  // The JSON Schemas that they make are taken.
  const made = z.toJSONSchema(z.object({ a: z.string() }));
  (await compileGrammar({ vocabulary, jsonSchema: made })).dispose();
  // Zod 4.2 and newer mark the JSON Schemas that they make.
  Object.defineProperty(made, "~standard", { value: { vendor: "zod", version: 1, jsonSchema: {} } });
  const marked = await compileGrammar({ vocabulary, jsonSchema: made });
  assert.deepEqual([marked.warnings, marked.refusals], [[], []]);
  marked.dispose();
  // Names of properties and of definitions are not looked at.
  (await compileGrammar({ vocabulary, jsonSchema: { properties: { schema: {}, name: {} } } })).dispose();
  model.dispose();
});

test("a misspelt keyword gives a warning that names the keyword meant", async () => {
  for (const [word, meant] of [
    ["maxlength", "maxLength"],
    ["min_length", "minLength"],
    ["propertys", "properties"],
    ["additional_properties", "additionalProperties"],
  ]) {
    const grammar = await compileGrammar({ vocabulary, jsonSchema: { [word]: 3 } });
    assert.deepEqual(
      grammar.warnings.map(({ keyword, reason }) => [keyword, reason.includes(`${meant}?`)]),
      [[word, true]],
    );
    grammar.dispose();
  }
});

test("the warnings of a schema given to the model go to the console, once", async () => {
  const model = await loadModel(draft);
  const warnings = [];
  const { warn } = console;
  console.warn = (text) => warnings.push(text);
  try {
    for (let i = 0; i < 2; i++)
      await model.complete("Once", { jsonSchema: { type: "string", maxlength: 3 }, maxTokens: 1 });
  } finally {
    console.warn = warn;
    model.dispose();
  }
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /^lastinch: jsonSchema \/maxlength: .*\bmaxLength\b/);
});

test("a missing prompt, and missing messages, are named", async () => {
  const model = /** @type {any} */ (await loadModel(draft));
  for (const [call, code, sentence] of [
    [() => model.complete(), "bad-type", /prompt.*complete/],
    [() => model.complete(null, { maxTokens: 1 }), "bad-type", /prompt/],
    [() => model.complete({ prompt: "Once" }), "bad-type", /prompt.*object/],
    [() => model.answer(), "bad-message", /[Mm]essages/],
    [() => model.answer("Hello"), "bad-message", /[Mm]essages/],
  ]) {
    const error = await errorOf((async () => call())());
    assert.deepEqual([error.code, sentence.test(error.message)], [code, true], error.message);
  }
  model.dispose();
});
