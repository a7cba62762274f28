// Grammars given directly to generate: what they take, when they are compiled, and how long they are kept.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { compileGrammar, loadModel } from "lastinch";

// Counts what the WebAssembly of this thread compiles and frees.
const counts = { compiled: 0, made: 0, destroyed: 0, vocabularies: 0 };
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (module, imports) => {
  const { exports } = await instantiate(module, imports);
  if (!exports.li_grammar_compile) return { exports };
  const counted = {
    li_grammar_compile: (...given) => (counts.compiled++, exports.li_grammar_compile(...given)),
    li_masker_create: (...given) => (counts.made++, exports.li_masker_create(...given)),
    li_masker_destroy: (...given) => (counts.destroyed++, exports.li_masker_destroy(...given)),
    li_vocabulary_create: (...given) => (counts.vocabularies++, exports.li_vocabulary_create(...given)),
    li_vocabulary_destroy: (...given) => (counts.vocabularies--, exports.li_vocabulary_destroy(...given)),
  };
  return { exports: { ...exports, ...counted } };
};

const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
const load = (worker) => loadModel(new Blob([file]), { cache: false, worker });
const model = await load(false);
after(() => model.dispose());
const prompt = "There was a girl named Lily.";

async function write(options, by = model) {
  let text = "";
  let finishReason;
  for await (const chunk of by.generate(prompt, { seed: 3, maxTokens: 80, ...options })) {
    text += chunk.text;
    finishReason = chunk.finishReason ?? finishReason;
  }
  return { text, finishReason };
}

/** Grammars that `use` compiles. */
async function compiled(use) {
  const before = counts.compiled;
  await use();
  return counts.compiled - before;
}

const closed = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const schema = () => closed({ hero: { enum: ["Tom", "Lily"] }, age: { type: "integer", minimum: 1, maximum: 99 } });
const shape = /^\{"hero":"(Tom|Lily)","age":[1-9][0-9]?\}$/;

test("every kind of grammar holds, in a Worker and in the calling thread", async () => {
  const tools = [{ name: "find", parameters: closed({ what: { enum: ["cat", "dog"] } }) }];
  // A call as a story might begin it.
  const style = { trigger: " She", begin: " calls {name}(", end: ")" };
  /** @type {[object, RegExp][]} */
  const kinds = [
    [{ jsonSchema: schema() }, shape],
    [{ jsonSchema: JSON.stringify(schema()) }, shape],
    [{ json_schema: schema() }, shape],
    [{ guided_json: schema() }, shape],
    [{ regex: "[a-c]{3}" }, /^[a-c]{3}$/],
    [{ guided_regex: /[A-C]{2}/i }, /^[A-Ca-c]{2}$/],
    [{ choice: ["yes", "no"] }, /^(yes|no)$/],
    [{ guided_choice: ["left", "right"] }, /^(left|right)$/],
    [{ ebnf: 'root ::= "(" [xy]{2} ")"' }, /^\([xy]{2}\)$/],
    [{ guided_grammar: 'root ::= "<" [xy] ">"' }, /^<[xy]>$/],
    [{ lark: "start: WORD\nWORD: /[q-s]{4}/" }, /^[q-s]{4}$/],
    [{ lark: `start: "v" %json ${JSON.stringify(schema())}` }, new RegExp(`^v${shape.source.slice(1)}`)],
    [
      { toolCalls: { tools, style, required: true, stopAfterFirst: true } },
      / She calls find\(\{"what": "(cat|dog)"\}\)$/,
    ],
    [
      { tool_calls: { tools, style, required: true, stopAfterFirst: true } },
      / She calls find\(\{"what": "(cat|dog)"\}\)$/,
    ],
  ];
  const once = { triggers: [" She"], at_least_one: true, stop_after_first: true };
  const tags = [{ begin: " She calls (", schema: closed({ what: { enum: ["cat", "dog"] } }), end: ")" }];
  for (const structuralTags of [{ ...once, tags }, JSON.stringify({ ...once, structures: tags })])
    kinds.push([{ structuralTags }, /^ She calls \(\{"what": "(cat|dog)"\}\)$/]);
  const remote = await load(true);
  for (const [options, expected] of kinds)
    for (const by of [model, remote]) {
      const { text, finishReason } = await write(options, by);
      assert.match(text, expected);
      assert.equal(finishReason, "eos", text);
    }
  remote.dispose();
});

