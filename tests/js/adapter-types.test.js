// The types of the adapters fit those of the engines.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("a page in TypeScript hands the objects of transformers.js and onnxruntime-web to the adapters", () => {
  const root = new URL("../..", import.meta.url);
  const compiler = "node_modules/typescript/bin/tsc";
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", "tests/types/engines"], { cwd: root });
  assert.equal(status, 0, String(stdout));
});
