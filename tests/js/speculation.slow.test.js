// Drafts by a second model, by lookup and by lookahead: the text is the same as without them, or has the same
// distribution.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { compileGrammar, loadModel } from "lastinch";
import { rounds } from "../rounds.js";
import { randomModel, scriptedModel, vocabularyOf } from "./tiny-gguf.js";

const file = (name) => readFileSync(new URL(`../../demos/model/${name}.gguf`, import.meta.url));
const here = { worker: false, cache: false };
const model = await loadModel(new Blob([file("storyteller")]), here);
const draft = await loadModel(new Blob([file("draft")]), here);
after(() => {
  model.dispose();
  draft.dispose();
});

async function write(target, prompt, options) {
  let text = "";
  /** @type {any[]} */
  const tokens = [];
  let last;
  for await (const chunk of target.generate(prompt, options)) {
    text += chunk.text;
    tokens.push(...chunk.tokens);
    last = chunk;
  }
  return { text, tokens, ids: tokens.map((token) => token.id), finishReason: last.finishReason, usage: last.usage };
}

/** Texts of a generation with several, by index. */
async function writeAll(target, prompt, options) {
  const ids = Array.from({ length: options.n }, () => []);
  for await (const { index, tokens } of target.generate(prompt, options))
    ids[index].push(...tokens.map(({ id }) => id));
  return ids;
}

const prompts = ["Once upon a time", "The dog had a box", "Row, row, row", "Lily wanted to", "“"];
const drafts = { pair: draft, lookup: "lookup", lookahead: "lookahead" };

for (const [name, by] of Object.entries(drafts))
  test(`${name}: greedy text is the same, token for token`, async () => {
    let [passes, count] = [0, 0];
    for (const [i, prompt] of prompts.entries()) {
      const options = { temperature: 0, maxTokens: 120 };
      const plain = await write(model, prompt, options);
      for (const [j, draftTokens] of [1, 4, 7, "auto"].entries()) {
        // Every prompt with 4 proposals. Of the other numbers each prompt takes every second one, unless CHECK_LONG is
        // set.
        if (draftTokens !== 4 && (i + j) % rounds(1, 2)) continue;
        const drafted = await write(model, prompt, { ...options, draft: by, draftTokens });
        assert.deepEqual(drafted.tokens, plain.tokens, `${prompt}, ${draftTokens}`);
        assert.equal(drafted.text, plain.text);
        assert.equal(drafted.finishReason, plain.finishReason);
        if (draftTokens !== 4) continue;
        passes += drafted.usage.passes;
        count += drafted.ids.length;
      }
    }
    console.log(`# ${name}: ${(count / passes).toFixed(2)} tokens a pass with 4 proposals`);
    assert.ok(count / passes > { pair: 2.5, lookup: 1.3, lookahead: 1.5 }[name], String(count / passes));
  });

for (const [name, by] of Object.entries(drafts))
  test(`${name}: penalties count accepted tokens but not rejected ones`, async () => {
    const penalties = [
      { repetitionPenalty: 1.4, frequencyPenalty: 0.3 },
      { dryMultiplier: 0.8, dryAllowedLength: 2 },
      { noRepeatNgram: 3, minTokens: 80 },
    ];
    for (const options of penalties.map((some) => ({ ...some, temperature: 0, maxTokens: 100 }))) {
      const plain = await write(model, "The dog had a box", options);
      const drafted = await write(model, "The dog had a box", { ...options, draft: by, draftTokens: 5 });
      assert.deepEqual(drafted.ids, plain.ids, JSON.stringify(options));
      assert.ok(drafted.usage.draftedTokens > 0);
    }
  });

