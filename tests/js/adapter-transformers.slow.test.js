// The sampler in transformers.js, which runs our model (see tests/vectors/export-onnx.js).
import assert from "node:assert/strict";
import { Tokenizer } from "@huggingface/tokenizers";
import { Tensor, pipeline } from "@huggingface/transformers";
import { after, before, test } from "node:test";
import { compileGrammar, createSampler } from "lastinch";
import { openSession } from "lastinch/onnxruntime";
import { createTransformersSampler, vocabularyOf } from "lastinch/transformers";
import { logSoftmax } from "./decode-tools.js";
import { openPeer, recorder } from "./onnx-tools.js";

/** @type {Awaited<ReturnType<typeof openPeer>>} */
let peer;
before(async () => void (peer = await openPeer("draft")));

/** The samplers of a test, disposed of after it. */
async function use(t, options, generator = peer) {
  const lastinch = await createTransformersSampler(generator, options);
  t.after(() => lastinch.dispose());
  return lastinch;
}

/** Ids of each text, without the prompt; `rows`: the logits that came to our processor. */
async function generate(lastinch, prompts, options = {}, { model, tokenizer } = peer) {
  return written((call) => model.generate(call), lastinch, prompts, options, tokenizer);
}

/** Like generate, with a model that checks no options. */
const unwatched = (lastinch, prompts, options) =>
  written(
    (call) => Object.getPrototypeOf(peer.model).generate.call(peer.model, call),
    lastinch,
    prompts,
    options,
    peer.tokenizer,
  );

async function written(write, lastinch, prompts, options, tokenizer) {
  const inputs = tokenizer([prompts].flat(), { padding: true });
  const { rows, processor } = recorder();
  const logits_processor = [processor, ...lastinch.logits_processor];
  const output = await write({ ...inputs, max_new_tokens: 30, ...lastinch, logits_processor, ...options });
  const length = inputs.input_ids.dims[1];
  return { ids: output.tolist().map((text) => text.slice(length).map(Number)), rows };
}

const promptIds = (text) => peer.tokenizer(text).input_ids.tolist()[0].map(Number);

/** What our sampler chooses from recorded rows. */
async function replay(rows, prompt, options) {
  const sampler = await createSampler({ vocabSize: rows[0].length, tokenCount: 2048, eos: 2, ...options });
  sampler.accept(prompt, { prompt: true });
  const tokens = rows.map((row) => {
    const id = sampler.sample(row);
    return { id, probability: sampler.lastProbability };
  });
  sampler.dispose();
  return tokens;
}

const story = "Once upon a time";
const other = "The big brown dog was happy because it saw";
const knobs = { temperature: 1.2, topP: 0.9, minP: 0.02, repetitionPenalty: 1.3, frequencyPenalty: 0.2 };

test("generate writes the sampler's choice from the logits, with the prompt as history", async (t) => {
  const options = { ...knobs, seed: 7 };
  const lastinch = await use(t, options);
  const { ids, rows } = await generate(lastinch, story);
  const expected = await replay(rows[0], promptIds(story), options);
  assert.equal(ids[0].length, 30);
  assert.deepEqual(
    ids[0],
    expected.map(({ id }) => id),
  );
  const without = await replay(rows[0], [], options);
  assert.notDeepEqual(without, expected);
});

test("texts of a batch draw from their own streams, and padding does not count as history", async (t) => {
  const lastinch = await use(t, { ...knobs, seed: 3, stream: 5 });
  const prompts = [story, other, "Hi"];
  const { ids, rows } = await generate(lastinch, prompts);
  for (const [i, prompt] of prompts.entries()) {
    const { tokens } = lastinch.rows[i];
    const given = rows[i].slice(0, tokens.length);
    const expected = await replay(given, promptIds(prompt), { ...knobs, seed: 3, stream: 5 + i });
    assert.deepEqual(
      ids[i].slice(0, tokens.length),
      expected.map(({ id }) => id),
    );
  }
});

test("eos pads a batch, and is penalised only in texts that contain it", async (t) => {
  const lastinch = await use(t, { temperature: 0, logitBias: { 2: 100 }, repetitionPenalty: 1000 });
  assert.equal(peer.tokenizer.pad_token_id, 2);
  const { ids } = await generate(lastinch, [other, "Hi"]);
  assert.deepEqual(ids, [[2], [2]]);
});

