// A schema given to a model is read in the calling thread, which fetches and compiles no WebAssembly of grammars, and
// compiled once, in the model's Worker.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { compileGrammar, loadModel } from "lastinch";
import { createLastInch } from "lastinch/ai-sdk";
import { createLanguageModel } from "lastinch/prompt-api";

/** Modules with grammars that this thread compiles. */
let modules = 0;
const { compile, instantiate } = WebAssembly;
const count = (module) =>
  (modules += WebAssembly.Module.exports(module).some(({ name }) => name === "li_grammar_compile") ? 1 : 0);
WebAssembly.compile = async (bytes) => {
  const module = await compile(bytes);
  count(module);
  return module;
};
WebAssembly.instantiate = async (given, imports) => {
  const result = await instantiate(given, imports);
  count(result.module ?? given);
  return result;
};

const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
const load = (worker) => loadModel(new Blob([file]), { cache: false, worker });
const [model, beside] = await Promise.all([load(true), load(false)]);
after(() => [model, beside].forEach((one) => one.dispose()));
const prompt = "There was a girl named Lily.";
const jsonSchema = {
  type: "object",
  properties: { name: { type: "string", maxLength: 8 }, age: { type: "integer", minimum: 1, maximum: 99 } },
  required: ["name", "age"],
  additionalProperties: false,
};
const tools = [{ name: "find", parameters: jsonSchema }];
const chatTemplate = "{{ messages[0].content }}";
const rest = { seed: 3, maxTokens: 60 };

async function first(generation) {
  for await (const chunk of generation) return chunk;
}

/** The error's class, code, sentence and place. */
const shown = async (use) => {
  const error = await use().then(
    () => assert.fail("it was not refused"),
    (error) => error,
  );
  const { name, code, message, pointer, keyword, isLastInch } = error;
  return { name, class: error.constructor.name, code, message, pointer, keyword, isLastInch };
};

const range = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const inA = (part) => ({ properties: { a: part } });
/** What a reader refuses, and what only C refuses. @type {Record<string, object>} */
const wrong = {
  empty: { jsonSchema: { enum: [] } },
  pattern: { jsonSchema: inA({ items: { pattern: "(?<=a)b" } }) },
  syntax: { jsonSchema: "{" },
  contains: {
    jsonSchema: inA({ items: { type: "object" }, allOf: range(8, (i) => ({ contains: { required: [`k${i}`] } })) }),
  },
  negated: { jsonSchema: inA({ not: { prefixItems: range(7, () => ({})), items: { type: "string" } } }) },
  deep: {
    ebnf: `root ::= r0\n${range(20_000, (i) => `r${i} ::= ${i < 19_999 ? `r${i + 1} | "x${i}"` : '"end"'}`).join("\n")}`,
  },
};

test("with a model in a Worker, a schema makes the calling thread compile no WebAssembly of grammars", async () => {
  const lastinch = createLastInch(model);
  const texts = [
    (await model.complete(prompt, { ...rest, jsonSchema })).text,
    (await model.answer([{ role: "user", content: prompt }], { ...rest, jsonSchema, chatTemplate })).text,
  ];
  for (const options of [{ n: 2 }, { beams: 2, seed: undefined }, { beams: 2, beamGroups: 2, seed: undefined }])
    for await (const chunk of model.generate(prompt, { ...rest, jsonSchema, ...options })) assert.ok(chunk);
  for await (const chunk of model.chat([{ role: "user", content: prompt }], { ...rest, tools, chatTemplate }))
    assert.ok(chunk);
  await first(model.generateAfter({ begin: "Once", end: " She" }, prompt, { ...rest, regex: "\n*[a-z]+" }));
  const message = { role: "user", content: [{ type: "text", text: prompt }] };
  const { content } = await lastinch().doGenerate({
    prompt: [message],
    seed: 3,
    maxOutputTokens: 60,
    responseFormat: { type: "json", schema: jsonSchema },
  });
  texts.push(content[0].text);
  const session = await createLanguageModel(model).create({ generate: { seed: 3, maxTokens: 60 } });
  texts.push(await session.prompt(prompt, { responseConstraint: jsonSchema }));
  const prefixed = { responseConstraint: jsonSchema };
  const begun = { role: "assistant", content: '{"name"', prefix: true };
  texts.push(begun.content + (await session.prompt([{ role: "user", content: prompt }, begun], prefixed)));
  await assert.rejects(
    session.prompt(
      [
        { role: "user", content: prompt },
        { ...begun, content: "{1" },
      ],
      prefixed,
    ),
    {
      name: "NotSupportedError",
    },
  );
  for (const text of texts) assert.deepEqual(Object.keys(JSON.parse(text)), ["name", "age"]);
  for (const value of Object.values(wrong))
    await assert.rejects(model.complete(prompt, { ...rest, ...value }), { code: /^grammar-/ });
  assert.equal(modules, 0);
});

test("a Worker refuses a schema in the words of compileGrammar and of a model in the calling thread", async () => {
  const { vocabulary } = model;
  for (const [name, value] of Object.entries(wrong)) {
    const expected = await shown(async () => {
      const grammar = await compileGrammar({ vocabulary, ...value });
      await model.complete(prompt, { grammar });
    });
    for (const one of [model, beside])
      for (let time = 0; time < 2; time++)
        assert.deepEqual(await shown(() => one.complete(prompt, value)), expected, name);
    if (name === "contains") assert.equal(expected.pointer, "/properties/a/allOf/7");
    if (name === "negated") assert.match(expected.message, /\/properties\/a\/not\/items:/);
    if (name === "deep") assert.equal(expected.code, "grammar-fuel");
  }
});

test("warnings come once, before the first chunk", async () => {
  const said = [];
  const { warn } = console;
  console.warn = (line) => said.push(line);
  try {
    const odd = { ...jsonSchema, requird: ["name"] };
    for (const one of [model, beside]) {
      said.length = 0;
      const generation = one.generate(prompt, { ...rest, jsonSchema: odd });
      assert.deepEqual(said, []);
      await generation.next();
      assert.equal(said.length, 1, said.join("\n"));
      assert.match(said[0], /^lastinch: jsonSchema \/requird: /);
      await generation.return();
      await first(one.generate(prompt, { ...rest, jsonSchema: odd }));
      assert.equal(said.length, 1);
    }
  } finally {
    console.warn = warn;
  }
});

test("a grammar after a thought keeps its own newlines: the Worker says whether it has any", async () => {
  const after = { begin: "Once", end: " She" };
  for (const regex of ["\n*[a-z]{3}", "[a-z]{3}"])
    for (const one of [model, beside]) {
      const grammar = await compileGrammar({ vocabulary: one.vocabulary, regex, after });
      const generated = [];
      for (const options of [{ regex }, { grammar }]) {
        let text = "";
        const thought = "grammar" in options ? undefined : after;
        for await (const chunk of one.generateAfter(thought, prompt, { ...rest, ...options })) text += chunk.text;
        generated.push(text);
      }
      grammar.dispose();
      assert.equal(generated[0], generated[1]);
    }
});
