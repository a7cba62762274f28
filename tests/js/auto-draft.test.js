// `draft: "auto"`: what it chooses, and that it loses next to nothing where no draft pays. The clock is pretended.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Auto, Paces } from "../../web/decode/drafters/auto.js";
import { Pace } from "../../web/decode/drafters/draft-pace.js";
import { drafting } from "../../web/decode/drafters/drafting.js";
import { floatFile } from "../vectors/family-files.js";
import { randomNumbers } from "../vectors/gguf-files.js";
import { collect, collectAll, load, shipped } from "./decode-tools.js";

/**
 * Writes with models that are loaded meanwhile. Only passes of the model and of its block take time: `pass` and `row` of a
 * pass and each of its rows, `block` of each guess.
 */
async function withClock({ pass = 1, row, block = 0 }, use) {
  const { instantiate } = WebAssembly;
  const { now } = performance;
  const clock = { time: 0, guessed: 0 };
  WebAssembly.instantiate = async (module, imports) => {
    const { exports: c } = await instantiate(module, imports);
    const li_model_forward = (model, count) => {
      clock.time += pass + row * (count - 1);
      return c.li_model_forward(model, count);
    };
    const li_model_draft = (model, rows, wanted, into) => {
      clock.time += block * wanted;
      clock.guessed += wanted;
      return c.li_model_draft(model, rows, wanted, into);
    };
    return { exports: { ...c, li_model_forward, li_model_draft } };
  };
  performance.now = () => clock.time;
  try {
    await use(clock);
  } finally {
    WebAssembly.instantiate = instantiate;
    performance.now = now;
  }
}

const bytes = floatFile("qwen35", { ahead: 1 });
const prompt = randomNumbers("auto", 20, 256);
const options = { bannedTokens: [377], maxTokens: 200 };

/** A text, and how long it took, with and without a draft. */
async function compare(price, given) {
  const result = {};
  for (const draft of [undefined, "auto"])
    await withClock(price, async (clock) => {
      const model = await load(bytes);
      const text = await collect(model.generate(prompt, { ...options, ...given, draft }));
      result[draft ?? "plain"] = { ...text, time: clock.time, guessed: clock.guessed };
      model.dispose();
    });
  assert.deepEqual(result.auto.tokens, result.plain.tokens);
  return result;
}

test("where neither the text nor the block guesses well, little time is lost", async () => {
  for (const price of [
    { row: 0.8, block: 0.3 },
    { row: 0.2, block: 2 },
    { row: 2, block: 0.05 },
  ]) {
    const { plain, auto } = await compare(price, { seed: 1, temperature: 3, maxTokens: 220 });
    assert.ok(auto.usage.draftedTokens > 0, "it tries");
    // Three plain passes and 3 % of the time are what drafts may lose.
    assert.ok(auto.time <= 1.03 * plain.time + 3, `${auto.time} of ${plain.time}`);
  }
});

test("a text that was written before is looked up, and the block guesses nothing", async () => {
  await withClock({ row: 0.1, block: 0.1 }, async (clock) => {
    const model = await load(bytes);
    const given = { ...options, seed: 2, temperature: 1.5 };
    const first = await collect(model.generate(prompt, given));
    await collect(model.generate(prompt, { ...given, draft: "auto" })); // times are measured
    const [before, guessed] = [clock.time, clock.guessed];
    const again = await collect(model.generate(prompt, { ...given, draft: "auto" }));
    assert.deepEqual(again.tokens, first.tokens);
    assert.ok(again.usage.passes < 0.4 * again.usage.completionTokens, `${again.usage.passes} passes`);
    assert.ok(clock.time - before < 0.6 * again.usage.completionTokens, `${clock.time - before} ms`);
    assert.ok(clock.guessed - guessed < again.usage.passes, `${clock.guessed - guessed} guesses`);
    model.dispose();
  });
});

/** Drafters that propose the right tokens or wrong ones, in a made-up text whose passes take made-up times. */
async function pretend({ lookup, block, row, cost, tokens = 3000 }) {
  const { now } = performance;
  let time = 0;
  performance.now = () => time;
  try {
    const paces = [new Pace([0.5], true), new Pace([0.7], false)];
    const asked = [0, 0];
    let state = 1;
    const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
    const drafter = (i, { finds, right }) => ({
      propose(_lane, most) {
        const count = random() < finds ? paces[i].choose(0, most) : 0;
        asked[i] += count;
        const began = time;
        time += i ? cost * count : 0;
        if (i && count) paces[i].noteDraft(count, time - began);
        return Array(count).fill(right);
      },
      settle: ({ proposals }, accepted) => paces[i].noteOutcome(0, accepted, accepted < proposals.length),
      dispose() {},
    });
    let [longest, drafted] = [0, 0]; // passes with proposals in a row
    const auto = new Auto([drafter(0, lookup), drafter(1, block)], paces);
    const pace = new Paces(paces);
    for (let written = 0; written < tokens;) {
      pace.begin(1);
      const proposals = await auto.propose({}, 31);
      let accepted = 0;
      while (accepted < proposals.length && random() < proposals[accepted]) accepted++;
      const ms = 1 + row * proposals.length;
      time += ms;
      if (proposals.length) auto.settle({ proposals }, accepted);
      pace.notePass(1 + proposals.length, 1 + accepted, ms);
      written += 1 + accepted;
      drafted = proposals.length ? drafted + 1 : 0;
      longest = Math.max(longest, drafted);
    }
    return { speed: tokens / time, asked, longest };
  } finally {
    performance.now = now;
  }
}

