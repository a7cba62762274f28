// Banned texts: what is found, what is drawn instead, what is held back, and what is refused.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { compileGrammar, createSampler } from "lastinch";
import { readBannedStrings } from "../../web/decode/banned-strings.js";
import { BannedTexts } from "../../web/decode/banned-texts.js";
import { rounds } from "../rounds.js";
import { count, pValue } from "./chi-square.js";
import { collect, collectAll, load, shipped } from "./decode-tools.js";
import * as templates from "./chat-templates.js";
import { randomModel, scriptedModel, vocabularyOf } from "./tiny-gguf.js";

const EOS = 2;

/** The bans as the model's thread gets them. */
async function bansOf(...banned) {
  const { bans, compileBans } = readBannedStrings(banned);
  return compileBans ? compileBans() : bans;
}

/** The first banned text: that which ends first, and of several that which begins first. `bans`: sticky expressions. */
function naive(text, bans) {
  for (let end = 1; end <= text.length; end++)
    for (let start = 0; start < end; start++)
      for (const ban of bans) if (matches(text, start, end, ban)) return { start, end };
  return undefined;
}

function matches(text, start, end, ban) {
  if (typeof ban === "string") return text.slice(start, end) === ban;
  // The whole of the slice, with what is around it for the edges.
  const all = new RegExp(`(?<=^[^]{${start}})(?:${ban.source})(?=[^]{${text.length - end}}$)`, ban.flags);
  return all.test(text);
}

test("the search finds the banned text that ends first, however the text is cut", async () => {
  let state = 5;
  const random = (below) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % 65536) % below;
  const lists = [
    ["ab", "ba", "aab"],
    ["aba", "bab", /a{2,3}b/],
    [/[ab]c(a|bb)?c/, "cc"],
    [/a(?:b|c){1,3}a/, /b(?:a?c?){0,2}b/],
    [/ab?c?d{0,2}a/],
  ];
  for (const list of lists) {
    const bans = await bansOf(...list);
    for (let round = 0; round < rounds(400, 100); round++) {
      const text = Array.from({ length: random(14) }, () => "abcd"[random(4)]).join("");
      const search = new BannedTexts(bans);
      let found;
      let read = 0;
      while (read < text.length && !found) {
        const piece = text.slice(read, read + 1 + random(4));
        found = search.push(piece);
        read += piece.length;
        // What has begun is as long as the longest end that a banned text continues.
        if (!found) assert.ok(search.begun <= read);
      }
      const expected = naive(text.slice(0, read), list);
      assert.equal(found?.start, expected?.start, `${text} in ${list}`);
    }
  }
});

test("what may become a banned text is held from its beginning, and no longer", async () => {
  const search = new BannedTexts(await bansOf("as an AI", /\bsi(?:gh|ng)ed?\b/));
  const begun = [..."was as an AX as"].map((letter) => {
    assert.equal(search.push(letter), undefined);
    return search.begun;
  });
  //                       w  a  s     a  s     a  n     A  X       a   s
  assert.deepEqual(begun, [1, 1, 1, 1, 1, 4, 4, 4, 4, 4, 4, 12, 13, 13, 13]);
});

test("case, accents and word edges count as the options say", async () => {
  const finds = async (ban, text) => {
    const search = new BannedTexts(await bansOf(ban));
    return (search.push(text) ?? search.end())?.start;
  };
  for (const [ban, text, start] of [
    ["AI", "an ai", undefined],
    [{ text: "AI", ignoreCase: true }, "an ai", 3],
    [{ text: "straße (1+1)", ignoreCase: true }, "STRAßE (1+1)", 0],
    [{ text: "Σ", ignoreCase: true }, "ς", 0],
    ["caf\u00e9", "cafe\u0301", undefined],
    [{ text: "caf\u00e9", normalize: true }, "un cafe\u0301", 3],
    [{ text: "cafe\u0301", normalize: true }, "caf\u00e9", 0],
    [{ text: "cafe\u0301", normalize: true }, "cafe", undefined],
    [/delve\b/i, "Delves", undefined],
    [/delve\b/i, "Delve, ", 0],
    [/delve\b/i, "I delve", 2],
    [/^Sure/, "Sure", 0],
    [/^Sure/, "I am Sure", undefined],
    [/[.!]$/, "No. Yes!", 7],
    [/[.!]$/, "No. Yes", undefined],
    [/\p{Extended_Pictographic}/u, "ok 😀", 3],
    [/😀./u, "a😀b", 1],
  ])
    assert.equal(await finds(ban, text), start, `${JSON.stringify(ban.text ?? String(ban))} in ${text}`);
});

