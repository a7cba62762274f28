// Heads that draft for a model: what they guess, that no tree of guesses changes a text, and which files are refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { compileGrammar, estimateModel } from "lastinch";
import { TreeAcceptance, possibleNodes } from "../../web/decode/drafters/draft-tree.js";
import { Engine } from "../../web/model/worker/engine.js";
import { MedusaHeads } from "../../web/model/worker/heads.js";
import { PassPace } from "../../web/model/worker/pass-pace.js";
import { Sequences } from "../../web/model/worker/sequences.js";
import { dequantise } from "../models/blocks.js";
import { floatFile } from "../vectors/family-files.js";
import { Q8_0, convertGguf, randomGguf, randomNumbers, readGguf } from "../vectors/gguf-files.js";
import { medusaFile } from "../vectors/heads-file.js";
import { collect, collectAll, load, shipped } from "./decode-tools.js";
import { openModel } from "./model-wasm.js";
import { compare, compareInEveryWay, options, prompt, target, varied } from "./tree-drafts.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

const file = medusaFile(target);

// ---- what heads guess ----------------------------------------------------------------------------------

/** The logits of each head for a state, in float64. */
function logitsOf(bytes, targetBytes, state) {
  const values = (name, all) => {
    const found = all.find((tensor) => tensor.name === name);
    return found && dequantise(found.data, found.type, found.count);
  };
  const { metadata, tensors } = readGguf(bytes);
  const all = readGguf(targetBytes).tensors;
  const output = values("output.weight", all) ?? values("token_embd.weight", all);
  const dim = state.length;
  const multiply = (matrix, vector) =>
    Array.from({ length: matrix.length / dim }, (_, row) =>
      vector.reduce((sum, x, i) => sum + matrix[row * dim + i] * x, 0),
    );
  return Array.from({ length: metadata["medusa.head_count"] }, (_, k) => {
    const bias = values(`medusa.${k}.bias`, tensors);
    const inner = multiply(values(`medusa.${k}.weight`, tensors), state).map((x, i) => x + bias[i]);
    const sum = inner.map((x, i) => state[i] + x / (1 + Math.exp(-x)));
    const projection = values(`medusa.${k}.projection.weight`, tensors);
    return multiply(output, projection ? multiply(projection, sum) : sum);
  });
}

const kinds = {
  "with projections": [target, file],
  "without projections, of a tied model": [randomGguf({ tied: true }), medusaFile(target, { projects: false })],
  "in Q8_0": [convertGguf(target, Q8_0), convertGguf(file, Q8_0), 0.1],
  "one more than are multiplied together, and then one": [target, medusaFile(target, { count: 7 })],
};
for (const [name, [model, bytes, slack = 1e-4]] of Object.entries(kinds))
  test(`heads ${name} agree with float64`, async () => {
    const opened = await openModel(model, { slots: 64 });
    const { c, dim, layers } = opened;
    const heads = opened.openHeads(bytes);
    const { count } = heads;
    const tap = c.li_memory_alloc(4);
    new Uint32Array(c.memory.buffer, tap, 1)[0] = layers;
    c.li_model_set_taps(opened.model, tap, 1);
    opened.forward(prompt.slice(0, 9), { all: true });
    for (const place of [0, 4, 8]) {
      const state = [...heads.state(place)];
      const tapped = new Float32Array(c.memory.buffer, c.li_model_taps(opened.model) + 4 * dim * place, dim);
      assert.deepEqual(state, [...tapped]);
      const guesses = heads.guess(place, count, 8);
      logitsOf(bytes, model, state).forEach((logits, k) => {
        assert.equal(new Set(guesses[k]).size, 8);
        const best = [...logits].sort((a, b) => b - a);
        const scale = Math.sqrt(best.reduce((sum, x) => sum + x * x, 0) / best.length);
        // A rank may differ where two logits differ by less than the arithmetic does.
        guesses[k].forEach((id, rank) =>
          assert.ok(
            Math.abs(logits[id] - best[rank]) < slack * scale,
            `head ${k}, rank ${rank}: ${logits[id]}, ${best[rank]}`,
          ),
        );
      });
      assert.deepEqual(heads.guess(place, 1, 3), [guesses[0].slice(0, 3)]);
      for (const [some, width] of [
        [0, 1],
        [count + 1, 1],
        [1, 0],
        [1, 17],
      ])
        assert.throws(() => heads.guess(place, some, width), /status -2$/);
    }
    heads.dispose();
    opened.dispose();
  });

