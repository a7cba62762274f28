// Thoughts with a budget: models that would think for ever end their thought and answer.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { loadModel } from "lastinch";
import { ThoughtBudget } from "../../web/decode/thought-budget.js";
import * as templates from "./chat-templates.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const bytes = vocabularyOf(["ab", "ba", "a b", "</", "think", ">\n"]);
const names = {
  think: ["<think>", "</think>"],
  brackets: ["[THINK]", "[/THINK]"],
  channels: ["<|start|>", "<|end|>", "<|channel|>", "<|message|>", "<|return|>", "<|call|>"],
  none: [],
};
const byteOf = (text) => 3 + text.charCodeAt(0);
const letters = Array.from("abcdef \n", byteOf);
const question = [{ role: "user", content: "Will it rain?" }];
const jsonSchema = {
  type: "object",
  properties: { sure: { type: "boolean" } },
  required: ["sure"],
  additionalProperties: false,
};

const fileOf = (template, control, { seed = 1, ...rest } = {}) => {
  const vocabulary = [...bytes, ...names[control].map((name) => [name, 0, 3])];
  const extra = { "tokenizer.chat_template": ["string", template] };
  return new Blob([randomModel({ vocabulary, extra, seed, context: 2048, ...rest })]);
};

async function load(template, control, how = {}) {
  const model = await loadModel(fileOf(template, control, how), { cache: false, worker: false });
  after(() => model.dispose());
  return model;
}

const idsOf = ({ tokens }) => tokens.map(({ id }) => id);
/** An answer, whatever the cache had of its prompt. */
const written = ({ usage, ...answer }) => ({ ...answer, thought: usage.reasoningTokens });

/** What ends the thought, and the prompt, of each family, written here once more. */
const families = {
  opened: { control: "think", closing: "\n</think>\n\n" },
  openedText: { template: "opened", control: "none", closing: "\n</think>\n\n" },
  tight: { control: "think", closing: "</think>" },
  qwen3: { control: "think", begin: "<think>", closing: "\n</think>\n\n" },
  mistral: { control: "brackets", begin: "[THINK]", closing: "[/THINK]" },
  channels: {
    control: "channels",
    added: "<|channel|>analysis<|message|>",
    closing: "<|end|><|start|>assistant<|channel|>final<|message|>",
  },
};

/** A model of the family that thinks for ever, its begin, and the ids of a message and the closing. */
async function family(name, how) {
  const { template = name, control, begin, closing, added = "" } = families[name];
  const model = await load(templates[template], control, how);
  const beginning = begin ? model.vocabulary.special[begin] : undefined;
  const switches = name === "qwen3" ? { enable_thinking: true } : {};
  const prompt = await model.applyTemplate(question, { tokens: true, switches });
  prompt.push(...(await model.tokenize(added, { special: true })));
  const closingOf = async (message = "") => [
    ...(await model.tokenize(message)),
    ...(await model.tokenize(closing, { special: true })),
  ];
  // Never ends by itself; the answer is of letters.
  const logitBias = Object.fromEntries(letters.map((id) => [id, 60]));
  const options = { logitBias, ...(begin && { forcedFirst: [beginning] }) };
  return { model, prompt, closingOf, options, beginning: begin ? [beginning] : [] };
}

