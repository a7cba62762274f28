// Loops: what the detector finds, and what "stop" and "redraw" make of a text.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { compileGrammar } from "lastinch";
import { createLoopDetector } from "../../web/decode/loop-options.js";
import { rounds } from "../rounds.js";
import { collect, collectAll, load, logSoftmax, rowsOf, shipped } from "./decode-tools.js";
import { randomModel } from "./tiny-gguf.js";
import * as templates from "./chat-templates.js";

const storyteller = await load(shipped("storyteller"));
after(() => storyteller.dispose());
const greedy = { temperature: 0 };

let state = 1;
const random = (below) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % 65536) % below;

/** The loop in which a list of values ends, by the definition. */
function naive(values, { period: [first, last], turns, least }) {
  for (let period = first; period <= last; period++) {
    let span = period;
    while (span < values.length && values.at(-1 - (span - period)) === values.at(-1 - span)) span++;
    if (period < values.length && span >= Math.max(turns * period, least))
      return { start: values.length - span, period, turns: Math.floor(span / period) };
  }
  return undefined;
}

test("the detector finds the loop of the shortest period, at the token that completes it", () => {
  for (let round = 0; round < rounds(600, 150); round++) {
    const first = 1 + random(3);
    const limits = { period: [first, first + random(6)], turns: 2 + random(3), least: 1 + random(12) };
    const detector = createLoopDetector(limits);
    const ids = [];
    let pattern = [1];
    for (let i = 0; i < 80; i++) {
      if (random(12) === 0) pattern = Array.from({ length: 1 + random(7) }, () => random(3));
      ids.push(random(9) ? pattern[i % pattern.length] : random(3));
      const { textEnd, ...found } = detector.push(ids.at(-1)) ?? {};
      assert.deepEqual(found, naive(ids, limits) ?? {}, `${ids} with ${JSON.stringify(limits)}`);
      if (random(10) === 0) {
        const count = random(4);
        detector.takeBack(Math.min(count, ids.length));
        ids.length = Math.max(0, ids.length - count);
      }
    }
  }
});

test("the same words in other tokens are a loop, whose end is a place in the text", () => {
  const detector = createLoopDetector({ least: 12 });
  const sentence = "the cat sat, and the dog ran. ";
  const text = "Once upon a time " + sentence.repeat(4);
  let found;
  let tokens = 0;
  for (let at = 0; at < text.length && !found; tokens++) {
    // Pieces of other lengths each time, and ids that never come back.
    const piece = text.slice(at, (at += 1 + ((at * 7) % 5)));
    found = detector.push(1000 + tokens, piece);
  }
  assert.ok(found);
  assert.equal(found.turns, 3);
  // The space before the first turn is that between the turns.
  assert.equal(text.slice(0, found.textEnd), "Once upon a time the cat sat, and the dog ran.");
  assert.equal(createLoopDetector().push(1, "a"), undefined);
  // Tokens that are taken back and read again, inside a word or between words, change nothing.
  for (const back of [1, 2, 3, 7, 20]) {
    const again = createLoopDetector({ least: 12 });
    const pieces = [];
    for (let at = 0; at < text.length && pieces.length < tokens;)
      pieces.push(text.slice(at, (at += 1 + ((at * 7) % 5))));
    pieces.slice(0, -1).forEach((piece, i) => assert.equal(again.push(1000 + i, piece), undefined));
    again.takeBack(back);
    for (let i = tokens - 1 - back; i < tokens; i++) {
      const last = again.push(1000 + i, pieces[i]);
      assert.deepEqual(last, i === tokens - 1 ? found : undefined, `${back}`);
    }
  }
  // By tokens alone, nothing repeats.
  const blind = createLoopDetector({ least: 12 });
  for (let i = 0; i < 100; i++) assert.equal(blind.push(1000 + i), undefined);
});

