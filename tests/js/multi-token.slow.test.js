// Drafts by the block for multi-token prediction that files of Qwen3.5 may contain: what the block computes, and that
// no draft changes a text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar, estimateModel } from "lastinch";
import { planted } from "../models/planted.js";
import { referenceAhead } from "../models/reference.js";
import { floatFile } from "../vectors/family-files.js";
import { randomNumbers } from "../vectors/gguf-files.js";
import { collect, collectAll, load } from "./decode-tools.js";
import { openModel } from "./model-wasm.js";

const isWrong = (token) => token % 5 === 0;
const file = floatFile("qwen35", { ahead: 1 });
const known = floatFile("qwen35", { ahead: 1, embedding: 0.5, change: planted(isWrong) });
const prompt = randomNumbers("prompt", 70, 256);
const text = randomNumbers("text", 30, 256);

// ---- what the block computes ---------------------------------------------------------------------------

const layouts = {
  "with a norm of its own": {},
  "with the model's last norm": { aheadNorm: false },
  "with embeddings of its own": { aheadOwn: ["embed_tokens"] },
  "with an output matrix of its own": { aheadOwn: ["shared_head_head"] },
  "beside a tied output": { tied: true },
};
for (const [name, flags] of Object.entries(layouts))
  test(`the block ${name} agrees with float64`, async () => {
    const bytes = floatFile("qwen35", { ahead: 1, ...flags });
    const { rows, guesses } = referenceAhead(bytes, text, 4);
    for (const [cache, bound] of [
      ["f32", 2e-5],
      ["f16", 3e-3],
    ]) {
      const model = await openModel(bytes, { slots: 40, cache });
      model.forward(text.slice(0, -1));
      rows.forEach((expected, i) => {
        const { guesses: found, row } = model.draft(text.slice(model.c.li_sequence_read(model.model, 0)), i + 1);
        assert.deepEqual(found, guesses.slice(0, i + 1));
        const scale = Math.sqrt(expected.reduce((sum, x) => sum + x * x, 0) / expected.length);
        const worst = Math.max(...expected.map((x, token) => Math.abs(x - row[token]) / scale));
        assert.ok(worst < bound, `${cache}: guess ${i} is ${worst} off`);
      });
    }
  });

test("a guess does not depend on how the text was run and read, or on earlier guesses, cuts and texts", async () => {
  const fresh = async (tokens) => {
    const model = await openModel(file, { slots: 120, sequences: 3 });
    model.forward(tokens.slice(0, -1));
    return model.draft(tokens, 5);
  };
  const expected = await fresh(text);
  const model = await openModel(file, { slots: 120, sequences: 3 });
  const read = (sequence = 0) => model.c.li_sequence_read(model.model, sequence);
  const free = () => model.c.li_model_free_slots(model.model);
  model.forward(text.slice(0, 12));
  model.draft(text.slice(0, 7), 0);
  model.draft(text.slice(7, 13), 32);
  assert.equal(read(), 12);
  model.forward(text.slice(12, -1), { all: true });
  const slots = free();
  assert.deepEqual(model.draft(text.slice(12), 5), expected);
  assert.equal(free(), slots);
  assert.deepEqual(model.draft(text.slice(29), 5), expected);
  // Takes tentative rows back, and continues with another text.
  model.keep(20);
  assert.equal(read(), 20);
  const other = [...text.slice(0, 20), 9, 8, 7, 6];
  model.forward(other.slice(20, -1), { all: true });
  assert.deepEqual(model.draft(other.slice(20), 5), await fresh(other));
  // A text that shares what the block has read.
  assert.equal(model.c.li_sequence_share(model.model, 0, 1, 22), 0);
  assert.equal(read(1), 22);
  const third = [...other.slice(0, 22), 3, 4];
  model.forward(third.slice(22, -1), { sequence: 1 });
  assert.deepEqual(model.draft(third.slice(22), 5, 1), await fresh(third));
  assert.deepEqual(model.draft(other.slice(23), 5), await fresh(other));
});