test("a thought has the tokens of its budget, then message and closing; the answer is what the model writes after them", async () => {
  for (const name of Object.keys(families)) {
    const { model, prompt, closingOf, options, beginning } = await family(name);
    for (const [budget, message] of [
      [1, undefined],
      [7, undefined],
      [20, "Time is up </thin"],
    ]) {
      const how = { ...options, temperature: 0, frequencyPenalty: 0.7, maxTokens: 90 };
      const closing = await closingOf(message);
      const answer = await model.answer(question, { ...how, reasoning: { budget, message } });
      const what = `${name} ${budget}`;
      const free = await model.complete(prompt, how);
      const thought = idsOf(free).slice(0, beginning.length + budget);
      const before = [...thought, ...closing];
      assert.deepEqual(idsOf(answer).slice(0, before.length), before, what);
      // The sampler has read the same tokens, as a part of its own text.
      const rest = await model.complete(prompt, { ...how, forcedFirst: before });
      assert.deepEqual(idsOf(answer), idsOf(rest), what);
      const text = await model.detokenize(thought.slice(beginning.length));
      assert.equal((answer.reasoning ?? "").trim(), (text + (message ?? "")).trim(), what);
      const endsAt = before.length - (/\n*$/.exec(families[name].closing)[0].length ? 1 : 0);
      assert.ok(Math.abs(answer.usage.reasoningTokens - endsAt) <= 1, `${what}: ${answer.usage.reasoningTokens}`);
      assert.equal(answer.usage.completionTokens, 90);
      assert.equal(answer.usage.promptTokens, prompt.length);
    }
  }
});

test("an answer under a schema begins after the thought that was ended", async () => {
  for (const name of Object.keys(families)) {
    const { model, closingOf, beginning } = await family(name);
    const { special } = model.vocabulary;
    const logitBias = Object.fromEntries(
      Object.values(special)
        .filter((id) => id > 2)
        .map((id) => [id, -50]),
    );
    for (const message of [undefined, " So:"])
      for (let seed = 1; seed <= 3; seed++) {
        const how = { seed, jsonSchema, maxTokens: 300, logitBias, reasoning: { budget: 9, message } };
        const answer = await model.answer(question, beginning.length ? { ...how, forcedFirst: beginning } : how);
        assert.equal(typeof JSON.parse(answer.text).sure, "boolean", name);
        assert.equal(answer.finishReason, "eos", name);
        const closing = await closingOf(message);
        const at = beginning.length + 9;
        const { length } = closing;
        const ids = idsOf(answer);
        // The model may be within a character, or within what it takes for an end.
        const begins = Array.from({ length: 4 }, (_, more) => at + more);
        const found = begins.find((from) => closing.every((id, i) => ids[from + i] === id));
        assert.ok(found !== undefined, `${name}: ${JSON.stringify(answer.reasoning)}`);
        assert.ok(answer.usage.reasoningTokens <= found + length, name);
      }
  }
});

test("a thought does not end within a character, unless it has none", async () => {
  const { model, closingOf } = await family("opened");
  const closing = await closingOf();
  const utf8 = (text) => Array.from(new TextEncoder().encode(text), (byte) => 3 + byte);
  for (const [text, budget, length] of [
    [utf8("ab\u{1f600}cd"), 2, 2],
    [utf8("ab\u{1f600}cd"), 3, 6],
    [utf8("ab\u{1f600}cd"), 5, 6],
    [utf8("ab\u{1f600}cd"), 6, 6],
    [utf8("\u00e9\u00e9\u00e9"), 3, 4],
    // No UTF-8: bytes that begin characters, and bytes that continue none.
    [Array(20).fill(3 + 0xf0), 2, 2 + 3 + 1],
    [Array(20).fill(3 + 0x80), 2, 2],
  ]) {
    const maxTokens = length + closing.length;
    const { tokens } = await model.answer(question, { forcedFirst: text, maxTokens, reasoning: { budget } });
    assert.deepEqual(
      tokens.map(({ id }) => id),
      [...text.slice(0, length), ...closing],
      `${text} ${budget}`,
    );
  }
});

