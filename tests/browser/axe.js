// What axe-core finds on a page, and whether the page fits its window.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { rounds } from "../rounds.js";

const source = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/**
 * Violations as sentences, for the present state of the page and its shadow roots.
 * @param {import("./browsers.js").Driver} driver
 * @param {{ within?: string, least?: number }} [how] a selector in place of the page; how many rules must
 *   have passed, or else axe-core did not run
 * @returns {Promise<string[]>}
 */
export async function findViolations(driver, { within, least = 20 } = {}) {
  if (!(await driver.evaluate(() => "axe" in globalThis))) await driver.evaluate(`(() => {${source}\n})()`);
  return driver.evaluate(
    async (within, least) => {
      const place = within ? document.querySelector(within) : document;
      const { passes, violations } = await globalThis.axe.run(place, { resultTypes: ["violations"] });
      if (passes.length < least) return ["axe-core did not run"];
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
    },
    within ?? null,
    least,
  );
}

/**
 * Runs a check of the open page in wide and narrow windows, light and dark (in Chromium): each width and each colour
 * scheme once, or with CHECK_LONG each width in each scheme.
 * @param {import("node:test").TestContext} t
 * @param {import("./browsers.js").Driver} driver
 * @param {() => Promise<void>} check
 * @param {number[]} [widths] px
 */
export async function inAllLooks(t, driver, check, widths = [1280, 360]) {
  for (const [i, scheme] of ["light", "dark"].entries())
    for (const [j, width] of widths.entries()) {
      if ((i + j) % Math.min(widths.length, rounds(1, 2))) continue;
      await t.test(`${scheme}, ${width} px`, async () => {
        await setLook(driver, scheme, width);
        await check();
      });
    }
}

/**
 * Only Chromium can set a colour scheme, and WebKit cannot set a narrow window.
 * @param {import("./browsers.js").Driver} driver
 * @param {string} scheme
 * @param {number} width
 */
export async function setLook({ name, page }, scheme, width) {
  await page?.setViewport({ width, height: 800 });
  if (name !== "chromium") return;
  await page?.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
}

/**
 * Asserts that there are no violations and that nothing sticks out sideways.
 * @param {import("./browsers.js").Driver} driver
 * @param {Parameters<typeof findViolations>[1]} [how]
 */
export async function checkAccess(driver, how) {
  assert.deepEqual(await findViolations(driver, how), []);
  const [content, window] = await driver.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `the page is ${content} px wide, its window ${window}`);
}
