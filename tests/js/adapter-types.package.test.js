// Compiles pages in TypeScript that use adapters together with the packages that they are for, against all their types.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

for (const folder of ["peers", "engines"])
  test(`adapters fit the types of the ${folder} that they are for`, () => {
    const root = new URL("../..", import.meta.url);
    const compiler = "node_modules/typescript/bin/tsc";
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", `tests/types/${folder}`], { cwd: root });
    assert.equal(status, 0, String(stdout));
  });
