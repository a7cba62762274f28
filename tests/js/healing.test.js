// Token healing: the prompt's last token may become a longer one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar } from "lastinch";
import { startProcessorClock } from "../processor-time.js";
import { collect, collectAll, load, logSoftmax, shipped, softmax } from "./decode-tools.js";
import { uniforms } from "./sampler-tools.js";
import { randomModel, scriptedModel, vocabularyOf } from "./tiny-gguf.js";

const heal = true;
const greedy = { temperature: 0 };

/** Tokens that begin with `bytes`, or are a beginning of `bytes`. */
function fitting(tokens, bytes) {
  const same = (token) => token.length && token.every((byte, i) => i >= bytes.length || byte === bytes[i]);
  return new Set(tokens.flatMap((token, id) => (same(token) ? [id] : [])));
}

test("a prompt that ends within a word continues that word", async () => {
  const model = await load(shipped("storyteller"));
  const full = "Once upon a time, there was a";
  const whole = await collect(model.generate(full, { ...greedy, maxTokens: 6 }));
  assert.ok(whole.text.startsWith(" little"), whole.text);
  for (const part of [" ", " l", " li"]) {
    const broken = await collect(model.generate(full + part, { ...greedy, maxTokens: 5 }));
    const healed = await collect(model.generate(full + part, { ...greedy, heal, maxTokens: 6 }));
    assert.ok(!(full + part + broken.text).startsWith(full + " little"), `${part}: ${broken.text}`);
    assert.equal(full + part + healed.text, full + whole.text);
    assert.deepEqual(healed.ids, whole.ids);
    // The token that was taken back is not read again.
    const ids = await model.tokenize(full + part, { bos: true });
    assert.equal(healed.usage.promptTokens, ids.length - 1);
    assert.equal(healed.usage.completionTokens, 6);
    const asIds = await collect(model.generate(ids, { ...greedy, heal, maxTokens: 6 }));
    assert.deepEqual([asIds.text, asIds.ids], [healed.text, healed.ids]);
  }
  model.dispose();
});

test("the first token is drawn from the fitting tokens, with renormalised probabilities", async () => {
  const model = await load(shipped("storyteller"));
  const { tokens } = model.vocabulary;
  const prompt = await model.tokenize("The cat sat on the m", { bos: true });
  const rest = prompt.slice(0, -1);
  const allowed = fitting(tokens, tokens[prompt.at(-1)]);
  const row = await model.forward(rest);
  const probabilities = softmax(row.map((logit, id) => (allowed.has(id) ? logit : -Infinity)));
  const firsts = new Set();
  for (let seed = 0; seed < 20; seed++) {
    const result = await collect(model.generate(prompt, { heal, seed, maxTokens: 8, echo: true, captureLogits: true }));
    const [first] = result.tokens;
    firsts.add(first.id);
    assert.ok(allowed.has(first.id));
    assert.ok(Math.abs(first.probability - probabilities[first.id]) < 1e-5);
    assert.ok(Math.abs(first.rawLogprob - logSoftmax(row)[first.id]) < 1e-5);
    assert.deepEqual(first.logits, row);
    assert.equal(result.chunks[0].text, "The cat sat on the m");
    assert.equal(result.text, await model.detokenize([...rest, ...result.ids]));
    // Later tokens are free again.
    const free = softmax(result.tokens[3].logits);
    assert.ok(Math.abs(result.tokens[3].probability - free[result.tokens[3].id]) < 1e-5);
  }
  assert.ok(firsts.size > 1);
  model.dispose();
});

test("the healed text may be read in shorter tokens, and a split character is completed", async () => {
  // After "a" this model would write "ab"; "abc" begins with the bytes of the token that is taken back.
  const { bytes, ids } = scriptedModel({ script: ["x", "ab", "c", "abc", "yz", 0xf0, 0x9f, 0x98, 0x80, "\u{1f600}!"] });
  const model = await load(bytes);
  const [x, ab, c, abc, yz, f0, b9f, b98, b80, smile] = ids;
  const run = (prompt, options) => collect(model.generate(prompt, { ...greedy, heal, ...options }));
  // No longer token begins with "abc".
  assert.deepEqual((await run([1, x, abc], { maxTokens: 1 })).ids, [yz]);
  // "ab" may become "ab" again, or "abc".
  const again = await run([1, x, ab], { maxTokens: 2 });
  assert.deepEqual([again.ids, again.text], [[ab, c], "c"]);
  const other = await run([1, x, ab], { maxTokens: 2, bannedTokens: [ab, 2] });
  assert.equal(other.ids[0] === abc ? other.text.slice(0, 1) : "c", "c");
  // The prompt ends with the first byte of a character, with which another token begins.
  const cut = await run([1, yz, f0], { maxTokens: 4 });
  assert.deepEqual([cut.ids, cut.text], [[f0, b9f, b98, b80], "\u{1f600}"]);
  const longer = await run([1, yz, f0], { maxTokens: 1, bannedTokens: [f0], echo: true });
  assert.deepEqual([longer.ids, longer.text], [[smile], "yz\u{1f600}!"]);
  // A stop string counts only in what is new.
  assert.equal((await run([1, x, ab], { stop: "b" })).text.includes("b"), false);
  assert.equal((await run([1, x, ab], { stop: "c" })).text, "");
  model.dispose();
});