// ---- texts ---------------------------------------------------------------------------------------------

/**
 * Loads a model and heads, of which `rank(position, head)` gives the rank of the right guess (-1: none) instead of the
 * heads' own. `text.ids` is the text that the model writes after `prompt`.
 */
async function withOracle(bytes, rank, use) {
  const { instantiate } = WebAssembly;
  const text = { ids: [] };
  const seen = { slots: () => 0, rows: [] };
  WebAssembly.instantiate = async (module, imports) => {
    const { exports: c } = await instantiate(module, imports);
    const lengths = (model) => Array.from({ length: 128 }, (_, seat) => c.li_sequence_length(model, seat));
    const words = (at, count) => new Uint32Array((c.memory ?? imports.env.memory).buffer, at, count);
    let [model, seats] = [0, new Set()];
    const own = {
      li_model_forward(address, count) {
        model = address;
        for (let i = 0; i < count; i++) seats.add(words(c.li_model_rows(model) + 20 * i, 3)[2]);
        seen.slots = () => lengths(model).filter((length) => length).length;
        seen.rows.push(count);
        return c.li_model_forward(address, count);
      },
      li_heads_guess(heads, state, count, width, into) {
        const status = c.li_heads_guess(heads, state, count, width, into);
        // Of the sequences of the last passes only the text is left.
        const lengths = [...seats].map((seat) => c.li_sequence_length(model, seat));
        const position = Math.max(...lengths) - prompt.length + 1;
        seats = new Set();
        for (let k = 0; k < count && text.ids.length; k++) {
          const right = text.ids[position + k];
          const guesses = [...words(into + 4 * k * width, width)].filter((id) => id !== right);
          const at = rank(position, k);
          if (at >= 0 && right !== undefined) guesses.splice(at, 0, right);
          words(into + 4 * k * width, width).set(guesses.slice(0, width));
        }
        return status;
      },
    };
    return { exports: { ...c, ...own } };
  };
  let model, heads;
  try {
    [model, heads] = [await load(bytes), await load(medusaFile(bytes))];
    await use({ model, heads, text, seen });
  } finally {
    WebAssembly.instantiate = instantiate;
    model?.dispose();
    heads?.dispose();
  }
}

test("a right guess saves a pass wherever it lies in the tree, and no guess changes a text", () =>
  compareInEveryWay(withOracle));

