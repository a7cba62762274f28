// Models with recurrent states, whose updates cannot be undone. Whatever a text shares, cuts or drafts, its logits have
// the bits that a fresh model computes when it runs the whole text at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { estimateModel } from "lastinch";
import { floatFile } from "../vectors/family-files.js";
import { randomNumbers } from "../vectors/gguf-files.js";
import { checkDrafts, checkTexts, collect, collectAll, countForwards, load } from "./decode-tools.js";

const file = floatFile("qwen35");
const prompt = randomNumbers("prompt", 70, 256);
const options = { maxTokens: 12, bannedTokens: [377], captureLogits: true };

/** Runs `use` with a model and another one whose calls are independent of each other. */
async function withModels(use) {
  await countForwards(async (counter) => {
    const [model, fresh] = [await load(file), await load(file)];
    const rowsFor = async (generation) => {
      counter.rows = 0;
      const text = await generation;
      return [text, counter.rows];
    };
    await use(model, fresh, rowsFor, counter);
    for (const one of [model, fresh]) one.dispose();
  });
}

test("a conversation continues without running its text again", async () => {
  await withModels(async (model, fresh, rowsFor) => {
    const first = await collect(model.generate(prompt, { ...options, seed: 1 }));
    await checkTexts(fresh, prompt, [first]);
    const next = [...prompt, ...first.ids, ...randomNumbers("next", 9, 256)];
    const [second, rows] = await rowsFor(collect(model.generate(next, { ...options, seed: 2 })));
    assert.equal(second.usage.cachedTokens, prompt.length + first.ids.length - 1);
    assert.equal(rows, 10 + second.ids.length - 1);
    await checkTexts(fresh, next, [second]);
  });
});

test("another answer to a prompt, or an edited answer, continues from the end of the prompt", async () => {
  await withModels(async (model, fresh, rowsFor) => {
    const first = await collect(model.generate(prompt, { ...options, seed: 1 }));
    const [other, rows] = await rowsFor(collect(model.generate(prompt, { ...options, seed: 2 })));
    assert.notDeepEqual(other.ids, first.ids);
    assert.equal(other.usage.cachedTokens, prompt.length - 1);
    assert.equal(rows, other.ids.length);
    await checkTexts(fresh, prompt, [other]);
    const written = [...prompt, ...first.ids.slice(0, 5), 9, 8, 7];
    const third = await collect(model.generate(written, { ...options, seed: 3 }));
    assert.equal(third.usage.cachedTokens, prompt.length - 1);
    await checkTexts(fresh, written, [third]);
    // What was not kept runs again.
    const earlier = prompt.slice(0, 30);
    const fourth = await collect(model.generate(earlier, { ...options, seed: 4 }));
    assert.equal(fourth.usage.cachedTokens, 0);
    await checkTexts(fresh, earlier, [fourth]);
  });
});

test("a prompt that lacks the last tokens of an earlier one goes on where they part", async () => {
  await withModels(async (model, fresh) => {
    for (const length of [70, 66, 130])
      for (const back of [1, 4, 8]) {
        const ids = randomNumbers(`${length} ${back}`, length, 256);
        await collect(model.generate(ids, { ...options, seed: 1 }));
        const next = [...ids.slice(0, length - back), 9, 8, 7];
        const text = await collect(model.generate(next, { ...options, seed: 2 }));
        assert.equal(text.usage.cachedTokens, length - back);
        await checkTexts(fresh, next, [text]);
      }
  });
});

test("the state is kept at the end of a prompt even if the last pass would have only one row", async () => {
  await withModels(async (model) => {
    for (const length of [63, 64, 65, 66, 129]) {
      const ids = randomNumbers(`length ${length}`, length, 256);
      await collect(model.generate(ids, { ...options, seed: 1 }));
      const again = await collect(model.generate(ids, { ...options, seed: 2 }));
      assert.equal(again.usage.cachedTokens, length - 1);
    }
  });
});

for (const draft of ["lookup", "lookahead", "model"])
  test(`drafts by ${draft} change no token`, async () => {
    await withModels(async (model, fresh, _, counter) => {
      const how = { file, prompt, options: { ...options, maxTokens: 60 }, draft };
      await checkDrafts({ model, fresh, counter }, how);
    });
  });

test("texts side by side, beams, guidance, DoLa and contrastive search give the bits of a fresh model", async () => {
  await withModels(async (model, fresh) => {
    await checkTexts(fresh, prompt, await collectAll(model.generate(prompt, { ...options, seed: 5, n: 4 })));
    await checkTexts(
      fresh,
      prompt,
      await collectAll(model.generate(prompt, { ...options, temperature: 0, beams: 4, n: 3 })),
    );
    await checkTexts(fresh, prompt, [
      await collect(model.generate(prompt, { ...options, penaltyAlpha: 0.5, topK: 4 })),
    ]);
    for (const others of [{ guidance: 2, negativePrompt: prompt.slice(0, 20) }, { dola: "low" }]) {
      const settings = { ...options, ...others, seed: 6 };
      const expected = await collect(fresh.generate(prompt, settings));
      await collect(model.generate(prompt.slice(0, 50), settings));
      assert.deepEqual((await collect(model.generate(prompt, settings))).tokens, expected.tokens);
    }
  });
});

