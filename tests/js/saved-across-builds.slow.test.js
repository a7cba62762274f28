// A prompt that a build with relaxed SIMD has saved goes on in one without, and the other way round.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("saved-across-builds.js", import.meta.url));
// For this platform, downloaded by setup.sh.
const name = `node-${process.platform}-${process.arch}`;
const modernNode = fileURLToPath(new URL(`../../build/node/node_modules/${name}/bin/node`, import.meta.url));

test(
  "each build restores what the other has saved, for every family",
  { skip: !existsSync(modernNode) && `there is no ${modernNode}: run "make setup"` },
  () => {
    const { count, wrong } = JSON.parse(String(execFileSync(modernNode, [script], { timeout: 240_000 })));
    assert.ok(count > 15);
    assert.deepEqual(wrong, []);
  },
);
