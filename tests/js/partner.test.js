// A partner, which has half of the rows of a model in a memory of its own: the same bits, and ends that nobody waits for.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const script = fileURLToPath(new URL("partner-checks.js", import.meta.url));
// Of this platform, put there by setup.sh: a Node with JavaScript Promise Integration.
const name = `node-${process.platform}-${process.arch}`;
const modernNode = fileURLToPath(new URL(`../../build/node/node_modules/${name}/bin/node`, import.meta.url));
const skip = !existsSync(modernNode) && `there is no ${modernNode}: run "make setup"`;
const result = skip
  ? {}
  : JSON.parse((await promisify(execFile)(modernNode, [script], { maxBuffer: 1 << 26, timeout: 300_000 })).stdout);

test("logits are the same bits with a partner, for every type of weight and every mixer", { skip }, () => {
  assert.deepEqual(new Set(result.counts), new Set([1, 2]));
  assert.deepEqual(result.together, result.alone);
});

test("drafts, beams, layers, activations and scores are the same with a partner", { skip }, () => {
  const [alone, together] = result.texts;
  for (const key of Object.keys(alone)) assert.deepEqual(together[key], alone[key], key);
  assert.ok(alone.mtp.length > 8 && alone.beams.length > 8);
});

test('`threads` is 1 or "auto": no partner starts', { skip }, () => {
  const { one, automatic, startedForNone } = result;
  assert.deepEqual({ one, automatic, startedForNone }, { one: 1, automatic: 1, startedForNone: 0 });
});

test("a partner that is lost in a pass, or before, is an error", { skip }, () => {
  assert.deepEqual(result.lost, { code: "worker-failed", workers: 1 });
  assert.deepEqual(result.lostLater, { code: "worker-failed", workers: 1 });
});

test("no partner outlives its model, and nobody waits for it", { skip }, () => {
  assert.deepEqual(result.disposed, { code: "disposed", workers: 1 });
  assert.deepEqual(result.aborted, { code: "AbortError", workers: 1 });
});

test("a file that is cut off or has infinite weights is refused with a partner as without", { skip }, () => {
  assert.deepEqual(result.truncated, { code: "model-incomplete", workers: 1 });
  assert.deepEqual(result.refused, { code: "model-weights", workers: 1 });
  assert.equal(result.refusedAlone.code, "model-weights");
});

test("a model works without a partner that cannot start", { skip }, () => assert.equal(result.without, 1));
