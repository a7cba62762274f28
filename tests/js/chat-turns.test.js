// What a long conversation reads again. A reference compares each prompt with everything that the model has computed: no
// model could share more than the longest common prefix.
import assert from "node:assert/strict";
import { test } from "node:test";
import { floatFile } from "../vectors/family-files.js";
import * as templates from "./chat-templates.js";
import { countForwards, load } from "./decode-tools.js";

const control = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>"];
const city = { type: "string", maxLength: 4 };
const parameters = { type: "object", properties: { city }, required: ["city"], additionalProperties: false };
const tools = [{ name: "weather", description: "The weather of a city.", parameters }];

function commonLength(a, b) {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++;
  return length;
}

/** A conversation of 30 turns, with edits, branches, calls and thoughts; `ask(messages, options)` answers one turn. */
async function converse(ask, hasTools) {
  let messages = [{ role: "system", content: "Be brief, and kind to all." }];
  const say = async (options) => {
    const { text: content, reasoning, toolCalls } = await ask(messages, options);
    messages.push({ role: "assistant", content, ...(reasoning && { reasoning }), ...(toolCalls && { toolCalls }) });
    return toolCalls;
  };
  for (let turn = 0; turn < 30; turn++) {
    if (turn === 10 || turn === 20) messages = messages.slice(0, 9); // an edit, and another one of the same message
    if (turn === 15) for (let again = 0; again < 2; again++) await ask(messages.slice(0, -1)); // other answers
    messages.push({ role: "user", content: `Question ${turn} about the weather?` });
    for (let call = 0; hasTools && turn % 5 === 3 && call < 3; call++) {
      const [{ id }] = await say({ toolChoice: "required", allowedTokens: undefined, maxTokens: 400 });
      messages.push({ role: "tool", toolCallId: id, content: "Sunny, 21 degrees." });
    }
    await say();
  }
}

/** Tokens of the conversation: of its prompts, computed of them, and computed by a model that shares all it can. */
async function measure(family, template) {
  return countForwards(async (counter) => {
    const file = floatFile(family, { vocab: 400, control, context: 4096, tokenizer: "qwen2" });
    const model = await load(file);
    const allowedTokens = [...(await model.tokenize("abcdefgh ,.")), ...model.vocabulary.eos];
    const hasTools = template !== "opened";
    const known = [];
    const total = { prompts: 0, computed: 0, forced: 0, most: 0 };
    let rows = 0;
    /** @type {number[]} */
    let prompt = [];
    const { generateAfter } = model;
    model.generateAfter = (after, ids, ...rest) => generateAfter.call(model, after, (prompt = ids), ...rest);
    const ask = async (messages, options) => {
      const given = { chatTemplate: templates[template], ...(hasTools && { tools }), allowedTokens };
      const how = { seed: known.length, maxTokens: 24, loops: "ignore", reasoning: { budget: 8 } };
      const answer = await model.answer(messages, { ...given, ...how, ...options });
      const { promptTokens, cachedTokens, completionTokens } = answer.usage;
      assert.equal(promptTokens, prompt.length);
      const shared = Math.min(prompt.length - 1, Math.max(0, ...known.map((text) => commonLength(text, prompt))));
      known.push([...prompt, ...answer.tokens.slice(0, -1).map(({ id }) => id)]);
      rows += promptTokens - cachedTokens + completionTokens - 1;
      total.prompts += promptTokens;
      total.computed += promptTokens - cachedTokens;
      total.forced += promptTokens - shared;
      return answer;
    };
    await converse(ask, hasTools);
    assert.equal(counter.rows, rows, "usage says what was computed");
    model.dispose();
    return total;
  });
}

for (const family of ["llama", "lfm2"])
  for (const template of ["opened", "qwen3", "qwen35"])
    test(`${family}: 30 turns compute only what no earlier text has computed (${template})`, async (t) => {
      const { prompts, computed, forced } = await measure(family, template);
      t.diagnostic(`${computed} of ${prompts} tokens`);
      assert.equal(computed, forced);
      assert.ok(forced < prompts / 5);
    });

// A window or a recurrent state is kept at few places. Most turns go on from one of them; an edit of an early message may
// not.
for (const [family, template, most] of [
  ["gemma3", "opened", 1.2],
  ["gemma3", "qwen3", 1.4],
  ["gemma3", "qwen35", 1.7],
  ["qwen35", "opened", 1.2],
  ["qwen35", "qwen3", 1.4],
  ["qwen35", "qwen35", 1.6],
])
  test(`${family}: 30 turns compute little more than what no earlier text has computed (${template})`, async (t) => {
    const { prompts, computed, forced } = await measure(family, template);
    t.diagnostic(`${computed} of ${prompts} tokens; no model computes fewer than ${forced}`);
    assert.ok(computed <= most * forced, `${computed}`);
  });
