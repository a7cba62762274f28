// A model that learnt here, in llama.cpp: its tokens and its logits are the trainer's.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadModel } from "lastinch";
import { createTrainer } from "lastinch/train";
import { trainText } from "../train-golden.js";
import * as llama from "./llama.js";

const skip = llama.isThere() ? false : "run make models first";
const CLOSE = 1e-4;

/** The largest distance. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const apart = (a, b) => Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i])));

test("llama.cpp reads the file of a model that learnt, with its tokens and logits", { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "lastinch-"));
  t.after(() => rmSync(folder, { recursive: true }));
  // Characters of one to four bytes. llama.cpp ends at characters that the text does not have.
  const text = trainText + "é ß → 中文 \u{1f600}\n\t".repeat(20);
  const trainer = await createTrainer(text, { seed: 2 });
  t.after(() => trainer.dispose());
  for await (const { loss } of trainer.learn({ steps: 30, every: 30 })) assert.ok(loss < 3.5);
  const path = join(folder, "trained.gguf");
  const blob = await trainer.save("trained");
  writeFileSync(path, new Uint8Array(await blob.arrayBuffer()));
  const model = await loadModel(blob, { worker: false });
  t.after(() => model.dispose());
  for (const said of ["The cat sat", " on the mat.\n", "é → 中文 \u{1f600}", "\tßThe"]) {
    const theirs = llama.tokenise(path, said);
    const ours = await model.tokenize(said);
    assert.deepEqual([...theirs], [...ours], said);
    const logits = llama.logits(path, theirs);
    const { vocabSize } = trainer;
    assert.equal(logits.length, theirs.length * vocabSize);
    const last = logits.subarray(-vocabSize);
    const distances = [await trainer.logits(said), await model.forward(ours)].map((row) => apart(row, last));
    t.diagnostic(
      `${JSON.stringify(said)}: trainer ${distances[0].toExponential(1)}, model ${distances[1].toExponential(1)}`,
    );
    assert.ok(Math.max(...distances) < CLOSE, `${distances}`);
  }
});
