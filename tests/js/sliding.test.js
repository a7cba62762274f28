// Models with sliding-window layers, which drop the slots of earlier positions. Whatever a text shares, cuts or drafts,
// its logits have the bits that a model that drops nothing computes when it runs the whole text at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { estimateModel } from "lastinch";
import { floatFile } from "../vectors/family-files.js";
import { randomNumbers } from "../vectors/gguf-files.js";
import { checkDrafts, checkTexts, collect, collectAll, countForwards, load } from "./decode-tools.js";

// The window is 30. A sequence holds at most 256 slots of the first layer, so a model with more than 512 drops slots.
const file = floatFile("gemma3", { context: 1024 });
const prompt = randomNumbers("prompt", 400, 256);
const options = { maxTokens: 12, bannedTokens: [377], captureLogits: true };
const whole = { contextLength: 512 };

/** Runs `use` with a model that drops slots and one that drops none. */
async function withModels(use) {
  await countForwards(async (counter) => {
    const [model, fresh] = [await load(file), await load(file, whole)];
    await use(model, fresh, counter);
    for (const one of [model, fresh]) one.dispose();
  });
}

for (const family of ["gemma2", "gemma3", "exaone4", "olmo2"])
  test(`${family}: a text of many windows has the logits of a cache that drops nothing`, async () => {
    const bytes = floatFile(family, {
      context: 1024,
      layers: 4,
      window: 30,
      pattern: family === "olmo2" ? undefined : 2,
    });
    const ids = randomNumbers(family, 500, 256);
    for (const cacheType of ["f32", "f16"]) {
      const [model, fresh] = [await load(bytes, { cacheType }), await load(bytes, { cacheType, ...whole })];
      const expected = await fresh.forward(ids, { rows: "all" });
      const rows = await model.forward(ids.slice(0, 333), { rows: "all" });
      for (let i = 333; i < 500; i++)
        rows.push(await model.forward([ids[i]], { keep: i }).then((row) => [row].flat()[0]));
      rows.forEach((row, i) => assert.deepEqual(row, expected[i], `${cacheType}, row ${i}`));
      for (const one of [model, fresh]) one.dispose();
    }
  });

test("a conversation continues without running its text again", async () => {
  await withModels(async (model, fresh, counter) => {
    const first = await collect(model.generate(prompt, { ...options, seed: 1 }));
    await checkTexts(fresh, prompt, [first]);
    const next = [...prompt, ...first.ids, ...randomNumbers("next", 9, 256)];
    counter.rows = 0;
    const second = await collect(model.generate(next, { ...options, seed: 2 }));
    assert.equal(second.usage.cachedTokens, prompt.length + first.ids.length - 1);
    assert.equal(counter.rows, 10 + second.ids.length - 1);
    await checkTexts(fresh, next, [second]);
  });
});

test("another answer to a prompt, or an edited answer, continues from the end of the prompt", async () => {
  await withModels(async (model, fresh) => {
    const ids = prompt.slice(0, 250);
    const first = await collect(model.generate(ids, { ...options, maxTokens: 160, seed: 1 }));
    assert.ok(ids.length + first.ids.length > 385, `${first.ids.length}`); // has dropped the end of the prompt
    const other = await collect(model.generate(ids, { ...options, seed: 2 }));
    assert.equal(other.usage.cachedTokens, ids.length - 1);
    await checkTexts(fresh, ids, [first, other]);
    const written = [...ids, ...first.ids.slice(0, 5), 9, 8, 7];
    const third = await collect(model.generate(written, { ...options, seed: 3 }));
    assert.equal(third.usage.cachedTokens, ids.length);
    await checkTexts(fresh, written, [third]);
    // A cut within what the longer text has kept.
    const late = [...ids, ...first.ids.slice(0, 100), 9, 8, 7];
    const fourth = await collect(model.generate(late, { ...options, seed: 3 }));
    assert.equal(fourth.usage.cachedTokens, ids.length + 100);
    await checkTexts(fresh, late, [fourth]);
    // What was not kept runs again.
    await collect(model.generate(prompt.toReversed(), { ...options, seed: 4 }));
    const earlier = prompt.toReversed().slice(0, 120);
    const fifth = await collect(model.generate(earlier, { ...options, seed: 4 }));
    assert.equal(fifth.usage.cachedTokens, 0);
    await checkTexts(fresh, earlier, [fifth]);
  });
});

for (const draft of ["lookup", "lookahead", "model"])
  test(`drafts by ${draft} change no token`, async () => {
    await withModels(async (model, fresh, counter) => {
      const how = { file, prompt, options: { ...options, maxTokens: 90 }, draft };
      await checkDrafts({ model, fresh, counter }, how);
    });
  });

