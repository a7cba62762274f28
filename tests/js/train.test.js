// A model that learns a text: the same losses everywhere, a file that loadModel reads, mistakes that are told.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import test from "node:test";
import { promisify } from "node:util";
import { loadModel } from "lastinch";
import { createCounts, createTrainer } from "lastinch/train";
import { readCharacters } from "../../web/train/text-characters.js";
import { Training } from "../../web/train/training.js";
import { trainText, trainDigest, trainLosses } from "../train-golden.js";

const run = promisify(execFile);

const collect = async (trainer, options) => {
  const reports = [];
  for await (const report of trainer.learn(options)) reports.push(report);
  return reports;
};

const code = (call) =>
  call.then(
    () => "no error",
    (error) => error.code,
  );

test("characters are the most frequent code points, in their order; the rest is one token", () => {
  const { characters, tokens, replaced } = readCharacters("ba\u{1f600}".repeat(1000));
  assert.deepEqual(characters.list, ["a", "b", "\u{1f600}"]);
  assert.deepEqual([...tokens.slice(0, 4)], [4, 3, 5, 4]);
  assert.equal(replaced, 0);
  const many = String.fromCodePoint(...Array.from({ length: 600 }, (_, i) => 0x4e00 + i));
  const read = readCharacters(many.repeat(4) + many.slice(0, 500));
  assert.equal(read.characters.list.length, 509);
  assert.ok(read.characters.list.includes("\u4e00") && !read.characters.list.includes(many[599]));
  assert.equal(read.replaced, 4 * 91);
  // What a file of a model cannot name is unknown; a run of it is one token.
  const odd = readCharacters("a b\u2581\ud800\ufffd".repeat(400));
  assert.deepEqual(odd.characters.list, [" ", "a", "b", "\ufffd"]);
  assert.deepEqual([...odd.tokens.slice(0, 6)], [4, 3, 5, 0, 6, 4]);
});

test("the losses of a text, seed and rate are the same bits in every build and browser", async () => {
  const trainer = await createTrainer(trainText, { seed: 7 });
  const reports = await collect(trainer, { steps: 60, every: 20 });
  assert.deepEqual(
    reports.map(({ step }) => step),
    [20, 40, 60],
  );
  assert.deepEqual(trainLosses(reports), trainDigest);
  assert.ok(reports[2].loss < reports[0].loss - 0.3, "it learns");
  assert.equal(trainer.steps, 60);
  trainer.dispose();
});

test("a saved model has the trainer's logits, and the same steps give the same file", async () => {
  const files = [];
  for (const seed of [3, 3, 4]) {
    const trainer = await createTrainer(trainText, { seed, layers: 1, context: 32, batch: 4 });
    await collect(trainer, { steps: 12, every: 12 });
    const blob = await trainer.save("mine");
    files.push(
      createHash("sha256")
        .update(new Uint8Array(await blob.arrayBuffer()))
        .digest("hex"),
    );
    if (seed === 4) {
      const model = await loadModel(blob, { worker: false });
      assert.equal(model.config.name, "mine");
      assert.equal(model.config.contextLength, 32);
      const text = "The cat sat";
      const ids = await model.tokenize(text);
      assert.equal(await model.detokenize(ids), text);
      const theirs = await model.forward(ids);
      const ours = await trainer.logits(text);
      assert.equal(ours.length, trainer.vocabSize);
      for (let i = 0; i < ours.length; i++) assert.ok(Math.abs(ours[i] - theirs[i]) < 1e-5, `logit ${i}`);
      const { text: written } = await model.complete("The ", { maxTokens: 10, seed: 1 });
      assert.ok(written.length > 0);
      model.dispose();
    }
    trainer.dispose();
  }
  assert.equal(files[0], files[1]);
  assert.notEqual(files[0], files[2]);
});

test("learning stops when its loop is left or aborted, and goes on later", async () => {
  const trainer = await createTrainer(trainText, { layers: 1, context: 16, batch: 2 });
  for await (const { step } of trainer.learn({ every: 5 })) if (step >= 10) break;
  const stopped = trainer.steps;
  assert.ok(stopped >= 10);
  const controller = new AbortController();
  const seen = [];
  for await (const report of trainer.learn({ every: 5, signal: controller.signal })) {
    if (!seen.length) assert.equal(report.step, stopped + 5);
    seen.push(report.step);
    controller.abort();
  }
  assert.equal(trainer.steps, seen.at(-1), "the last report says what was taken");
  assert.deepEqual(await collect(trainer, { signal: controller.signal }), []);
  const before = await trainer.logits("The");
  assert.deepEqual(await trainer.logits("The"), before, "it learns no more");
  trainer.dispose();
});

test("a rate may change while it learns; one that is too high breaks the weights, and the loss says so", async () => {
  const trainer = await createTrainer(trainText, { layers: 1, context: 16, batch: 2 });
  assert.equal(trainer.learningRate, 0.003);
  let worst = 0;
  for await (const { step, loss } of trainer.learn({ steps: 100_000, every: 10 })) {
    if (step === 20) trainer.learningRate = 10;
    worst = Math.max(worst, Number.isNaN(loss) ? Infinity : loss);
    if (worst > 6) break;
  }
  assert.ok(worst > 6, `${worst}`);
  trainer.dispose();
});

