// A helper dies, in the built package: run on the sources, this test sometimes waited forever when many processes
// shared the cores, and nobody knows why. It takes half a minute.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

test("a helper that dies in the middle of a piece is an error after half a minute", async () => {
  const script = fileURLToPath(new URL("lost-helper.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 300_000 });
  const { threads, errors, waited } = JSON.parse(stdout);
  assert.equal(threads, 2);
  for (const { code, message } of errors) {
    assert.equal(code, "worker-failed");
    assert.match(message, /load the model again/);
  }
  assert.ok(waited[0] > 25_000 && waited[0] < 60_000, `${waited[0]} ms`);
  assert.ok(waited[1] < 5000, `${waited[1]} ms`);
});