test("the text is the text of the compiled grammar, with beams and drafts too", async () => {
  const jsonSchema = schema();
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, jsonSchema, whitespace: "compact" });
  for (const options of [
    {},
    { beams: 3, seed: undefined },
    { draft: "lookup" },
    { draft: "lookahead" },
    { heal: true },
  ])
    assert.deepEqual(await write({ ...options, jsonSchema }), await write({ ...options, grammar }));
  grammar.dispose();
  const texts = [];
  for await (const { index, text } of model.generate(prompt, { jsonSchema, n: 3, seed: 4 }))
    texts[index] = (texts[index] ?? "") + text;
  for (const text of texts) assert.match(text, shape);
});

test("JSON has no whitespace, and only compileGrammar takes options of its spelling", async () => {
  const { text } = await write({ jsonSchema: { type: "array", items: { const: { a: 1 } }, minItems: 2, maxItems: 2 } });
  assert.equal(text, '[{"a":1},{"a":1}]');
  for (const name of ["whitespace", "numbers", "propertyOrder", "lenient", "remotes"])
    assert.throws(() => model.generate(prompt, { jsonSchema: {}, [name]: undefined }), { code: "unknown-option" });
});

test("a grammar is compiled once: an equal value is the same grammar", async () => {
  const fresh = () => ({ jsonSchema: closed({ once: { const: 1 } }) });
  assert.equal(await compiled(() => write(fresh())), 1);
  assert.equal(await compiled(() => write(fresh())), 0);
  assert.equal(await compiled(() => Promise.all([write(fresh()), write({ ...fresh(), n: 4 })])), 0);
  const twin = { choice: ["a new one", "or none"] };
  assert.equal(await compiled(() => Promise.all([write(twin), write(structuredClone(twin))])), 1);
  assert.equal(await compiled(() => write({ regex: "once+" })), 1);
  assert.equal(await compiled(() => write({ regex: /once+/u })), 1, "a RegExp has flags of its own");
  assert.equal(await compiled(() => write({ regex: /once+/u })), 0);
  assert.equal(await compiled(() => write({ ebnf: 'root ::= "b"' })), 1);
  // The same text is another grammar under another option.
  await assert.rejects(write({ lark: 'root ::= "b"' }), { code: "grammar-syntax" });
});

test("a compiled grammar stays compiled in the model's thread", async () => {
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, choice: ["stay", "go"] });
  const { vocabularies } = counts;
  assert.equal(await compiled(() => write({ grammar })), 1);
  assert.equal(await compiled(() => write({ grammar })), 0);
  assert.equal(counts.vocabularies, vocabularies);
  grammar.dispose();
});

test("a changed value is a new grammar; a text that has begun keeps the old grammar", async () => {
  const jsonSchema = closed({ answer: { enum: ["old"] } });
  assert.equal((await write({ jsonSchema })).text, '{"answer":"old"}');
  const asked = model.generate(prompt, { jsonSchema });
  jsonSchema.properties.answer.enum[0] = "new";
  assert.equal((await write({ jsonSchema })).text, '{"answer":"new"}');
  const choice = ["before"];
  const chosen = model.generate(prompt, { choice });
  choice[0] = "after";
  for (const [generation, expected] of [
    [asked, '{"answer":"old"}'],
    [chosen, "before"],
  ]) {
    let text = "";
    for await (const chunk of generation) text += chunk.text;
    assert.equal(text, expected);
  }
});