test("each text can have a seed of its own", async (t) => {
  const lastinch = await use(t, { temperature: 1.3, seeds: [11, 4, 11] });
  const { ids } = await generate(lastinch, [story, story, story]);
  assert.deepEqual(ids[0], ids[2]);
  assert.notDeepEqual(ids[0], ids[1]);
  assert.deepEqual(
    lastinch.rows.map(({ seed }) => seed),
    [11, 4, 11],
  );
  const alone = await use(t, { temperature: 1.3, seed: 4 });
  assert.deepEqual((await generate(alone, [story, story, story])).ids[0], ids[1]);
  await assert.rejects(generate(lastinch, story), { code: "wrong-length", message: /\b3\b.*\b1\b/ });
});

test("one key of the watermark gumbel marks different prompts, and is refused where two would have one text", async (t) => {
  const watermark = { scheme: "gumbel", key: "batch" };
  const lastinch = await use(t, { temperature: 1.3, seeds: [1, 2], watermark });
  await assert.rejects(generate(lastinch, [story, story]), { code: "conflict" });
  await generate(lastinch, [story, other]);
  assert.ok(lastinch.rows.every(({ tokens }) => tokens.length > 1));
  const green = await use(t, { temperature: 1.3, seeds: [1, 2], watermark: { ...watermark, scheme: "green" } });
  const { ids } = await generate(green, [story, story]);
  assert.notDeepEqual(ids[0], ids[1]);
});

test("rows has the log-probability of each token, as it was drawn and as the model gives it", async (t) => {
  const options = { ...knobs, seed: 9 };
  const lastinch = await use(t, { ...options, logprobs: true });
  const { rows } = await generate(lastinch, story);
  const [{ tokens, text }] = lastinch.rows;
  const expected = await replay(rows[0], promptIds(story), options);
  tokens.forEach(({ id, probability, rawLogprob }, i) => {
    assert.deepEqual({ id, probability }, expected[i]);
    assert.ok(Math.abs(rawLogprob - logSoftmax(rows[0][i])[id]) < 1e-6);
  });
  const ids = tokens.map(({ id }) => id);
  assert.equal(text, peer.tokenizer.decode([...promptIds(story), ...ids], { skip_special_tokens: true }).slice(16));
});

test("texts of a batch end one by one, and ended texts stay ended", async (t) => {
  const vocabulary = vocabularyOf(peer);
  const choice = [" It ran.", " It ran to the big tree and sat there."];
  const grammar = await compileGrammar({ vocabulary, choice });
  t.after(() => grammar.dispose());
  const lastinch = await use(t, { grammar, seeds: [1, 2, 3, 4, 5, 6], temperature: 3 });
  const { ids } = await generate(lastinch, new Array(6).fill(story), { max_new_tokens: 60 });
  const { rows } = lastinch;
  assert.equal(new Set(rows.map(({ text }) => text)).size, 2);
  for (const [i, { text, tokens, finishReason }] of rows.entries()) {
    assert.ok(choice.includes(text), text);
    assert.equal(finishReason, "eos");
    const end = ids[i].indexOf(2);
    assert.ok(ids[i].slice(end).every((id) => id === 2));
    assert.equal(tokens.length, end + 1);
  }
  assert.equal(ids[0].length, Math.max(...rows.map(({ tokens }) => tokens.length)));
});

test("a text ends before a stop string, however tokens split the string", async (t) => {
  const lastinch = await use(t, { temperature: 0, stop: ["ly. Sh", "never"] });
  const { ids } = await generate(lastinch, story);
  const [{ text, tokens, finishReason }] = lastinch.rows;
  assert.equal(text, ", there was a little girl named Li");
  assert.equal(finishReason, "stop");
  assert.deepEqual(
    ids[0],
    tokens.map(({ id }) => id),
  );
  const { ids: longer } = await unwatched(lastinch, story, { stopping_criteria: null });
  assert.deepEqual(longer[0], [...ids[0], 2], "without our criterion an eos ends it");
});

