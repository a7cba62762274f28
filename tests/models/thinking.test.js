// The recorded thoughts are what the model writes.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "lastinch";
import { chatTemplate, conversations, FILE, recordThinking } from "../../demos/model/record-thinking.js";
import * as recorded from "../../web/widgets/recorded/thinking.js";
import * as llama from "./llama.js";

const path = llama.pathOf(FILE);
const skip = existsSync(path) ? false : "run make models first";

test("the recording equals a new run, and so does an answer whose thought a budget cuts", { skip }, async (t) => {
  const model = await loadModel(path, { contextLength: 1024, cache: false });
  t.after(() => model.dispose());
  const { examples, questions } = await recordThinking(model, 2);
  assert.deepEqual(examples, recorded.examples);
  questions.forEach(({ chances, ...rest }, i) => {
    const { chances: before, ...others } = recorded.questions[i];
    assert.deepEqual(rest, others);
    // Builds of the model may differ in its last bits.
    const apart = chances.split(" ").map((chance, at) => Math.abs(Number(chance) - Number(before.split(" ")[at])));
    assert.ok(Math.max(...apart) <= 2, `${chances}, recorded ${before}`);
  });
  const [{ messages, question }] = conversations(1).asked;
  const { thought, answers } = recorded.questions[0];
  const how = { chatTemplate, reasoning: { budget: 7 }, choice: question.places, temperature: 0 };
  const { reasoning = "", text } = await model.answer(messages, how);
  assert.deepEqual([reasoning.trimEnd(), text], [thought.split("|").slice(0, 7).join(""), answers.split(" ")[2]]);
});
