// No widget opens blank: it shows a picture, a table or a text before a reader presses anything, and fetches no model.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const index = readFileSync(new URL("../../web/widgets/index.js", import.meta.url), "utf8");
const names = [...index.matchAll(/"\.\/([a-z-]+)\.js"/g)].map(([, name]) => name);
const recorded = readdirRecorded();

/** The widgets that open with a recording; that of speculation is in another scene. */
function readdirRecorded() {
  const source = readFileSync(new URL("../../demos/model/record.js", import.meta.url), "utf8");
  return names.filter((name) => name !== "speculation" && new RegExp(`^    "?${name}"?: await `, "m").test(source));
}

for (const browser of contentBrowserNames)
  test(`widgets open with something to see in ${browser}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(browser, t);
    assert.equal(recorded.length, 17);
    for (const name of names)
      await t.test(`${name} opens with a picture, a table or a text`, async () => {
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
    await t.test("no widget says a sentence twice", async () => {
      for (const name of names) {
        await page.show(`<lastinch-${name}></lastinch-${name}>`, { script: `widget-${name}.js` });
        const twice = await page.inside(async (widget, root) => {
          const said = [];
          for (const control of root.querySelectorAll(".view :is(input[type=range], button:not(.primary)):enabled")) {
            if (control.type === "range") control.stepUp(control.value === control.max ? -1 : 1);
            if (control.type === "range") control.dispatchEvent(new Event("change"));
            else control.click();
            await widget.updateComplete;
            await new Promise((go) => setTimeout(go));
            await widget.updateComplete;
            const view = root.querySelector(".view").textContent.replace(/\s+/g, " ");
            const status = root.querySelector("[part=status]");
            for (const line of status.children.length ? status.children : [status])
              if (line.textContent.trim() && line.offsetWidth > 1 && view.includes(line.textContent.trim()))
                said.push(line.textContent);
          }
          return said;
        });
        assert.deepEqual(twice, [], name);
      }
    });
    // At most two and a half screens of a phone high and no wider than the screen, with Chromium's letter widths.
    if (browser === "chromium")
      for (const width of [390, 560])
        await t.test(`at ${width} px every widget is shown whole`, async () => {
          await page.driver.page.setViewport({ width, height: 844 });
          for (const name of names) {
            await page.show(`<lastinch-${name}></lastinch-${name}>`, { script: `widget-${name}.js` });
            const { height, wide, touching, headings, links } = await page.inside((widget, root) => {
              const edges = (cell) => {
                const range = document.createRange();
                range.selectNodeContents(cell);
                return range.getBoundingClientRect();
              };
              const numbers = [...root.querySelectorAll(".bars tbody td:not(.bar) + td:not(.bar)")].filter(
                (cell) =>
                  cell.checkVisibility() && cell.textContent.trim() && cell.previousElementSibling.textContent.trim(),
              );
              return {
                height: widget.offsetHeight,
                wide: [...root.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth).length,
                touching: numbers
                  .filter((cell) => edges(cell).left - edges(cell.previousElementSibling).right < 6)
                  .map((cell) => cell.parentElement.textContent.replace(/\s+/g, " ")),
                headings: [...root.querySelectorAll("thead :is(th, td) + th")]
                  .filter(
                    (cell) => cell.checkVisibility() && edges(cell.previousElementSibling).right > edges(cell).left + 1,
                  )
                  .map((cell) => cell.textContent.trim()),
                links: new Set([...root.querySelectorAll("footer button")].map((button) => button.offsetTop)).size,
              };
            });
            assert.equal(wide, 0, `${name} is scrolled sideways`);
            if (width === 390) assert.ok(height <= 2.4 * 844, `${name} has ${height} px`);
            assert.deepEqual(headings, [], `headings of ${name} overlap`);
            assert.deepEqual(touching, [], `numbers of ${name} touch`);
            assert.equal(links, 1, `the links under ${name} stand in two lines`);
          }
        });
    await page.checkQuiet();
  });