test("options of loops are checked", async () => {
  const refuse = (options, code) => assert.throws(() => createLoopDetector(options), { code }, JSON.stringify(options));
  refuse({ period: 3 }, "bad-type");
  refuse({ period: [0, 3] }, "out-of-range");
  refuse({ period: [1, 1025] }, "out-of-range");
  refuse({ period: [4, 3] }, "out-of-range");
  refuse({ turns: 1 }, "out-of-range");
  refuse({ least: 0.5 }, "out-of-range");
  refuse({ action: "stop" }, "unknown-option");
  const of = (loops, more) => () => storyteller.generate("a", { loops, ...more });
  assert.throws(of("end"), { code: "out-of-range" });
  assert.throws(of(5), { code: "bad-type" });
  assert.throws(of({ action: "end" }), { code: "out-of-range" });
  assert.throws(of({ least: 48, length: 3 }), { code: "unknown-option" });
  assert.throws(of({ action: "redraw", redraws: 0 }), { code: "out-of-range" });
  assert.throws(of({ action: "stop", redraws: 3 }), { code: "conflict" });
  for (const action of ["stop", "redraw"]) assert.throws(of(action, { beams: 2 }), { code: "conflict" });
  assert.throws(of("redraw", { penaltyAlpha: 0.6, topK: 4 }), { code: "conflict" });
  await assert.rejects(storyteller.streamObject("a", { jsonSchema: {}, loops: "redraw" }).next(), { code: "conflict" });
  assert.throws(() => createLoopDetector().takeBack(1), { code: "out-of-range" });
});

// ---- texts -----------------------------------------------------------------------------------------------------------

const laughing = "The cat said: ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha";

test("stop ends a text that repeats itself, and says where", async () => {
  const free = await collect(storyteller.generate(laughing, { ...greedy, maxTokens: 100 }));
  const { text, ids, chunks, finishReason, usage } = await collect(
    storyteller.generate(laughing, { ...greedy, maxTokens: 100, loops: "stop" }),
  );
  assert.equal(finishReason, "loop");
  assert.deepEqual(ids, free.ids.slice(0, ids.length), "the text is that of a call without loops");
  const { loop } = chunks.at(-1);
  assert.ok(loop.start + loop.turns * loop.period <= ids.length && loop.turns >= 3 && ids.length - loop.start >= 48);
  assert.equal(usage.completionTokens, ids.length);
  const once = await storyteller.detokenize(ids.slice(0, loop.start + loop.period));
  assert.equal(text.slice(0, loop.textEnd).trim(), once.trim());
  const completion = await storyteller.complete(laughing, { ...greedy, maxTokens: 100, loops: "stop" });
  assert.deepEqual(completion.loop, loop);
  assert.equal(completion.finishReason, "loop");
  // Other limits: at the third turn.
  const early = await storyteller.complete(laughing, { ...greedy, maxTokens: 100, loops: { least: 1 } });
  assert.equal(early.tokens.length, 3);
  const never = await storyteller.complete(laughing, { ...greedy, maxTokens: 60, loops: { period: [100, 128] } });
  assert.equal(never.finishReason, "length");
  // Also with drafts, and for several texts.
  const drafted = await storyteller.complete(laughing, { ...greedy, loops: "stop", draft: "lookup", draftTokens: 5 });
  assert.equal(drafted.text, text);
  for (const one of await collectAll(storyteller.generate(laughing, { ...greedy, n: 2, loops: "stop" })))
    assert.equal(one.finishReason, "loop");
});

/** Reads chunks as a page does: removes what a chunk takes back. */
function follow(chunks) {
  let text = "";
  const ids = [];
  let taken = 0;
  for (const { text: more, tokens, takenBack } of chunks) {
    if (takenBack) {
      assert.ok(!more && !tokens.length);
      text = text.slice(0, text.length - takenBack.characters);
      ids.length -= takenBack.tokens;
      taken++;
    }
    text += more;
    ids.push(...tokens.map(({ id }) => id));
  }
  return { text, ids, taken };
}

