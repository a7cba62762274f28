// Calls on a loaded model: score and forward, the queue, several models, dispose, the Worker.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import threads from "node:worker_threads";
import { LastInchError, loadModel } from "lastinch";
import { randomGguf, randomNumbers } from "../vectors/gguf-files.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const aToZ = vocabularyOf([..."abcdefghijklmnopqrstuvwxyz", "\u2581"]);
const endless = { bannedTokens: [2], seed: 3 };
const disposed = { name: "LastInchError", code: "disposed" };

async function textOf(generation) {
  let text = "";
  for await (const chunk of generation) text += chunk.text;
  return text;
}

/** The log-probability of `id` from the logits, in float64. */
function logProbability(logits, id) {
  const peak = logits.reduce((most, logit) => Math.max(most, logit));
  return logits[id] - peak - Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - peak), 0));
}

test("forward: rows do not depend on how the tokens are split into calls", async () => {
  const model = await loadModel(randomGguf(), { worker: true });
  const ids = randomNumbers("forward", 150, model.config.vocabSize);
  const all = await model.forward(ids, { rows: "all" });
  assert.equal(all.length, ids.length);
  assert.ok(all.every((row) => row instanceof Float32Array && row.length === model.config.vocabSize));
  assert.notDeepEqual(all[0], all[1]);
  assert.deepEqual(await model.forward(ids), all.at(-1));
  for (const [from, to] of [
    [0, 1],
    [1, 70],
    [70, 71],
    [71, 150],
  ])
    // prettier-ignore
    assert.deepEqual(await model.forward(ids.slice(from, to), { keep: from }), all[to - 1]);
  // Goes back to an earlier place and continues with other tokens.
  const [row] = await model.forward([ids[100]], { keep: 100, rows: "all" });
  assert.deepEqual(row, all[100]);
  assert.notDeepEqual(await model.forward([ids[101] ^ 1], { keep: 101 }), all[101]);
  model.dispose();
});

test("forward: arguments are checked", async () => {
  const model = await loadModel(randomModel(), { worker: false });
  await model.forward([1, 2, 3]);
  await assert.rejects(model.forward([4], { keep: 4 }), {
    name: "RangeError",
    code: "out-of-range",
    message: /0 to 3/,
  });
  await assert.rejects(model.forward([]), { name: "RangeError" });
  await assert.rejects(model.forward([4], { keep: -1 }), { name: "RangeError" });
  await assert.rejects(model.forward([4], { rows: "none" }), { name: "RangeError" });
  await assert.rejects(model.forward([4000]), { name: "RangeError", code: "out-of-range" });
  await assert.rejects(model.forward("text"), { name: "TypeError", code: "bad-type" });
  await assert.rejects(model.forward(new Array(65).fill(1)), { code: "model-context-full" });
  // Refused calls change nothing.
  assert.deepEqual(await model.forward([4], { keep: 3 }), await model.forward([1, 2, 3, 4]));
  model.dispose();
});

test("score: is the log-softmax of forward's logits", async () => {
  const model = await loadModel(randomModel({ vocabulary: aToZ, context: 200 }), { worker: true });
  const text = "the quick brown fox jumps over the lazy dog é";
  const ids = await model.tokenize(text, { bos: true });
  const rows = await model.forward(ids, { rows: "all" });
  const { tokens, logprobs } = await model.score(text);
  assert.ok(tokens instanceof Uint32Array && logprobs instanceof Float64Array);
  assert.deepEqual([...tokens], ids.slice(1), "the token that begins a text is not scored itself");
  tokens.forEach((id, i) => assert.ok(Math.abs(logprobs[i] - logProbability(rows[i], id)) < 1e-5));
  const byHand = ids.slice(1).reduce((sum, id, i) => sum + logProbability(rows[i], id), 0);
  assert.ok(Math.abs(logprobs.reduce((a, b) => a + b) - byHand) < 1e-4);
  assert.deepEqual(await model.score(ids), { tokens, logprobs });
  assert.deepEqual(await model.score([1]), { tokens: new Uint32Array(0), logprobs: new Float64Array(0) });
  assert.deepEqual(await model.score(""), await model.score([1]));
  const full = new Array(201).fill(260);
  assert.equal((await model.score(full)).logprobs.length, 200);
  await assert.rejects(model.score([...full, 1]), { code: "model-context-full" });
  model.dispose();
});

test("activations: the last layer's logits are forward's, and earlier calls do not matter", async () => {
  const model = await loadModel(randomGguf(), { worker: true });
  const { layers: count, heads, vocabSize } = model.config;
  const ids = randomNumbers("activations", 130, vocabSize); // more than one call of the forward pass takes
  const { tokens, layers } = await model.activations(ids);
  assert.deepEqual([...tokens], [...ids]);
  assert.equal(layers.length, count + 1);
  assert.deepEqual(layers[count].logits, await model.forward(ids));
  assert.equal(layers[0].attention, null);
  for (const { attention } of layers.slice(1)) {
    assert.equal(attention.length, heads);
    for (const weights of attention) {
      assert.equal(weights.length, ids.length);
      assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-5);
    }
  }
  // The embedding depends only on the last token, later layers on all tokens. The call in between changes nothing.
  const alone = await model.activations([ids.at(-1)]);
  assert.deepEqual(alone.layers[0], layers[0]);
  assert.notDeepEqual(alone.layers[1].norm, layers[1].norm);
  assert.deepEqual(alone.layers[1].attention[0], Float32Array.of(1));
  assert.deepEqual(await model.activations(ids), { tokens, layers });
  model.dispose();
});