test("texts side by side, beams, guidance, DoLa and contrastive search give the bits of a whole cache", async () => {
  await withModels(async (model, fresh) => {
    const long = { ...options, maxTokens: 80 };
    await checkTexts(fresh, prompt, await collectAll(model.generate(prompt, { ...long, seed: 5, n: 4 })));
    await checkTexts(
      fresh,
      prompt,
      await collectAll(model.generate(prompt, { ...long, temperature: 0, beams: 4, n: 3 })),
    );
    await checkTexts(fresh, prompt, [await collect(model.generate(prompt, { ...long, penaltyAlpha: 0.5, topK: 4 }))]);
    for (const others of [{ guidance: 2, negativePrompt: prompt.slice(0, 300) }, { dola: "low" }]) {
      const settings = { ...long, ...others, seed: 6 };
      const expected = await collect(fresh.generate(prompt, settings));
      await collect(model.generate(prompt.slice(0, 350), settings));
      assert.deepEqual((await collect(model.generate(prompt, settings))).tokens, expected.tokens);
    }
  });
});

test("when forward goes back to dropped positions, they run again", async () => {
  await withModels(async (model, fresh) => {
    const rows = await fresh.forward(prompt, { rows: "all" });
    await model.forward(prompt.slice(0, 390));
    for (const [keep, to] of [
      [380, 390],
      [326, 400],
      [10, 384],
      [300, 301],
      [284, 290],
      [0, 300],
      [100, 400],
    ])
      assert.deepEqual(await model.forward(prompt.slice(keep, to), { keep }), rows[to - 1], `${keep}`);
  });
});

test("a text continues after another text was aborted in its prompt", async () => {
  await withModels(async (model, fresh, counter) => {
    const short = prompt.slice(0, 40);
    const first = await collect(model.generate(short, { ...options, seed: 1 }));
    const next = [...short, ...first.ids, ...randomNumbers("next", 440, 256)];
    for (const last of [1, 3, 5, 7]) {
      const controller = new AbortController();
      counter.forwards = 0;
      counter.seen = () => counter.forwards === last && controller.abort();
      const aborted = await collect(model.generate(next, { ...options, signal: controller.signal }));
      counter.seen = undefined;
      assert.equal(aborted.finishReason, "abort");
      assert.equal(counter.forwards, last);
    }
    await checkTexts(fresh, next, [await collect(model.generate(next, { ...options, seed: 7 }))]);
    await checkTexts(fresh, short, [await collect(model.generate(short, { ...options, seed: 7 }))]);
  });
});

test("the window is kept at the end of the common prefix of two prompts, for a third prompt", async () => {
  await withModels(async (model, fresh) => {
    const begun = (name) => [...prompt.slice(0, 100), ...randomNumbers(name, 380, 256)];
    for (const [name, cached] of [
      ["first", 0],
      ["second", 0],
      ["third", 100],
    ]) {
      const text = await collect(model.generate(begun(name), { ...options, seed: 1 }));
      assert.equal(text.usage.cachedTokens, cached, name);
      await checkTexts(fresh, begun(name), [text]);
    }
  });
});

test("the texts that are kept beside a running text fit into the planned slots", async () => {
  const { instantiate } = WebAssembly;
  let least = Infinity;
  let taken = 0;
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    const li_model_take_slots = (address, count, windowCount) => {
      least = Math.min(least, exports.li_model_free_window_slots(address) - windowCount);
      taken += windowCount;
      return exports.li_model_take_slots(address, count, windowCount);
    };
    return { exports: { ...exports, li_model_take_slots } };
  };
  try {
    const model = await load(file);
    for (let i = 0; i < 12; i++) {
      const ids = [i % 3, ...prompt.slice(0, 60 * (i % 6))];
      await collect(model.generate(ids, { ...options, maxTokens: 100, seed: i, ...(i % 2 && { draft: "lookup" }) }));
    }
    assert.ok(taken > 2000 && least >= 0 && least < 100, `${taken} taken, ${least} left`);
    model.dispose();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  const memoryOf = async (contextLength) =>
    (await estimateModel(file, { contextLength, cacheType: "f32" })).memory.cache;
  // A row is a key and a value of 32 floats. One of two layers slides, and nothing is dropped of 512 positions.
  const [few, many] = [await memoryOf(512), await memoryOf(1024)];
  assert.ok(Math.abs(few - 2 * 512 * 256) < 15_000, `${few}`);
  assert.ok(Math.abs(many - few - 512 * 256) < 10_000, `${many}`);
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
