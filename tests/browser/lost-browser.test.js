// A browser that stops answering harms one file of tests only: it is ended, and that file runs once more in a new one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { browserNames, launch, untilTrue } from "./browsers.js";
import { runFiles } from "./run-files.js";

const skip = !browserNames.includes("webkit");

/** A page, and how to learn which of its browser's processes live. */
async function open() {
  const driver = await launch("webkit");
  const { webkit } = driver;
  const living = () => {
    try {
      return execFileSync("pgrep", ["-g", String(webkit.group)], { encoding: "utf8" }).split("\n").length - 1;
    } catch {
      return 0;
    }
  };
  return { driver, webkit, living };
}

describe("a browser that does not answer", { skip, concurrency: false, timeout: 300_000 }, () => {
  test("is ended, with whatever waits for it, and the next page has a new one", async () => {
    const first = await open();
    assert.equal(await first.driver.evaluate("6 * 7"), 42);
    assert.ok(first.living() >= 4);
    process.kill(-first.webkit.group, "SIGSTOP");
    first.webkit.limit = 500;
    await assert.rejects(first.driver.evaluate("1"), /did not answer .+ within 0\.5 s: the browser is lost \(.*MiniB/);
    await assert.rejects(first.driver.open("about:blank"), /did not answer/);
    await first.driver.close();
    await untilTrue(async () => first.living() === 0, "its processes stay");
    const second = await open();
    assert.notEqual(second.webkit.group, first.webkit.group);
    assert.equal(await second.driver.evaluate("6 * 7"), 42);
    await second.driver.close();
  });

  test("is not to blame if the page computes without end", async () => {
    const { driver, webkit, living } = await open();
    webkit.limit = 500;
    const endless = () => {
      for (;;);
    };
    await assert.rejects(driver.evaluate(endless), /a page computes without end/);
    await untilTrue(async () => living() === 0, "its processes stay");
  });

  test("a page that was closed is driven no more", async () => {
    const { driver } = await open();
    await driver.close();
    await assert.rejects(driver.evaluate("1"), /has been closed/);
  });
});

/** A file of tests that counts its runs and ends with the status of each. */
async function runWith(t, statuses) {
  const folder = await mkdtemp(join(tmpdir(), "lastinch-lost-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "file.mjs");
  const source = `import { appendFileSync, readFileSync } from "node:fs";
    appendFileSync("${file}.runs", process.env.BROWSERS + "\\n");
    const runs = readFileSync("${file}.runs", "utf8").split("\\n").length - 1;
    console.log("# tests " + 10 * runs);
    process.exit(${JSON.stringify(statuses)}[runs - 1]);`;
  await writeFile(file, source);
  return runFiles("webkit", [file], new AbortController().signal);
}

for (const [what, statuses, expected] of [
  ["that passes runs once", [0, 1], { isGood: true, count: 10 }],
  ["that fails runs once", [1, 0], { isGood: false, count: 10 }],
  ["whose browser was lost runs again, and may pass", [3, 0], { isGood: true, count: 20 }],
  ["whose browser was lost runs again, and may fail", [3, 1], { isGood: false, count: 20 }],
  ["whose browser was lost twice has failed", [3, 3, 0], { isGood: false, count: 20 }],
])
  test(`a file ${what}`, { skip }, async (t) => {
    assert.deepEqual(await runWith(t, statuses), expected);
  });

test("a file that runs too long is ended", { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "lastinch-lost-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "file.mjs");
  await writeFile(file, `console.log("# tests 1"); setInterval(() => {}, 1000);`);
  const { signal } = new AbortController();
  const ending = AbortSignal.any([signal, AbortSignal.timeout(1000)]);
  assert.equal((await runFiles("webkit", [file], ending)).isGood, false);
});
