// captureDrafts: the proposals of each pass, from which the text takes what follows.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "lastinch";

const open = (/** @type {string} */ name) =>
  loadModel(new Blob([readFileSync(new URL(`../../demos/model/${name}.gguf`, import.meta.url))]), { worker: false });
const PROMPT = "Once upon a time";
const OPTIONS = { maxTokens: 40, temperature: 0, draftTokens: 6 };

/** Reads a text, and counts the proposals that it took by walking each pass's tree. */
async function read(model, options) {
  const ids = [];
  let passes = 0;
  let [drafted, accepted] = [0, 0];
  let isBranching = false;
  /** @type {{ tokens: number[], parents: number[] } | undefined} */
  let draft;
  let at = -1;
  let usage;
  for await (const chunk of model.generate(PROMPT, { ...OPTIONS, captureDrafts: true, ...options })) {
    if (chunk.draft) {
      assert.deepEqual([chunk.text, chunk.tokens], ["", []]);
      draft = chunk.draft;
      at = -1;
      passes++;
      drafted += draft.tokens.length;
      assert.equal(draft.parents.length, draft.tokens.length);
      draft.parents.forEach((parent, i) => assert.ok(parent >= -1 && parent < i, "parents come first"));
      const pairs = draft.tokens.map((token, i) => `${draft.parents[i]} ${token}`);
      assert.equal(new Set(pairs).size, pairs.length, "tokens that follow the same one differ");
      isBranching ||= new Set(draft.parents).size < draft.parents.length;
    }
    for (const { id } of chunk.tokens) {
      ids.push(id);
      const next = draft?.tokens.findIndex((token, i) => draft.parents[i] === at && token === id) ?? -1;
      if (next < 0) draft = undefined;
      else {
        accepted++;
        at = next;
      }
    }
    usage ??= chunk.usage;
  }
  const { draftedTokens, acceptedTokens } = usage;
  assert.deepEqual([passes, drafted, accepted], [usage.passes, draftedTokens, acceptedTokens]);
  return { ids, isBranching, accepted };
}

for (const name of ["medusa", "eagle"])
  test(`the trees of ${name} are shown, and the text is the same`, async () => {
    const [model, heads] = [await open("storyteller"), await open(name)];
    const { ids, isBranching, accepted } = await read(model, { draft: heads });
    const { tokens } = await model.complete(PROMPT, { maxTokens: 40, temperature: 0 });
    assert.deepEqual(
      ids,
      tokens.map(({ id }) => id),
    );
    assert.ok(isBranching && accepted > 5);
    heads.dispose();
    model.dispose();
  });

test("the chains of a draft model and of lookup are shown; without a draft it is refused", async () => {
  const [model, draft] = [await open("storyteller"), await open("draft")];
  const { isBranching, accepted } = await read(model, { draft });
  assert.ok(!isBranching && accepted > 5);
  await read(model, { draft: "lookup" });
  const refused = (/** @type {any} */ options) =>
    assert.rejects(
      async () => {
        for await (const _ of model.generate(PROMPT, options));
      },
      { code: "conflict" },
    );
  await refused({ captureDrafts: true });
  await assert.rejects(model.complete(PROMPT, { draft, captureDrafts: true }), { code: "conflict" });
  draft.dispose();
  model.dispose();
});

test("a grammar and several texts have their drafts, each with its number", async () => {
  const [model, draft] = [await open("storyteller"), await open("draft")];
  // What a grammar forces was not proposed, but is verified with the rest.
  const { ids } = await read(model, { draft, regex: "There was an old [a-z]+ named [A-Z][a-z]+\\." });
  assert.match(new TextDecoder().decode(Buffer.concat(ids.map((id) => model.vocabulary.tokens[id]))), /^There was an/);
  /** @type {Map<number, { drafted: number, passes: number, usage?: any }>} */
  const texts = new Map();
  const options = { ...OPTIONS, temperature: 1, seed: 3, n: 3, draft, captureDrafts: true };
  for await (const { index, draft: shown, usage } of model.generate(PROMPT, options)) {
    const text = texts.get(index) ?? { drafted: 0, passes: 0 };
    if (shown) {
      text.passes++;
      text.drafted += shown.tokens.length;
    }
    text.usage ??= usage;
    texts.set(index, text);
  }
  assert.deepEqual([...texts.keys()].sort(), [0, 1, 2]);
  for (const { drafted, passes, usage } of texts.values())
    assert.deepEqual([passes, drafted], [usage.passes, usage.draftedTokens]);
  draft.dispose();
  model.dispose();
});
