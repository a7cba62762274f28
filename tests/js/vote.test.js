// The answer that most of several texts give.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadModel, majorityVote } from "lastinch";
import { collectAll, shipped } from "./decode-tools.js";

const number = (text) => text.match(/-?\d+(?!.*\d)/s)?.[0];

test("the answer of most texts wins, whatever else they say", async () => {
  const texts = ["so it is 7", "8, or rather 12", "I do not know", "7!", "12", "the answer: 7"];
  assert.deepEqual(await majorityVote(texts, number), {
    answer: "7",
    votes: 3,
    isTie: false,
    counts: [
      { answer: "7", votes: 3, indices: [0, 3, 5] },
      { answer: "12", votes: 2, indices: [1, 4] },
    ],
    abstained: 1,
  });
});

test("of equally frequent answers the first wins, and the vote reports the tie", async () => {
  const tied = await majorityVote(["b", "a", "c", "a", "b"]);
  assert.deepEqual([tied.answer, tied.votes, tied.isTie], ["b", 2, true]);
  assert.deepEqual(
    tied.counts.map(({ answer }) => answer),
    ["b", "a", "c"],
  );
  assert.equal((await majorityVote(["a", "b", "b"])).isTie, false);
});

test("texts without an answer abstain; if all abstain there is no answer", async () => {
  const none = { answer: null, votes: 0, isTie: false, counts: [] };
  assert.deepEqual(await majorityVote([]), { ...none, abstained: 0 });
  assert.deepEqual(await majorityVote(["", "  \n"]), { ...none, abstained: 2 });
  assert.deepEqual(await majorityVote(["x", "y"], () => null), { ...none, abstained: 2 });
  // 0, false and "" are answers, if the extractor says so.
  assert.deepEqual((await majorityVote(["x", "y", "z"], (_, i) => [0, 0, false][i])).answer, 0);
  assert.equal((await majorityVote(["x"], () => "")).answer, "");
});

test("answers differ by value and by type", async () => {
  const values = [1, "1", { x: 1 }, { x: 1 }, true, "true", '{"x":1}'];
  const { answer, counts } = await majorityVote(values.map(String), (_, i) => values[i]);
  assert.deepEqual(answer, { x: 1 });
  assert.deepEqual(
    counts.map(({ votes }) => votes),
    [2, 1, 1, 1, 1, 1],
  );
  const spaced = await majorityVote([" yes\n", "yes", "no"]);
  assert.deepEqual([spaced.answer, spaced.votes], ["yes", 2]);
  const set = await majorityVote(new Set(["a", "b"]));
  assert.equal(set.counts.length, 2);
});

test("an argument that is not a list of texts is refused, and an extractor's error is thrown", async () => {
  for (const texts of ["text", undefined, 3, ["a", 1]])
    await assert.rejects(async () => majorityVote(texts), { name: "TypeError", code: "bad-type" });
  await assert.rejects(async () => majorityVote(["a"], "a"), { name: "TypeError", code: "bad-type" });
  const extract = () => {
    throw new Error("mine");
  };
  await assert.rejects(async () => majorityVote(["a"], extract), { message: "mine" });
});

test("a group of continuations votes", async () => {
  const model = await loadModel(shipped("storyteller"), { worker: false });
  const prompt = "Tim had a red ball. His ball was";
  const group = await collectAll(model.generate(prompt, { n: 16, seed: 5, maxTokens: 12 }));
  const colour = (text) => text.match(/red|blue|green|big|small|soft/)?.[0];
  const texts = group.map(({ text }) => text);
  const { answer, votes, counts, abstained } = await majorityVote(texts, colour);
  assert.equal(votes, texts.filter((text) => colour(text) === answer).length);
  assert.equal(counts.reduce((sum, one) => sum + one.votes, 0) + abstained, 16);
  assert.ok(counts.every((one) => one.votes <= votes));
  model.dispose();
});