test("activations: a text begins as a prompt does, and arguments are checked", async () => {
  const model = await loadModel(randomModel({ vocabulary: aToZ, context: 64 }), { worker: false });
  const { tokens } = await model.activations("abc");
  assert.deepEqual([...tokens], await model.tokenize("abc", { bos: true }));
  await assert.rejects(model.activations([]), { name: "RangeError", code: "out-of-range" });
  await assert.rejects(model.activations(), { name: "TypeError", code: "bad-type" });
  await assert.rejects(model.activations([4000]), { name: "RangeError", code: "out-of-range" });
  await assert.rejects(model.activations([{ role: "user", content: "hello" }]), { code: "bad-type" });
  await assert.rejects(model.activations(new Array(65).fill(1)), { code: "model-context-full" });
  assert.equal((await model.activations(new Array(64).fill(1))).tokens.length, 64);
  model.dispose();
  await assert.rejects(model.activations("abc"), disposed);
});

test("score: equals the rawLogprob of each generated token", async () => {
  const model = await loadModel(randomModel({ vocabulary: aToZ, context: 100 }), { worker: false });
  const prompt = await model.tokenize("abc", { bos: true });
  const tokens = [];
  for await (const chunk of model.generate(prompt, { ...endless, maxTokens: 40 })) tokens.push(...chunk.tokens);
  const { logprobs } = await model.score([...prompt, ...tokens.map(({ id }) => id)]);
  assert.deepEqual(
    [...logprobs].slice(prompt.length - 1),
    tokens.map(({ rawLogprob }) => rawLogprob),
  );
  model.dispose();
});

test("overlapping calls each have their own sequence", async () => {
  const model = await loadModel(randomModel({ vocabulary: aToZ, context: 150 }), { worker: true });
  const prompts = ["abc", "xyz", "", "the quick brown fox"];
  const alone = [];
  for (const prompt of prompts) alone.push(await textOf(model.generate(prompt, endless)));
  const score = await model.score("some text");
  const together = await Promise.all([
    ...prompts.map((prompt) => textOf(model.generate(prompt, endless))),
    model.score("some text"),
  ]);
  assert.deepEqual(together, [...alone, score]);
  model.dispose();
});

// With 200 positions the other calls need the reader's room, with 2000 only its seat.
for (const context of [200, 2000])
  test(`a paused reader lets other calls run (${context} positions)`, async () => {
    const model = await loadModel(randomModel({ vocabulary: aToZ, context }), { worker: true });
    const ids = randomNumbers("rest", 150, 280);
    const begin = () => model.generate("abc", { ...endless, maxTokens: 190 });
    const [text, rows] = [await textOf(begin()), await model.forward(ids, { rows: "all" })];
    const resting = Array.from({ length: 12 }, begin);
    const begun = [];
    for (const generation of resting) begun.push((await generation.next()).value.text);
    assert.equal(await textOf(begin()), text);
    assert.deepEqual(await model.forward(ids.slice(100), { keep: 100, rows: "all" }), rows.slice(100));
    assert.equal((await model.score("some text")).tokens.length, 9);
    for (const [i, generation] of resting.entries()) assert.equal(begun[i] + (await textOf(generation)), text);
    model.dispose();
  });

test("two models work at once", async () => {
  const bytes = [1, 2].map((seed) => randomModel({ vocabulary: aToZ, context: 120, seed }));
  const [one, two] = await Promise.all(bytes.map((source) => loadModel(source)));
  const alone = [await textOf(one.generate("abc", endless)), await textOf(two.generate("abc", endless))];
  assert.notEqual(alone[0], alone[1]);
  const together = await Promise.all([one, two].map((model) => textOf(model.generate("abc", endless))));
  assert.deepEqual(together, alone);
  one.dispose();
  assert.equal(await textOf(two.generate("abc", endless)), alone[1], "the other one lives on");
  two.dispose();
});