test("mistakes have codes", async () => {
  assert.equal(await code(createTrainer("short")), "out-of-range");
  assert.equal(await code(createTrainer(7)), "bad-type");
  assert.equal(await code(createTrainer(trainText, { dim: 50 })), "out-of-range");
  assert.equal(await code(createTrainer(trainText, { dim: 40 })), "out-of-range");
  assert.equal(await code(createTrainer(trainText, { context: 24 })), "out-of-range");
  assert.equal(await code(createTrainer("\u{1f600}\u{1f601}".repeat(500), { context: 512 })), "out-of-range");
  const large = { layers: 8, dim: 512, hidden: 2048, heads: 64, context: 512 };
  assert.equal(await code(createTrainer(trainText, large)), "out-of-memory");
  assert.equal(await code(createTrainer(trainText, { seeds: 1 })), "unknown-option");
  assert.equal(await code(createTrainer(trainText, { signal: AbortSignal.abort(new Error("no")) })), undefined);
  const trainer = await createTrainer(trainText, { layers: 1, context: 16, batch: 2 });
  assert.throws(() => (trainer.learningRate = -1), { code: "out-of-range" });
  assert.equal(await code(collect(trainer, { steps: 0 })), "out-of-range");
  assert.equal(await code(trainer.logits("")), "out-of-range");
  assert.equal(await code(trainer.save(7)), "bad-type");
  const loop = trainer.learn({ every: 1 });
  await loop.next();
  assert.equal(await code(collect(trainer, {})), "conflict");
  trainer.dispose();
  assert.equal(await code(loop.next().then(() => loop.next())), "disposed");
  assert.equal(await code(trainer.save()), "disposed");
});

const isNear = (a, b) => a === b || Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));

test("counts say how often each character followed the last ones, or fewer where these are new", () => {
  const text = trainText;
  for (let order = 0; order <= 5; order++) {
    const counts = createCounts(text, { order });
    for (const end of ["", "T", "The c", "on the m", "xat", "zzz. The dog", "qqqq"]) {
      const row = counts.logits(end);
      // Apart: all places at which the longest known ending stands.
      let tail = order ? end.slice(-order) : "";
      const followers = () => {
        const found = new Map();
        for (let at = 0; at + tail.length < text.length; at++)
          if (text.startsWith(tail, at)) {
            const next = text[at + tail.length];
            found.set(next, (found.get(next) ?? 0) + 1);
          }
        return found;
      };
      while (!followers().size) tail = tail.slice(1);
      const expected = followers();
      assert.equal(counts.seen, tail.length, `${order} ${end}`);
      for (let id = 0; id < counts.vocabSize; id++)
        assert.ok(isNear(row[id], Math.log(expected.get(counts.characterOf(id)) ?? 0)), `${order} ${end} ${id}`);
    }
  }
  assert.throws(() => createCounts(text, { order: 6 }), { code: "out-of-range" });
  assert.throws(() => createCounts("short"), { code: "out-of-range" });
});

test("learning waits where its reports are not read, and a process ends though a trainer lives", async () => {
  const program = `
    import { createTrainer } from "lastinch/train";
    import { trainText } from ${JSON.stringify(new URL("../train-golden.js", import.meta.url).href)};
    const trainer = await createTrainer(trainText, { layers: 1, dim: 4, heads: 1, hidden: 4, context: 16, batch: 1 });
    const loop = trainer.learn({ every: 1, steps: 1000 });
    await loop.next();
    let before;
    do {
      before = trainer.steps;
      for (let i = 0; i < 20; i++) await trainer.logits("T");
    } while (trainer.steps !== before);
    console.log(before);
    await loop.return();
  `;
  const { stdout } = await run(
    process.execPath,
    [...process.execArgv.filter((flag) => !flag.startsWith("--test")), "--input-type=module", "--eval", program],
    { cwd: new URL("../../", import.meta.url), timeout: 120_000 },
  );
  assert.ok(Number(stdout) >= 16 && Number(stdout) <= 18, stdout);
});

test("the largest text, with the most characters, takes less than 32 MB of WebAssembly memory", async () => {
  const { instantiate } = WebAssembly;
  /** @type {WebAssembly.Memory | undefined} */
  let memory;
  WebAssembly.instantiate = async (...args) => {
    const made = await instantiate(...args);
    memory = (made.instance ?? made).exports.memory;
    return made;
  };
  try {
    const shape = { vocabSize: 512, layers: 2, dim: 48, hidden: 96, heads: 4, context: 128, batch: 8 };
    const tokens = Uint16Array.from({ length: 2_000_000 }, (_, i) => 3 + (i % 509));
    const training = await Training.open(shape, 1, tokens);
    assert.ok(training.step(0.003) > 5);
    training.heldOut();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  const bytes = memory?.buffer.byteLength ?? 0;
  assert.ok(bytes > 4_000_000 && bytes < 32_000_000, `${bytes} bytes`);
});
