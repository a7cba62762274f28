// A model that learnt in the page: until it is there, every widget that runs a model says what to do; then they take it.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { trainText } from "../train-golden.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const folder = new URL("../../web/widgets/", import.meta.url);
const sourceOf = (/** @type {string} */ file) => readFileSync(new URL(file, folder), "utf8");
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".js") && sourceOf(file).includes("new Live("))
  .map((file) => file.replace(".js", ""));

/** What brings a widget to its model. @type {Record<string, string>} */
const ways = {
  "same-zero": 'mode="rows"',
  speculation: 'scene="write"',
  "json-mask": 'form="regex" schema="The [a-z]+"',
};

/** A figure in which a model has learnt, and gives it to the page. */
async function train(widget, root, text) {
  const untilTrue = async (ask) => {
    while (!ask()) await new Promise((go) => setTimeout(go, 50));
  };
  widget.source = "own";
  widget.text = text;
  widget.steps = 20;
  await widget.updateComplete;
  root.querySelector("#learn").click();
  await untilTrue(() => root.querySelector("#share") && !root.querySelector("#stop"));
  root.querySelector("#share").click();
  await untilTrue(() => [...globalThis[Symbol.for("lastinch.models")].keys()].some((key) => key === "trained 1"));
}

for (const name of contentBrowserNames)
  test(`a model that learnt in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    assert.ok(names.length > 15, `${names}`);
    const markup = names.map((tag) => {
      const pace = sourceOf(`${tag}.js`).includes('knob("pace")') ? 'pace="0"' : "";
      return `<lastinch-${tag} model="trained" ${pace} ${ways[tag] ?? ""}></lastinch-${tag}>`;
    });
    await page.show(`<lastinch-train></lastinch-train>${markup.join("")}`);
    const inWidget = (tag, fn, ...args) =>
      page.driver.evaluate(
        `(async () => { const widget = document.querySelector("lastinch-${tag}"); await widget.updateComplete;
           return (${fn})(widget, widget.shadowRoot, ...${JSON.stringify(args)}); })()`,
      );
    const untilIn = async (tag, fn, ...args) => {
      for (let i = 0; i < 1200; i++) {
        if (await inWidget(tag, fn, ...args)) return;
        await new Promise((go) => setTimeout(go, 50));
      }
      assert.fail(`${tag}: ${fn} stayed untrue: ${await inWidget(tag, (_, root) => root.textContent)}`);
    };

    await t.test("without one, each says what to do", async () => {
      for (const tag of names) await untilIn(tag, (_, root) => /waits for a model that learns/.test(root.textContent));
    });

    await page.inside(train, trainText);

    for (const tag of names)
      await t.test(`${tag} takes it`, async () => {
        // A widget far from the screen waits for its reader.
        await inWidget(tag, (widget) => widget.scrollIntoView());
        await untilIn(
          tag,
          (_, root) => root.querySelector("button.primary") && root.querySelector("#trained")?.checked,
        );
        const before = await inWidget(tag, (_, root) => root.querySelector(".view").textContent);
        await inWidget(tag, (_, root) => root.querySelector("button.primary").click());
        await untilIn(
          tag,
          (_, root, text) => {
            const view = root.querySelector(".view")?.textContent;
            const runs = [...root.querySelectorAll("button")].some((one) =>
              /^(Stop|Cancel)$/.test(one.textContent.trim()),
            );
            return root.querySelector(".problem") || (view && view !== text && !runs);
          },
          before,
        );
        const problem = await inWidget(tag, (_, root) => root.querySelector(".problem")?.textContent.trim() ?? "");
        assert.equal(problem, "");
      });

    await t.test("bits rounds rows that are no whole blocks, and asks about the end of the model's text", async () => {
      const rows = await inWidget("bits", (_, root) =>
        [...root.querySelector("table").tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
      );
      assert.deepEqual(
        rows.map(([bits]) => bits.trim()),
        ["16", "8", "6", "5", "4", "3", "2"],
      );
      const kilobytes = rows.map(([, size]) => parseFloat(size));
      for (const [i, size] of kilobytes.entries()) assert.ok(!i || size < kilobytes[i - 1], kilobytes.join(" "));
      await inWidget("bits", (_, root) => void ([...root.querySelectorAll("details")].at(-1).open = true));
      const isEnd = (_, root, text) => text.endsWith(root.querySelector("details p.text")?.textContent || "?");
      await untilIn("bits", isEnd, trainText);
      const text = await inWidget("bits", (_, root) => root.textContent);
      assert.match(text, /the end of the text, which the model never saw: \d+ characters/);
    });

    assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")), "no shipped model was asked for");
    await page.checkQuiet();
  });