test("control tokens, a lone token, and tokens with which no longer one begins are left alone", async () => {
  const model = await load(randomModel({ vocabulary: vocabularyOf(["a", "ab", "xyz"]) }));
  const [a, ab, xyz] = [259, 260, 261];
  const options = { seed: 3, maxTokens: 6, bannedTokens: [2] };
  for (const prompt of [[1], [a], [1, a, 2], [a, 1], [1, ab], [1, a, xyz], [1, a, 0], ""]) {
    const plain = await collect(model.generate(prompt, options));
    const healed = await collect(model.generate(prompt, { ...options, heal }));
    assert.deepEqual(
      [healed.ids, healed.text, healed.usage.promptTokens],
      [plain.ids, plain.text, plain.usage.promptTokens],
    );
  }
  const healed = await collect(model.generate([1, a], { ...options, heal }));
  assert.ok(healed.ids[0] === a || healed.ids[0] === ab || healed.ids[0] === 3 + 97);
  assert.equal(healed.usage.promptTokens, 1);
  assert.deepEqual((await collect(model.generate([1, a], { maxTokens: 0, heal, echo: true }))).text, "a");
  model.dispose();
});

test("healing combines with a grammar, which begins after the prompt", async () => {
  const model = await load(shipped("storyteller"));
  const prompt = "Once upon a time, there was a lit";
  const grammar = await compileGrammar({
    vocabulary: model.vocabulary,
    regex: "(tle|eral) (girl|boy) named [A-Z][a-z]{2,8}\\.",
  });
  for (const seed of [1, 2, 3]) {
    const { text, ids } = await collect(model.generate(prompt, { heal, grammar, seed, maxTokens: 30 }));
    assert.match(text, /^(tle|eral) (girl|boy) named [A-Z][a-z]{2,8}\.$/);
    const cut = (await model.tokenize(prompt, { bos: true })).slice(0, -1);
    assert.equal(await model.detokenize([...cut, ...ids]), prompt + text);
  }
  const [one] = await collectAll(model.generate(prompt, { heal, grammar, seed: 4, n: 2, maxTokens: 30 }));
  assert.match(one.text, /^(tle|eral) /);
  grammar.dispose();
  model.dispose();
});

test("healing combines with several continuations and with drafts", async () => {
  const [model, draft] = [await load(shipped("storyteller")), await load(shipped("draft"))];
  const prompt = "Tom saw a big dog. The big dog saw Tom. Tom ran to the big d";
  const plain = { heal, seed: 9, maxTokens: 16 };
  const group = await collectAll(model.generate(prompt, { ...plain, n: 3 }));
  for (const [stream, { ids, text }] of group.entries()) {
    const one = await collect(model.generate(prompt, { ...plain, stream }));
    assert.deepEqual([ids, text], [one.ids, one.text]);
  }
  const alone = await collect(model.generate(prompt, { ...plain, ...greedy }));
  for (const by of ["lookup", "lookahead", draft]) {
    const drafted = await collect(model.generate(prompt, { ...plain, ...greedy, draft: by, draftTokens: 4 }));
    assert.deepEqual([drafted.ids, drafted.text], [alone.ids, alone.text]);
  }
  const beams = await collectAll(model.generate(prompt, { heal, beams: 3, n: 2, maxTokens: 8 }));
  const cut = (await model.tokenize(prompt, { bos: true })).slice(0, -1);
  for (const { ids, text } of beams) assert.equal(await model.detokenize([...cut, ...ids]), prompt + text);
  for (const one of [model, draft]) one.dispose();
});

test("healing is fast with a large vocabulary", async () => {
  const { HealingMatcher } = await import("../../web/decode/healing-matcher.js");
  const { bytesToHeal } = await import("../../web/decode/healing.js");
  const next = uniforms(1);
  const random = (below) => Math.floor(next() * below);
  const tokens = Array.from({ length: 262_144 }, () =>
    Uint8Array.from({ length: 1 + random(8) }, () => 97 + random(26)),
  );
  const ids = Uint32Array.of(
    1,
    tokens.findIndex((token) => token.length === 2),
  );
  const elapsed = startProcessorClock();
  const bytes = bytesToHeal(ids, tokens);
  const matcher = new HealingMatcher(bytes, tokens);
  const mask = new Uint32Array(8192);
  matcher.bitmask(mask);
  const took = elapsed();
  const allowed = fitting(tokens, bytes);
  tokens.forEach((_, id) => assert.equal((mask[id >>> 5] >>> (id & 31)) & 1, Number(allowed.has(id))));
  assert.ok(took < 1000, `${took} ms`);
  console.log(`# ${took.toFixed(1)} ms for 262,144 tokens`);

  // It can go back, and clones continue on their own.
  const [longer] = [...allowed].filter((id) => tokens[id].length > 2);
  const [shorter] = [...allowed].filter((id) => tokens[id].length === 1);
  const copy = matcher.clone();
  assert.ok(matcher.accept(longer));
  matcher.bitmask(mask);
  assert.ok(mask.every((word) => word === 0xffffffff));
  assert.ok(copy.accept(shorter));
  const wrong = tokens.findIndex((token) => token[0] !== bytes[1]);
  assert.equal(copy.accept(wrong), false);
  matcher.rollback(1);
  copy.rollback(1);
  const [one, two] = [new Uint32Array(8192), new Uint32Array(8192)];
  matcher.bitmask(one);
  copy.bitmask(two);
  assert.deepEqual(one, two);
});
