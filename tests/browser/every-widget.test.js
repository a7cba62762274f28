// Every widget on one page: each draws itself and follows when a key moves one of its controls.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { untilTrue } from "./browsers.js";
import { browserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const index = readFileSync(new URL("../../web/widgets/index.js", import.meta.url), "utf8");
const tags = [...index.matchAll(/"\.\/([a-z-]+)\.js"/g)].map(([, name]) => `lastinch-${name}`);

/** What a widget shows, as markup. @param {string} tag */
const read = (tag) => document.querySelector(tag).shadowRoot.querySelector("figure").innerHTML;

/**
 * Focuses a control of a widget and returns the keys that change it. A text field reports its change at Enter.
 * @param {string} tag
 */
const focus = (tag) => {
  const root = document.querySelector(tag).shadowRoot;
  const kinds = ["[type=range]", "[type=radio]:not(:checked)", "[type=checkbox]", "input", "summary"];
  const control = kinds
    .flatMap((kind) => [...root.querySelectorAll(`.view ${kind}:not(:disabled)`)])
    .find((one) => one.checkVisibility());
  control.focus();
  if (root.activeElement !== control) return [];
  const keys = { number: ["ArrowUp"], radio: [" "], checkbox: [" "], text: ["q", "Enter"] };
  if (control.type === "range") return [control.value === control.max ? "ArrowLeft" : "ArrowRight"];
  return keys[control.type] ?? ["Enter"];
};

for (const name of browserNames)
  test(`every widget in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const { driver } = page;
    await page.show(tags.map((tag) => `<${tag}></${tag}>`).join("\n"));

    await t.test("each shows something, and none sticks out of the page", async () => {
      const found = await driver.evaluate(
        (tags) =>
          tags.map((tag) => {
            const widget = document.querySelector(tag);
            const seen = ".view :is(tbody tr, .text, svg[role=img], fieldset.question, dt)";
            const pieces = [...widget.shadowRoot.querySelectorAll(seen)].filter((one) => one.getClientRects().length);
            const problem = widget.shadowRoot.querySelector(".problem")?.textContent;
            const { left, right } = widget.shadowRoot.querySelector("figure").getBoundingClientRect();
            const isWithin = left >= 0 && right <= document.documentElement.clientWidth;
            return `${tag}: ${problem ?? (pieces.length ? "drawn" : "blank")}${isWithin ? "" : ", sticks out"}`;
          }),
        tags,
      );
      assert.deepEqual(
        found,
        tags.map((tag) => `${tag}: drawn`),
      );
    });

    for (const tag of tags)
      await t.test(`${tag} follows a key`, async () => {
        const keys = await driver.evaluate(focus, tag);
        assert.notDeepEqual(keys, [], "no control took the focus");
        const before = await driver.evaluate(read, tag);
        for (const key of keys) await driver.press(key);
        await untilTrue(async () => (await driver.evaluate(read, tag)) !== before, `${tag} stays as it was`);
      });

    assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")), "no widget asked for a model");
    await page.checkQuiet();
  });
