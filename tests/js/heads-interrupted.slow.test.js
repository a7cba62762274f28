// Texts that heads draft are the plain ones, bit for bit, where a tree meets something: the context is full, the model has
// lost its keys, what repeats is refused, or the tree is given up.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { models, removeModel } from "lastinch";
import { PassPace } from "../../web/model/worker/pass-pace.js";
import { Sequences } from "../../web/model/worker/sequences.js";
import { randomNumbers } from "../vectors/gguf-files.js";
import { collect, countForwards, load, shipped, summary } from "./decode-tools.js";
import { FakeCaches } from "./fake-caches.js";

const storyteller = shipped("storyteller");
const fresh = await load(storyteller);
after(() => fresh.dispose());
const prompt = [...(await fresh.tokenize("Once upon a time there was a little girl who", { bos: true }))];

/**
 * Tests each kind of heads with texts that are greedy and drawn.
 * @param {string} name
 * @param {(heads: any, options: any, t: import("node:test").TestContext) => Promise<void>} check
 */
function withHeads(name, check) {
  for (const kind of ["medusa", "eagle"])
    for (const draw of [{ temperature: 0 }, { temperature: 0.8, seed: 7 }])
      test(`${name}: ${kind}, temperature ${draw.temperature}`, async (t) => {
        const heads = await load(shipped(kind));
        t.after(() => heads.dispose());
        // No text ends by itself.
        await check(heads, { ...draw, maxTokens: 40, bannedTokens: [2], captureLogits: true }, t);
      });
}

/** Heads propose trees of 16 tokens. */
const drafts = (draft) => ({ draft, draftTokens: 16, captureDrafts: true });
const exact = ({ tokens, text, finishReason }) => ({ tokens, text, finishReason });

/** Compares a text with heads to that of a model without. */
async function compare(model, heads, ids, options, plain = fresh) {
  const expected = await collect(plain.generate(ids, options));
  const text = await collect(model.generate(ids, { ...options, ...drafts(heads) }));
  assert.deepEqual(exact(text), exact(expected));
  return text;
}

withHeads("the context is full in the middle of a tree", async (heads, options) => {
  let written = 0;
  for (let contextLength = 40; contextLength < 46; contextLength++) {
    const [model, plain] = [await load(storyteller, { contextLength }), await load(storyteller, { contextLength })];
    const { chunks, ids, finishReason } = await compare(model, heads, prompt, options, plain);
    assert.deepEqual([finishReason, prompt.length + ids.length], ["context", contextLength + 1]);
    const last = chunks.findLastIndex(({ draft }) => draft?.tokens.length);
    written += chunks.slice(last).flatMap(({ tokens }) => tokens).length - 1;
    // Its beginning goes on in another way.
    await compare(model, heads, [...prompt, ...ids.slice(0, 20), 500], options, plain);
    for (const one of [model, plain]) one.dispose();
  }
  assert.ok(written > 2, `${written} proposals accepted by the last trees`);
});

withHeads("the keys are lost", async (heads, options, t) => {
  const model = await load(storyteller);
  t.after(() => model.dispose());
  const long = randomNumbers("long", model.config.contextLength - 4, 2000);
  const { ids } = await compare(model, heads, prompt, options);
  const further = [...prompt, ...ids];
  const losses = {
    "of the model": () => model.score(long),
    "of the model and the heads": () => collect(model.generate(long, { maxTokens: 3, ...drafts(heads) })),
  };
  for (const [which, lose] of Object.entries(losses)) {
    await lose();
    const { usage } = await compare(model, heads, further, options);
    assert.ok(!usage.cachedTokens && usage.acceptedTokens > 5, `${which}: ${JSON.stringify(usage)}`);
  }
  const chunks = [];
  for await (const chunk of model.generate(prompt, { ...options, maxTokens: 150, ...drafts(heads) })) {
    // The text waits for its reader.
    if (!chunks.length) await model.score(long);
    chunks.push(chunk);
  }
  assert.deepEqual(
    exact(summary(chunks)),
    exact(await collect(fresh.generate(prompt, { ...options, maxTokens: 150 }))),
  );
});

withHeads("a kept prefix is found, and then dropped", async (heads, options, t) => {
  globalThis.caches = new FakeCaches();
  t.after(() => delete globalThis.caches);
  const { ids } = await collect(fresh.generate(prompt, { ...options, maxTokens: 90 }));
  const prefix = [...prompt, ...ids];
  const before = await load(storyteller);
  await before.keepPrefix(prefix);
  before.dispose();
  const model = await load(storyteller);
  t.after(() => model.dispose());
  const text = await compare(model, heads, [...prefix, 500], options);
  assert.equal(text.usage.cachedTokens, prefix.length);
  for (const { address } of await models()) await removeModel(address);
  await model.score(randomNumbers("long", model.config.contextLength, 2000));
  const { usage } = await compare(model, heads, [...prefix, 500], options);
  assert.ok(!usage.cachedTokens && usage.acceptedTokens > 5, JSON.stringify(usage));
});

withHeads("what repeats is refused", async (heads, options, t) => {
  const model = await load(storyteller);
  t.after(() => model.dispose());
  const dry = { dryMultiplier: 2, dryAllowedLength: 1 };
  const loops = { period: [1, 12], turns: 2, least: 4 };
  const song = [...(await fresh.tokenize("The cat sat. The dog ran. The cat sat. The dog ran. The", { bos: true }))];
  const { ids } = await compare(model, heads, song, options);
  for (const others of [
    dry,
    { loops: { action: "redraw", ...loops } },
    { loops: { action: "stop", ...loops } },
    { ...dry, loops: { action: "redraw", ...loops } },
  ]) {
    const text = await compare(model, heads, song, { ...options, ...others });
    assert.notDeepEqual(text.ids, ids, `${JSON.stringify(others)} has no effect`);
    assert.ok(text.usage.acceptedTokens, JSON.stringify(others));
  }
});

withHeads("a tree is given up between two of its passes", async (heads, options, t) => {
  const { branch } = Sequences.prototype;
  t.mock.getter(PassPace.prototype, "rows", () => 4);
  t.after(() => void (Sequences.prototype.branch = branch));
  await countForwards(async (counter) => {
    const model = await load(storyteller);
    t.after(() => model.dispose());
    const expected = await collect(fresh.generate(prompt, options));
    for (const most of [1, 15, 30]) {
      /** @type {any[]} */
      const branches = [];
      Sequences.prototype.branch = function (...given) {
        branches.push(branch.apply(this, given));
        return branches.at(-1);
      };
      const controller = new AbortController();
      // In the first of the passes that a tree takes.
      counter.seen = () => branches.length >= most && branches.at(-1).branch && controller.abort();
      const { signal } = controller;
      const { ids, finishReason } = await collect(model.generate(prompt, { ...options, ...drafts(heads), signal }));
      counter.seen = undefined;
      await model.tokenize(""); // the model hears of the abort at its next pause
      assert.equal(finishReason, "abort");
      assert.deepEqual(ids, expected.ids.slice(0, ids.length));
      assert.ok(branches.at(-1).branch, "the tree had run to its end");
      await compare(model, heads, prompt, options);
      assert.ok(branches.every(({ seat }) => seat === -1));
      await compare(model, heads, [...prompt, ...ids, 500], options);
    }
  });
});
