// model-relaxed.wasm computes the same bits as model.wasm, and is used wherever it runs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("variant-digests.js", import.meta.url));
// For this platform, downloaded by setup.sh.
const name = `node-${process.platform}-${process.arch}`;
const modernNode = fileURLToPath(new URL(`../../build/node/node_modules/${name}/bin/node`, import.meta.url));

const runIn = (node) => JSON.parse(String(execFileSync(node, [script], { timeout: 120_000 })));

function check(t, { version, isRelaxed, taken, plain, byDigits, byBytes, library, together }) {
  t.diagnostic(`Node ${version} takes the ${taken} variant`);
  assert.equal(taken, isRelaxed ? "relaxed" : "plain");
  assert.deepEqual(library, plain);
  assert.deepEqual(together, plain);
  if (!isRelaxed) return;
  assert.deepEqual(byDigits, plain);
  assert.deepEqual(byBytes, plain);
}

const own = runIn(process.execPath);

test("this Node computes the same bits with every variant that it runs", (t) => check(t, own));

const without = !existsSync(modernNode) && `there is no ${modernNode}: run "make setup"`;
test("a Node with relaxed SIMD computes the same bits with both variants", { skip: without }, (t) => {
  const result = runIn(modernNode);
  assert.ok(result.isRelaxed);
  assert.deepEqual(result.plain, own.plain);
  check(t, result);
});
