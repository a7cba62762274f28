// A helper dies, in the built package: run on the sources, this test sometimes waited forever when many processes
// shared the cores, and nobody knows why. It takes half a minute.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

test("a helper that dies in the middle of a piece is an error after half a minute, and the next call has another", async () => {
  const script = fileURLToPath(new URL("lost-helper.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 300_000 });
  const { threads, error, waited, isSame, helpers } = JSON.parse(stdout);
  assert.equal(threads, 2);
  assert.equal(error.code, "worker-lost");
  assert.match(error.message, /next call/);
  assert.ok(waited > 25_000, `${waited} ms`);
  assert.deepEqual([isSame, helpers], [true, 2]);
});