const cat = "Once upon a time there was a cat. The cat said: ha ha ha ha ha ha ha";

test("redraw goes back to the end of the first turn, and writes something else", async () => {
  const options = { ...greedy, maxTokens: 150 };
  const stopped = await storyteller.complete(cat, { ...options, loops: "stop" });
  const { chunks, finishReason, usage } = await collect(storyteller.generate(cat, { ...options, loops: "redraw" }));
  const { text, ids, taken } = follow(chunks);
  assert.ok(taken >= 1 && finishReason !== "loop");
  const { start, period, textEnd } = stopped.loop;
  assert.equal(text.slice(0, textEnd), stopped.text.slice(0, textEnd));
  assert.deepEqual(
    ids.slice(0, start + period),
    stopped.tokens.slice(0, start + period).map(({ id }) => id),
  );
  assert.notEqual(ids[start + period], stopped.tokens[start + period].id);
  assert.equal(usage.completionTokens, ids.length);
  assert.equal(text, (await storyteller.detokenize(ids)).replace(/^(?! )/, " "));
  // complete gives what stays.
  const completion = await storyteller.complete(cat, { ...options, loops: "redraw" });
  assert.equal(completion.text, text);
  assert.deepEqual(
    completion.tokens.map(({ id }) => id),
    ids,
  );
  // The model's own probabilities are those of the text that stays: its cache was cut at the right place.
  const prompt = await storyteller.tokenize(cat, { bos: true });
  const rows = await rowsOf(storyteller, prompt, ids);
  completion.tokens.forEach(({ id, rawLogprob }, i) =>
    assert.ok(Math.abs(rawLogprob - logSoftmax(rows[i])[id]) < 1e-3, `token ${i}`),
  );
  for (const draft of ["lookup", "lookahead"]) {
    const drafted = await storyteller.complete(cat, { ...options, loops: "redraw", draft, draftTokens: 4 });
    assert.equal(drafted.text, text, draft);
  }
  for (const one of await collectAll(storyteller.generate(cat, { ...options, n: 2, loops: "redraw" })))
    assert.equal(follow(one.chunks).text, text);
});

test("after so many redraws the text ends as a loop", async () => {
  // Only "a" and "b", and every text of them loops soon.
  const model = await load(randomModel());
  const allowedTokens = [259, 260];
  const loops = { action: "redraw", redraws: 3, least: 6 };
  const { chunks, finishReason } = await collect(model.generate("a", { ...greedy, allowedTokens, loops }));
  assert.equal(finishReason, "loop");
  assert.equal(follow(chunks).taken, 3);
  assert.ok(chunks.at(-1).loop.turns >= 3);
  const one = { ...greedy, allowedTokens: [259], loops: { action: "redraw", least: 6 } };
  const stuck = await collect(model.generate("a", one));
  assert.equal(stuck.finishReason, "loop", "nothing else is possible");
  model.dispose();
});

test("under a schema a text that loops ends valid", async () => {
  const list = { type: "array", items: { enum: ["a", "b"] } };
  const closed = (properties) => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  for (const [jsonSchema, prompt] of [
    [closed({ name: { type: "string" }, tags: list }), "The list: [1, 1, 1, 1, 1, 1, 1"],
    [closed({ name: { type: "string", maxLength: 400 }, tags: list }), "Once upon a time"],
    [closed({ tags: list, colour: { enum: ["red", "blue"] } }), "The big big big big"],
    [{ type: "array", items: closed({ n: { type: "integer" }, s: { type: "string" } }) }, "The big big big big"],
  ]) {
    const options = { ...greedy, maxTokens: 400, jsonSchema };
    assert.equal((await storyteller.complete(prompt, options)).finishReason, "length", "without redraws it loops");
    const { text, finishReason } = await storyteller.complete(prompt, { ...options, loops: "redraw" });
    assert.equal(finishReason, "eos", text);
    const grammar = await compileGrammar({ vocabulary: storyteller.vocabulary, jsonSchema });
    const matcher = grammar.matcher();
    assert.ok(matcher.acceptBytes(text) && matcher.isAccepting, text);
    grammar.dispose();
  }
});