for (const [name, by] of Object.entries(drafts))
  test(`${name}: a grammar holds while tokens are drafted`, async () => {
    const properties = { name: { type: "string", maxLength: 20 }, toys: { type: "array", items: { type: "string" } } };
    const jsonSchema = { type: "object", properties, required: ["name", "toys"], additionalProperties: false };
    const grammar = await compileGrammar({ vocabulary: model.vocabulary, jsonSchema, whitespace: "compact" });
    for (const temperature of [0, 1])
      for (let seed = 0; seed < rounds(8, 4); seed++) {
        const options = { temperature, seed, grammar, maxTokens: 150 };
        const drafted = await write(model, "Lily wrote:", { ...options, draft: by, draftTokens: 4 });
        if (drafted.finishReason === "eos") assert.ok(JSON.parse(drafted.text).toys, drafted.text);
        if (by === draft && temperature) continue;
        const plain = await write(model, "Lily wrote:", options);
        assert.deepEqual(drafted.ids, plain.ids);
        assert.deepEqual(drafted.tokens, plain.tokens);
      }
    grammar.dispose();
  });

for (const by of ["lookup", "lookahead"])
  test(`${by}: sampled text equals the text without drafts, with the same seed`, async () => {
    for (const options of [{ temperature: 0.6 }, { temperature: 1, topP: 0.9 }, { temperature: 1, mirostatTau: 3 }])
      for (let seed = 0; seed < 4; seed++) {
        const plain = await write(model, "The dog had a box", { ...options, seed, maxTokens: 60 });
        for (const draftTokens of [3, "auto"]) {
          const how = { ...options, seed, maxTokens: 60, draft: by, draftTokens };
          const drafted = await write(model, "The dog had a box", how);
          assert.deepEqual(drafted.tokens, plain.tokens);
        }
      }
  });

test("with a fixed number of proposals the same seed gives the same text", async () => {
  const options = { temperature: 1, draft, draftTokens: 3, maxTokens: 60 };
  const [first, again, other] = [
    await write(model, "Once", { ...options, seed: 1 }),
    await write(model, "Once", { ...options, seed: 1 }),
    await write(model, "Once", { ...options, seed: 2 }),
  ];
  assert.deepEqual(first.tokens, again.tokens);
  assert.notDeepEqual(first.ids, other.ids);
});

test("every token comes with its probability under the target", async () => {
  const options = { temperature: 0.8, topK: 20, seed: 3, maxTokens: 40 };
  const { ids, tokens } = await write(model, "Once upon", { ...options, draft, draftTokens: 4 });
  const prompt = await model.tokenize("Once upon", { bos: true });
  const rows = await model.forward([...prompt, ...ids.slice(0, -1)], { rows: "all" });
  tokens.forEach(({ id, probability, rawLogprob }, i) => {
    const row = [...rows[prompt.length - 1 + i]];
    const peak = Math.max(...row);
    const bound = [...row].sort((a, b) => b - a)[19];
    const weights = row.map((z) => (z >= bound ? Math.exp((z - peak) / 0.8) : 0));
    const expected = weights[id] / weights.reduce((a, b) => a + b);
    assert.ok(Math.abs(probability - expected) < 1e-5, `${probability} against ${expected}`);
    const total = row.reduce((sum, z) => sum + Math.exp(z - peak), 0);
    assert.ok(Math.abs(rawLogprob - (row[id] - peak - Math.log(total))) < 1e-4);
  });
});

for (const [name, by] of Object.entries(drafts))
  test(`${name}: several continuations side by side, each equal to the continuation alone`, async () => {
    const options = { temperature: 0.9, seed: 4, maxTokens: 40, draft: by, draftTokens: 3 };
    const all = await writeAll(model, "Once upon a time", { ...options, n: 3 });
    for (let stream = 0; stream < 3; stream++) {
      const alone = await write(model, "Once upon a time", { ...options, stream });
      assert.deepEqual(all[stream], alone.ids);
    }
  });

