// The page that checks a device: on SwiftShader, without WebGPU, by keyboard, and how it looks.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { checkAccess, inAllLooks } from "./axe.js";
import { waitFor } from "./browsers.js";
import { openSite } from "./site.js";

const { site, driver, close } = await openSite("chromium");
after(close);

const open = async () => {
  await driver.open(`${site.origin}/demos/gpu-check.html`);
  await waitFor(driver, () => document.querySelector("#check").disabled === false);
};
const read = (id) => driver.evaluate((at) => document.querySelector(`#${at}`).textContent, id);
const isDone = () => document.querySelector("#check").disabled === false && !document.querySelector("#result").hidden;

test("on a device it says that the tokens are the same, what crossed, and times as text to copy", async (t) => {
  await open();
  assert.ok(!site.log.some((path) => /wasm|gpu-measure/.test(path)), "something came unasked");
  await driver.evaluate(() => document.querySelector("#check").focus());
  await driver.press("Enter");
  await waitFor(driver, isDone);
  const text = await read("text");
  assert.match(text, /^Browser: .*\nWebGPU adapter: .*; shader-f16: (yes|no)\nsame tokens: yes \(120 of 120 rows, /);
  assert.match(text, /^read in a step: 1\d{4} bytes of 513024 \(128256 logits\)$/m);
  for (const name of ["a round trip", "a step, sampleFrom", "a step, reading the whole row"])
    assert.match(text, new RegExp(`^${name}: [\\d.]+ ms$`, "m"));
  assert.match(await read("status"), /^Done: same tokens: yes/);
  const rows = await driver.evaluate(() =>
    Array.from(document.querySelectorAll("#rows tr"), (row) => Array.from(row.cells, (cell) => cell.textContent)),
  );
  assert.equal(rows.length, 5);
  assert.match(rows[1][1], /^[\d,]+ values of 128,256$/);
  assert.deepEqual([rows[4][1], rows[4][3]], ["the whole row", "nothing"]);
  assert.equal(await driver.evaluate(() => document.activeElement.id), "verdict");
  await driver.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", {
      value: { writeText: async (given) => void (globalThis.copied = given) },
    });
    document.querySelector("#copy").click();
  });
  await waitFor(driver, () => document.querySelector("#status").textContent === "Copied.");
  assert.equal(await driver.evaluate(() => globalThis.copied), text);
  await inAllLooks(t, driver, () => checkAccess(driver), [1280, 390]);
  assert.deepEqual(await driver.consoleErrors(), []);
});

test("without WebGPU it says so, and times rows of the page", async () => {
  await open();
  await driver.evaluate(() => Object.defineProperty(navigator, "gpu", { value: undefined }));
  await driver.evaluate(() => document.querySelector("#check").click());
  await waitFor(driver, isDone);
  const text = await read("text");
  assert.match(text, /^WebGPU: not in this browser\nsame tokens: not checked, without WebGPU$/m);
  assert.match(text, /^sample of a row in the page, 128256 logits: [\d.]+ ms$/m);
  assert.equal(await driver.evaluate(() => document.querySelector("#crossed").hidden), true);
});
