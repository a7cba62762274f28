// No widget opens blank: a picture, a table or a text stands there before a reader presses anything, and no model is fetched.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { browserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const index = readFileSync(new URL("../../web/widgets/index.js", import.meta.url), "utf8");
const names = [...index.matchAll(/"\.\/([a-z-]+)\.js"/g)].map(([, name]) => name);
const recorded = readdirRecorded();

/** The widgets that show a recording. */
function readdirRecorded() {
  const source = readFileSync(new URL("../../demos/model/record.js", import.meta.url), "utf8");
  return names.filter((name) => new RegExp(`^    "?${name}"?: await `, "m").test(source));
}

for (const browser of browserNames)
  test(`opening in ${browser}`, { timeout: 300_000 }, async (t) => {
    const page = await openWidgets(browser, t);
    assert.equal(recorded.length, 11);
    for (const name of names)
      await t.test(`${name} opens with something to look at`, async () => {
        await page.show(`<lastinch-${name}></lastinch-${name}>`, { script: `widget-${name}.js` });
        const isThere = (/** @type {any} */ _, /** @type {any} */ root) =>
          root.querySelector(".view :is(tbody tr, .text, svg[role=img], fieldset.question, dt)") !== null;
        await page.until(isThere);
        const [count, isRecorded] = await page.inside((_, root) => [
          root.querySelectorAll(".view :is(tbody tr, .text, svg[role=img], fieldset.question, dt)").length,
          root.querySelector(".recorded") !== null,
        ]);
        assert.ok(count > 0, "it is blank");
        assert.equal(isRecorded, recorded.includes(name), "it says whether that is recorded");
        assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")));
      });
    // Three screens of a phone, and nothing to its side.
    if (browser === "chromium")
      await t.test("on a phone every widget is whole", async () => {
        await page.driver.page.setViewport({ width: 390, height: 844 });
        for (const name of names) {
          await page.show(`<lastinch-${name}></lastinch-${name}>`, { script: `widget-${name}.js` });
          const { height, wide } = await page.inside((widget, root) => ({
            height: widget.offsetHeight,
            wide: [...root.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth).length,
          }));
          assert.equal(wide, 0, `${name} is scrolled sideways`);
          assert.ok(height <= 3 * 844, `${name} has ${height} px`);
        }
      });
    await page.checkQuiet();
  });