test("a thought that repeats itself is closed before its budget is used up", async () => {
  const { model, closingOf, options } = await family("opened");
  const closing = await closingOf();
  const least = 12;
  const how = { ...options, temperature: 0, maxTokens: 200 };
  // One letter for ever, until the closing.
  const looping = { ...how, logitBias: { [letters[0]]: 90 } };
  const answer = await model.answer(question, { ...looping, loops: { least }, reasoning: { budget: 100 } });
  const ids = idsOf(answer);
  assert.deepEqual(ids.slice(0, least + closing.length), [...Array(least).fill(letters[0]), ...closing]);
  // The answer repeats itself as well, and has no end but this one.
  assert.equal(answer.finishReason, "loop");
  assert.equal(ids.length, 2 * least + closing.length);
  assert.ok(answer.usage.reasoningTokens <= least + closing.length);
  const ignored = idsOf(await model.answer(question, { ...looping, loops: "ignore", reasoning: { budget: 100 } }));
  assert.ok(closing.every((id, i) => ignored[100 + i] === id));
  // A thought that could not be redrawn is closed as well.
  const redrawn = { ...looping, loops: { least, action: "redraw", redraws: 2 }, reasoning: { budget: 150 } };
  const { finishReason, reasoning, tokens } = await model.answer(question, redrawn);
  assert.equal(finishReason, "loop");
  assert.ok(idsOf({ tokens }).includes(closing[1]) && reasoning.trim().length < 100, reasoning);
  // Drafts change nothing, and other strategies close it too.
  const limits = { ...looping, loops: { least }, reasoning: { budget: 100 } };
  const drafted = await model.answer(question, { ...limits, draft: "lookup" });
  assert.deepEqual(idsOf(drafted), ids);
  const searched = idsOf(
    await model.answer(question, { ...limits, temperature: undefined, topK: 4, penaltyAlpha: 0.1 }),
  );
  assert.deepEqual(searched.slice(least, least + closing.length), closing);
});

test("a budget counts again when the text goes back to before its early end", () => {
  const tokenizer = {
    bytesOf: (id) => Uint8Array.of(id),
    encode: (text) => Array.from(text, (unit) => unit.charCodeAt(0)),
  };
  const thought = new ThoughtBudget({ end: "/", budget: 9, closing: "/" }, tokenizer);
  for (let i = 0; i < 5; i++) thought.push(97);
  assert.ok(thought.close());
  assert.deepEqual(thought.forced(), [47]);
  thought.rewind(1);
  for (let i = 0; i < 4; i++) thought.push(98);
  assert.equal(thought.forced(), undefined);
  thought.push(98);
  assert.deepEqual(thought.forced(), [47]);
  thought.push(47);
  assert.equal(thought.close(), false);
});

test("an end that the model has begun is not begun again", async () => {
  const { model, closingOf } = await family("openedText");
  const end = await model.tokenize("</think>");
  assert.ok(end.length > 2);
  const forcedFirst = [byteOf("a"), ...end, byteOf("b")];
  for (let budget = 1; budget <= 3; budget++) {
    const options = { forcedFirst, maxTokens: forcedFirst.length, reasoning: { budget } };
    const { text, reasoning } = await model.answer(question, options);
    if (budget > 1) assert.deepEqual([text, reasoning], ["b", "a"], `${budget}`);
    else assert.deepEqual(reasoning, "a");
  }
  // Beginnings without an end.
  const signs = Array(30).fill(byteOf("<"));
  const cut = await model.answer(question, { forcedFirst: signs, maxTokens: 30, reasoning: { budget: 2 } });
  const more = (await model.tokenize("</think>")).length;
  assert.equal(
    idsOf(cut).findIndex((id) => id !== signs[0]),
    2 + 3 + more,
  );
  // One that comes to nothing.
  const closing = await closingOf();
  const broken = [byteOf("a"), end[0], byteOf("b"), byteOf("c")];
  const maxTokens = 3 + closing.length;
  const { tokens } = await model.answer(question, { forcedFirst: broken, maxTokens, reasoning: { budget: 2 } });
  assert.deepEqual(
    tokens.map(({ id }) => id),
    [...broken.slice(0, 3), ...closing],
  );
});