for (const worker of [true, false])
  test(`dispose: pending calls are rejected, later calls throw (worker: ${worker})`, async () => {
    const model = await loadModel(randomModel({ vocabulary: aToZ, context: 4000 }), { worker });
    const other = await loadModel(randomModel({ vocabulary: aToZ }), { worker });
    const generation = model.generate("", endless);
    const unread = model.generate("", endless);
    await generation.next();
    const pending = [model.score("abc".repeat(1000)), model.forward([1]), model.tokenize("a"), unread.next()];
    model.dispose();
    for (const promise of pending) await assert.rejects(promise, disposed);
    await assert.rejects(async () => {
      for (;;) if ((await generation.next()).done) return;
    }, disposed);
    assert.deepEqual(await generation.next(), { done: true, value: undefined });
    assert.throws(() => model.generate("a"), disposed);
    for (const call of [
      () => model.tokenize("a"),
      () => model.detokenize([1]),
      () => model.score("a"),
      () => model.forward([1]),
    ])
      await assert.rejects(call(), disposed);
    model.dispose(); // a second time: nothing happens
    assert.equal(model.config.contextLength, 4000);
    assert.equal((await other.tokenize("ab")).length, 2, "other models live on");
    other.dispose();
  });

test("dispose: a generation that begins afterwards is refused", async () => {
  const model = await loadModel(randomModel(), { worker: false });
  const generation = model.generate("a");
  model.dispose();
  await assert.rejects(generation.next(), disposed);
});

test("a model can be disposed by `using`", async () => {
  const model = await loadModel(randomModel(), { worker: false });
  model[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
  await assert.rejects(model.tokenize("a"), disposed);
});

/** Runs `use` with another class for Node's Worker. */
async function withWorkerClass(Worker, use) {
  const original = threads.Worker;
  threads.Worker = Worker;
  try {
    await use();
  } finally {
    threads.Worker = original;
  }
}

test("all models share one Worker, which ends with the last model", async () => {
  const workers = [];
  class Counted extends threads.Worker {
    constructor(...given) {
      super(...given);
      workers.push(this);
    }
  }
  await withWorkerClass(Counted, async () => {
    const models = await Promise.all([1, 2, 3].map(() => loadModel(randomModel())));
    assert.equal(workers.length, 1);
    const ended = new Promise((resolve) => workers[0].once("exit", resolve));
    for (const model of models) model.dispose();
    await ended;
    const again = await loadModel(randomModel());
    assert.equal(workers.length, 2);
    const stream = new Blob([randomModel()]).stream();
    const next = loadModel(stream);
    while (!stream.locked) await new Promise((resolve) => setImmediate(resolve)); // until it has begun
    again.dispose(); // not the last model, although the next has not arrived
    (await next).dispose();
    assert.equal(workers.length, 2);
    await new Promise((resolve) => workers[1].once("exit", resolve));
    await assert.rejects(loadModel(new Uint8Array(9)), { code: "gguf-magic" });
    await new Promise((resolve) => workers[2].once("exit", resolve));
    const here = await loadModel(randomModel(), { worker: false });
    assert.equal(workers.length, 3);
    here.dispose();
  });
});

test("on a server where no Worker can start, the error says how to use the calling thread", async () => {
  class Refused {
    constructor() {
      throw new Error("no workers today");
    }
  }
  class Broken extends threads.Worker {
    constructor() {
      super(new URL("data:text/javascript,throw new Error('broken')"));
    }
  }
  for (const Worker of [Refused, Broken])
    await withWorkerClass(Worker, async () => {
      for (const options of [{}, { worker: true }])
        await assert.rejects(loadModel(randomModel(), options), (error) => {
          assert.equal(error.code, "worker-unavailable");
          assert.match(error.message, Worker === Refused ? /\(no workers today\)$/ : /\(broken\)$/);
          return /worker: false.*serverExternalPackages.*"lastinch\/inline\/model"/.test(error.message);
        });
      const model = await loadModel(randomModel({ vocabulary: aToZ }), { worker: false });
      assert.equal((await model.tokenize("abc")).length, 3);
      model.dispose();
    });
});

test("when the Worker stops, waiting calls are rejected and a new model starts another Worker", async () => {
  let worker;
  class Kept extends threads.Worker {
    constructor(...given) {
      super(...given);
      worker = this;
    }
  }
  await withWorkerClass(Kept, async () => {
    const model = await loadModel(randomModel({ vocabulary: aToZ, context: 4000 }));
    const generation = model.generate("", endless);
    await generation.next();
    const pending = model.score("abc".repeat(1000));
    worker.terminate();
    await assert.rejects(pending, (error) => error instanceof LastInchError && error.code === "worker-lost");
    await assert.rejects(
      async () => {
        while (!(await generation.next()).done);
      },
      { code: "worker-lost" },
    );
    await assert.rejects(model.tokenize("a"), { code: "worker-lost" });
    model.dispose();
    const next = await loadModel(randomModel({ vocabulary: aToZ }));
    assert.equal((await next.tokenize("abc")).length, 3);
    next.dispose();
  });
});

test("a process ends although a model was not disposed of", () => {
  const script = `
    import { loadModel } from "lastinch";
    import { randomModel } from "./tests/js/tiny-gguf.js";
    const model = await loadModel(randomModel());
    for await (const chunk of model.generate("a", { bannedTokens: [2] })) if (chunk) break;
    console.log((await model.tokenize("a")).length);`;
  const cwd = new URL("../..", import.meta.url);
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd, timeout: 300_000 });
  assert.equal(String(output).trim(), "1");
});