test("with a JSON Schema every text is an instance, at any temperature", async (t) => {
  const properties = {
    name: { type: "string", maxLength: 8 },
    age: { type: "integer", minimum: 3, maximum: 99 },
    likes: { type: "array", items: { enum: ["dogs", "cats", "trees"] }, maxItems: 2 },
  };
  const jsonSchema = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
  const grammar = await compileGrammar({ vocabulary: vocabularyOf(peer), jsonSchema, whitespace: "compact" });
  t.after(() => grammar.dispose());
  const seen = new Set();
  for (const temperature of [0.5, 1, 5]) {
    const lastinch = await use(t, { grammar, temperature, seed: 1 });
    await generate(lastinch, new Array(8).fill(story), { max_new_tokens: 120 });
    for (const { text, finishReason } of lastinch.rows) {
      assert.equal(finishReason, "eos", text);
      const { name, age, likes, ...rest } = JSON.parse(text);
      assert.ok([...name].length <= 8 && age >= 3 && age <= 99 && Number.isInteger(age) && likes.length <= 2, text);
      assert.deepEqual(rest, {});
      seen.add(text);
    }
  }
  assert.ok(seen.size > 12, `${seen.size}`);
});

test("a sampler serves several calls: with a seed it writes the same text, without one another text", async (t) => {
  const seeded = await use(t, { temperature: 1.3, seed: 5, repetitionPenalty: 1.2 });
  const first = await generate(seeded, story);
  assert.deepEqual((await generate(seeded, story)).ids, first.ids);
  assert.equal(seeded.rows[0].tokens.length, 30);
  const free = await use(t, { temperature: 1.3 });
  const texts = [];
  for (let i = 0; i < 3; i++) {
    const { ids } = await generate(free, [story, story]);
    const seeds = free.rows.map(({ seed }) => seed);
    assert.equal(seeds[0], seeds[1]);
    assert.notDeepEqual(ids[0], ids[1], "two streams");
    texts.push(ids[0].join());
  }
  assert.equal(new Set(texts).size, 3);
});

test("two calls of generate at the same time need two samplers", async (t) => {
  const lastinch = await use(t, { seed: 1 });
  const results = await Promise.allSettled([generate(lastinch, story), generate(lastinch, other)]);
  const failed = results.filter(({ status }) => status === "rejected");
  assert.equal(failed.length, 1);
  assert.equal(failed[0].reason.code, "conflict");
  const [one, two] = [await use(t, { seed: 1 }), await use(t, { seed: 1 })];
  const [a, b] = await Promise.all([generate(one, story), generate(two, other)]);
  assert.deepEqual(a.ids, (await generate(one, story)).ids);
  assert.deepEqual(b.ids, (await generate(two, other)).ids);
});

test("generate's own edits of logits are off, and a processor that overrules ours is an error", async (t) => {
  const lastinch = await use(t, { temperature: 0 });
  const { ids } = await generate(lastinch, story);
  const { generation_config } = peer.model;
  const usual = { ...generation_config };
  try {
    const edits = { repetition_penalty: 50, suppress_tokens: [ids[0][0]], no_repeat_ngram_size: 1, do_sample: true };
    Object.assign(generation_config, edits, { temperature: 9, top_k: 3, num_beams: 3 });
    assert.deepEqual((await generate(lastinch, story)).ids, ids);
  } finally {
    for (const name of Object.keys(generation_config)) delete generation_config[name];
    Object.assign(generation_config, usual);
  }
  const overrule = (_, { dims }) => ({ dims, 0: { data: Float32Array.of(1, 0) } });
  const logits_processor = [...lastinch.logits_processor, overrule];
  await assert.rejects(unwatched(lastinch, story, { logits_processor }), {
    code: "conflict",
    message: /token 0/,
  });
});

