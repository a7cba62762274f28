// Goes back to any token of a text, replaces it, and continues from there: what the model has already computed is not
// computed again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { collect, countForwards, load, shipped } from "./decode-tools.js";
import { randomModel, scriptedModel } from "./tiny-gguf.js";

test("a text with one token replaced continues like a new text, computed only from that token on", async () => {
  await countForwards(async (counter) => {
    const [model, fresh] = [await load(shipped("storyteller")), await load(shipped("storyteller"))];
    const prompt = await model.tokenize("Once upon a time, there was a little girl", { bos: true });
    const options = { seed: 21, maxTokens: 30 };
    const first = await collect(model.generate(prompt, { ...options, captureLogits: true }));
    assert.equal(first.ids.length, 30);
    for (const at of [29, 17, 3, 0, 12]) {
      // The likeliest token that was not drawn and does not end the text.
      const order = Array.from(first.tokens[at].logits.keys()).sort(
        (a, b) => first.tokens[at].logits[b] - first.tokens[at].logits[a],
      );
      const other = order.find((id) => id !== first.ids[at] && id !== 2);
      const ids = [...prompt, ...first.ids.slice(0, at), other];
      Object.assign(counter, { forwards: 0, rows: 0 });
      const branch = await collect(model.generate(ids, { ...options, seed: at, maxTokens: 10 }));
      assert.equal(branch.usage.cachedTokens, prompt.length + at, `at ${at}`);
      assert.equal(counter.forwards, branch.ids.length);
      assert.equal(counter.rows, branch.ids.length);
      const scratch = await collect(fresh.generate(ids, { ...options, seed: at, maxTokens: 10 }));
      assert.deepEqual([branch.ids, branch.text], [scratch.ids, scratch.text]);
      assert.deepEqual(branch.tokens, scratch.tokens);
    }
    for (const one of [model, fresh]) one.dispose();
  });
});

test("a text continues where it was cut, with the later draws of its seed", async () => {
  const model = await load(randomModel());
  const options = { seed: 5, bannedTokens: [2] };
  const whole = await collect(model.generate([1, 50], { ...options, maxTokens: 20 }));
  const part = await collect(model.generate([1, 50, ...whole.ids.slice(0, 12)], { temperature: 0, maxTokens: 1 }));
  // All but the prompt's last token, which gives the row to choose from.
  assert.equal(part.usage.cachedTokens, 13);
  assert.equal(part.usage.promptTokens, 14);
  const same = await collect(model.generate([1, 50], { ...options, maxTokens: 20 }));
  assert.equal(same.usage.cachedTokens, 1);
  assert.deepEqual(same.ids, whole.ids);
  model.dispose();
});

test("many branches stay in the model, and the least recently used make way", async () => {
  await countForwards(async (counter) => {
    const [model, fresh] = [await load(randomModel({ context: 2048 })), await load(randomModel({ context: 2048 }))];
    const options = { bannedTokens: [2], maxTokens: 8 };
    const stem = await collect(model.generate([1, 60], { ...options, seed: 1, maxTokens: 100 }));
    const branchAt = (i) => [1, 60, ...stem.ids.slice(0, (i * 7) % 99), 3 + i];
    const branches = [];
    for (let i = 0; i < 60; i++) {
      counter.rows = 0;
      const branch = await collect(model.generate(branchAt(i), { ...options, seed: i }));
      const { length } = branchAt(i);
      // All of the stem before the branch's own token is shared.
      const shared = branch.usage.cachedTokens;
      assert.equal(shared, length - 1, `branch ${i}`);
      assert.equal(counter.rows, 8);
      branches.push(branch.ids);
    }
    // Each of them can be continued.
    for (let i = 0; i < 60; i++) {
      const ids = [...branchAt(i), ...branches[i]];
      const { usage, ids: more } = await collect(model.generate(ids, { ...options, seed: 100 + i }));
      assert.equal(usage.cachedTokens, ids.length - 1);
      const scratch = await collect(fresh.generate(ids, { ...options, seed: 100 + i }));
      assert.deepEqual(more, scratch.ids);
    }
    // With more branches than the model has seats, the first are forgotten and computed again when needed.
    for (let i = 0; i < 200; i++)
      await collect(model.generate([1, 100 + (i % 100), i % 97], { ...options, maxTokens: 2, seed: i }));
    const { usage, ids } = await collect(model.generate([...branchAt(3), ...branches[3]], { ...options, seed: 103 }));
    assert.ok(usage.cachedTokens < branchAt(3).length);
    const scratch = await collect(fresh.generate([...branchAt(3), ...branches[3]], { ...options, seed: 103 }));
    assert.deepEqual(ids, scratch.ids);
    for (const one of [model, fresh]) one.dispose();
  });
});

test("branches do not grow the cache beyond the need of one call", async () => {
  await countForwards(async (counter) => {
    const model = await load(randomModel({ context: 1024, dim: 128 }));
    const options = { bannedTokens: [2], maxTokens: 700 };
    await collect(model.generate([1, 60], { ...options, seed: 1 }));
    await collect(model.generate([1, 61], { ...options, seed: 2 }));
    const { byteLength } = counter.memory.buffer;
    for (let i = 0; i < 6; i++) await collect(model.generate([1, 62 + i], { ...options, seed: i }));
    assert.ok(counter.memory.buffer.byteLength - byteLength < 2 ** 20);
    model.dispose();
  });
});

test("stop strings that span tokens end a branch where they end a text", async () => {
  const { bytes, ids } = scriptedModel({ script: ["he", "llo", "\u2581wor", "ld", "s!", "\u2581and", "\u2581more"] });
  const model = await load(bytes);
  const [he, llo, wor, ld, exclaim] = ids;
  const run = (prompt, stop) => collect(model.generate(prompt, { temperature: 0, stop }));
  assert.equal((await run([1], "lds! a")).text, "hello wor");
  // A branch has the text of its own tokens, so a stop string counts only in what is new.
  const branch = await run([1, he, llo, wor], "lds! a");
  assert.deepEqual([branch.text, branch.finishReason, branch.usage.cachedTokens], ["", "stop", 3]);
  assert.equal((await run([1, he, llo, wor, ld], "lds! a")).finishReason, "eos");
  assert.equal((await run([1, he, exclaim], ["mor", "d m"])).text, " an");
  assert.equal((await run([1, llo], "d")).text, " worl".slice(0, 5));
  model.dispose();
});