test("rows that do not follow what was read are refused, and so are guesses without room", async () => {
  const model = await openModel(file, { slots: 40 });
  model.forward(text);
  const rows = /status -37$/;
  assert.throws(() => model.draft([...text, 1], 0), rows); // not in the sequence
  assert.throws(() => model.draft(text, 1), rows); // no token comes next
  assert.throws(() => model.draft([384], 0), rows);
  assert.throws(() => model.draft([1], 0, 2), rows);
  assert.throws(() => model.draft([...text, 1], 11), /status -36$/);
  assert.throws(() => model.draft([...text, 1], 33), /status -2$/);
  assert.throws(() => model.draft([], 1), /status -2$/);
  model.draft([...text, 1], 10);
  const without = await openModel(floatFile("qwen35"), { slots: 40 });
  without.forward(text);
  assert.throws(() => without.draft([...text, 1], 1), /status -2$/);
});

// ---- texts ---------------------------------------------------------------------------------------------

/** Runs `use` with two models of the same file, of which the second never drafts. */
async function withModels(bytes, use) {
  const [model, fresh] = [await load(bytes), await load(bytes)];
  assert.equal(model.config.predictsAhead, true);
  await use(model, fresh);
  for (const one of [model, fresh]) one.dispose();
}

const same = async (model, fresh, given, options) => {
  for (const draftTokens of [1, 3, 32, "auto"]) {
    const plain = await collectAll(fresh.generate(given, { n: 1, ...options }));
    const drafted = await collectAll(model.generate(given, { n: 1, ...options, draft: "mtp", draftTokens }));
    drafted.forEach((one, i) => {
      assert.deepEqual(one.tokens, plain[i].tokens, `${JSON.stringify(options)}, ${draftTokens}`);
      assert.equal(one.finishReason, plain[i].finishReason);
      if (draftTokens !== "auto") assert.ok(one.usage.draftedTokens > 0);
    });
  }
};

test("a block that is right at known places saves a pass for each right guess", async () => {
  await withModels(known, async (model) => {
    for (const draftTokens of [1, 2, 7]) {
      const options = { temperature: 0, maxTokens: 60, draft: "mtp", draftTokens };
      const { ids, usage } = await collect(model.generate([draftTokens, 11], options));
      assert.deepEqual(
        ids,
        Array.from({ length: 60 }, (_, i) => 12 + i),
      );
      let [passes, drafted, accepted] = [0, 0, 0];
      // The prompt gives the first token. Each later pass gives one token more than it accepts.
      for (let token = 12, left = 59; left > 0; passes++) {
        const count = Math.min(draftTokens, left - 1);
        let right = 0;
        while (right < count && !isWrong(token + right)) right++;
        drafted += count;
        accepted += right;
        token += right + 1;
        left -= right + 1;
      }
      const { draftedTokens, acceptedTokens } = usage;
      assert.deepEqual([usage.passes, draftedTokens, acceptedTokens], [passes + 1, drafted, accepted]);
    }
  });
});

test("the text of a seed is the same with drafts as without", async () => {
  const options = { maxTokens: 25, bannedTokens: [377] };
  await withModels(file, async (model, fresh) => {
    for (const others of [
      { temperature: 0 },
      { seed: 1 },
      { seed: 2, temperature: 0.1, topK: 5 },
      { seed: 3, mirostat: 2 },
      { seed: 4, repetitionPenalty: 1.4, noRepeatNgram: 2 },
      { seed: 5, n: 3 },
      { seed: 6, heal: true },
      { seed: 7, guidance: 2, negativePrompt: prompt.slice(0, 20) },
      { seed: 8, dola: "low" },
      { seed: 9, captureLogits: true },
    ])
      await same(model, fresh, prompt, { ...options, ...others });
  });
  await withModels(known, async (model, fresh) => {
    await same(model, fresh, [11], { ...options, temperature: 0 });
    await same(model, fresh, [11], { maxTokens: 80, stop: ["no"], seed: 1, temperature: 0.3 });
    await same(model, fresh, [360], { seed: 1 }); // a guess is the end of the text
  });
});

test("a grammar holds while the block drafts", async () => {
  for (const bytes of [file, known])
    await withModels(bytes, async (model, fresh) => {
      const grammar = await compileGrammar({ vocabulary: model.vocabulary, regex: "[a-z]{3}(12|45)?[A-Za-z]{0,30}" });
      for (const options of [
        { temperature: 0, grammar },
        { seed: 3, grammar },
      ])
        await same(model, fresh, [64], { ...options, maxTokens: 40 });
      grammar.dispose();
    });
});

