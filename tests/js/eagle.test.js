// EAGLE's layer: its arithmetic against float64, that no tree of its guesses changes a text, and what it reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar } from "lastinch";
import { StepAcceptance } from "../../web/decode/drafters/draft-tree.js";
import { EagleLayer } from "../../web/model/worker/eagle-layer.js";
import { Sequences } from "../../web/model/worker/sequences.js";
import { PassPace } from "../../web/model/worker/pass-pace.js";
import { floatFile } from "../vectors/family-files.js";
import { Q8_0, convertGguf, randomGguf, randomNumbers } from "../vectors/gguf-files.js";
import { eagleFile } from "../vectors/heads-file.js";
import { collect, collectAll, load, shipped } from "./decode-tools.js";
import { referenceEagle } from "./heads-reference.js";
import { openModel } from "./model-wasm.js";
import { compare, compareInEveryWay, options, prompt, target, varied } from "./tree-drafts.js";

const file = eagleFile(target);

// ---- the layer -----------------------------------------------------------------------------------------

const some = Array.from({ length: 50 }, (_, i) => 11 * i + 3);
const tied = randomGguf({ tied: true });
const narrow = { dim: 96, embeds: false };
/** The model, and how its layer is made. */
const kinds = {
  "narrower than the model": [target, {}],
  "with the model's embedding": [target, narrow],
  "with the model's embedding and output": [target, { ...narrow, outputs: false }],
  "with the matrix of a tied model": [tied, { ...narrow, outputs: false }],
  "that knows some of the tokens": [target, { map: some }],
  "whose residual stream is normed": [target, { keys: { "eagle3.norm_before_residual": ["bool", true] } }],
  "that reads what the last layer leaves": [target, { layers: [1, 2, 3] }],
  "with divided frequencies": [target, { divides: true }],
  "of a Qwen 3": [floatFile("qwen3"), {}],
};
for (const [name, [model, how]] of Object.entries(kinds))
  test(`the layer ${name} agrees with float64`, async () => {
    const opened = await openModel(model, { slots: 64 });
    // The engine numbers layers from 0, and the embeddings after the states of all.
    const taps = (how.layers ?? [0, 1, 2]).map((layer) => (layer ? layer - 1 : opened.layers + 1));
    const eagle = opened.openEagle(eagleFile(model, how), taps);
    const tokens = [1, ...randomNumbers("text", 8, 250)];
    const drafted = [17, 33, 200];
    opened.forward(tokens.slice(0, -1));
    const width = how.map?.length ?? opened.vocabSize;
    const rows = [eagle.read(tokens, width), ...drafted.map((token) => eagle.step(token, width))];
    const expected = referenceEagle(eagleFile(model, { ...how, map: undefined }), model, tokens, drafted);
    rows.forEach((row, i) => {
      // The rows of a map's output are the first of the whole one: weights depend on names and places.
      const reference = expected[i].slice(0, width);
      const scale = Math.sqrt(reference.reduce((sum, x) => sum + x * x, 0) / width);
      row.forEach((x, id) => assert.ok(Math.abs(x - reference[id]) < 1e-4 * scale, `row ${i}, ${id}: ${x}`));
    });
    const last = rows.at(-1);
    const order = [...last.keys()].sort((a, b) => last[b] - last[a] || a - b);
    assert.deepEqual(eagle.choices(8), order.slice(0, 8));
    eagle.dispose();
    opened.dispose();
  });