test("when forward goes back, the positions kept so far are dropped and run again", async () => {
  await withModels(async (model, fresh) => {
    const rows = await fresh.forward(prompt, { rows: "all" });
    await model.forward(prompt.slice(0, 64));
    for (const [keep, to] of [
      [60, 70],
      [61, 62],
      [62, 63],
      [10, 64],
      [0, 3],
      [3, 40],
    ])
      assert.deepEqual(await model.forward(prompt.slice(keep, to), { keep }), rows[to - 1], `${keep}`);
  });
});

test("a text continues after another text was aborted in its prompt", async () => {
  await withModels(async (model, fresh, _, counter) => {
    const first = await collect(model.generate(prompt, { ...options, seed: 1 }));
    const next = [...prompt, ...first.ids, ...randomNumbers("next", 300, 256)];
    for (const last of [1, 2, 3]) {
      // The prompt needs more than four passes.
      const controller = new AbortController();
      counter.forwards = 0;
      counter.seen = () => counter.forwards === last && controller.abort();
      const aborted = await collect(model.generate(next, { ...options, signal: controller.signal }));
      counter.seen = undefined;
      assert.equal(aborted.finishReason, "abort");
      assert.equal(aborted.ids.length, 0);
      assert.equal(counter.forwards, last);
    }
    await checkTexts(fresh, next, [await collect(model.generate(next, { ...options, seed: 7 }))]);
  });
});

test("the state is kept at the end of the common prefix of two prompts, for a third prompt", async () => {
  await withModels(async (model, fresh) => {
    const begun = (name) => [...prompt.slice(0, 50), ...randomNumbers(name, 20, 256)];
    for (const [name, cached] of [
      ["first", 0],
      ["second", 0],
      ["third", 50],
      ["fourth", 50],
    ]) {
      const text = await collect(model.generate(begun(name), { ...options, seed: 1 }));
      assert.equal(text.usage.cachedTokens, cached, name);
      await checkTexts(fresh, begun(name), [text]);
    }
  });
});

test("without room for a state the least recently used text loses its own; too many at once are an error", async () => {
  const { instantiate } = WebAssembly;
  let most = Infinity;
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    const li_sequence_own = (address, seat) =>
      exports.li_model_states(address) < most ? exports.li_sequence_own(address, seat) : -1;
    return { exports: { ...exports, li_sequence_own } };
  };
  try {
    const model = await load(file);
    await collect(model.generate(prompt, { ...options, seed: 1 }));
    most = 3;
    const text = await collect(model.generate([7, ...prompt], { ...options, seed: 1 }));
    const beams = { ...options, temperature: 0, beams: 6 };
    await assert.rejects(collect(model.generate(prompt, beams)), {
      code: "out-of-memory",
      message: /\b6\b/,
    });
    const again = await collect(model.generate([7, ...prompt], { ...options, seed: 1 }));
    assert.deepEqual(again.tokens, text.tokens);
    model.dispose();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
});

test("the planned memory counts as many states as exist at once", async () => {
  const { instantiate } = WebAssembly;
  let most = 0;
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    const li_sequence_own = (address, seat) => {
      const status = exports.li_sequence_own(address, seat);
      most = Math.max(most, exports.li_model_states(address));
      return status;
    };
    return { exports: { ...exports, li_sequence_own } };
  };
  try {
    const model = await load(file);
    for (let i = 0; i < 8; i++)
      await collect(model.generate([i % 3, ...prompt], { ...options, seed: i, ...(i % 2 && { draft: "lookup" }) }));
    model.dispose();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  assert.equal(most, 6);
  const { memory } = await estimateModel(file, { contextLength: 256, cacheType: "f32" });
  // The file of family-files.js: one layer with attention, and three with matrices, rows beside them and a vector of
  // rates.
  const attention = 256 * 2 * 64;
  const layer = 4 * 16 * 16 + (3 + 32) * (8 * 16 + 2 * 4);
  const least = 4 * (attention + most * 3 * layer);
  assert.ok(memory.cache >= least && memory.cache < least + 10_000, `${memory.cache}, ${least}`);
});

test("the least recently used texts lose their states", async () => {
  await countForwards(async (counter) => {
    const model = await load(file);
    let most = 0;
    for (let i = 0; i < 30; i++) {
      await collect(model.generate([i, ...prompt.slice(i)], { ...options, maxTokens: 3, seed: i }));
      most = i < 8 ? counter.memory.buffer.byteLength : most;
    }
    assert.equal(counter.memory.buffer.byteLength, most);
    model.dispose();
  });
});

test("a text that was taken back goes on with the logits of the text that stayed", async () => {
  await withModels(async (model, fresh) => {
    // Three tokens cannot go on long without a loop.
    const loops = { action: "redraw", turns: 2, least: 4, redraws: 20 };
    const given = { ...options, temperature: 0, maxTokens: 40, allowedTokens: [300, 301, 302], loops };
    const { tokens } = await model.complete(prompt, given);
    const { tokens: free } = await model.complete(prompt, { ...given, loops: "ignore" });
    assert.notDeepEqual(
      tokens.map(({ id }) => id),
      free.map(({ id }) => id),
    );
    await checkTexts(fresh, prompt, [{ tokens, ids: tokens.map(({ id }) => id) }]);
  });
});