test("a processor after the sampler that would change its text is refused before the model runs", async (t) => {
  const lastinch = await use(t, { temperature: 0 });
  const inputs = peer.tokenizer(story);
  const { model } = peer;
  const { forward } = model;
  let passes = 0;
  model.forward = (...given) => {
    passes++;
    return forward.apply(model, given);
  };
  t.after(() => delete model.forward);
  const call = (options) => model.generate({ ...inputs, max_new_tokens: 3, ...lastinch, ...options });
  const same = (_, logits) => logits;
  for (const [options, sentence] of [
    [{ temperature: 0.5 }, /^temperature stands after \.\.\.lastinch: give it to createTransformersSampler\.$/],
    [{ temperature: undefined }, /^temperature stands/],
    [{ top_k: 5 }, /^top_k .* give it to createTransformersSampler/],
    [{ top_p: 0.5 }, /^top_p .* give it to createTransformersSampler/],
    [{ min_p: 0.5 }, /^min_p .* give it to createTransformersSampler/],
    [{ seed: 5 }, /^seed .* give it to createTransformersSampler/],
    [{ repetition_penalty: 1.1 }, /^repetition_penalty .* give it to createTransformersSampler/],
    [{ suppress_tokens: [5] }, /^suppress_tokens .* give it to createTransformersSampler/],
    [{ stop_strings: ["a"] }, /^stop_strings .* give it to createTransformersSampler/],
    [{ signal: AbortSignal.abort() }, /^signal .* give it to createTransformersSampler/],
    [{ do_sample: true }, /^do_sample .* temperature: 0 takes the likeliest/],
    [{ num_beams: 4 }, /^num_beams .* openSession/],
    [{ num_return_sequences: 2 }, /^num_return_sequences .* generator\(\[prompt, prompt\]/],
    [{ min_length: 50 }, /^min_length .* minTokens/],
    [{ begin_suppress_tokens: [5] }, /^begin_suppress_tokens .* leave it out/],
    [{ guidance_scale: 3 }, /^guidance_scale .* leave it out/],
    [{ logits_processor: null }, /^logits_processor .* \[yours, \.\.\.lastinch\.logits_processor\]/],
    [{ logits_processor: [same] }, /^logits_processor/],
    [{ logits_processor: [...lastinch.logits_processor, same] }, /^logits_processor/],
    [{ stopping_criteria: null }, /^stopping_criteria .* as stoppingCriteria/],
    [{ stopping_criteria: (texts) => texts.map(() => true) }, /^stopping_criteria/],
    [{ eos_token_id: 5 }, /^eos_token_id .* as eos/],
    [{ logits_processor: null, stopping_criteria: null, eos_token_id: null }, /^logits_processor/],
  ])
    await assert.rejects(call(options), { name: "TypeError", code: "conflict", message: sentence });
  assert.equal(passes, 0);
  const generator = await pipeline("text-generation", peer.folder.name, { dtype: "fp32" });
  const own = await use(t, { temperature: 0 }, generator);
  await assert.rejects(generator(story, { ...own, temperature: 0.5 }), { code: "conflict" });
  // Options that change nothing, and processors before the sampler, are fine.
  const { data } = await call({ generation_config: { temperature: 0.5, repetition_penalty: 9 } });
  for (const options of [
    { do_sample: false, temperature: 1, eos_token_id: 2 },
    { logits_processor: [same, ...lastinch.logits_processor] },
    { stopping_criteria: [...lastinch.stopping_criteria, (texts) => texts.map(() => false)] },
  ])
    assert.deepEqual((await call(options)).data, data);
  const before = { do_sample: true, temperature: 9, top_k: 3, num_beams: 4, max_new_tokens: 3 };
  assert.deepEqual((await model.generate({ ...inputs, ...before, ...lastinch })).data, data);
  // A call without a sampler works as before.
  const alone = await model.generate({ ...inputs, max_new_tokens: 3, suppress_tokens: [Number(data[5])] });
  assert.notDeepEqual(alone.data, data);
});

test("a pipeline takes the sampler, for one text and for several", async (t) => {
  const generator = await pipeline("text-generation", peer.folder.name, { dtype: "fp32" });
  const lastinch = await use(t, { temperature: 0, stop: "mom" }, generator);
  const [{ generated_text: text }] = await generator(story, { max_new_tokens: 20, ...lastinch });
  assert.equal(text, story + lastinch.rows[0].text);
  const both = await generator([other, story], { max_new_tokens: 20, ...lastinch });
  assert.deepEqual(
    both.map(([{ generated_text }]) => generated_text),
    [other, story].map((prompt, i) => prompt + lastinch.rows[i].text),
  );
  assert.equal(lastinch.rows[1].text, text.slice(story.length));
});

test("half precision comes as float32, and padding of the vocabulary is never chosen", async (t) => {
  const half = await openPeer("draft", "fp16");
  const prompts = new Array(8).fill(story);
  await assert.rejects(generate(await use(t, {}, half), prompts, {}, half), {
    code: "wrong-length",
    message: /2064.*vocabSize.*2048/,
  });
  const options = { vocabSize: 2064, logitBias: { 2050: 1000 }, seed: 2 };
  const short = { max_new_tokens: 1 };
  const { ids, rows } = await generate(await use(t, options, half), prompts, short, half);
  assert.ok(rows[0][0] instanceof Float32Array && rows[0][0].length === 2064);
  assert.ok(ids.flat().every((id) => id < 2048));
  const all = await use(t, { ...options, tokenCount: 2064 }, half);
  assert.deepEqual((await generate(all, story, short, half)).ids, [[2050]]);
});

test("halves are taken as halves: nothing widens them in JavaScript, and the tokens are the same", async (t) => {
  const half = await openPeer("draft", "fp16");
  const options = { temperature: 1.1, topP: 0.9, seed: 3, vocabSize: 2064, logprobs: true };
  const { ids } = await generate(await use(t, options, half), [story, "The dog"], {}, half);
  const lastinch = await use(t, options, half);
  const inputs = half.tokenizer([story, "The dog"], { padding: true });
  const { to } = Tensor.prototype;
  let widened = 0;
  t.after(() => (Tensor.prototype.to = to));
  Tensor.prototype.to = function (type) {
    if (this.type === "float16" && type === "float32") widened++;
    return to.call(this, type);
  };
  const output = await half.model.generate({ ...inputs, max_new_tokens: 30, ...lastinch });
  const length = inputs.input_ids.dims[1];
  assert.deepEqual(
    output.tolist().map((text) => text.slice(length).map(Number)),
    ids,
  );
  assert.equal(widened, 0);
  assert.ok(lastinch.rows.every(({ tokens }) => tokens.every(({ rawLogprob }) => rawLogprob < 0)));
  // Without us it is widened, so this would notice.
  await half.model.generate({ ...inputs, max_new_tokens: 1 });
  assert.ok(widened > 0);
});

test("the model's own log-probability is measured when it is asked for", async (t) => {
  const lastinch = await use(t, { seed: 1 });
  await generate(lastinch, story);
  assert.deepEqual(Object.keys(lastinch.rows[0].tokens[0]), ["id", "probability"]);
});

test("a signal ends the texts, and an aborted signal refuses them", async (t) => {
  const aborter = new AbortController();
  const lastinch = await use(t, { seed: 1, signal: aborter.signal });
  let steps = 0;
  const logits_processor = [
    (_, logits) => {
      if (++steps === 5) aborter.abort();
      return logits;
    },
    ...lastinch.logits_processor,
  ];
  const { ids } = await generate(lastinch, story, { logits_processor });
  assert.deepEqual([ids[0].length, lastinch.rows[0].finishReason], [5, "abort"]);
  await assert.rejects(generate(lastinch, story), { name: "AbortError" });
});

test("a text that generate ends has the reason length", async (t) => {
  const lastinch = await use(t, { seed: 1 });
  await generate(lastinch, story, { max_new_tokens: 3 });
  assert.equal(lastinch.rows[0].finishReason, "length");
});

test("the page's own criteria hold beside the sampler's, and criteria that replace them are noticed", async (t) => {
  const after = (count) => (texts) => texts.map((ids) => ids.length >= promptIds(story).length + count);
  const both = await use(t, { temperature: 0, stop: "zebra", stoppingCriteria: after(4) });
  const { ids } = await generate(both, story);
  assert.equal(ids[0].length, 4);
  const late = await use(t, { temperature: 0, stop: ",", stopping_criteria: [after(25)] });
  await generate(late, story);
  const { finishReason, tokens } = late.rows[0];
  assert.equal(finishReason, "stop");
  assert.ok(tokens.length < 25);
  await assert.rejects(unwatched(late, story, { stopping_criteria: [after(25)], eos_token_id: null }), {
    code: "conflict",
    message: /stopping_criteria.*eos_token_id/,
  });
  await assert.rejects(createTransformersSampler(peer, { stoppingCriteria: 3 }), { code: "bad-type" });
});

test("the error of an option of generate says where the option belongs", async () => {
  for (const [options, sentence] of [
    [{ max_new_tokens: 9 }, /max_new_tokens.*\bcall\b/],
    [{ maxTokens: 9 }, /maxTokens.*\bcall\b/],
    [{ do_sample: true }, /temperature: 0/],
    [{ num_beams: 4 }, /openSession of lastinch\/onnxruntime/],
    [{ num_return_sequences: 2 }, /generator\(\[prompt, prompt\]/],
    [{ streamer: {} }, /streamer.*\bcall\b/],
    [{ maxNewTokens: 9 }, /maxNewTokens.*\bcall\b/],
    [{ beams: 4 }, /openSession of lastinch\/onnxruntime/],
    [{ jsonSchema: {} }, /compileGrammar\(\{ vocabulary: vocabularyOf\(generator\)/],
    [{ toolCalls: {} }, /compileGrammar\(\{ vocabulary: vocabularyOf\(generator\)/],
  ]) {
    const error = await createTransformersSampler(peer, options).catch((refusal) => refusal);
    assert.match(error.message, sentence);
    assert.ok(["unknown-option", "conflict"].includes(error.code));
  }
});

test("bad options and other misuse are refused with the reason", async (t) => {
  const refused = (options, expected, generator = peer) =>
    assert.rejects(createTransformersSampler(generator, options), expected);
  await refused({ topp: 0.9 }, { code: "unknown-option", message: /topP/ });
  await refused({ top_p: 2 }, { code: "out-of-range" });
  await refused({ seed: 1, seeds: [1] }, { code: "conflict" });
  await refused({ seeds: [-1] }, { code: "out-of-range" });
  await refused({ stop: [""] }, { code: "out-of-range" });
  await refused({ grammar: {} }, { code: "bad-type" });
  await refused({}, { code: "bad-type", message: /pipeline/ }, {});
  await refused({}, { code: "bad-type", message: /vocabSize/ }, { tokenizer: peer.tokenizer });
  const lastinch = await use(t, {});
  lastinch.dispose();
  await assert.rejects(generate(lastinch, story), { code: "disposed" });
});

test("vocabularyOf: the bytes of SentencePiece and of byte-level tokenizers", async () => {
  const { tokens, eos, special } = vocabularyOf(peer);
  assert.deepEqual([tokens.length, eos, special], [2048, [2], { "<unk>": 0, "<s>": 1, "</s>": 2 }]);
  assert.equal(vocabularyOf(peer), vocabularyOf(peer));
  const text = "A dog, “naïve” 😀\nran.";
  const spell = (ids, vocabulary) => Buffer.concat(ids.map((id) => vocabulary.tokens[id] ?? Buffer.alloc(0)));
  assert.equal(spell(promptIds(text), vocabularyOf(peer)).toString(), text);

  // As in GPT-2: each byte as a character; pieces; a token that is not text, and a gap before it.
  const table = [...Array(256).keys()].filter((byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173));
  const letter = (byte) => {
    if (table.includes(byte)) return String.fromCharCode(byte);
    const moved = [...Array(256).keys()].filter((one) => !table.includes(one));
    return String.fromCharCode(256 + moved.indexOf(byte));
  };
  const vocab = Object.fromEntries(Array.from({ length: 256 }, (_, byte) => [letter(byte), byte]));
  Object.assign(vocab, { "\u0120d": 256 });
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
  const added = (id, content, isSpecial) => ({ id, content, special: isSpecial, normalized: false });
  const model = { type: "BPE", vocab, merges: [["\u0120", "d"]] };
  const added_tokens = [added(258, "<end>", true), added(259, "<b>é", false)];
  const json = { added_tokens, normalizer: null, pre_tokenizer: byteLevel, post_processor: null, decoder: byteLevel };
  const tokenizer = new Tokenizer({ ...json, model }, {});
  const own = vocabularyOf({ tokenizer, eos: [258] });
  const { ids } = tokenizer.encode(`${text} d<b>é<end>`);
  assert.ok(ids.includes(256) && ids.includes(258) && ids.includes(259));
  assert.equal(spell(ids, own).toString(), `${text} d<b>é`);
  assert.deepEqual(
    [own.tokens.length, own.tokens[257], own.eos, own.special],
    [260, undefined, [258], { "<end>": 258 }],
  );

  const metaspace = { type: "Metaspace", replacement: "\u2581", prepend_scheme: "always", split: true };
  const words = { type: "BPE", vocab: { "\u2581d\u00e9": 0 }, merges: [] };
  const spaced = { ...json, added_tokens: [], pre_tokenizer: metaspace, decoder: metaspace, model: words };
  assert.equal(spell([0], vocabularyOf({ tokenizer: new Tokenizer(spaced, {}) })).toString(), " dé");

  const wordPiece = { ...json, decoder: { type: "WordPiece", prefix: "##" }, model };
  assert.throws(() => vocabularyOf({ tokenizer: new Tokenizer(wordPiece, {}) }), {
    code: "bad-type",
    message: /WordPiece/,
  });
});

// What transformers.js 4.3.1 does with options, alone and with our processor.
const draws = 300;
/** Tokens that follow the prompt, each in a text of its own. */
async function firstTokens(options) {
  const inputs = peer.tokenizer(new Array(draws).fill(other));
  const output = await peer.model.generate({ ...inputs, max_new_tokens: 1, ...options });
  return output.tolist().map((text) => Number(text.at(-1)));
}
const distinct = (tokens) => new Set(tokens).size;

test("top_p, min_p and seed, which transformers.js ignores, work", async (t) => {
  const { logits } = await peer.model(peer.tokenizer(other));
  const row = logits.data.slice(-2048);
  const kept = async (options) => {
    const sampler = await createSampler({ vocabSize: 2048, ...options });
    const { tokens } = sampler.distribution(row);
    sampler.dispose();
    return tokens.length;
  };
  const table = [];
  for (const [name, theirs, ours] of [
    ["no cut", {}, {}],
    ["top_p 0.1", { top_p: 0.1 }, { topP: 0.1 }],
    ["top_p 0.5", { top_p: 0.5 }, { topP: 0.5 }],
    ["min_p 0.5", { min_p: 0.5 }, { minP: 0.5 }],
    ["min_p 0.1", { min_p: 0.1 }, { minP: 0.1 }],
    ["top_k 5", { top_k: 5 }, { topK: 5 }],
  ]) {
    const without = distinct(await firstTokens({ do_sample: true, top_k: 0, ...theirs }));
    const lastinch = await use(t, { ...ours, seed: 1 });
    const tokens = await firstTokens({ ...lastinch });
    const survivors = await kept(ours);
    table.push({ name, without, with: distinct(tokens), survivors });
    assert.ok(distinct(tokens) <= survivors);
    if (name === "top_p 0.1" || name === "min_p 0.5") {
      assert.equal(distinct(tokens), survivors);
      assert.ok(without > 5 * survivors, `${name} is ignored: ${without} tokens, though ${survivors} survive it`);
    }
  }
  const again = async (options) => (await firstTokens(options)).join() === (await firstTokens(options)).join();
  assert.equal(await again({ do_sample: true, top_k: 0, seed: 7 }), false, "generate has no seed");
  const lastinch = await use(t, { seed: 7 });
  assert.equal(await again({ ...lastinch }), true);
  for (const { name, ...numbers } of table) t.diagnostic(`${name}: ${JSON.stringify(numbers)}`);
});

test("beams, which transformers.js ignores, work on its own session", async (t) => {
  const { tokenizer, model } = peer;
  const inputs = tokenizer(story);
  const greedy = await model.generate({ ...inputs, max_new_tokens: 20 });
  const theirs = await model.generate({ ...inputs, max_new_tokens: 20, num_beams: 4, num_return_sequences: 1 });
  assert.deepEqual(theirs.tolist(), greedy.tolist());
  const session = openSession(model.sessions.model, { Tensor, vocabulary: vocabularyOf(peer) });
  const sum = (chunks) => chunks.flatMap(({ tokens }) => tokens).reduce((total, token) => total + token.rawLogprob, 0);
  const collect = async (options) => {
    const chunks = [];
    for await (const chunk of session.generate(promptIds(story), { maxTokens: 20, ...options })) chunks.push(chunk);
    return chunks;
  };
  const alone = await collect({ temperature: 0 });
  const ids = alone.flatMap(({ tokens }) => tokens.map(({ id }) => id));
  assert.deepEqual(ids, greedy.tolist()[0].slice(-20).map(Number));
  const beams = await collect({ beams: 4, lengthPenalty: 0 });
  assert.ok(sum(beams) > sum(alone) + 0.1, `${sum(beams)} against ${sum(alone)}`);
  t.diagnostic(`log-probability of 20 tokens: greedy and num_beams 4 ${sum(alone)}, our 4 beams ${sum(beams)}`);
});

after(() => void peer?.model.dispose());