test("a draft works under guidance, beside contrasts and with a healed prompt", async () => {
  const ways = [
    { guidance: 1.5, negativePrompt: "The" },
    { contrast: { model: draft } },
    { dola: "low" },
    { heal: true },
  ];
  for (const more of ways) {
    const options = { temperature: 0, maxTokens: 50, ...more };
    const plain = await write(model, "Once upon a ti", options);
    for (const by of Object.values(drafts)) {
      const drafted = await write(model, "Once upon a ti", { ...options, draft: by, draftTokens: 3 });
      assert.deepEqual(drafted.ids, plain.ids, JSON.stringify(more));
      assert.ok(drafted.usage.draftedTokens > 0);
    }
  }
});

test("usage counts drafted and accepted tokens", async () => {
  const options = { temperature: 0, maxTokens: 50 };
  const plain = await write(model, "Once upon a time", options);
  assert.deepEqual([plain.usage.passes, plain.usage.draftedTokens, plain.usage.acceptedTokens], [50, 0, 0]);
  for (const by of Object.values(drafts)) {
    const { usage, ids } = await write(model, "Once upon a time", { ...options, draft: by, draftTokens: 3 });
    assert.equal(usage.completionTokens, ids.length);
    // Every pass gives one token more than it accepts, unless the text ends with one that was accepted.
    assert.ok([ids.length, ids.length + 1].includes(usage.passes + usage.acceptedTokens));
    assert.ok(usage.draftedTokens >= usage.acceptedTokens && usage.draftedTokens <= 3 * usage.passes);
  }
});

test("a model can draft for itself: all drafts are accepted", async () => {
  const options = { temperature: 1, seed: 9, maxTokens: 40, bannedTokens: model.vocabulary.eos };
  const { usage } = await write(model, "Once upon a time", { ...options, draft: model, draftTokens: 3 });
  assert.equal(usage.acceptedTokens, usage.draftedTokens);
  assert.equal(usage.passes, 10);
});

test("limits, stop strings and ends hold within accepted tokens", async () => {
  const plain = await write(model, "Once upon a time", { temperature: 0, maxTokens: 60 });
  for (const by of Object.values(drafts)) {
    const options = { temperature: 0, draft: by, draftTokens: 7 };
    for (let maxTokens = 1; maxTokens < 12; maxTokens++) {
      const { ids, finishReason } = await write(model, "Once upon a time", { ...options, maxTokens });
      assert.deepEqual(ids, plain.ids.slice(0, maxTokens));
      assert.equal(finishReason, "length");
    }
    for (const stop of [plain.text.slice(20, 24), plain.text.slice(41, 60), "xyz"]) {
      const expected = await write(model, "Once upon a time", { temperature: 0, maxTokens: 60, stop });
      const drafted = await write(model, "Once upon a time", { ...options, maxTokens: 60, stop });
      for (const key of ["ids", "text", "finishReason"]) assert.deepEqual(drafted[key], expected[key]);
    }
  }
});

test("the end of a text can be drafted and accepted, and the next text begins correctly", async () => {
  const script = [..."abcdefghijklmnop"];
  const { bytes, ids } = scriptedModel({ script });
  const target = await loadModel(bytes, here);
  const helper = await loadModel(bytes, here);
  for (let i = 0; i < 3; i++) {
    const {
      text,
      ids: written,
      finishReason,
      usage,
    } = await write(target, "", { temperature: 0, draft: helper, draftTokens: 5 });
    assert.equal(text, script.join(""));
    assert.deepEqual(written, [...ids, 2]);
    assert.equal(finishReason, "eos");
    assert.equal(usage.acceptedTokens, usage.draftedTokens, "nothing is drafted behind the end");
    assert.equal(usage.passes, 3);
  }
  target.dispose();
  helper.dispose();
});

