// EAGLE's layer as a file that is loaded: what it refuses, and that it goes without a trace, also in the middle of a text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { estimateModel } from "lastinch";
import { EagleLayer } from "../../web/model/worker/eagle-layer.js";
import { PassPace } from "../../web/model/worker/pass-pace.js";
import { randomGguf, randomNumbers } from "../vectors/gguf-files.js";
import { eagleFile } from "../vectors/heads-file.js";
import { collect, load, shipped } from "./decode-tools.js";

const target = randomGguf();
const file = eagleFile(target);
const prompt = randomNumbers("prompt", 40, 600);
const options = { maxTokens: 40, bannedTokens: [2] };
const refused = (code) => ({ name: "LastInchError", code });
const some = Array.from({ length: 50 }, (_, i) => 11 * i + 3);
const narrow = { dim: 96, embeds: false };

// ---- heads that go -------------------------------------------------------------------------------------

/** Models that are loaded meanwhile let no export see the address of a model that is gone. */
async function withoutGone(use) {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = await instantiate(module, imports);
    const gone = new Set();
    const guarded =
      (name, call) =>
      (first, ...others) => {
        assert.ok(!/^li_(model|sequence|eagle)_/.test(name) || !gone.has(first), `${name} of a model that is gone`);
        if (name === "li_model_destroy" && first) gone.add(first);
        const result = call(first, ...others);
        if (name === "li_model_create") gone.delete(result);
        return result;
      };
    const entries = Object.entries(exports).map(([name, one]) => [
      name,
      typeof one === "function" ? guarded(name, one) : one,
    ]);
    return { exports: Object.fromEntries(entries) };
  };
  try {
    await use();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

test("a text whose layer goes meanwhile ends with an error, and nothing reads what is gone", async (t) => {
  const rows = Object.getOwnPropertyDescriptor(PassPace.prototype, "rows");
  t.after(() => Object.defineProperty(PassPace.prototype, "rows", rows));
  Object.defineProperty(PassPace.prototype, "rows", { get: () => 4 });
  await withoutGone(async () => {
    const model = await load(target);
    const given = { ...options, maxTokens: 400, temperature: 0 };
    const long = randomNumbers("long", 200, 600);
    for (const [draftTokens, others, when] of [
      [5, {}, 1],
      [5, { n: 3 }, 2],
      [32, { bannedStrings: ["a", "e", "o"] }, 3],
      ["auto", {}, 8],
      ["auto", { n: 2 }, 20],
    ]) {
      const heads = await load(file);
      const reader = model.generate(prompt, { ...given, ...others, draft: heads, draftTokens })[Symbol.asyncIterator]();
      for (let i = 0; i < when; i++) await reader.next();
      heads.dispose();
      await assert.rejects(async () => {
        for (let i = 0; i < 2000; i++) if ((await reader.next()).done) break;
      }, refused("disposed"));
    }
    // In the middle of a prompt, whose beginning the layer has read.
    for (const passes of [3, 20]) {
      const heads = await load(file);
      await collect(model.generate(long.slice(0, 100), { ...given, maxTokens: 8, draft: heads, draftTokens: 5 }));
      const text = collect(model.generate(long, { ...given, maxTokens: 8, draft: heads, draftTokens: 5 }));
      for (let i = 0; i < passes; i++) await new Promise((done) => setImmediate(done));
      heads.dispose();
      await assert.rejects(text, refused("disposed"));
    }
    const fresh = await load(target);
    const [text, expected] = [model, fresh].map((one) => collect(one.generate(long, { ...options, temperature: 0 })));
    assert.deepEqual((await text).tokens, (await expected).tokens);
    for (const one of [model, fresh]) one.dispose();
  });
});

// ---- files ---------------------------------------------------------------------------------------------

test("the layer is loaded like a model, drafts for it, and does nothing else", async () => {
  const [model, heads] = [await load(target), await load(file)];
  assert.deepEqual([heads.config.heads, heads.config.family, heads.config.size], ["eagle", "eagle3", file.length]);
  assert.throws(() => heads.generate("a"), refused("model-heads"));
  for (const call of [() => heads.complete("a"), () => heads.tokenize("a"), () => heads.forward([1])])
    await assert.rejects(call, refused("model-heads"));
  assert.throws(() => model.generate("a", { draft: heads, beams: 2 }), { code: "conflict" });
  const { runs, reason } = await estimateModel(new Blob([file]));
  assert.deepEqual([runs, reason.code], [false, "model-heads"]);
  await assert.rejects(load(file, { contextLength: 64 }), { code: "conflict" });
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

test("layers come and go without taking memory", async (t) => {
  const { dispose } = EagleLayer.prototype;
  t.after(() => void (EagleLayer.prototype.dispose = dispose));
  let disposed = 0;
  EagleLayer.prototype.dispose = function () {
    disposed++;
    return dispose.call(this);
  };
  const model = await load(target);
  const sizes = [];
  for (let i = 0; i < 24; i++) {
    const heads = await load(file);
    const { stats } = await model.complete(prompt, { ...options, draft: heads, draftTokens: 5 });
    sizes.push(stats.memory);
    heads.dispose();
  }
  await model.complete(prompt, options); // its turn comes after that of the last dispose
  assert.equal(disposed, 24);
  assert.equal(sizes[23], sizes[7], `${sizes}`);
  model.dispose();
});

test("an error in the middle of a call leaves no memory of its drafter behind", async () => {
  const { instantiate } = WebAssembly;
  const given = { ...options, maxTokens: 4, temperature: 0, seed: 3 };
  let [failing, isCounting] = [Infinity, false];
  const live = new Set();
  WebAssembly.instantiate = async (module, imports) => {
    const { exports: c } = await instantiate(module, imports);
    const li_memory_alloc = (size) => {
      if (isCounting && --failing === 0) return 0;
      const at = c.li_memory_alloc(size);
      live.add(at);
      return at;
    };
    const li_memory_free = (at) => {
      live.delete(at);
      c.li_memory_free(at);
    };
    return { exports: { ...c, li_memory_alloc, li_memory_free } };
  };
  let model, heads;
  try {
    [model, heads] = [await load(target), await load(file)];
    for (let i = 0; i < 2; i++) await collect(model.generate(prompt, { ...given, n: 2, draft: heads, draftTokens: 5 }));
    const usual = live.size;
    let errors = 0;
    for (let nth = 1; nth < 40; nth++) {
      [failing, isCounting] = [nth, true];
      const text = collect(model.generate(prompt, { ...given, n: 2, draft: heads, draftTokens: 5 }));
      await text.catch(({ code }) => {
        assert.equal(code, "out-of-memory");
        errors++;
      });
      isCounting = false;
      assert.equal(live.size, usual, `after a failure of allocation ${nth}`);
    }
    assert.ok(errors > 5, `${errors} errors`);
  } finally {
    WebAssembly.instantiate = instantiate;
    model?.dispose();
    heads?.dispose();
  }
});

test("the layer of another model is refused, and the error says what differs", async () => {
  const model = await load(target);
  const named = (name) => ({ base: { "general.base_model.0.name": ["text", name] } });
  const hash = { base: { "general.base_model.0.xxh64": ["text", "0123456789abcdef"] } };
  const files = {
    width: eagleFile(shipped("storyteller"), { ...named("another"), layers: [1, 3, 5] }),
    hash: eagleFile(target, hash),
  };
  const heads = {};
  for (const [name, bytes] of Object.entries(files)) heads[name] = await load(bytes);
  for (const [by, message] of [
    [heads.width, /"another".*"random".*192 wide/],
    [heads.hash, /0123456789abcdef.*[0-9a-f]{16}/],
  ])
    assert.throws(() => model.generate("a", { draft: by }), { ...refused("model-heads-foreign"), message });
  heads.deep = await load(eagleFile(target, { layers: [1, 2, 9] }));
  const text = collect(model.generate(prompt, { ...options, draft: heads.deep }));
  await assert.rejects(text, { ...refused("model-heads-foreign"), message: /layer 9.* 3\./ });
  for (const one of [model, ...Object.values(heads)]) one.dispose();
});

test("a file that cannot be used is refused when it is loaded, with what is wrong with it", async () => {
  const without = (name) => ({ change: (all) => all.filter((tensor) => tensor.name !== name) });
  const changed = (name, more) => ({
    change: (all) => all.map((one) => (one.name === name ? { ...one, ...more(one) } : one)),
  });
  for (const [how, code, message] of [
    [without("blk.0.attn_norm_2.weight"), "model-tensor-missing", /"blk\.0\.attn_norm_2\.weight"/],
    [without("fc.weight"), "model-tensor-missing", /"fc\.weight"/],
    [{ embeds: false }, "model-tensor-missing", /"token_embd\.weight"/],
    [{ outputs: false }, "model-tensor-missing", /"output\.weight"/],
    [{ ...narrow, outputs: false, map: some }, "model-tensor-missing", /"output\.weight"/],
    [
      changed("blk.0.attn_q.weight", ({ data }) => ({ shape: [48, 64], data: data.slice(0, 48 * 64) })),
      "model-tensor-shape",
      /48 x 64, not 96 x 64/,
    ],
    [{ map: some, ...changed("d2t", () => ({ type: 26, data: new Uint8Array(200) })) }, "model-tensor-type", /d2t/],
    [{ map: [...some.slice(1), 640] }, "model-weights", /d2t/],
    [{ map: Array(641).fill(1) }, "model-tensor-shape", /output\.weight/],
    [{ map: [5, 9, 11] }, "model-config", /"output\.weight" has 3 rows, but 8 tokens are guessed at a time/],
    [{ keys: { "eagle3.vocab_size": ["u32", 700] } }, "model-config", /"eagle3\.vocab_size" is 700.* 640 rows/],
    [
      changed("token_embd.weight", ({ data }) => ({ shape: [48, 100], data: data.slice(0, 4800) })),
      "model-tensor-shape",
      /output\.weight/,
    ],
    [
      {
        map: some,
        ...changed("token_embd.weight", ({ data }) => ({ shape: [48, 100], data: data.slice(0, 4800) })),
      },
      "model-config",
      /"eagle3\.vocab_size" is 640.* 100 rows/,
    ],
    [{ keys: { "eagle3.context_length": ["u32", 39] } }, "model-config", /"eagle3\.context_length" is 39, not 40/],
    [{ keys: { "eagle3.target_layers": ["i32", [1, 2]] } }, "model-config", /target_layers/],
    [{ keys: { "eagle3.block_count": ["u32", 2] } }, "model-config", /block_count/],
    [{ keys: { "eagle3.target_hidden_size": ["u32", 64] } }, "model-tensor-shape", /fc\.weight/],
    [{ change: (all) => [...all, { ...all[2], name: "blk.0.attn_q.bias2" }] }, "model-architecture", /bias2/],
  ])
    await assert.rejects(load(eagleFile(target, how)), { ...refused(code), ...(message && { message }) });
  await assert.rejects(load(file.subarray(0, file.length - 100)), refused("gguf-truncated"));
  const model = await load(target);
  const broken = await load(
    eagleFile(
      target,
      changed("fc.weight", ({ data }) => ({ data: data.map(() => NaN) })),
    ),
  );
  const text = collect(model.generate(prompt, { ...options, draft: broken }));
  await assert.rejects(text, refused("model-weights"));
  for (const one of [model, broken]) one.dispose();
});