test("a bad value of bannedStrings is refused, with a code", async () => {
  const refuse = (ban, code) => assert.rejects(async () => bansOf(ban), { code }, String(ban));
  await refuse("", "out-of-range");
  await refuse("x".repeat(257), "out-of-range");
  await refuse(5, "bad-type");
  await refuse(null, "bad-type");
  await refuse({ text: 5 }, "bad-type");
  await refuse({ text: "a", ignoreCase: 1 }, "bad-type");
  await refuse({ text: "a", case: true }, "unknown-option");
  await refuse(/a*b/, "out-of-range");
  await refuse(/a{0,300}/, "out-of-range");
  await refuse(/a{2,300}/, "out-of-range");
  await refuse(/(a{16}){17}/, "out-of-range");
  await refuse(/a?/, "out-of-range");
  await refuse(/a(?=b)/, "grammar-unsupported");
  await refuse(/(a)\1/, "grammar-unsupported");
  await refuse(/a/y, "conflict");
  await refuse(/a/m, "grammar-unsupported");
  const many = Array.from({ length: 200 }, (_, i) => ({ text: `${i}`.padEnd(256, "x") }));
  assert.throws(() => new BannedTexts(readBannedStrings(many).bans), { code: "out-of-range" });
  const model = await load(randomModel());
  for (const options of [{ beams: 2 }, { penaltyAlpha: 0.6, topK: 4 }])
    for (const ban of ["a", /a/])
      assert.throws(() => model.generate("a", { ...options, bannedStrings: [ban] }), { code: "conflict" });
  await assert.rejects(model.complete("a", { bannedStrings: [/a+/] }), { code: "out-of-range" });
  assert.throws(() => model.generate("a", { bannedStrings: "" }), { code: "out-of-range" });
  model.dispose();
});

// ---- the distribution, by enumeration --------------------------------------------------------------------------------

const pieces = vocabularyOf(["a", "b", "c", "ab", "ca"]);
const texts = new Map([[EOS, ""], ...["a", "b", "c", "ab", "ca"].map((text, i) => [259 + i, text])]);
const allowed = [...texts.keys()];
const prompt = [1, 259, 261];

const textOf = (ids) => ids.map((id) => texts.get(id)).join("");

/** The token in which a character lies. */
function placeOf(ids, at) {
  let place = 0;
  for (let end = 0; place < ids.length && (end += texts.get(ids[place]).length) <= at;) place++;
  return place;
}

/** How many tokens precede the one in which a banned text may have begun. */
function settled(ids, bans) {
  const text = textOf(ids);
  let at = 0;
  while (at < text.length && !bans.some((ban) => ban.startsWith(text.slice(at)))) at++;
  return placeOf(ids, at);
}

/**
 * Probability of every text of up to `length` tokens, by the definition: a token is drawn from what the options leave
 * without the tokens that are refused at its place, which are none at first. When a banned text is complete, the first
 * of its tokens that has not been emitted is refused at its place, and the text goes back there. A token is emitted when
 * no banned text may have begun in it or before it.
 */