test("each accepted guess saves a pass: counted for a known tree", async () => {
  const fresh = await load(target);
  const rank = (position, head) => [0, 1, 2, 7, -1][(position + head) % 5];
  await withOracle(target, rank, async (oracle) => {
    const [{ usage }] = await compare(oracle, fresh, { temperature: 0 }, 32);
    const { passes, acceptedTokens, completionTokens } = usage;
    assert.equal(passes + acceptedTokens, completionTokens);
    assert.ok(acceptedTokens > 15, `${acceptedTokens}`);
    // The first pass ends the prompt, which may take several.
    assert.ok(oracle.seen.rows.slice(1 - passes).every((rows) => rows <= 33));
  });
  fresh.dispose();
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
        // Banned is what the model would write and the heads guess.
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

for (const family of ["gemma3", "lfm2", "qwen35"])
  test(`texts of ${family} are the same with heads`, async () => {
    const bytes = floatFile(family);
    const given = randomNumbers("given", 30, 256);
    const [model, fresh, heads] = [
      await load(bytes),
      await load(bytes),
      await load(medusaFile(bytes, { projects: false })),
    ];
    for (const others of [{ temperature: 0 }, { seed: 1, temperature: 0.5 }, { seed: 2, n: 2 }])
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

test("a recurrent text goes on with heads after other texts took its state", async () => {
  const bytes = floatFile("qwen35");
  const given = randomNumbers("given", 30, 256);
  const [model, fresh, heads] = [
    await load(bytes),
    await load(bytes),
    await load(medusaFile(bytes, { projects: false })),
  ];
  const own = { maxTokens: 200, bannedTokens: [377], temperature: 0 };
  const plain = await collect(fresh.generate(given, own));
  const reader = model.generate(given, { ...own, draft: heads, draftTokens: 5 })[Symbol.asyncIterator]();
  const ids = [];
  const read = async () => {
    const { value, done } = await reader.next();
    if (!done) for (const { id } of value.tokens) ids.push(id);
    return !done;
  };
  assert.ok(await read());
  // The text waits for its reader, and this takes the whole cache.
  await model.score(randomNumbers("long", model.config.contextLength, 256));
  assert.ok(ids.length < 100);
  while (await read());
  assert.deepEqual(ids, plain.ids);
  for (const one of [model, fresh, heads]) one.dispose();
});

test("a text that is aborted while it drafts leaves the model as it was", async () => {
  const fresh = await load(target);
  await withOracle(target, varied, async ({ model, heads, seen, text }) => {
    text.ids = (await collect(fresh.generate(prompt, { ...options, temperature: 0 }))).ids;
    const controller = new AbortController();
    const given = { ...options, temperature: 0, draft: heads, draftTokens: 16 };
    for await (const chunk of model.generate(prompt, { ...given, signal: controller.signal })) {
      if (chunk.tokens.length) controller.abort();
    }
    assert.deepEqual((await collect(model.generate(prompt, given))).ids, text.ids);
    assert.ok(seen.slots() < 10);
  });
  fresh.dispose();
});

/** Passes have four rows at most, as those of large models have. */
function shortenPasses(t) {
  const rows = Object.getOwnPropertyDescriptor(PassPace.prototype, "rows");
  t.after(() => Object.defineProperty(PassPace.prototype, "rows", rows));
  Object.defineProperty(PassPace.prototype, "rows", { get: () => 4 });
}

test("a tree that takes several passes gives the same text", async (t) => {
  shortenPasses(t);
  const fresh = await load(target);
  await withOracle(target, varied, async (oracle) => {
    for (const others of [{ temperature: 0 }, { seed: 2 }, { seed: 3, n: 3 }]) {
      const [{ usage }] = await compare(oracle, fresh, others, 32);
      assert.ok(others.n || usage.acceptedTokens > 10);
    }
  });
  fresh.dispose();
});

test("a text that is aborted between two passes of a tree gives up its branches", async (t) => {
  const { branch } = Sequences.prototype;
  t.after(() => void (Sequences.prototype.branch = branch));
  shortenPasses(t);
  const controller = new AbortController();
  const branches = [];
  Sequences.prototype.branch = function (...given) {
    const made = branch.apply(this, given);
    branches.push(made);
    if (branches.length === 20) queueMicrotask(() => controller.abort());
    return made;
  };
  const [model, heads] = [await load(target), await load(file)];
  const given = { ...options, draft: heads, draftTokens: 32, signal: controller.signal };
  await collect(model.generate(prompt, given));
  await collect(model.generate(prompt, { ...options, maxTokens: 1 })); // its turn comes after that of the other
  assert.ok(branches.some((one) => one.branch));
  assert.deepEqual(new Set(branches.map(({ seat }) => seat)), new Set([-1]));
  for (const one of [model, heads]) one.dispose();
});

test("each token after guesses is noted once, with its rank among them", async (t) => {
  const { guess } = MedusaHeads.prototype;
  const { see } = TreeAcceptance.prototype;
  t.after(() => {
    MedusaHeads.prototype.guess = guess;
    TreeAcceptance.prototype.see = see;
  });
  let passes = 0;
  const notes = [];
  MedusaHeads.prototype.guess = function (...given) {
    passes++;
    return guess.apply(this, given);
  };
  TreeAcceptance.prototype.see = function (depth, rank) {
    (notes[depth] ??= []).push(rank);
    see.call(this, depth, rank);
  };
  const fresh = await load(target);
  await withOracle(
    target,
    (_, head) => (head ? -1 : 1),
    async (oracle) => {
      const [{ usage }] = await compare(oracle, fresh, { temperature: 0 }, 8);
      assert.ok(usage.acceptedTokens > 10);
      assert.deepEqual(notes[0], Array(passes).fill(1));
      assert.deepEqual(notes[1], Array(usage.acceptedTokens - (usage.passes === passes + 1 ? 0 : 1)).fill(-1));
      assert.equal(notes.length, 2);
    },
  );
  fresh.dispose();
});

test("texts that share too few branches for a tree draft chains", async (t) => {
  const { guess } = MedusaHeads.prototype;
  t.after(() => void (MedusaHeads.prototype.guess = guess));
  let asked;
  MedusaHeads.prototype.guess = function (state, count, width) {
    asked ??= [count, width];
    return guess.call(this, state, count, width);
  };
  const [model, heads] = [await load(target), await load(file)];
  for (const [others, expected] of [
    [{ n: 3 }, 8],
    [{ n: 16 }, 8],
    [{ n: 20 }, 1],
    [{ n: 40 }, 1],
    [{ guidance: 2 }, 1],
  ]) {
    asked = undefined;
    const own = { ...options, maxTokens: 6, seed: 1, ...others, draft: heads, draftTokens: 4 };
    await collectAll(model.generate(prompt.slice(0, 8), own));
    assert.equal(asked[1], expected, JSON.stringify(others));
    if (expected === 1) assert.equal(asked[0], 4);
  }
  for (const one of [model, heads]) one.dispose();
});

// ---- the tree ------------------------------------------------------------------------------------------

test("the tree has the guesses that are reached most often, and follows what was measured", () => {
  const acceptance = new TreeAcceptance(3);
  const rates = [
    [0.5, 0.2, 0.1],
    [0.4, 0.3, 0],
    [0.9, 0, 0],
  ];
  for (let i = 0; i < 20_000; i++)
    rates.forEach((ranks, depth) => {
      let at = ((i * 7919) % 1000) / 1000;
      acceptance.see(
        depth,
        ranks.findIndex((rate) => (at -= rate) < 0),
      );
    });
  // All products of rates, the largest first.
  const products = [];
  const walk = (depth, before) => {
    for (const rate of rates[depth] ?? []) {
      products.push(before * rate);
      walk(depth + 1, before * rate);
    }
  };
  walk(0, 1);
  products.sort((a, b) => b - a);
  const expected = acceptance.expected(10);
  for (let count = 1; count <= 10; count++) {
    const best = 1 + products.slice(0, count).reduce((sum, x) => sum + x, 0);
    assert.ok(Math.abs(expected[count] - best) < 0.06, `${count}: ${expected[count]}, not ${best}`);
    const nodes = acceptance.nodes(count);
    assert.equal(nodes.length, count);
    nodes.forEach(({ parent, depth, rank }, i) => {
      assert.ok(parent < i && depth === (parent < 0 ? 0 : nodes[parent].depth + 1));
      const same = nodes.filter((other) => other.parent === parent && other.rank === rank);
      assert.equal(same.length, 1);
    });
    assert.equal(acceptance.cost(count), Math.max(...nodes.map(({ depth }) => depth)) + 1);
  }
});

test("a chain has the likeliest guess of each head", () => {
  const chain = new TreeAcceptance(3, 1);
  for (let i = 0; i < 4000; i++) for (let depth = 0; depth < 3; depth++) chain.see(depth, i % (depth + 2) ? -1 : 0);
  assert.deepEqual(
    chain.nodes(3),
    [0, 1, 2].map((depth) => ({ ...chain.nodes(3)[depth], parent: depth - 1, depth, rank: 0 })),
  );
  [1, 1 + 1 / 2, 1 + 1 / 2 + 1 / 6, 1 + 1 / 2 + 1 / 6 + 1 / 24].forEach((tokens, count) =>
    assert.ok(Math.abs(chain.expected(3)[count] - tokens) < 0.02, `${chain.expected(3)}`),
  );
  assert.deepEqual(
    [1, 2, 3].map((count) => chain.cost(count)),
    [1, 2, 3],
  );
});

test("guesses after an end token, and those that the grammar forbids, are left out with all that follows them", () => {
  // The grammar: tokens fall, to 0 at the least.
  const read = [9];
  const matcher = {
    accept: (id) => id < read.at(-1) && read.push(id) > 0,
    rollback: (count) => (read.length -= count),
  };
  const tokens = [5, 7, 9, 3, 6, 4, 1, 0, 2, 1];
  const parents = [-1, -1, -1, 0, 0, 1, 3, 6, 5, 2];
  const given = { tokens, parents };
  const within = (constraint, eos) => possibleNodes(given, /** @type {any} */ ({ constraint }), new Set(eos));
  assert.deepEqual(within(undefined, []), given);
  // 6 may not follow 5, nor may 9 come first.
  const kept = { tokens: [5, 7, 3, 4, 1, 0, 2], parents: [-1, -1, 0, 1, 2, 4, 3] };
  assert.deepEqual(within({ matcher }, []), kept);
  assert.deepEqual(within({ matcher }, [3, 4]), { tokens: [5, 7, 3, 4], parents: [-1, -1, 0, 1] });
  assert.deepEqual(read, [9], "the matcher is where it was");
});

// ---- files ---------------------------------------------------------------------------------------------

const refused = (code) => ({ name: "LastInchError", code });

test("heads are loaded like a model, draft for it, and do nothing else", async () => {
  const [model, heads] = [await load(target), await load(file)];
  assert.equal(heads.config.heads, "medusa");
  assert.equal(heads.config.name, "random heads");
  assert.equal(heads.config.size, file.length);
  assert.equal(model.config.heads, 6);
  assert.throws(() => heads.generate("a"), refused("model-heads"));
  for (const call of [
    () => heads.complete("a"),
    () => heads.chat([{ role: "user", content: "a" }]).next(),
    () => heads.answer([]),
    () => heads.count("a"),
    () => heads.tokenize("a"),
    () => heads.score("a"),
    () => heads.forward([1]),
    () => heads.save("a"),
  ])
    await assert.rejects(call, refused("model-heads"));
  assert.throws(() => model.generate("a", { contrast: { model: heads } }), refused("model-heads"));
  assert.throws(() => model.generate("a", { draft: heads, beams: 2 }), { code: "conflict" });
  const { runs, reason } = await estimateModel(new Blob([file]));
  assert.deepEqual([runs, reason.code], [false, "model-heads"]);
  for (const own of [{ contextLength: 64 }, { cacheType: "f16" }, { preTokenizer: "qwen2" }, { threads: 2 }])
    await assert.rejects(load(file, own), { code: "conflict", message: new RegExp(Object.keys(own)[0]) });
  (await load(file, { threads: "auto", contextLength: undefined })).dispose();
  // Two models may share heads. Either may go first.
  const other = await load(target);
  const texts = [];
  for (const one of [model, other])
    texts.push((await collect(one.generate(prompt, { ...options, seed: 1, draft: heads, draftTokens: 5 }))).ids);
  assert.deepEqual(texts[0], texts[1]);
  other.dispose();
  const running = model.generate(prompt, { maxTokens: 400, bannedTokens: [2], draft: heads, draftTokens: 5 });
  const reader = running[Symbol.asyncIterator]();
  await reader.next();
  heads.dispose();
  await assert.rejects(async () => {
    for (let i = 0; i < 500; i++) if ((await reader.next()).done) break;
  }, refused("disposed"));
  assert.throws(() => model.generate("a", { draft: heads }), refused("disposed"));
  assert.ok((await collect(model.generate(prompt, options))).ids.length);
  model.dispose();
});

test("heads that are disposed of while a text waits for its turn are not used", async () => {
  const [model, heads] = [await load(target), await load(file)];
  const before = model.score(randomNumbers("long", 200, 600));
  const text = collect(model.generate(prompt, { ...options, draft: heads, draftTokens: 5 }));
  heads.dispose();
  await assert.rejects(text, refused("disposed"));
  await before;
  model.dispose();
});

test("heads and models that are gone let go of each other", async (t) => {
  const { attach } = Engine.prototype;
  t.after(() => void (Engine.prototype.attach = attach));
  const seen = { heads: [], models: [] };
  Engine.prototype.attach = function (heads) {
    seen.heads.push(new WeakRef(heads));
    seen.models.push(new WeakRef(this));
    return attach.call(this, heads);
  };
  const alive = async (refs) => {
    for (let i = 0; i < 5; i++) {
      // References are weak only from the next turn on.
      await new Promise((resolve) => setTimeout(resolve, 10));
      collectGarbage();
    }
    return refs.filter((one) => one.deref()).length;
  };
  const draft = async (model, heads) => {
    await collect(model.generate(prompt, { ...options, maxTokens: 5, draft: heads, draftTokens: 5 }));
  };
  const model = await load(target);
  for (let i = 0; i < 4; i++) {
    const heads = await load(file);
    await draft(model, heads);
    heads.dispose();
  }
  assert.equal(await alive(seen.heads), 0);
  model.dispose();
  const heads = await load(file);
  for (let i = 0; i < 3; i++) {
    const other = await load(target);
    await draft(other, heads);
    other.dispose();
  }
  assert.equal(await alive(seen.models), 0);
  heads.dispose();
});

test("heads of another model are refused, and the error says what differs", async () => {
  const [model, storyteller] = [await load(target), await load(shipped("storyteller"))];
  const hash = "general.base_model.0.xxh64";
  const nameless = { base: { "general.base_model.0.name": ["u32", 1] } };
  const narrow = (all) =>
    all.map((one) => ({ ...one, shape: one.shape.map(() => 48), data: one.data.slice(0, 48 ** one.shape.length) }));
  const files = {
    own: medusaFile(shipped("storyteller"), { base: { [hash]: ["text", "7bf155285447742b"] } }),
    hash: medusaFile(target, { base: { [hash]: ["text", "0123456789abcdef"] } }),
    width: medusaFile(target, { ...nameless, keys: { "medusa.embedding_length": ["u32", 48] }, change: narrow }),
    vocabulary: medusaFile(target, { keys: { "medusa.vocab_size": ["u32", 5] } }),
  };
  const heads = {};
  for (const [name, bytes] of Object.entries(files)) heads[name] = await load(bytes);
  for (const [one, by, message] of [
    [model, heads.own, /"random".*"random".*7bf155285447742b/],
    [model, heads.hash, /0123456789abcdef.*[0-9a-f]{16}/],
    [model, heads.width, /\b48\b.*\b96\b/],
    [model, heads.vocabulary, /\b5\b.*\b640\b/],
    [storyteller, heads.hash, /"storyteller"|storyteller/i],
  ]) {
    assert.throws(() => one.generate("a", { draft: by }), { ...refused("model-heads-foreign"), message });
    assert.throws(
      () => one.generate("a", { draft: by }),
      ({ message: all }) => !/null|undefined/.test(all),
    );
  }
  assert.ok(
    (await collect(storyteller.generate("Once", { maxTokens: 5, draft: heads.own, draftTokens: 4 }))).ids.length,
  );
  for (const one of [model, storyteller, ...Object.values(heads)]) one.dispose();
});

test("a file of heads that cannot be used is refused with what is wrong with it", async () => {
  const model = await load(target);
  const draftBy = async (bytes) => {
    const heads = await load(bytes);
    try {
      return await collect(model.generate(prompt, { maxTokens: 3, draft: heads }));
    } finally {
      heads.dispose();
    }
  };
  const without = (name) => medusaFile(target, { change: (all) => all.filter((tensor) => tensor.name !== name) });
  const changed = (name, more) =>
    medusaFile(target, { change: (all) => all.map((one) => (one.name === name ? { ...one, ...more(one) } : one)) });
  for (const [bytes, code, message] of [
    [without("medusa.1.bias"), "model-tensor-missing", /"medusa\.1\.bias"/],
    [without("medusa.3.projection.weight"), "model-tensor-missing", /"medusa\.3\.projection\.weight"/],
    [
      changed("medusa.2.weight", ({ data }) => ({ shape: [96, 48], data: data.slice(0, 96 * 48) })),
      "model-tensor-shape",
      /96 x 48/,
    ],
    [changed("medusa.0.bias", ({ data }) => ({ data: data.map(() => NaN) })), "model-weights"],
    [changed("medusa.0.weight", ({ data }) => ({ data: data.map(() => Infinity) })), "model-weights"],
    [
      medusaFile(target, { change: (all) => [...all, { ...all[1], name: "medusa.4.bias" }] }),
      "model-config",
      /medusa\.head_count/,
    ],
    [medusaFile(target, { keys: { "medusa.head_count": ["u32", 9] } }), "model-config", /medusa\.head_count/],
    [medusaFile(target, { keys: { "medusa.head_count": ["u32", 0] } }), "model-config"],
    [medusaFile(target, { keys: { "medusa.embedding_length": ["u32", 64] } }), "model-tensor-shape", /96 x 96/],
  ])
    await assert.rejects(draftBy(bytes), { ...refused(code), ...(message && { message }) });
  await assert.rejects(load(file.subarray(0, file.length - 100)), refused("gguf-truncated"));
  model.dispose();
});
