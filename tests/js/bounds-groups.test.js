// Groups beyond a handful of members, and user-defined tokens that begin alike.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGroup, createSampler, loadModel } from "lastinch";
import { collect, collectAll, load } from "./decode-tools.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const vocabSize = 600;
const row = Float32Array.from({ length: vocabSize }, (_, i) => 2 * Math.sin(i * 12.9898) + Math.cos(i * 78.233));

test("each of forty members draws the same tokens as a sampler on its stream", async () => {
  const options = { vocabSize, seed: 11, temperature: 1.3 };
  for (const stream of [0, 1000]) {
    const group = await createGroup(40, { ...options, stream });
    const steps = Array.from({ length: 8 }, () => group.sample(row));
    for (let member = 0; member < 40; member++) {
      const alone = await createSampler({ ...options, stream: stream + member });
      assert.deepEqual(
        steps.map((tokens) => tokens[member]),
        steps.map(() => alone.sample(row)),
        `member ${member}`,
      );
      alone.dispose();
    }
    group.dispose();
  }
});

test("each of twelve continuations is the text that its stream writes alone", async () => {
  const model = await load(randomModel({ context: 64 }));
  const options = { seed: 5, temperature: 2, maxTokens: 12, bannedTokens: [2] };
  const group = await collectAll(model.generate([1, 50, 60], { ...options, stream: 3, n: 12 }));
  assert.equal(new Set(group.map(({ ids }) => ids.join())).size, 12);
  for (const [i, { ids }] of group.entries())
    assert.deepEqual(ids, (await collect(model.generate([1, 50, 60], { ...options, stream: 3 + i }))).ids);
  model.dispose();
});

test("of user-defined tokens that begin alike the longest match is taken, in any order of the list", async () => {
  const texts = ["<a", "<a>", "<a>b", "<a>bc"];
  for (const listed of [texts, texts.toReversed(), ["<a>", "<a>bc", "<a", "<a>b"]]) {
    const vocabulary = [...vocabularyOf(["c"]), ...listed.map((text) => [text, 0, 4])];
    const model = await loadModel(randomModel({ vocabulary }), { worker: false });
    const idOf = (text) => vocabulary.findIndex(([piece]) => piece === text);
    for (const text of texts) assert.deepEqual(await model.tokenize(text), [idOf(text)], text);
    assert.deepEqual(await model.tokenize("<a>b<a<a>bc<a>c"), ["<a>b", "<a", "<a>bc", "<a>", "c"].map(idOf));
    model.dispose();
  }
});