async function distributionOf(model, { bans, length, ...options }) {
  const next = async (tokens, bannedTokens) => {
    const sampler = await createSampler({
      ...options,
      allowedTokens: allowed,
      bannedTokens,
      vocabSize: pieces.length,
      eos: [EOS],
    });
    sampler.accept(prompt, { prompt: true });
    if (tokens.length) sampler.accept(tokens);
    const found = sampler.distribution(await model.forward([...prompt, ...tokens]));
    sampler.dispose();
    return found;
  };
  const known = new Map();
  /**
   * What a place leads to, where so many tokens are emitted: texts, or places to which the text goes back, with the
   * number of tokens that are emitted then.
   */
  const outcomes = async (tokens, refused, emitted) => {
    const key = `${tokens}|${refused.toSorted()}|${emitted}`;
    if (known.has(key)) return known.get(key);
    const result = { ends: new Map(), backs: new Map() };
    const drawn = await next(tokens, refused);
    for (const [i, token] of drawn.tokens.entries()) {
      const longer = [...tokens, token];
      const share = drawn.probabilities[i];
      const banned = naive(textOf(longer), bans);
      let after = { ends: new Map(), backs: new Map() };
      if (banned) after.backs.set(`${Math.max(emitted, placeOf(longer, banned.start))},${emitted}`, 1);
      else if (token === EOS || longer.length === length) after.ends.set(longer.join(), 1);
      else after = await outcomes(longer, [], Math.max(emitted, settled(longer, bans)));
      for (const [text, one] of after.ends) add(result.ends, text, share * one);
      for (const [back, one] of after.backs) {
        const [place, then] = back.split(",").map(Number);
        if (place !== tokens.length) {
          add(result.backs, back, share * one);
          continue;
        }
        const again = await outcomes(tokens, [...refused, token], then);
        for (const [text, other] of again.ends) add(result.ends, text, share * one * other);
        for (const [further, other] of again.backs) add(result.backs, further, share * one * other);
      }
    }
    known.set(key, result);
    return result;
  };
  return (await outcomes([], [], 0)).ends;
}

const add = (sums, key, share) => sums.set(key, (sums.get(key) ?? 0) + share);

/** Counts of the texts that are drawn in many calls. */
async function drawn(model, options, calls) {
  const counts = new Map();
  for (let seed = 1; seed <= calls; seed++)
    for (const { ids, text } of await collectAll(
      model.generate(prompt, { ...options, allowedTokens: allowed, seed }),
    )) {
      for (const ban of options.bannedStrings) assert.ok(!(ban.test ? ban.test(text) : text.includes(ban)), text);
      count(counts, ids.join());
    }
  return counts;
}

const CALLS = rounds(150, 40);
const tiny = (seed) => randomModel({ vocabulary: pieces, dim: 8, seed, context: 16 });

for (const [name, bans, options] of [
  ["texts that overlap and share tokens", ["ab", "bca"], {}],
  // The same as an expression.
  ["an expression", ["cac", "cbc", "caac", "cabc", "cbac", "cbbc", "bb"], { bannedStrings: [/c[ab]{1,2}c|bb/] }],
  [
    "truncated, with penalties",
    ["ab", "cc"],
    { temperature: 0.9, topK: 3, repetitionPenalty: 1.4, presencePenalty: 0.3 },
  ],
])
  test(`texts have the distribution that is written down: ${name}`, async () => {
    const { bannedStrings = bans, ...own } = options;
    const model = await load(tiny(33));
    const draft = await load(tiny(32));
    const expected = await distributionOf(model, { bans, length: 4, temperature: 1, ...own });
    const sum = [...expected.values()].reduce((a, b) => a + b);
    assert.ok(Math.abs(sum - 1) < 1e-9, `${sum}`);
    const shared = { temperature: 1, ...own, bannedStrings, maxTokens: 4, n: 64 };
    const counts = await drawn(model, shared, CALLS);
    const p = pValue(counts, expected);
    const drafted = pValue(await drawn(model, { ...shared, draft, draftTokens: 3 }, CALLS), expected);
    // It is not the distribution of texts that happen to have no banned one.
    const free = await distributionOf(model, { bans: [], length: 4, temperature: 1, ...own });
    const isFree = ([key]) =>
      !naive(
        key
          .split(",")
          .map((id) => texts.get(Number(id)))
          .join(""),
        bans,
      );
    const left = [...free].filter(isFree);
    const total = left.reduce((all, [, one]) => all + one, 0);
    const other = pValue(counts, new Map(left.map(([key, one]) => [key, one / total])));
    console.log(
      `# p = ${p.toFixed(3)}, with a draft ${drafted.toFixed(3)}, of conditioned texts ${other.toExponential(1)}`,
    );
    assert.ok(p > 1e-3 && drafted > 1e-3, `${p}, ${drafted}`);
    assert.ok(other < 1e-6, `${other}`);
    model.dispose();
    draft.dispose();
  });