test("of a large vocabulary only the rows that may be guessed are computed", async () => {
  const large = randomGguf({ vocab: 70000, dim: 32, hidden: 32, layers: 2, heads: 2, kvHeads: 1 });
  const bytes = eagleFile(large, { dim: 32 });
  const { instantiate } = WebAssembly;
  const steps = [];
  let [passes, kept, most] = [0, 0, 1];
  WebAssembly.instantiate = async (module, imports) => {
    const { exports: c } = await instantiate(module, imports);
    const view = (Type, at, count) => new Type((c.memory ?? imports.env.memory).buffer, at, count);
    let layer = 0;
    const li_eagle_attach = (own, model) => c.li_eagle_attach((layer = own), model);
    const li_model_forward = (model, count) => {
      passes++;
      const rows = view(Uint32Array, c.li_model_rows(model), 5 * count);
      const wanted = rows.filter((_, i) => i % 5 === 3).reduce((a, b) => a + b, 0);
      if (model !== layer || !wanted || wanted > most) {
        if (model === layer) most = Math.max(most, wanted); // there is room for as many from now on
        return c.li_model_forward(model, count);
      }
      // What lies behind the rows, in memory for rows of the whole vocabulary, stays as it is.
      const [at, size] = [c.li_model_logits(layer), wanted * (70000 - 65536)];
      view(Float32Array, at + 4 * wanted * 65536, size).fill(7);
      const status = c.li_model_forward(model, count);
      assert.ok(view(Float32Array, at + 4 * wanted * 65536, size).every((x) => x === 7));
      kept++;
      return status;
    };
    const li_eagle_choices = (layer, logits, width, into) => {
      steps.push([passes, logits]);
      const row = view(Float32Array, logits, 65536);
      const best = row.indexOf(row.reduce((a, b) => Math.max(a, b)));
      c.li_eagle_choices(layer, logits, width, into);
      assert.equal(view(Uint32Array, into, 1)[0], best);
    };
    return { exports: { ...c, li_eagle_attach, li_model_forward, li_eagle_choices } };
  };
  let model, heads;
  try {
    [model, heads] = [await load(large), await load(bytes)];
    const given = { maxTokens: 12, temperature: 0, bannedTokens: [2] };
    const plain = await collect(model.generate([5, 6, 7], given));
    const drafted = await collect(model.generate([5, 6, 7], { ...given, draft: heads, draftTokens: 12 }));
    assert.deepEqual(drafted.tokens, plain.tokens);
  } finally {
    WebAssembly.instantiate = instantiate;
    model?.dispose();
    heads?.dispose();
  }
  const gaps = steps.slice(1).flatMap(([pass, at], i) => (pass === steps[i][0] ? [at - steps[i][1]] : []));
  assert.ok(kept > 3 && gaps.length > 3 && gaps.every((gap) => gap === 4 * 65536), `${gaps}`);
});

test("in Q8_0 the layer is near float64", async () => {
  const [model, bytes] = [convertGguf(target, Q8_0), convertGguf(eagleFile(target, { dim: 64 }), Q8_0)];
  const opened = await openModel(model, { slots: 64 });
  const eagle = opened.openEagle(bytes, [4, 0, 1]);
  const tokens = [1, ...randomNumbers("text", 8, 250)];
  opened.forward(tokens.slice(0, -1));
  const rows = [eagle.read(tokens, 640), eagle.step(20, 640)];
  referenceEagle(bytes, model, tokens, [20]).forEach((reference, i) => {
    const scale = Math.sqrt(reference.reduce((sum, x) => sum + x * x, 0) / 640);
    reference.forEach((x, id) => assert.ok(Math.abs(x - rows[i][id]) < 0.15 * scale));
  });
  opened.dispose();
});

// ---- texts ---------------------------------------------------------------------------------------------

/**
 * Loads a model and its layer, of whose guesses `rank(position, depth)` says where the right one is (-1: nowhere).
 * `text.ids` is the text that the model writes after `prompt`. `seen.rows`: of each pass of the layer.
 */
async function withOracle(bytes, rank, use, made = eagleFile(bytes)) {
  const { instantiate } = WebAssembly;
  const text = { ids: [], prompt: prompt.length };
  const seen = { slots: () => 0, rows: [], passes: [] };
  WebAssembly.instantiate = async (module, imports) => {
    const { exports: c } = await instantiate(module, imports);
    const words = (at, count) => new Uint32Array((c.memory ?? imports.env.memory).buffer, at, count);
    const layers = new Set();
    let [wanted, read] = [[], 0];
    const own = {
      li_eagle_attach(layer, model) {
        layers.add(layer);
        return c.li_eagle_attach(layer, model);
      },
      li_model_forward(model, count) {
        const rows = Array.from({ length: count }, (_, i) => [...words(c.li_model_rows(model) + 20 * i, 5)]);
        if (!layers.has(model)) {
          seen.slots = () =>
            Array.from({ length: 128 }, (_, seat) => c.li_sequence_length(model, seat)).filter(Boolean).length;
          seen.passes.push(count);
        } else {
          seen.rows.push(count);
          wanted = rows.filter(([, , , wants]) => wants).map(([, position]) => position);
        }
        return c.li_model_forward(model, count);
      },
      li_eagle_choices(layer, logits, width, into) {
        c.li_eagle_choices(layer, logits, width, into);
        const [position] = wanted.splice(0, 1);
        // The first row after a pass of the model is that of the text.
        if (seen.passes.length !== read) own.start = position;
        read = seen.passes.length;
        const at = position + 2 - text.prompt;
        const right = text.ids[at];
        const guesses = [...words(into, width)].filter((id) => id !== right);
        const place = rank(at, position - own.start);
        if (place >= 0 && right !== undefined) guesses.splice(place, 0, right);
        words(into, width).set(guesses.slice(0, width));
      },
    };
    return { exports: { ...c, ...own } };
  };
  let model, heads;
  try {
    [model, heads] = [await load(bytes), await load(made)];
    await use({ model, heads, text, seen });
  } finally {
    WebAssembly.instantiate = instantiate;
    model?.dispose();
    heads?.dispose();
  }
}

