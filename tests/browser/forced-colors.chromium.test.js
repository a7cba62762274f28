// When a reader's own colours are forced on the page, pictures use them, and classes differ in more than colour.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { waitFor } from "./browsers.js";
import { openWidgets } from "./widgets.js";

/** @type {(() => any)[]} */
const endings = [];
after(async () => {
  for (const end of endings) await end();
});
const page = await openWidgets("chromium", { after: (end) => void endings.push(end) });
const session = await page.driver.page.createCDPSession();
const index = readFileSync(new URL("../../web/widgets/index.js", import.meta.url), "utf8");
const names = [...index.matchAll(/"\.\/([a-z-]+)\.js"/g)].map(([, name]) => name);

for (const scheme of ["light", "dark"])
  test(`pictures have the reader's colours, ${scheme}`, async () => {
    await session.send("Emulation.setEmulatedMedia", {
      features: [
        { name: "forced-colors", value: "active" },
        { name: "prefers-color-scheme", value: scheme },
      ],
    });
    let count = 0;
    for (const name of names) {
      await page.show(`<lastinch-${name}></lastinch-${name}>`, { script: `widget-${name}.js` });
      const [all, strange] = await page.inside((_, root) => {
        const probe = document.body.appendChild(document.createElement("i"));
        const allowed = ["Canvas", "CanvasText", "Highlight", "GrayText"].map((color) => {
          probe.style.color = color;
          return getComputedStyle(probe).color;
        });
        probe.remove();
        allowed.push("none", "rgba(0, 0, 0, 0)");
        const shapes = [...root.querySelectorAll(".view svg :is(rect, path, circle, text), .strip, .strip *")];
        const colorsOf = (shape) => {
          const style = getComputedStyle(shape);
          if (!(shape instanceof SVGElement)) return [style.backgroundColor, style.color];
          return style.stroke === "none" || style.strokeWidth === "0px" ? [style.fill] : [style.fill, style.stroke];
        };
        return [
          shapes.length,
          shapes
            .filter((shape) => !colorsOf(shape).every((color) => allowed.includes(color)))
            .map((shape) => shape.outerHTML),
        ];
      });
      count += all;
      assert.deepEqual(strange, [], name);
    }
    assert.ok(count > 200, `${count} shapes`);
  });

test("underlines tell the classes of surprise apart", async () => {
  await page.show("<lastinch-same-seed></lastinch-same-seed>");
  const inWidgets = await page.inside((_, root) =>
    [1, 2, 3, 4, 5].map((grade) => {
      const token = root.querySelector(".view").appendChild(document.createElement("span"));
      token.className = `token s${grade}`;
      const { textDecorationLine, textDecorationStyle } = getComputedStyle(token);
      return textDecorationLine === "none" ? "none" : textDecorationStyle;
    }),
  );
  assert.deepEqual(inWidgets, ["none", "dotted", "dashed", "solid", "double"]);
  page.site.rewrite = (html) => html;
  await page.driver.open(`${page.site.origin}/demos/playground.html`);
  await waitFor(page.driver, () => document.querySelectorAll("#legend .token").length > 0);
  const inPages = await page.driver.evaluate(() =>
    [...document.querySelectorAll("#legend .token")].map((token) => {
      const { textDecorationLine, textDecorationStyle } = getComputedStyle(token);
      return textDecorationLine === "none" ? "none" : textDecorationStyle;
    }),
  );
  assert.deepEqual(inPages, inWidgets);
});