// ---- what a reader gets ----------------------------------------------------------------------------------------------

const greedy = { temperature: 0 };
const storyteller = await load(shipped("storyteller"));
after(() => storyteller.dispose());
const opening = "Once upon a time";

/** A model that recites `script`, and its token ids. */
async function reciter(script) {
  const { bytes, ids } = scriptedModel({ script });
  return { model: await load(bytes), ids };
}

test("nothing that was emitted is taken back, and no token is held longer than a begun text needs", async () => {
  const { model, ids } = await reciter(
    [" I", "'m", " sorry", ", as", " an", " A", "pple", " as", " an", "AI"].map(unique),
  );
  const { chunks, text } = await collect(model.generate("", { ...greedy, bannedStrings: ["as an AI"], maxTokens: 7 }));
  assert.equal(text, " I'm sorry, as an Apple");
  // The tokens arrive in order, each once: those from ", as" on wait for "pple".
  assert.deepEqual(
    chunks.flatMap(({ tokens }) => tokens.map(({ id }) => id)),
    ids.slice(0, 7),
  );
  assert.ok(chunks.every(({ takenBack, tokens }) => !takenBack && tokens.length === 1));
  model.dispose();
});

/** Scripted models need pieces that differ. */
const unique = (piece, i, all) => (all.indexOf(piece) === i ? piece : piece + "\u200b".repeat(i));

test("a banned text is replaced, with drafts or without, and the model goes on from the same cache", async () => {
  const banned = [" little girl", /\bLily\b/, { text: "big BOX", ignoreCase: true }];
  const options = { ...greedy, maxTokens: 80, bannedStrings: banned };
  const plain = await collect(storyteller.generate(opening, options));
  assert.doesNotMatch(plain.text, / little girl|\bLily\b|big box/i);
  const without = await collect(storyteller.generate(opening, { ...greedy, maxTokens: 80 }));
  assert.match(without.text, /little girl named Lily/);
  assert.equal(plain.usage.completionTokens, 80);
  assert.equal(plain.tokens.length, 80);
  const draft = await load(shipped("draft"));
  // Drafts of another thread's model cannot help, those of this thread do.
  for (const by of ["lookup", "lookahead", draft]) {
    const drafted = await collect(storyteller.generate(opening, { ...options, draft: by, draftTokens: 4 }));
    assert.equal(drafted.text, plain.text, `${by}`);
  }
  // Each token is the likeliest of the model's row, or a likelier one was refused there: the cache was cut rightly.
  const rows = await storyteller.forward([...(await storyteller.tokenize(opening, { bos: true })), ...plain.ids], {
    rows: "all",
  });
  const first = rows.length - plain.ids.length - 1;
  let refused = 0;
  plain.ids.forEach((id, i) => {
    const row = rows[first + i];
    const rank = row.reduce((sum, logit) => sum + (logit > row[id]), 0);
    refused += rank > 0;
    const logprob = Math.log(row.reduce((sum, logit) => sum + Math.exp(logit - row[id]), 0));
    assert.ok(Math.abs(plain.tokens[i].rawLogprob + logprob) < 1e-3, "the model's own probability");
  });
  assert.ok(refused > 0 && refused < 10, `${refused}`);
  draft.dispose();
});

test("random texts with bans are the same for a seed, with guesses or without, and under mirostat", async () => {
  for (const own of [{ temperature: 0.9, topP: 0.95 }, { mirostat: 2, mirostatTau: 3 }, { adaptiveTarget: 0.4 }]) {
    const options = { ...own, seed: 5, maxTokens: 60, bannedStrings: [" the", "She", " was", /\bto\b/] };
    const plain = await collect(storyteller.generate(opening, options));
    assert.doesNotMatch(plain.text, / the|She| was|\bto\b/);
    const guessed = await collect(storyteller.generate(opening, { ...options, draft: "lookahead", draftTokens: 3 }));
    assert.equal(guessed.text, plain.text);
    assert.deepEqual(
      guessed.tokens.map(({ probability }) => probability),
      plain.tokens.map(({ probability }) => probability),
    );
  }
});

