// A model writes what a grammar allows, in its Worker and in the calling thread.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { compileGrammar, loadModel } from "lastinch";

const bytes = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
const model = await loadModel(new Blob([bytes]), { cache: false });
after(() => model.dispose());

const schema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 20 },
    age: { type: "integer", minimum: 1, maximum: 99 },
    friends: {
      type: "array",
      items: { enum: ["Tom", "Lily", "the old bear"] },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
    },
  },
  required: ["name", "age", "friends"],
  additionalProperties: false,
};

async function write(prompt, options) {
  let text = "";
  /** @type {any[]} */
  const tokens = [];
  let finishReason;
  for await (const chunk of model.generate(prompt, options)) {
    text += chunk.text;
    tokens.push(...chunk.tokens);
    finishReason = chunk.finishReason ?? finishReason;
  }
  return { text, tokens, finishReason };
}

test("a model with a schema writes an instance of the schema, and ends", async () => {
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, jsonSchema: schema, whitespace: "compact" });
  for (let seed = 0; seed < 20; seed++) {
    const { text, finishReason } = await write("Once upon a time", { grammar, temperature: 1.5, seed });
    assert.equal(finishReason, "eos", text);
    const value = JSON.parse(text);
    assert.deepEqual(Object.keys(value), ["name", "age", "friends"]);
    assert.ok(Number.isInteger(value.age) && value.age >= 1 && value.age <= 99, text);
    assert.ok(value.friends.length >= 1 && new Set(value.friends).size === value.friends.length, text);
  }
  grammar.dispose();
});

test("a model spells numbers canonically by default", async () => {
  const jsonSchema = { type: "array", items: { type: "integer", minimum: 1 }, minItems: 2, maxItems: 2 };
  const shared = { vocabulary: model.vocabulary, jsonSchema, whitespace: /** @type {const} */ ("compact") };
  const odd = { default: 0, any: 0, canonical: 0 };
  for (const numbers of /** @type {const} */ ([undefined, "any", "canonical"])) {
    const grammar = await compileGrammar({ ...shared, numbers });
    for (let seed = 0; seed < 30; seed++) {
      const { text } = await write("Once upon a time", { grammar, temperature: 20, seed, maxTokens: 12 });
      odd[numbers ?? "default"] += Number(/[.eE]|-0/.test(text));
    }
    // A matcher of the page reads every spelling by default.
    assert.equal(grammar.matcher().acceptBytes("[2e1"), numbers !== "canonical");
    grammar.dispose();
  }
  assert.deepEqual([odd.default, odd.canonical], [0, 0]);
  assert.ok(odd.any > 0, `${odd.any}`);
});

test("forced tokens are written without a draw, and are those that a draw would give", async () => {
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, jsonSchema: schema, whitespace: "compact" });
  const { tokens, text } = await write("There was a girl.", { grammar, temperature: 0 });
  const ids = tokens.map((token) => token.id);
  assert.equal(await model.detokenize(ids), text);
  const forced = tokens.filter((token) => token.probability === 1);
  assert.ok(forced.length >= 3, `${forced.length} of ${tokens.length} in ${text}`);
  // Their log-probabilities are the model's own, as score finds them.
  const prompt = await model.tokenize("There was a girl.", { bos: true });
  const { logprobs } = await model.score(Uint32Array.from([...prompt, ...ids]));
  tokens.forEach((token, i) =>
    assert.ok(Math.abs(token.rawLogprob - logprobs[prompt.length - 1 + i]) < 1e-9, String(i)),
  );
  grammar.dispose();
});

test("maxTokens holds within forced text", async () => {
  const grammar = await compileGrammar({
    vocabulary: model.vocabulary,
    regex: "aa once upon a time there was a little girl named Lily z",
  });
  for (let maxTokens = 1; maxTokens < 12; maxTokens++) {
    const { tokens, finishReason, text } = await write("Hello", { grammar, maxTokens });
    assert.equal(tokens.length, maxTokens);
    assert.equal(finishReason, "length");
    assert.ok("aa once upon a time there was a little girl named Lily z".startsWith(text), text);
  }
  const whole = await write("Hello", { grammar });
  assert.equal(whole.text, "aa once upon a time there was a little girl named Lily z");
  assert.equal(whole.finishReason, "eos");
  const stopped = await write("Hello", { grammar, stop: "little" });
  assert.equal(stopped.text, "aa once upon a time there was a ");
  assert.equal(stopped.finishReason, "stop");
  grammar.dispose();
});

test("every kind of grammar reaches the model", async () => {
  const kinds = [
    [{ choice: ["yes", "no", "perhaps not"] }, /^(yes|no|perhaps not)$/],
    [{ regex: /[A-Z][a-z]{2,8}( [a-z]{1,9}){3}\./ }, /^[A-Z][a-z]{2,8}( [a-z]{1,9}){3}\.$/],
    [{ ebnf: 'root ::= "(" root ")" | [a-c]{2}' }, /^\(*[a-c]{2}\)*$/],
    [{ lark: 'start: WORD ("," WORD)~2\nWORD: /[a-z]{3}/' }, /^[a-z]{3},[a-z]{3},[a-z]{3}$/],
  ];
  for (const [source, expected] of kinds) {
    const grammar = await compileGrammar({ vocabulary: model.vocabulary, ...source });
    const { text, finishReason } = await write("She said", { grammar, temperature: 1.2, seed: 3, maxTokens: 60 });
    if (finishReason === "eos") assert.match(text, expected);
    else assert.ok(source.ebnf && /^\(+/.test(text), text);
    grammar.dispose();
  }
});

test("a grammar combines with the other options, and runs in the calling thread", async () => {
  const local = await loadModel(new Blob([bytes]), { cache: false, worker: false });
  const grammar = await compileGrammar({ vocabulary: local.vocabulary, regex: "[a-z ]{1,40}\\." });
  const options = { grammar, temperature: 0.9, topK: 20, repetitionPenalty: 1.2, seed: 5, maxTokens: 30 };
  let text = "";
  for await (const chunk of local.generate("The cat", options)) text += chunk.text;
  assert.match(text, /^[a-z ]{1,40}\.?$/);
  const other = await write("The cat", {
    ...options,
    grammar: await compileGrammar({ vocabulary: model.vocabulary, regex: "[a-z ]{1,40}\\." }),
  });
  assert.equal(other.text, text);
  local.dispose();
});

test("unusable grammars are refused", async () => {
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, jsonSchema: { enum: [] } });
  assert.equal(grammar.isEmpty, true);
  assert.throws(() => model.generate("x", { grammar }), { code: "grammar-empty" });
  assert.throws(() => model.generate("x", { grammar: grammar.matcher() }), { code: "bad-type" });
  const small = await compileGrammar({ vocabulary: { tokens: [Uint8Array.of(97)], eos: [] }, regex: "a*" });
  assert.throws(() => model.generate("x", { grammar: small }), { code: "conflict" });
});