test("what is found in the text comes first, then the block, and only what pays", async () => {
  const never = { finds: 0, right: 0 };
  const good = await pretend({
    lookup: { finds: 0.5, right: 0.9 },
    block: { finds: 1, right: 0.8 },
    row: 0.1,
    cost: 0.1,
  });
  assert.ok(good.speed > 2 && good.asked[0] > 100 && good.asked[1] > 100, JSON.stringify(good));
  const onlyBlock = await pretend({ lookup: never, block: { finds: 1, right: 0.8 }, row: 0.1, cost: 0.1 });
  assert.ok(onlyBlock.speed > 1.8, JSON.stringify(onlyBlock));
  const onlyLookup = await pretend({
    lookup: { finds: 1, right: 0.9 },
    block: { finds: 1, right: 0.1 },
    row: 0.1,
    cost: 0.5,
  });
  assert.ok(onlyLookup.speed > 2 && onlyLookup.asked[1] < 100, JSON.stringify(onlyLookup));
});

test("while drafting pays, one of 24 passes is plain, so that its time stays known", async () => {
  for (const finds of [1, 0.5]) {
    const lookup = { finds, right: 0.9 };
    const { longest } = await pretend({ lookup, block: { finds: 1, right: 0.8 }, row: 0.1, cost: 0.1 });
    assert.ok(longest >= 20 && longest < 48, `${longest} passes in a row with proposals`);
  }
});

test("what a block costs does not count against a later draft by lookup alone", () => {
  const engine = { config: { predictsAhead: true } };
  const paceOf = (by) => drafting({ engine, settings: { draft: { by, tokens: "auto" } } }).pace;
  const auto = paceOf("auto");
  auto.begin(1);
  for (let i = 0; i < 8; i++) auto.notePass(1, 1, 1);
  for (let i = 0; i < 200; i++) auto.notePass(16, 1, 10); // what was proposed was wrong
  const lookup = paceOf("lookup");
  let proposed = 0;
  for (let i = 0; i < 40; i++) {
    lookup.begin(1);
    if (i >= 8) proposed += lookup.choose(0, 31);
    lookup.noteOutcome(0, 3, false); // it was right
    lookup.notePass(1, 1, 1);
  }
  assert.ok(proposed > 0, "it tries");
});

test("no two drafters together lose more than 3 %", async () => {
  for (const row of [0.3, 0.8, 2])
    for (const cost of [0.05, 0.5, 3])
      for (const right of [0, 0.2, 0.5])
        for (const finds of [0.3, 1]) {
          const given = { lookup: { finds, right }, block: { finds: 1, right }, row, cost };
          const { speed } = await pretend(given);
          assert.ok(speed > 0.97, `${JSON.stringify(given)}: ${speed}`);
        }
});

test("texts are the same with every number of proposals", async () => {
  const [model, fresh] = [await load(bytes), await load(bytes)];
  for (const others of [{ temperature: 0 }, { seed: 1, repetitionPenalty: 1.3 }, { seed: 2, n: 2 }])
    for (const draftTokens of [1, 5, "auto"]) {
      const own = { n: 1, ...options, maxTokens: 40, ...others };
      const plain = await collectAll(fresh.generate(prompt, own));
      const drafted = await collectAll(model.generate(prompt, { ...own, draft: "auto", draftTokens }));
      drafted.forEach(({ tokens, usage }, i) => {
        assert.deepEqual(tokens, plain[i].tokens);
        if (draftTokens !== "auto") assert.ok(usage.draftedTokens > 0);
      });
    }
  for (const one of [model, fresh]) one.dispose();
});

test("a model without a block takes it, and it combines as other drafts do", async () => {
  const model = await load(shipped("storyteller"));
  const given = { temperature: 0, maxTokens: 30, bannedTokens: [2] };
  const plain = await collect(model.generate("Once upon a time", given));
  const drafted = await collect(model.generate("Once upon a time", { ...given, draft: "auto", draftTokens: 7 }));
  assert.deepEqual(drafted.tokens, plain.tokens);
  assert.ok(drafted.usage.passes < 10, `${drafted.usage.passes} passes: the text is known`);
  assert.throws(() => model.generate("a", { draft: "auto", beams: 2 }), { code: "conflict" });
  assert.throws(() => model.generate("a", { draft: "automatic" }), { code: "out-of-range", message: /"auto"/ });
  model.dispose();
});