test("the state of mirostat is that of the text which stayed", async () => {
  const model = await load(tiny(33));
  const own = { mirostat: 2, mirostatTau: 1.5, mirostatEta: 0.5, allowedTokens: allowed.slice(1) };
  let refused = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const { ids, tokens } = await collect(
      model.generate(prompt, { ...own, seed, bannedStrings: ["ab", "cc"], maxTokens: 8 }),
    );
    const sampler = await createSampler({ ...own, vocabSize: pieces.length, eos: [EOS] });
    sampler.accept(prompt, { prompt: true });
    for (const [i, id] of ids.entries()) {
      const row = await model.forward([...prompt, ...ids.slice(0, i)]);
      // What was refused here, if anything: tokens that begin a banned text.
      const of = (bannedTokens) => {
        sampler.set({ bannedTokens });
        const { tokens: all, probabilities } = sampler.distribution(row);
        return probabilities[all.indexOf(id)];
      };
      const subsets = Array.from({ length: 32 }, (_, bits) => allowed.slice(1).filter((_, k) => (bits >> k) & 1));
      const fits = subsets.filter((one) => !one.includes(id) && Math.abs(of(one) - tokens[i].probability) < 1e-6);
      assert.ok(fits.length, `token ${i} of seed ${seed}`);
      refused += fits[0].length > 0;
      of(fits[0]);
      let before = 0;
      const { tokens: all, probabilities } = sampler.distribution(row);
      for (const [k, other] of all.entries()) if (other < id) before += probabilities[k];
      const chosen = sampler.pick(before + probabilities[all.indexOf(id)] / 2, row);
      assert.equal(chosen, id);
      sampler.accept(id);
    }
    sampler.dispose();
  }
  assert.ok(refused > 10, `${refused}`);
  model.dispose();
});

test("what the prompt began does not count, and a stop string ends a text before a banned text does", async () => {
  const first = await collect(storyteller.generate(opening, { ...greedy, maxTokens: 12 }));
  // " a time, there": the prompt has " a time".
  const same = await collect(
    storyteller.generate(opening, { ...greedy, maxTokens: 12, bannedStrings: ["time, there"] }),
  );
  assert.equal(same.text, first.text);
  const stopped = { ...greedy, maxTokens: 40, stop: " named", bannedStrings: [" girl named Lily"] };
  const { text, finishReason } = await collect(storyteller.generate(opening, stopped));
  assert.equal(finishReason, "stop");
  assert.equal(text, ", there was a little girl");
  // Of two that end at the same character, the text ends before the stop string.
  const both = await collect(
    storyteller.generate(opening, { ...greedy, maxTokens: 40, stop: "girl", bannedStrings: ["girl"] }),
  );
  assert.equal(both.finishReason, "stop");
  // A stop string that was only begun does not hide a banned text.
  const begun = { ...greedy, maxTokens: 40, stop: " girl named Tom", bannedStrings: [" girl named"] };
  assert.doesNotMatch((await collect(storyteller.generate(opening, begun))).text, /girl named/);
});

test("a text under a grammar leaves what is banned, also where the grammar forces the rest of it", async () => {
  const of = async (options) => (await storyteller.complete(opening, { ...greedy, ...options })).text;
  const choice = ["I am an AI model", "I am an old bear"];
  const free = await of({ choice });
  const other = choice.find((text) => text !== free);
  // The end of the choice that the model would take is forced after its third word.
  assert.equal(await of({ choice, bannedStrings: [free.slice(-3)] }), other);
  const jsonSchema = { enum: ["red", "green", "blue"] };
  const colour = JSON.parse(await of({ jsonSchema }));
  assert.notEqual(JSON.parse(await of({ jsonSchema, bannedStrings: [colour.slice(1)] })), colour);
  const grammar = await compileGrammar({ vocabulary: storyteller.vocabulary, regex: "[a-z]{6}" });
  assert.match(await of({ grammar, bannedStrings: [/[aeiou]{1}/] }), /^[^aeiou]{6}$/);
  grammar.dispose();
  await assert.rejects(of({ choice, bannedStrings: ["I am"] }), { code: "banned-strings", message: /"I am"/ });
  await assert.rejects(of({ regex: "a{9}", bannedStrings: ["aaa"] }), { code: "banned-strings", message: /"aaa"/ });
});

