// The threads of a model lose no wake-up in browsers that share memory.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { rounds } from "../rounds.js";
import { browserNames } from "./names.js";
import { openSite } from "./site.js";

const module = readFileSync(new URL("../../build/wasm/parallel-stress.wasm", import.meta.url));

// WebKitGTK does not share memory: threads.test.js checks that.
for (const name of browserNames.filter((name) => name !== "webkit"))
  test(`threads that meet in rare orders lose no wake-up in ${name}`, { timeout: 900_000 }, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    const { slowWaits, helpedLoops, ...faults } = await driver.evaluate(
      async (base64, loops) => {
        const { runStress, startWebThread } = await import("/tests/vectors/parallel-stress.js");
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        return runStress(bytes, loops, startWebThread);
      },
      module.toString("base64"),
      rounds(5_000_000, 200_000),
    );
    t.diagnostic(`${helpedLoops} loops shared, ${slowWaits} waits of more than 100 ms`);
    assert.deepEqual(faults, { wrongLoops: 0, lostWakes: 0 });
    assert.ok(helpedLoops > 0);
  });