test("a budget that is not reached changes nothing", async () => {
  for (const name of ["opened", "openedText", "channels"]) {
    const { model, options, closingOf } = await family(name);
    const thought = [...Array(5).fill(byteOf("a")), ...(await closingOf())];
    for (const more of [{ temperature: 0 }, { seed: 3 }]) {
      const how = { ...options, ...more, forcedFirst: thought, maxTokens: 60 };
      const expected = await model.answer(question, { ...how, reasoning: "on" });
      for (const budget of [7, 1000]) {
        const answer = await model.answer(question, { ...how, reasoning: { budget } });
        assert.deepEqual(written(answer), written(expected), `${name} ${budget}`);
      }
    }
  }
});

test("several texts, drafts, penalties and other logits have the budget too", async () => {
  const { model, options } = await family("qwen3");
  const draft = await load(templates.qwen3, "think", { seed: 1, context: 512 });
  const other = await load(templates.qwen3, "think", { seed: 9 });
  const how = { ...options, maxTokens: 60, seed: 5, reasoning: { budget: 11, message: "Enough." } };
  const alone = [];
  for (let stream = 0; stream < 4; stream++) alone.push(await model.answer(question, { ...how, stream }));
  const texts = Array(4).fill("");
  for await (const { index, reasoning = "", text } of model.chat(question, { ...how, n: 4 }))
    texts[index] += `${reasoning}|${text}`.replace(/^\|/, "");
  assert.equal(new Set(alone.map(({ reasoning }) => reasoning)).size, 4);
  alone.forEach(({ reasoning, text }, i) => assert.equal(texts[i].replaceAll("|", ""), reasoning + text, `text ${i}`));
  for (const more of [
    { temperature: 0 },
    { seed: 2, temperature: 0.3 },
    { seed: 3, jsonSchema, allowedTokens: undefined },
  ]) {
    const base = { ...how, ...more, maxTokens: 90 };
    const expected = await model.answer(question, base);
    assert.match(expected.reasoning, /Enough\.$/);
    const drafts = [{ draft: "lookup" }, { draft: "lookahead" }, { draft: "lookup", draftTokens: 8 }];
    if (more.temperature === 0) drafts.push({ draft, draftTokens: 6 }, { draft: other, draftTokens: 4 });
    for (const one of drafts) {
      const answer = await model.answer(question, { ...base, ...one });
      assert.deepEqual(idsOf(answer), idsOf(expected), JSON.stringify([more, Object.keys(one)]));
      assert.equal(answer.usage.reasoningTokens, expected.usage.reasoningTokens);
    }
  }
  for (const more of [{ draft: other, draftTokens: 5 }, { guidance: 1.5 }, { penaltyAlpha: 0.5, topK: 4 }]) {
    const { reasoning, tokens } = await model.answer(question, { ...how, ...more });
    assert.match(reasoning, /Enough\.$/, JSON.stringify(Object.keys(more)));
    assert.ok(tokens.length > 30);
  }
});

test("the tokens of a healed prompt are part of the thought", async () => {
  const vocabulary = [...vocabularyOf(["\nb", "\nbc"]), ["<think>", 0, 3], ["</think>", 0, 3]];
  const id = (name) => vocabulary.findIndex(([text]) => text === name);
  const extra = { "tokenizer.chat_template": ["string", templates.opened] };
  const file = new Blob([randomModel({ vocabulary, extra, context: 512 })]);
  const model = await loadModel(file, { cache: false, worker: false });
  after(() => model.dispose());
  const forcedFirst = [id("\nb"), ...Array(9).fill(byteOf("x"))];
  const how = { heal: true, forcedFirst, maxTokens: 12, seed: 1, reasoning: { budget: 4 } };
  const { reasoning, tokens } = await model.answer(question, how);
  assert.equal(reasoning, "bxxx");
  assert.equal(tokens[5].id, id("</think>"));
});

