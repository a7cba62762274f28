// A model that learns a text: the same losses everywhere, a file that loadModel reads, mistakes that are told.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { loadModel } from "lastinch";
import { createCounts, createTrainer } from "lastinch/train";
import { readCharacters } from "../../web/train/characters.js";
import { trainText, trainDigest, trainLosses } from "../train-golden.js";

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
  assert.deepEqual(characters, ["a", "b", "\u{1f600}"]);
  assert.deepEqual([...tokens.slice(0, 4)], [4, 3, 5, 4]);
  assert.equal(replaced, 0);
  const many = String.fromCodePoint(...Array.from({ length: 600 }, (_, i) => 0x4e00 + i));
  const read = readCharacters(many.repeat(4) + many.slice(0, 500));
  assert.equal(read.characters.length, 509);
  assert.ok(read.characters.includes("\u4e00") && !read.characters.includes(many[599]));
  assert.equal(read.replaced, 4 * 91);
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
  const controller = new AbortController();
  for await (const report of trainer.learn({ every: 5, signal: controller.signal })) {
    assert.ok(report.step > stopped);
    controller.abort();
  }
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
  assert.equal(await code(createTrainer(trainText, { seeds: 1 })), "unknown-option");
  assert.equal(await code(createTrainer(trainText, { signal: AbortSignal.abort(new Error("no")) })), undefined);
  const trainer = await createTrainer(trainText, { layers: 1, context: 16, batch: 2 });
  assert.throws(() => (trainer.learningRate = -1), { code: "out-of-range" });
  assert.equal(await code(collect(trainer, { steps: 0 })), "out-of-range");
  assert.equal(await code(trainer.logits("")), "out-of-range");
  const loop = trainer.learn({ every: 1 });
  await loop.next();
  assert.equal(await code(collect(trainer, {})), "conflict");
  trainer.dispose();
  assert.equal(await code(loop.next().then(() => loop.next())), "disposed");
  assert.equal(await code(trainer.save()), "disposed");
});

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
        assert.equal(
          row[id],
          Math.fround(Math.log(expected.get(counts.characterOf(id)) ?? 0)),
          `${order} ${end} ${id}`,
        );
    }
  }
  assert.throws(() => createCounts(text, { order: 6 }), { code: "out-of-range" });
  assert.throws(() => createCounts("short"), { code: "out-of-range" });
});