test("a right guess saves a pass wherever it lies in the tree, and no guess changes a text", () =>
  compareInEveryWay(withOracle));

test("each accepted guess saves a pass, and the layer reads each position of the text once", async () => {
  const fresh = await load(target);
  await withOracle(
    target,
    () => 0,
    async (oracle) => {
      const [{ usage }] = await compare(oracle, fresh, { temperature: 0 }, 5);
      const { passes, acceptedTokens, completionTokens } = usage;
      assert.equal(passes + acceptedTokens, completionTokens);
      // A chain: all of its guesses but the last are read in turn.
      assert.ok(acceptedTokens >= 0.8 * (completionTokens - 8), `${acceptedTokens}`);
      const { rows } = oracle.seen;
      assert.ok(rows.reduce((a, b) => a + b) < prompt.length + completionTokens + 5 * passes, `${rows}`);
    },
  );
  fresh.dispose();
});

test("positions of a prompt share the loads of the matrix that fuses their states", async () => {
  const { instantiate } = WebAssembly;
  const fused = [];
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    const li_eagle_fuse = (layer, states, row, count) => {
      fused.push(count);
      return exports.li_eagle_fuse(layer, states, row, count);
    };
    return { exports: { ...exports, li_eagle_fuse } };
  };
  let model, heads;
  try {
    [model, heads] = [await load(target), await load(file)];
    await collect(
      model.generate(randomNumbers("long", 201, 600), { ...options, maxTokens: 1, draft: heads, draftTokens: 3 }),
    );
  } finally {
    WebAssembly.instantiate = instantiate;
    model?.dispose();
    heads?.dispose();
  }
  const rows = fused.reduce((a, b) => a + b, 0);
  assert.ok(rows >= 160 && fused.length <= rows / 4 + 2, `${rows} rows in ${fused.length} products`);
});

test("a conversation that goes on does not read its beginning again", async () => {
  await withOracle(target, varied, async ({ model, heads, seen }) => {
    const given = { ...options, temperature: 0, draft: heads, draftTokens: 4 };
    const first = await collect(model.generate(prompt, given));
    const longer = [...prompt, ...first.ids, ...randomNumbers("more", 6, 600)];
    const before = seen.rows.length;
    const { usage } = await collect(model.generate(longer, given));
    const [again, after] = [before, seen.rows.length].map((end) => seen.rows.slice(0, end).reduce((a, b) => a + b));
    // The new tokens of the prompt and of the text, and the guesses that others follow; at most 64 tokens a second time.
    assert.ok(after - again < 6 + 8 + usage.completionTokens + 4 * usage.passes, `${after - again} rows`);
    assert.ok(usage.cachedTokens > 60, `${usage.cachedTokens}`);
  });
});

