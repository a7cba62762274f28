// A browser that stops answering harms one file of tests only: it is ended, and that file runs once more in a new one.
// So does a file of which a test failed, which is then unsure.
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
  const file = join(folder, "file.test.mjs");
  const begin = `import { appendFileSync, readFileSync } from "node:fs";
    appendFileSync("${file}.runs", process.env.BROWSERS + "\\n");
    const run = readFileSync("${file}.runs", "utf8").split("webkit").length - 1;`;
  await writeFile(file, begin + source);
  let printed = "";
  const result = await runFiles("webkit", [file], signal, (text) => (printed += text));
  return { ...result, again: printed.split("in file.test.mjs, which runs again").length - 1 };
}

for (const [what, statuses, expected] of [
  ["that passes runs once", [0, 1], { isGood: true, count: 10, unsure: [], again: 0 }],
  ["that fails outside of its tests runs once", [1, 0], { isGood: false, count: 10, unsure: [], again: 0 }],
  ["whose browser was lost runs again, and may fail", [3, 1], { isGood: false, count: 20, unsure: [], again: 1 }],
  ["whose browser was lost twice has failed", [3, 3, 0], { isGood: false, count: 20, unsure: [], again: 1 }],
])
  test(`a file ${what}`, { skip }, async (t) => {
    const source = `console.log("# tests " + 10 * run); process.exit(${JSON.stringify(statuses)}[run - 1]);`;
    assert.deepEqual(await runFile(t, source), expected);
  });

const failing = (isGood) => `
  import { test } from "node:test";
  test("one", () => {});
  test("two", () => { if (!(${isGood})) throw new Error("failed"); });`;

test("a file with a failed test runs again, and is unsure if it then passes", { skip }, async (t) => {
  const sure = { isGood: true, count: 2, unsure: [], again: 0 };
  assert.deepEqual(await runFile(t, failing("true")), sure);
  const unsure = ["file.test.mjs"];
  const expected = process.env.CHECK_LONG ? { ...sure, isGood: false } : { ...sure, unsure, again: 1 };
  assert.deepEqual(await runFile(t, failing("run === 2")), expected);
});

test("a file with a test that fails twice has failed", { skip }, async (t) => {
  const { isGood, unsure } = await runFile(t, failing("run === 3"));
  assert.deepEqual([isGood, unsure], [false, []]);
});

test("of files in one process only those with a failed test run again", { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "lastinch-failed-"));
  t.after(() => rm(folder, { recursive: true }));
  const [good, bad] = ["good", "bad"].map((name) => join(folder, `${name}.test.js`));
  await writeFile(good, `import("node:test").then(({ test }) => test("good", () => {}));`);
  await writeFile(bad, `import("node:test").then(({ test }) => test("bad", () => { throw new Error("failed"); }));`);
  let printed = "";
  const print = (text) => (printed += text);
  const args = ["--input-type=module", "-e", "for (const file of process.argv.slice(1)) await import(file);", "--"];
  const result = await runFiles("webkit", [...args, good, bad], new AbortController().signal, print);
  assert.deepEqual([result.isGood, result.count], [false, 2]);
  assert.equal(printed.split("# Subtest: good").length - 1, 1);
  assert.equal(printed.split("# Subtest: bad").length - 1, process.env.CHECK_LONG ? 1 : 2);
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
  assert.deepEqual(await runFile(t, source), { isGood: true, count: 2, unsure: [], again: 1 });
});

test("a file that runs too long is ended", { skip }, async (t) => {
  const source = `console.log("# tests 1"); setInterval(() => {}, 1000);`;
  assert.equal((await runFile(t, source, AbortSignal.timeout(1000))).isGood, false);
});