test("nothing is compiled before the first chunk is asked for", async () => {
  const idle = model.generate(prompt, { regex: "never+" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(await compiled(() => idle.return()), 0);
  assert.equal(await compiled(async () => assert.equal((await idle.next()).done, true)), 0);
});

test("an abort while a grammar is compiled ends the text", async () => {
  const controller = new AbortController();
  const generation = model.generate(prompt, { regex: "abort+", signal: controller.signal });
  const first = generation.next();
  controller.abort();
  assert.deepEqual((await first).value, { text: "", tokens: [], finishReason: "abort" });
  assert.equal((await generation.next()).done, true);
  const left = model.generate(prompt, { regex: "left+" });
  const waiting = left.next();
  await left.return();
  assert.equal((await waiting).done, true);
  assert.match((await write({ regex: "abort+" })).text, /^abort+$/);
});

test("errors of a grammar reject the first chunk, of the next call too, and the model stays usable", async () => {
  /** @type {[object, object][]} */
  const wrong = [
    [{ jsonSchema: { type: "text" } }, { code: "grammar-schema", keyword: "type" }],
    [{ jsonSchema: { pattern: "(?<=a)b" } }, { code: "grammar-unsupported", pointer: "" }],
    [{ jsonSchema: "{" }, { code: "grammar-syntax" }],
    [{ jsonSchema: 5 }, { code: "grammar-schema" }],
    [{ jsonSchema: { enum: [] } }, { code: "grammar-empty" }],
    [{ regex: "(" }, { code: "grammar-syntax" }],
    [{ regex: 5 }, { code: "bad-type" }],
    [{ choice: "yes" }, { code: "bad-type" }],
    [{ choice: [5] }, { code: "bad-type" }],
    [{ choice: [] }, { code: "grammar-empty" }],
    [{ ebnf: "root := 1" }, { code: "grammar-syntax" }],
    [{ ebnf: {} }, { code: "bad-type" }],
    [{ lark: null }, { code: "bad-type" }],
    [{ toolCalls: [] }, { code: "bad-type" }],
    [{ toolCalls: { tools: [{ name: "a b" }] } }, { code: "out-of-range" }],
  ];
  for (const [options, expected] of wrong)
    for (let time = 0; time < 2; time++) {
      const generation = model.generate(prompt, options);
      await assert.rejects(generation.next(), expected, JSON.stringify(options));
      assert.equal((await generation.next()).done, true);
    }
  assert.match((await write({ regex: "fine" })).text, /^fine$/);
});

test("a value that is not plain data is refused at once, with its option's name", () => {
  const circle = { items: {} };
  circle.items = circle;
  for (const jsonSchema of [
    circle,
    { maximum: NaN },
    { enum: [undefined] },
    { a: () => {} },
    { const: 1n },
    new Map(),
    { x: new Date(0) },
  ])
    // prettier-ignore
    assert.throws(() => model.generate(prompt, { jsonSchema }), { code: "bad-type", message: /^jsonSchema / });
  assert.throws(() => model.generate(prompt, { choice: new Set(["a"]) }), { code: "bad-type", message: /^choice / });
  model.generate(prompt, { jsonSchema: { type: undefined } });
});

test("two grammars are refused by their names", () => {
  const conflicts = (options, ...names) =>
    assert.throws(
      () => model.generate(prompt, options),
      ({ code, message }) => code === "conflict" && names.every((name) => message.includes(name)),
    );
  conflicts({ jsonSchema: {}, regex: "a" }, "jsonSchema", "regex");
  conflicts({ choice: ["a"], ebnf: 'root ::= "a"', lark: 'start: "a"' }, "choice", "ebnf", "lark");
  conflicts({ grammar: {}, toolCalls: { tools: [] } }, "grammar", "toolCalls");
  conflicts({ guided_json: {}, guided_choice: ["a"] }, "jsonSchema", "choice");
  conflicts({ json_schema: {}, jsonSchema: {} }, "jsonSchema");
  model.generate(prompt, { grammar: undefined, regex: "a", choice: undefined });
  assert.throws(() => model.generate(prompt, { grammar: 'root ::= "a"' }), { code: "bad-type", message: /ebnf/ });
});

test("a bounded number of grammars is kept, and a disposed model frees them all", async () => {
  const own = await load(false);
  const before = { ...counts };
  const alive = () => counts.made - counts.destroyed - (before.made - before.destroyed);
  for (let i = 0; i < 20; i++) await write({ choice: [`text ${i}`] }, own);
  assert.ok(alive() > 1 && alive() <= 8, `${alive()} are alive`);
  assert.equal(await compiled(() => write({ choice: ["text 19"] }, own)), 0);
  assert.equal(await compiled(() => write({ choice: ["text 0"] }, own)), 1);
  const waiting = own.generate(prompt, { choice: ["too late"] }).next();
  own.dispose();
  await assert.rejects(waiting, { code: "disposed" });
  while (alive()) await new Promise((resolve) => setTimeout(resolve, 5)); // what was being compiled goes at its end
  assert.equal(counts.vocabularies, before.vocabularies);
  assert.throws(() => own.generate(prompt, { choice: ["a"] }), { code: "disposed" });
});