test("a full context ends the text where it would end without a draft", async () => {
  const options = { vocabulary: vocabularyOf([..."abcdefghijklmnopqrstuvwxyz"]), context: 40, seed: 7 };
  const target = await loadModel(randomModel(options), here);
  const wide = await loadModel(randomModel({ ...options, seed: 8, context: 100 }), here);
  const narrow = await loadModel(randomModel({ ...options, seed: 8, context: 12 }), here);
  const how = { temperature: 0, bannedTokens: [2] };
  const plain = await write(target, "abc", how);
  assert.equal(plain.finishReason, "context");
  for (const by of [wide, narrow, target, "lookup", "lookahead"])
    for (const draftTokens of [1, 3, 8]) {
      const drafted = await write(target, "abc", { ...how, draft: by, draftTokens });
      assert.deepEqual(drafted.ids, plain.ids);
      assert.equal(drafted.finishReason, "context");
    }
  for (const one of [target, wide, narrow]) one.dispose();
});

test("a draft with another vocabulary or in another thread is refused", async () => {
  const other = await loadModel(randomModel({ vocabulary: vocabularyOf(["a"]) }), here);
  const away = await loadModel(new Blob([file("draft")]), { ...here, worker: true });
  const refuses = (options, expected) => assert.throws(() => model.generate("a", options), expected);
  refuses({ draft: other }, { name: "TypeError", code: "conflict", message: /vocabulary/ });
  refuses({ draft: away }, { name: "TypeError", code: "conflict", message: /thread/ });
  refuses({ draft: {} }, { name: "TypeError", code: "bad-type" });
  refuses({ draft: "luck" }, { name: "RangeError", code: "out-of-range" });
  refuses({ draft, draftTokens: 0 }, { name: "RangeError", code: "out-of-range" });
  refuses({ draft, draftTokens: 2.5 }, { name: "RangeError", code: "out-of-range" });
  refuses({ draftTokens: 2 }, { name: "TypeError", code: "conflict" });
  refuses({ draft, beams: 2 }, { name: "TypeError", code: "conflict" });
  other.dispose();
  refuses({ draft: other }, { code: "disposed" });
  away.dispose();
});

test("disposing a draft at work ends the text with an error, and the target stays usable", async () => {
  for (const worker of [false, true]) {
    const target = await loadModel(new Blob([file("storyteller")]), { cache: false, worker });
    for (const draftTokens of [2, "auto"]) {
      const helper = await loadModel(new Blob([file("draft")]), { cache: false, worker });
      const options = { draft: helper, draftTokens, maxTokens: 400, bannedTokens: model.vocabulary.eos };
      await assert.rejects(
        async () => {
          let count = 0;
          for await (const _ of target.generate("Once", options)) if (++count === 20) helper.dispose();
        },
        { code: "disposed" },
      );
    }
    assert.equal((await write(target, "Once", { maxTokens: 3 })).ids.length, 3);
    target.dispose();
  }
});

test("an abort ends a drafted text, and both models stay usable", async () => {
  for (const by of Object.values(drafts)) {
    const controller = new AbortController();
    const options = { draft: by, draftTokens: 4, signal: controller.signal, bannedTokens: model.vocabulary.eos };
    let [count, finishReason] = [0, ""];
    for await (const chunk of model.generate("Once", options)) {
      if (++count === 30) controller.abort();
      finishReason = chunk.finishReason;
    }
    assert.equal(finishReason, "abort");
    assert.ok(count <= 31);
  }
  const options = { temperature: 0, maxTokens: 30 };
  const plain = await write(model, "Once", options);
  assert.deepEqual((await write(model, "Once", { ...options, draft, draftTokens: 4 })).ids, plain.ids);
  assert.equal((await write(draft, "Once", options)).ids.length, 30);
});

test("two texts can use each other's model as a draft at the same time", async () => {
  const options = { temperature: 0, maxTokens: 40 };
  const plain = [await write(model, "Once", options), await write(draft, "Once", options)];
  const drafted = await Promise.all([
    write(model, "Once", { ...options, draft, draftTokens: 3 }),
    write(draft, "Once", { ...options, draft: model, draftTokens: 3 }),
  ]);
  drafted.forEach(({ ids }, i) => assert.deepEqual(ids, plain[i].ids));
});