for (const [name, bytes] of [
  ["of a Llama", target],
  ["with sliding windows", floatFile("gemma3")],
])
  test(`text ${name} that is taken back in the middle of a tree goes on as without drafts`, async () => {
    const fresh = await load(bytes);
    const bannedTokens = name.startsWith("of") ? [2] : [377];
    const start = randomNumbers("start", 40, 256);
    await withOracle(bytes, varied, async ({ model, heads, text, seen }) => {
      let taken = 0;
      for (const others of [{ seed: 5 }, { seed: 6, temperature: 0.7, repetitionPenalty: 1.3 }]) {
        const given = { n: 1, maxTokens: 60, bannedTokens, ...others };
        const plain = await collect(fresh.generate(start, given));
        text.ids = plain.ids;
        const bannedStrings = plain.text
          .slice(4)
          .match(/[^\uFFFD]{3}/g)
          .filter((_, i) => i % 2 === 0);
        for (const bans of [bannedStrings.slice(0, 1), bannedStrings]) {
          const expected = await collect(fresh.generate(start, { ...given, bannedStrings: bans }));
          for (const draftTokens of [4, 32]) {
            const own = { ...given, bannedStrings: bans, draft: heads, draftTokens };
            const drafted = await collect(model.generate(start, own));
            assert.deepEqual([drafted.tokens, drafted.text], [expected.tokens, expected.text]);
            const { passes, acceptedTokens, completionTokens } = drafted.usage;
            taken += passes + acceptedTokens - completionTokens;
          }
        }
      }
      assert.ok(taken > 5, `${taken} tokens taken back`);
      assert.ok(seen.slots() < 30, "branches stay behind");
    });
    fresh.dispose();
  });

test("the rates of guesses are those of the pass that verified them, also where text is taken back", async (t) => {
  const [{ see }, { read }] = [StepAcceptance.prototype, EagleLayer.prototype];
  t.after(() => [(StepAcceptance.prototype.see = see), (EagleLayer.prototype.read = read)]);
  t.mock.method(performance, "now", () => 0); // passes that take long would be split
  await withOracle(target, varied, async ({ model, heads, text, seen }) => {
    const given = { ...options, seed: 5, maxTokens: 60 };
    const plain = await collect(model.generate(prompt, given));
    const bannedStrings = plain.text.match(/[^\uFFFD]{3}/g);
    text.ids = plain.ids;
    let [guessedAt, count] = [0, 0];
    EagleLayer.prototype.read = function (...all) {
      if (all[4]) guessedAt = seen.passes.length;
      return read.apply(this, all);
    };
    StepAcceptance.prototype.see = function (depth, rank) {
      assert.equal(seen.passes.length - guessedAt, 1, "the guesses were for another position");
      count++;
      return see.call(this, depth, rank);
    };
    const drafted = await collect(model.generate(prompt, { ...given, bannedStrings, draft: heads, draftTokens: 16 }));
    const { passes, acceptedTokens, completionTokens } = drafted.usage;
    assert.ok(passes + acceptedTokens > completionTokens && count > 10, "text was taken back");
  });
});

test("a grammar holds, and forbidden guesses are not run", async () => {
  const fresh = await load(target);
  const grammar = await compileGrammar({ vocabulary: fresh.vocabulary, regex: "( [a-m]{1,3}){0,40}x?" });
  await withOracle(target, varied, async (oracle) => {
    for (const others of [
      { temperature: 0, grammar },
      { seed: 3, grammar },
      { seed: 4, temperature: 1.5, regex: " ?[a-z ]{5,60}" },
    ])
      for (const draftTokens of [4, 32]) await compare(oracle, fresh, { ...others, bannedTokens: [] }, draftTokens);
  });
  grammar.dispose();
  fresh.dispose();
});

for (const [family, how] of [
  ["gemma3", {}],
  ["lfm2", { dim: 96, embeds: false, outputs: false }],
  ["qwen35", { map: some.slice(0, 20) }],
])
  test(`texts of ${family} are the same with the layer`, async () => {
    const bytes = floatFile(family);
    const given = randomNumbers("given", 30, 256);
    const [model, fresh, heads] = [await load(bytes), await load(bytes), await load(eagleFile(bytes, how))];
    for (const others of [{ temperature: 0 }, { seed: 1, temperature: 0.5 }, { seed: 2, n: 2 }, { seed: 3, n: 20 }])
      for (const draftTokens of [3, 16]) {
        const own = { n: 1, maxTokens: 30, bannedTokens: [377], ...others };
        const plain = await collectAll(fresh.generate(given, own));
        const drafted = await collectAll(model.generate(given, { ...own, draft: heads, draftTokens }));
        drafted.forEach(({ tokens, usage }, i) => {
          assert.deepEqual(tokens, plain[i].tokens);
          assert.ok(usage.draftedTokens > 0);
        });
      }
    for (const one of [model, fresh, heads]) one.dispose();
  });