test("chat and answer stop loops by themselves, and count them in the parts of an answer", async () => {
  const asked = [{ role: "user", content: laughing }];
  for (const [chatTemplate, part] of [
    ["{{ messages[0].content }}", "text"],
    // The template opens a thought, which never ends.
    [templates.opened, "reasoning"],
  ]) {
    const options = { ...greedy, chatTemplate, maxTokens: 150 };
    const stopped = await storyteller.answer(asked, options);
    assert.equal(stopped.finishReason, "loop");
    assert.equal(stopped.tokens.length, stopped.usage.completionTokens);
    const end = part === "text" ? stopped.loop.textEnd : stopped.loop.reasoningEnd;
    assert.ok(end > 0 && end < stopped[part].length, `${end} of ${stopped[part].length}`);
    const said = { text: "", reasoning: "" };
    let taken = 0;
    for await (const { text, reasoning = "", takenBack } of storyteller.chat(asked, { ...options, loops: "redraw" })) {
      if (takenBack) {
        taken++;
        said.text = said.text.slice(0, said.text.length - takenBack.characters);
        said.reasoning = said.reasoning.slice(0, said.reasoning.length - (takenBack.reasoning ?? 0));
      }
      said.text += text;
      said.reasoning += reasoning;
    }
    assert.ok(taken);
    const whole = await storyteller.answer(asked, { ...options, loops: "redraw" });
    assert.equal(whole.text, said.text);
    assert.equal(whole.reasoning ?? "", said.reasoning);
    assert.equal(whole.tokens.length, whole.usage.completionTokens);
    assert.equal(said[part].slice(0, end), stopped[part].slice(0, end));
    const ignored = await storyteller.answer(asked, { ...options, loops: "ignore" });
    assert.equal(ignored.finishReason, "length");
    const found = await storyteller.answer(asked, { ...options, beams: 2, maxTokens: 60 });
    assert.equal(found.finishReason, "length", "beams ignore loops");
  }
});

test("bans and redraws work together", async () => {
  const options = { ...greedy, maxTokens: 150, loops: "redraw", bannedStrings: ["cat", " was"] };
  const { chunks } = await collect(storyteller.generate(laughing, options));
  const { text, taken } = follow(chunks);
  assert.ok(taken);
  assert.doesNotMatch(text, /cat| was/);
});

test("by default a conversation keeps the repetition that a schema asks for", async () => {
  const model = await load(shipped("storyteller"));
  const jsonSchema = { type: "array", items: { const: 0 }, minItems: 64, maxItems: 64 };
  const chatTemplate = "{{ messages[0].content }}";
  const messages = [{ role: "user", content: "Once" }];
  const { text, finishReason } = await model.answer(messages, { chatTemplate, jsonSchema });
  assert.deepEqual([JSON.parse(text).length, finishReason], [64, "eos"]);
  const stopped = await model.answer(messages, { chatTemplate, jsonSchema, loops: "stop" });
  assert.equal(stopped.finishReason, "loop");
});

test("a loop of control tokens is redrawn like another, and refuses no other text", async () => {
  const model = await load(shipped("storyteller"));
  const options = { logitBias: { 1: 30 }, temperature: 0, loops: { action: "redraw", redraws: 1 }, maxTokens: 80 };
  let last = [];
  for await (const { tokens, takenBack } of model.generate("Once upon a time", options)) {
    last.push(...tokens.map(({ id }) => id));
    if (takenBack) {
      last = last.slice(0, last.length - takenBack.tokens);
      assert.deepEqual(last, [1]);
    }
  }
  assert.ok(last[1] > 2, String(last[1]));
});