test("conversations, other answers and texts that displace each other stay the same", async () => {
  await withModels(file, async (model, fresh) => {
    const drafts = { maxTokens: 20, bannedTokens: [377], draft: "mtp", draftTokens: 4 };
    let next = prompt;
    for (let turn = 0; turn < 4; turn++) {
      const text = await collect(model.generate(next, { ...drafts, seed: turn }));
      const { draft, draftTokens, ...plain } = drafts;
      assert.deepEqual(text.ids, (await collect(fresh.generate(next, { ...plain, seed: turn }))).ids);
      if (turn === 1)
        next = prompt; // another answer
      else next = [...next, ...text.ids, ...randomNumbers(`turn ${turn}`, 9, 256)];
    }
  });
  // Two readers take turns, in a model with room for little more than one of the texts.
  const options = { contextLength: 256 };
  const [model, fresh] = [await load(file, options), await load(file, options)];
  const texts = [1, 2].map((seed) => ({ seed, maxTokens: 150, bannedTokens: [377] }));
  const readers = texts.map(({ seed, ...rest }) =>
    model.generate(prompt.slice(seed), { ...rest, seed, draft: "mtp", draftTokens: 3 })[Symbol.asyncIterator](),
  );
  const ids = texts.map(() => []);
  for (let isOver = false; !isOver;) {
    const chunks = await Promise.all(readers.map((reader) => reader.next()));
    chunks.forEach(({ value }, i) => ids[i].push(...(value?.tokens ?? []).map(({ id }) => id)));
    isOver = chunks.every(({ done }) => done);
  }
  for (const [i, { seed, ...rest }] of texts.entries())
    assert.deepEqual(ids[i], (await collect(fresh.generate(prompt.slice(seed), { ...rest, seed }))).ids);
  for (const one of [model, fresh]) one.dispose();
});

test("a text continues after another one was aborted while it drafted", async () => {
  await withModels(file, async (model, fresh) => {
    const options = { maxTokens: 100, bannedTokens: [377], seed: 4, draft: "mtp", draftTokens: 6 };
    const controller = new AbortController();
    const ids = [];
    let last;
    for await (const chunk of model.generate(prompt, { ...options, signal: controller.signal })) {
      ids.push(...chunk.tokens.map(({ id }) => id));
      if (ids.length > 5) controller.abort();
      last = chunk;
    }
    assert.equal(last.finishReason, "abort");
    assert.ok(ids.length < 100);
    const { draft, draftTokens, ...plain } = options;
    const whole = await collect(fresh.generate(prompt, plain));
    assert.deepEqual(ids, whole.ids.slice(0, ids.length));
    assert.deepEqual((await collect(model.generate(prompt, options))).ids, whole.ids);
  });
});

// ---- files and memory ----------------------------------------------------------------------------------

test("a file without the block, or with several, is told apart from a file with one", async () => {
  for (const ahead of [0, 2]) {
    const model = await load(floatFile("qwen35", { ahead }));
    assert.equal(model.config.predictsAhead, false);
    assert.throws(() => model.generate("a", { draft: "mtp" }), { name: "LastInchError", code: "model-no-mtp" });
    model.dispose();
  }
  const model = await load(file);
  assert.throws(() => model.generate("a", { draft: "mtp", beams: 2 }), {
    code: "conflict",
    message: /draft.*beams/,
  });
  assert.throws(() => model.generate("a", { draft: "medusa" }), { code: "out-of-range", message: /or "mtp"/ });
  model.dispose();
});

test("estimateModel counts the memory of the block", async () => {
  const memory = async (ahead) => (await estimateModel(floatFile("qwen35", { ahead }), { contextLength: 256 })).memory;
  const [without, more] = [await memory(0), await memory(1)];
  // Keys, values and a state of 96 numbers at each position: see family-files.js.
  assert.equal(more.cache - without.cache, 256 * 4 * (2 * 64 + 96));
  const layer = 96 * (2 * 3 * 64 + 2 * 64 + 3 * 64 + 3 * 200);
  const weights = 4 * (layer + 2 * 96 * 96 + 2 * 64 + 5 * 96);
  assert.ok(
    Math.abs(more.weights - without.weights - weights) < 10_000,
    `${more.weights - without.weights}, ${weights}`,
  );
});