test("rows that the layer has read serve only texts that are the same from the first token on", async (t) => {
  const { open } = Sequences.prototype;
  t.after(() => (Sequences.prototype.open = open));
  let found = [];
  Sequences.prototype.open = function (ids) {
    const sequence = open.call(this, ids);
    // The layer looks for what lies before its first position: the last id is to come.
    if (Array.isArray(ids) && ids.length > 1 && ids.at(-1) === 0) found.push(sequence.tokens.length);
    return sequence;
  };
  await withOracle(target, varied, async ({ model, heads }) => {
    const given = { ...options, temperature: 0, maxTokens: 4 };
    const write = async (ids, draft) => {
      found = [];
      await collect(model.generate(ids, { ...given, ...draft }));
      return found;
    };
    const drafted = { draft: heads, draftTokens: 3 };
    const [long, more] = [randomNumbers("long", 150, 600), randomNumbers("more", 80, 600)];
    await write([6, ...long], drafted);
    await write([5, ...long]);
    assert.deepEqual(await write([5, ...long, ...more], drafted), [0], "it has read another text");
    assert.deepEqual(await write([6, ...long, 9, 10], drafted), [150], "it has read this one");
    // The layer began [5, ...long, ...more] after `long`.
    await write([7, ...more.slice(1)]);
    assert.deepEqual(
      await write([7, ...more.slice(1), 8, 9], drafted),
      [0],
      "it has read the same words in another text",
    );
  });
});

/** Of a model with sliding windows: its rows by pass, and that no cut loses a text. The layer's passes have `layers`. */
async function withWindows(use) {
  const { instantiate } = WebAssembly;
  const seen = { rows: [], layerPositions: [] };
  WebAssembly.instantiate = async (module, imports) => {
    const { exports: c } = await instantiate(module, imports);
    const layers = new Set();
    const own = {
      li_eagle_attach: (layer, model) => c.li_eagle_attach((layers.add(layer), layer), model),
      li_model_forward(model, count) {
        const words = new Uint32Array((c.memory ?? imports.env.memory).buffer, c.li_model_rows(model), 5 * count);
        const positions = Array.from({ length: count }, (_, i) => words[5 * i + 1]);
        if (layers.has(model)) seen.layerPositions.push(...positions);
        else seen.rows.push(...positions);
        return c.li_model_forward(model, count);
      },
      li_sequence_keep(model, seat, length) {
        const before = c.li_sequence_length(model, seat);
        const status = c.li_sequence_keep(model, seat, length);
        if (!layers.has(model)) assert.equal(c.li_sequence_length(model, seat), Math.min(before, length));
        return status;
      },
    };
    return { exports: { ...c, ...own } };
  };
  const bytes = floatFile("gemma3", { window: 30, pattern: 2, context: 1024 });
  let model, heads;
  try {
    [model, heads] = [await load(bytes, { contextLength: 600 }), await load(eagleFile(bytes))];
    await use({ model, heads, seen });
  } finally {
    WebAssembly.instantiate = instantiate;
    model?.dispose();
    heads?.dispose();
  }
}

test("for the layer's sake no text is cut to where its windows are gone", async () => {
  await withWindows(async ({ model, heads, seen }) => {
    const given = { maxTokens: 4, bannedTokens: [377], temperature: 0 };
    const [long, first, second] = ["long", "first", "second"].map((name) => randomNumbers(name, 400, 256));
    const drafted = { ...given, draft: heads, draftTokens: 4 };
    await collect(model.generate([...long.slice(0, 240), ...first.slice(0, 20)], drafted));
    await collect(model.generate(long, given));
    seen.rows = [];
    const text = [...long.slice(0, 300), ...second.slice(0, 20)];
    const { usage } = await collect(model.generate(text, drafted));
    const read = seen.rows.filter((position) => position < text.length);
    assert.ok(usage.cachedTokens >= 235, `${usage.cachedTokens}`);
    assert.equal(read.length, text.length - usage.cachedTokens, "cachedTokens says what need not be read");
  });
});

