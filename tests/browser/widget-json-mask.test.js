import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

/** Clicks the button with this label. @param {import("./widgets.js").WidgetPage} page @param {string} label */
const press = (page, label) =>
  page.inside(
    (_, root, text) => void [...root.querySelectorAll("button")].find((b) => b.textContent.includes(text)).click(),
    label,
  );
const isOver = (widget) => widget.isOver;

for (const name of contentBrowserNames)
  test(`json-mask in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    /** The text that was written. */
    const written = () =>
      page.inside((_, root) =>
        [...root.querySelectorAll("button.token")]
          .map((token) => token.textContent)
          .join("")
          .replace("⟨end of text⟩", ""),
      );

    await t.test("text under a schema is valid at any temperature, and need not be true", async () => {
      await page.show('<lastinch-json-mask temperature="5" seed="3" pace="0"></lastinch-json-mask>');
      await page.checkAccess();
      assert.match(await page.text(), /loads 2\.6 MB/);
      await press(page, "Write");
      await page.until(isOver);
      const value = JSON.parse((await written()).replaceAll("␣", " "));
      assert.deepEqual(Object.keys(value), ["name", "age", "ball"]);
      const text = await page.text();
      assert.match(text, /✓ Valid\./);
      assert.equal(
        text.includes("Valid is not true"),
        value.name !== "Tom" || value.age !== "five" || value.ball !== "blue",
      );
      await page.checkAccess();
    });

    await t.test("the keyboard moves through the steps, and each says what is masked", async () => {
      await page.inside((_, root) => root.querySelectorAll("button.token")[1].click());
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("Step 2 of"));
      await page.press(".actions button.primary ~ button:last-child", "Enter");
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("Step 1 of"));
      assert.match(await page.text(), /of 2,048 tokens masked to −∞/);
      assert.match(await page.text(), /Must follow: “\{"name":␣"”/);
    });

    await t.test("the mask and the remaining mass equal those of a search of the vocabulary", async () => {
      await page.show(
        '<lastinch-json-mask form="regex" schema="(Lily|Tom) ran" prompt="Once upon a time, " temperature="0"></lastinch-json-mask>',
      );
      await press(page, "Write");
      await page.until(isOver);
      assert.match(await written(), /^(Lily|Tom)␣ran$/);
      // The name is a choice, the rest is forced.
      const path = await page.inside((_, root) =>
        [...root.querySelectorAll("ol li")].map((li) => li.innerText.replace(/\s+/g, " ").trim()),
      );
      assert.match(path[0], /^(Lily|Lil|Li|L|Tom|To|T) free, up to \d tokens$/);
      assert.match(path.slice(1).join(), /^[a-z]*␣ran⟨end of text⟩ forced$/);
      const [got, expected] = await page.inside(async (widget) => {
        const [{ loaded: model }] = [...globalThis[Symbol.for("lastinch.models")].values()];
        const logits = await model.forward(await model.tokenize("Once upon a time, ", { bos: true }));
        const weights = Array.from(logits, (logit) => Math.exp(logit));
        const total = weights.reduce((a, b) => a + b);
        const texts = model.vocabulary.tokens.map((bytes) => (bytes ? String.fromCharCode(...bytes) : ""));
        const ids = texts.flatMap((text, id) =>
          text && ["Lily ran", "Tom ran"].some((whole) => whole.startsWith(text)) ? [id] : [],
        );
        const [{ allowed, mass, rows, shades }] = widget.steps;
        const drawn = rows.find(([, , , isDrawn]) => isDrawn);
        const bins = Array(128).fill("0");
        for (const id of ids) bins[Math.floor((id * 128) / logits.length)] = "1";
        const isShaded = [...shades].map((shade) => (shade === "0" ? "0" : "1"));
        return [
          { count: allowed, shades: isShaded.join(""), sums: [mass, drawn[2]] },
          {
            count: ids.length,
            shades: bins.join(""),
            sums: [ids.reduce((sum, id) => sum + weights[id], 0) / total, 1],
          },
        ];
      });
      assert.equal(got.count, expected.count);
      assert.equal(got.shades, expected.shades);
      got.sums.forEach((sum, i) => assert.ok(Math.abs(sum - expected.sums[i]) < 1e-5, `${sum}, ${expected.sums[i]}`));
    });

    await t.test("the table has the picture's numbers: masked tokens have −∞, and shares add up", async () => {
      const rows = await page.table();
      assert.ok(rows.some(([, , after]) => after === "✕ −∞"));
      assert.match(rows.at(-1)[0], /^everything else \(2,0\d\d tokens\)$/);
      const percent = (/** @type {string} */ text) =>
        text.startsWith("<") || text.startsWith("✕") ? 0 : parseFloat(text);
      for (const column of [1, 2]) {
        const sum = rows.reduce((total, row) => total + percent(row[column]), 0);
        assert.ok(Math.abs(sum - 100) < 0.6, String(sum));
      }
    });

    await t.test("without the mask this model never writes a call, and under the mask always", async () => {
      await page.show('<lastinch-json-mask form="call" runs="3"></lastinch-json-mask>');
      await press(page, "Write");
      await page.until(isOver);
      assert.match(await written(), /^\{"name":␣"(throwBall|bakeCake)",.*\}<\/call>$/);
      await press(page, "Compare 3");
      await page.until((widget) => widget.statusText.startsWith("Prompt only"));
      const [only, masked] = await page.table(1);
      assert.deepEqual(masked, ["Masked", "3 / 3"]);
      assert.deepEqual(only, ["Prompt only", "0 / 3"]);
      await page.checkAccess();
    });

    await t.test("a source that is not a grammar is explained, and a corrected source works", async () => {
      await page.show('<lastinch-json-mask schema="{"></lastinch-json-mask>');
      await press(page, "Write");
      await page.until((_, root) => root.querySelector("[role=alert]")?.textContent.length > 10);
      await page.checkAccess();
      await page.inside((_, root) => {
        const field = root.querySelector("#schema");
        field.value = '{ "type": "boolean" }';
        field.dispatchEvent(new Event("change"));
      });
      await press(page, "Write");
      await page.until(isOver);
      assert.match(await written(), /^(true|false)$/);
      await page.show('<lastinch-json-mask form="poem"></lastinch-json-mask>');
      assert.match(await page.text(), /form must be one of schema, call, regex, but is “poem”/);
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-json-mask></lastinch-json-mask>", { lang: "zh" });
      assert.match(await page.text(), /无法违抗的掩码/);
    });
    await page.checkQuiet();
  });