test("characters that several tokens write are banned whole", async () => {
  const { model } = await reciter(["x", 0xf0, 0x9f, 0x98, 0x80, "y"]);
  const { text } = await collect(model.generate("", { ...greedy, bannedStrings: ["😀"], maxTokens: 6 }));
  assert.ok(text.startsWith("x") && !text.includes("😀"), text);
  // The first byte was refused, not the last one: no half of the character is left.
  assert.ok(!text.includes("\ufffd"), text);
  const { chunks } = await collect(model.generate("", { ...greedy, bannedStrings: ["😀z"], maxTokens: 7 }));
  assert.equal(chunks.map((chunk) => chunk.text).join(""), "x😀y");
  model.dispose();
});

test("bans work under guidance, contrast, DoLa, healing, and for several texts", async () => {
  const draft = await load(shipped("draft"));
  const bannedStrings = [" little", " was", /[Ss]he/];
  for (const options of [
    { guidance: 1.5, negativePrompt: "The dog" },
    { contrast: { model: draft } },
    { dola: "low" },
    { heal: true },
    { n: 3, temperature: 1 },
    { topK: 2, temperature: 1.5 },
  ])
    for (const { text, usage } of await collectAll(
      storyteller.generate(opening, {
        temperature: 0.8,
        seed: 1,
        maxTokens: 30,
        bannedStrings,
        ...options,
        n: options.n ?? 2,
      }),
    )) {
      assert.doesNotMatch(text, / little| was|[Ss]he/, JSON.stringify(options));
      assert.ok(usage.completionTokens > 5);
    }
  draft.dispose();
});

test("a budget of thoughts counts what stays, and a ban in its closing is an error", async () => {
  const asked = [{ role: "user", content: opening }];
  const reasoning = { budget: 12, message: " I must answer now." };
  const bannedTokens = storyteller.vocabulary.eos;
  const options = { ...greedy, chatTemplate: templates.opened, maxTokens: 40, reasoning, bannedTokens };
  const free = await storyteller.answer(asked, options);
  const banned = /\w+ \w+/.exec(free.reasoning)[0];
  const kept = await storyteller.answer(asked, { ...options, bannedStrings: [banned] });
  assert.ok(!kept.reasoning.includes(banned) && kept.reasoning.endsWith(reasoning.message.trim()), kept.reasoning);
  assert.equal(kept.usage.reasoningTokens, free.usage.reasoningTokens);
  await assert.rejects(storyteller.answer(asked, { ...options, bannedStrings: ["answer now"] }), {
    code: "banned-strings",
  });
});

test("a long ban of letters ends, and a reader may leave", async () => {
  const { text } = await collect(storyteller.generate(opening, { ...greedy, maxTokens: 8, bannedStrings: [/[a-z]/i] }));
  assert.doesNotMatch(text, /[a-z]/i);
  const seen = [];
  for await (const chunk of storyteller.generate(opening, { ...greedy, bannedStrings: [" the"] })) {
    seen.push(chunk);
    if (seen.length === 3) break;
  }
  assert.equal(seen.length, 3);
});

test("the end of a text may be taken back beside a detector of loops", async () => {
  const model = await load(shipped("storyteller"));
  for (const loops of ["ignore", "stop", "redraw"]) {
    const options = { temperature: 0, loops, maxTokens: 30 };
    const choice = await model.complete("Is it so? ", {
      ...options,
      choice: ["yes", "no"],
      bannedStrings: [/\byes\b/],
    });
    assert.deepEqual([choice.text, choice.finishReason], ["no", "eos"], loops);
    const stopped = await model.complete("Once upon a time", {
      ...options,
      stop: ".",
      bannedStrings: [/girl[^.]{0,99}$/],
    });
    assert.ok(!/girl[^.]{0,99}$/.test(stopped.text), stopped.text);
  }
});

test("a banned token that must come first or last is an error, and no endless search", async () => {
  const model = await load(shipped("storyteller"));
  const lily = (await model.tokenize("Once upon a time Lily")).slice(-1);
  for (const option of ["forcedFirst", "forcedLast"])
    await assert.rejects(
      model.complete("Once upon a time", { [option]: lily, bannedStrings: ["y"], maxTokens: 5 }),
      { code: "banned-strings" },
      option,
    );
});