test("the layer reads a prompt up to where it parts from another, too", async () => {
  await withWindows(async ({ model, heads, seen }) => {
    const given = { maxTokens: 4, bannedTokens: [377], temperature: 0 };
    const [long, other] = ["long", "other"].map((name) => randomNumbers(name, 400, 256));
    await collect(model.generate(long, given));
    const drafted = { ...given, draft: heads, draftTokens: 4 };
    const text = [...long.slice(0, 100), ...other.slice(0, 60)];
    const { usage } = await collect(model.generate(text, drafted));
    assert.equal(usage.cachedTokens, 0, "the windows of the first 100 tokens are gone");
    const read = new Set(seen.layerPositions);
    for (let position = 0; position < 159; position++) assert.ok(read.has(position), `position ${position}`);
  });
});

test("a text longer than the layer's context is drafted to its end", async () => {
  const fresh = await load(target);
  for (const length of [40, 60])
    // 40: the least that loads
    await withOracle(
      target,
      () => 0,
      async (oracle) => {
        for (const draftTokens of [3, 32]) {
          const [{ usage }] = await compare(oracle, fresh, { temperature: 0, maxTokens: 150 }, draftTokens);
          assert.ok(usage.draftedTokens > 100, `${usage.draftedTokens}`);
        }
      },
      eagleFile(target, { keys: { "eagle3.context_length": ["u32", length] } }),
    );
  fresh.dispose();
});

test("passes of a few rows, an abort in between and another text leave the text as it is", async (t) => {
  const rows = Object.getOwnPropertyDescriptor(PassPace.prototype, "rows");
  t.after(() => Object.defineProperty(PassPace.prototype, "rows", rows));
  Object.defineProperty(PassPace.prototype, "rows", { get: () => 4 });
  const fresh = await load(target);
  await withOracle(target, varied, async (oracle) => {
    const { model, heads, text, seen } = oracle;
    await compare(oracle, fresh, { temperature: 0 }, 32);
    const controller = new AbortController();
    const given = { ...options, temperature: 0, draft: heads, draftTokens: 16 };
    for await (const chunk of model.generate(prompt, { ...given, signal: controller.signal }))
      if (chunk.tokens.length) controller.abort();
    const both = await Promise.all([given, { ...given, seed: 1 }].map((own) => collect(model.generate(prompt, own))));
    assert.deepEqual(both[0].ids, text.ids);
    assert.ok(seen.slots() < 12);
  });
  fresh.dispose();
});

test("before drafting pays, the layer reads no more than the end of a prompt", async () => {
  await withOracle(target, varied, async ({ model, heads, seen }) => {
    const long = randomNumbers("long", 300, 600);
    await collect(model.generate(long, { ...options, maxTokens: 12, temperature: 0, draft: heads }));
    assert.ok(seen.rows.every((rows) => rows <= 32) && seen.rows.length < 12, `${seen.rows}`);
  });
});

test("the shipped layer drafts most of a story, and saves more passes than Medusa's heads", async () => {
  const [model, eagle, medusa] = await Promise.all(
    ["storyteller", "eagle", "medusa"].map((name) => load(shipped(name))),
  );
  const given = { temperature: 0, maxTokens: 120, bannedTokens: [2] };
  const passes = {};
  const plain = await collect(model.generate("Once upon a time there was", given));
  for (const [name, draft] of Object.entries({ eagle, medusa })) {
    const drafted = await collect(model.generate("Once upon a time there was", { ...given, draft, draftTokens: 8 }));
    assert.deepEqual(drafted.tokens, plain.tokens);
    passes[name] = drafted.usage.passes;
  }
  assert.ok(passes.eagle < 45 && passes.eagle < 0.8 * passes.medusa, JSON.stringify(passes));
  for (const one of [model, eagle, medusa]) one.dispose();
});

test("a tree costs the rows that others follow", () => {
  const acceptance = new StepAcceptance(8);
  for (let i = 0; i < 800; i++) for (let depth = 0; depth < 8; depth++) acceptance.see(depth, i % 2 ? 0 : i % 3);
  for (const count of [1, 4, 12]) {
    const nodes = acceptance.nodes(count);
    const inner = nodes.filter((_, i) => nodes.some(({ parent }) => parent === i));
    assert.equal(acceptance.cost(count), 1 + inner.length);
  }
});
