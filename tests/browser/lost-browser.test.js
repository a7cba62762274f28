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

/** Runs a file, of which `source` is what follows the number of its present run, as `run`. Counts how often it ran again. */
async function runFile(t, source, signal = new AbortController().signal) {
  const folder = await mkdtemp(join(tmpdir(), "lastinch-lost-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "file.mjs");
  const begin = `import { appendFileSync, readFileSync } from "node:fs";
    appendFileSync("${file}.runs", process.env.BROWSERS + "\\n");
    const run = readFileSync("${file}.runs", "utf8").split("webkit").length - 1;`;
  await writeFile(file, begin + source);
  let printed = "";
  const result = await runFiles("webkit", [file], signal, (text) => (printed += text));
  return { ...result, again: printed.split("# webkit was lost in file.mjs, which runs again").length - 1 };
}

for (const [what, statuses, expected] of [
  ["that passes runs once", [0, 1], { isGood: true, count: 10, again: 0 }],
  ["that fails runs once", [1, 0], { isGood: false, count: 10, again: 0 }],
  ["whose browser was lost runs again, and may fail", [3, 1], { isGood: false, count: 20, again: 1 }],
  ["whose browser was lost twice has failed", [3, 3, 0], { isGood: false, count: 20, again: 1 }],
])
  test(`a file ${what}`, { skip }, async (t) => {
    const source = `console.log("# tests " + 10 * run); process.exit(${JSON.stringify(statuses)}[run - 1]);`;
    assert.deepEqual(await runFile(t, source), expected);
  });

test("a file whose browser was lost runs again, and may pass", { skip, timeout: 300_000 }, async (t) => {
  const source = `
    const { test } = await import("node:test");
    const { launch } = await import("${new URL("browsers.js", import.meta.url)}");
    test("one", async () => {
      const driver = await launch("webkit");
      if (run === 1) {
        process.kill(-driver.webkit.group, "SIGSTOP");
        driver.webkit.limit = 500;
      }
      await driver.evaluate("1");
    });
    if (run === 2) test("two", () => {});`;
  assert.deepEqual(await runFile(t, source), { isGood: true, count: 2, again: 1 });
});

test("a file that runs too long is ended", { skip }, async (t) => {
  const source = `console.log("# tests 1"); setInterval(() => {}, 1000);`;
  assert.equal((await runFile(t, source, AbortSignal.timeout(1000))).isGood, false);
});
