// The bench page measures, shows and shares, whatever else the machine does.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, test } from "node:test";
import { checkAccess, inAllLooks } from "./axe.js";
import { waitFor } from "./browsers.js";
import { openSite } from "./site.js";

const { site, driver, close } = await openSite("chromium");
after(close);
const hasXgrammar = existsSync("build/bench/grammar/node_modules/@mlc-ai/web-xgrammar/lib/index.js");

/** Opens the page, measures little, and returns the rows: part, name, number, comparison. */
async function measure({ withPeers = false } = {}) {
  await driver.open(`${site.origin}/demos/bench.html#quick`);
  await waitFor(driver, () => document.querySelector("#start")?.disabled === false);
  await driver.evaluate((checked) => (document.querySelector("#peers").checked = checked), withPeers);
  await driver.evaluate(() => document.querySelector("#start").click());
  await waitFor(driver, () => document.querySelector("#start").disabled === false, [], 300_000);
  assert.equal(await driver.evaluate(() => document.querySelector("#alert").textContent), "");
  return driver.evaluate(() =>
    [...document.querySelectorAll("#tables tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
  );
}

test("the page measures the sampler, masks and the storyteller, and a ratio only where nothing disturbed", async () => {
  const rows = await measure();
  const names = rows.map(([name]) => name);
  assert.deepEqual(names.slice(0, 4), ["lastinch", "softmax, sort, walk", "lastinch", "lastinch, 1 thread"]);
  assert.match(names[4] ?? "lastinch, 2 threads", /^lastinch, \d threads$/);
  for (const [name, , number] of rows) assert.match(number, /^[\d.,]+ (ms|tokens a second)$/, name);
  assert.match(rows[1][3], /^([\d.,]+ times the time of the first row|no ratio: disturbed)$/);
  assert.match(rows[2][3], /compiles a schema in [\d.,]+ ms$/);
  const says = rows.some(([, , , more]) => more.includes("disturbed"));
  assert.equal(await driver.evaluate(() => document.querySelector("#disturbed").hidden), !says);
  // Nothing but the page's own site was asked.
  const foreign = (await driver.requests()).filter(
    (url) => !/^(data|blob|about):/.test(url) && !url.startsWith(site.origin),
  );
  assert.deepEqual(foreign, []);
});

test("its link shows the same numbers elsewhere, and says that they came with it", async () => {
  const before = await driver.evaluate(() => [location.href, document.querySelector("#tables").textContent]);
  assert.match(before[0], /#r=[\w-]+$/);
  await driver.open(before[0]);
  await waitFor(driver, () => /came with the link/.test(document.querySelector("#status").textContent));
  assert.equal(await driver.evaluate(() => document.querySelector("#tables").textContent), before[1]);
});

test("the page is accessible, before and after", async (t) => {
  await inAllLooks(t, driver, () => checkAccess(driver));
  await driver.open(`${site.origin}/demos/bench.html`);
  await inAllLooks(t, driver, () => checkAccess(driver));
});

/** What stands beside the peers that are there: measured once, for two tests. @type {string[][]} */
let rowsBeside;

test("where the visitor agrees, the loop of transformers.js is measured with both samplers", async () => {
  rowsBeside = await measure({ withPeers: true });
  const theirs = rowsBeside.filter(([name]) => name === "transformers.js 4.3.1");
  assert.equal(theirs.length, 2, JSON.stringify(rowsBeside));
  for (const [, , number] of theirs) assert.match(number, /^[\d.,]+ ms$/);
  (await driver.consoleErrors()).splice(0); // other peers, which are not there
});

test(
  "web-xgrammar is measured on the same schemas where the visitor agrees, and a peer that is missing is named",
  { skip: hasXgrammar ? false : "node tests/bench/grammar.js installs it" },
  async () => {
    const rows = rowsBeside;
    const masks = rows.find(([name]) => name === "web-xgrammar");
    assert.match(masks?.[3] ?? "", /compiles a schema in [\d.,]+ ms$/, JSON.stringify(rows)); // and refuses no text
    const isThere = existsSync("build/bench/node_modules/@wllama/wllama/esm/index.js");
    const model = rows.find(([name]) => name === "lastinch, 1 thread");
    if (isThere)
      assert.ok(
        rows.some(([name]) => name.startsWith("wllama")),
        JSON.stringify(rows),
      );
    else assert.match(model[3], /wllama did not run/);
    (await driver.consoleErrors()).splice(0); // a peer that is not there
  },
);

test("the console shows no error", async () => assert.deepEqual(await driver.consoleErrors(), []));