test("before its beginning a thought may have space, and what a healed prompt has shown", () => {
  const settings = { begin: "<t>", end: "</t>", budget: 2, message: "", closing: "</t>" };
  const ids = (text) => Array.from(new TextEncoder().encode(text));
  const vocabulary = { bytesOf: (id) => Uint8Array.of(id), encode: ids };
  for (const [text, healed, isSpent] of [
    ["<t>ab", 0, true],
    [" \n<t>ab", 0, true],
    ["xy<t>ab", 2, true],
    ["xy<t>ab", 0, false],
    ["<t>a", 0, false],
    ["<s>abcdef", 0, false],
    ["< t>abcdef", 0, false],
    ["<t></t>abcdef", 0, false],
  ]) {
    const counter = new ThoughtBudget(settings, vocabulary, healed);
    for (const id of ids(text)) counter.push(id);
    assert.deepEqual(counter.forced(), isSpent ? ids("</t>") : undefined, text);
  }
});

test("an object arrives after a thought that was ended", async () => {
  const { model } = await family("opened");
  const logitBias = { [model.vocabulary.special["</think>"]]: -60 };
  const how = { seed: 1, jsonSchema, maxTokens: 200, logitBias, reasoning: { budget: 12, message: " So" } };
  let last;
  let reasoning = "";
  for await (const chunk of model.streamObject(question, how)) {
    reasoning += chunk.reasoning ?? "";
    last = chunk;
  }
  assert.equal(typeof last.value.sure, "boolean");
  assert.match(reasoning, / So$/);
  assert.ok(last.usage.reasoningTokens > 12);
});

test("a budget works in a Worker", async () => {
  const model = await loadModel(fileOf(templates.opened, "think"), { cache: false });
  after(() => model.dispose());
  const how = { seed: 1, jsonSchema, maxTokens: 200, reasoning: { budget: 12, message: " So" } };
  const { text, reasoning } = await model.answer(question, {
    ...how,
    logitBias: { [model.vocabulary.special["</think>"]]: -60 },
  });
  assert.equal(typeof JSON.parse(text).sure, "boolean");
  assert.match(reasoning, / So$/);
});

test("the counter follows a text that is taken back", async () => {
  const { model } = await family("openedText");
  const { tokens } = model.vocabulary;
  const vocabulary = {
    bytesOf: (id) => tokens[id],
    encode: (text) => Array.from(new TextEncoder().encode(text), (byte) => 3 + byte),
  };
  const settings = { begin: "<t>", end: "</t>", budget: 4, message: "no</t", closing: "\n</t>\n" };
  let state = 7;
  const random = (below) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % below;
  for (let round = 0; round < 200; round++) {
    const counter = new ThoughtBudget(settings, vocabulary);
    const ids = [];
    for (let step = 0; step < 60; step++) {
      if (ids.length && random(5) === 0) {
        const count = 1 + random(ids.length);
        counter.rewind(count);
        ids.length -= count;
      } else {
        const must = counter.forced();
        const id = must ? must[0] : 3 + " <t>/\u00c3a".charCodeAt(random(8) % 7);
        counter.push(id);
        ids.push(id);
      }
      const fresh = new ThoughtBudget(settings, vocabulary);
      for (const id of ids) fresh.push(id);
      assert.deepEqual(counter.forced(), fresh.forced());
    }
  }
});

test("effort is the template's own, or a budget", async () => {
  const effortful = await load(templates.channels, "channels");
  for (const [effort, word] of [
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "high"],
  ]) {
    const { usage } = await effortful.answer(question, { maxTokens: 1, reasoning: { effort } });
    const text = await effortful.applyTemplate(question, { switches: { reasoning_effort: word } });
    const ids = await effortful.tokenize(`${text}<|channel|>analysis<|message|>`, { special: true, bos: true });
    assert.equal(usage.promptTokens, ids.length, effort);
  }
  const { model, options } = await family("opened");
  const told = templates.opened.replace("{%- if add_gen", "{{- thinking_budget | default('any') }}{%- if add_gen");
  for (const [reasoning, count] of /** @type {const} */ ([
    ["on", "any"],
    [{ budget: 77 }, 77],
    [{ effort: "low" }, 512],
    [{ effort: "max" }, "any"],
  ])) {
    const { tokens } = await model.count(question, { chatTemplate: told, reasoning });
    const switches = { thinking_budget: count };
    const ids = await model.applyTemplate(question, { chatTemplate: told, switches, tokens: true });
    assert.equal(tokens, ids.length, `${count}`);
  }
  for (const [effort, budget] of [
    ["minimal", 128],
    ["low", 512],
  ]) {
    const how = { ...options, seed: 4, temperature: 2, maxTokens: budget + 20 };
    const expected = await model.answer(question, { ...how, reasoning: { budget } });
    assert.deepEqual(written(await model.answer(question, { ...how, reasoning: { effort } })), written(expected));
    assert.ok(expected.text.length > 0);
  }
  for (const effort of ["high", "xhigh"]) {
    const { text } = await model.answer(question, { ...options, seed: 1, maxTokens: 600, reasoning: { effort } });
    assert.equal(text, "");
  }
});

test("channels: off answers at once, and thoughts go back as the template wants them", async () => {
  const model = await load(templates.channels, "channels");
  const how = { maxTokens: 8, allowedTokens: letters, temperature: 0 };
  const text = await model.applyTemplate(question);
  const ids = await model.tokenize(`${text}<|channel|>final<|message|>`, { special: true, bos: true });
  const { text: expected } = await model.complete(ids, how);
  const off = await model.answer(question, { ...how, reasoning: "off" });
  assert.deepEqual([off.text, off.reasoning, off.usage.promptTokens], [expected, undefined, ids.length]);
  const call = { id: "call00001", name: "rain", arguments: {} };
  const said = (content, toolCalls) => [
    ...question,
    { role: "assistant", content, reasoning: "Clouds?", ...(toolCalls && { toolCalls }) },
    ...(toolCalls ? [{ role: "tool", content: "Yes" }] : question),
  ];
  assert.match(await model.applyTemplate(said("", [call])), /analysis<\|message\|>Clouds\?<\|end\|>/);
  assert.doesNotMatch(await model.applyTemplate(said("Well.", [call])), /Clouds/);
  assert.doesNotMatch(await model.applyTemplate(said("Well.")), /Clouds/);
});

test("a wrong budget is an error", async () => {
  const { model } = await family("opened");
  const plain = await load(templates.hermes, "none");
  for (const [reasoning, code, more = {}, one = model] of [
    [{ budget: 0 }, "out-of-range"],
    [{ budget: -1 }, "out-of-range"],
    [{ budget: 1.5 }, "out-of-range"],
    [{ budget: NaN }, "out-of-range"],
    [{ budget: "9" }, "bad-type"],
    [{ budget: 9, message: 7 }, "bad-type"],
    [{ budget: 9, message: "</think>" }, "out-of-range"],
    [{ message: "No." }, "conflict"],
    [{ effort: "low", message: "No." }, "conflict"],
    [{ effort: "low", budget: 9 }, "conflict"],
    [{ effort: "none" }, "out-of-range"],
    [{}, "conflict"],
    [{ tokens: 9 }, "unknown-option"],
    ["some", "out-of-range"],
    [null, "out-of-range"],
    [7, "out-of-range"],
    [{ budget: 9 }, "conflict", { beams: 2 }],
    [{ budget: 9 }, "conflict", {}, plain],
    [{ effort: "low" }, "conflict", {}, plain],
  ])
    await assert.rejects(
      one.answer(question, { maxTokens: 5, ...more, reasoning }),
      { code },
      JSON.stringify(reasoning),
    );
  for (const call of [() => model.generate("a", { reasoning: "off" }), () => model.complete("a", { reasoning: "off" })])
    await assert.rejects(async () => call(), { code: "unknown-option", message: /reasoning/ });
  assert.equal(
    (await plain.answer(question, { maxTokens: 2, reasoning: "auto", allowedTokens: letters })).tokens.length,
    2,
  );
});
