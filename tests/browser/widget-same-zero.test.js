import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

/**
 * The running sums of a panel's products, in single precision and in the panel's order.
 * @param {string[][]} rows
 * @param {Map<string, number>} products
 */
function sums(rows, products) {
  const single = new Float32Array(1);
  return rows.map(([name]) => {
    single[0] += products.get(name.split(" = ")[0]) ?? NaN;
    return single[0];
  });
}

for (const name of contentBrowserNames)
  test(`same-zero in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const products = async () => {
      const { tokens, logits } = await page.inside(({ row }) => ({ tokens: row.tokens, logits: [...row.logits] }));
      return new Map(tokens.map((token, i) => [token, logits[i]]));
    };
    const winners = () =>
      page.inside((_, root) => [...root.querySelectorAll("b")].map((b) => b.textContent.match(/“(.*)”/)[1]));

    await t.test(
      "both machines add the same products, and the running sums are those of single precision",
      async () => {
        await page.show("<lastinch-same-zero></lastinch-same-zero>", { script: "widget-same-zero.js" });
        const own = await products();
        const panels = [await page.table(0), await page.table(1)];
        for (const rows of panels) {
          assert.deepEqual(rows.map(([cell]) => cell.split(" = ")[0]).sort(), [...own.keys()].sort());
          sums(rows, own).forEach((sum, i) => assert.equal(Math.fround(Number(rows[i][1])), sum, rows[i][0]));
        }
        assert.notEqual(panels[0].at(-1)[1], panels[1].at(-1)[1]);
        await page.checkAccess();
      },
    );

    await t.test("the order decides between two nearly equal tokens, and the seed decides a shuffle", async () => {
      const found = new Set();
      for (let seed = 1; seed <= 8; seed++) {
        await page.show(`<lastinch-same-zero seed="${seed}"></lastinch-same-zero>`);
        const [own, level] = [
          await products(),
          await page.inside((_, root) => root.querySelector(".panels p:not(.name)").textContent),
        ];
        const rival = Math.fround(Number(level.match(/“no” ([\d.]+)/)[1]));
        const sum = sums(await page.table(1), own).at(-1);
        const [, second] = await winners();
        assert.equal(second, sum > rival ? "yes" : "no");
        found.add(second);
      }
      assert.deepEqual([...found].sort(), ["no", "yes"]);
      const [, count, other] = /200 shuffles, (\d+) end in “yes” and (\d+) in “no”/.exec(await page.text());
      assert.equal(Number(count) + Number(other), 200);
      assert.ok(Number(count) > 0 && Number(other) > 0);
    });

    await t.test("a gap wider than rounding decides by itself, and the keyboard sets it", async () => {
      await page.show("<lastinch-same-zero></lastinch-same-zero>");
      await page.press("fieldset label:nth-of-type(3) input", " ");
      await page.press("fieldset label:nth-of-type(3) input", "ArrowRight");
      await page.until((widget) => widget.gap === 0.001);
      await page.until((widget) => / 0 end in “yes” and 200 in “no”/.test(widget.statusText));
      assert.deepEqual(await winners(), ["no", "no"]);
      await page.checkAccess();
    });

    await t.test("the button takes another seed, a table other products, and nonsense is explained", async () => {
      const before = await page.table(1);
      await page.click(".actions button");
      await page.until((widget, _, old) => widget.seed !== 1 && JSON.stringify(old), before);
      const table = (/** @type {string} */ rows) => `<lastinch-same-zero><table>${rows}</table></lastinch-same-zero>`;
      await page.show(table("<tr><td>🙂</td><td>0.1</td></tr><tr><td>سلام</td><td>0.2</td></tr>"));
      assert.deepEqual((await page.table(0))[0], ["🙂 = 0.1", "0.100000001"]);
      await page.checkAccess();
      await page.show(table("<tr><td>a</td><td>1</td></tr>"));
      assert.deepEqual(await page.table(1), [["a = 1", "1"]]);
      await page.show(table("<tr><td>a</td><td>1</td></tr>".repeat(65)));
      assert.match(await page.text(), /65 products; at most 64/);
      await page.show(table("<tr><td>a</td><td>NaN</td></tr>"));
      assert.match(await page.text(), /“NaN” where a number should be/);
    });

    await t.test("a model's rows have the same bits in every way of computing them", async () => {
      await page.show('<lastinch-same-zero mode="rows"></lastinch-same-zero>');
      await page.press("button.primary", "Enter");
      await page.until((widget) => /^0 of [\d,]+ bytes differ/.test(widget.statusText));
      const rows = await page.table(0);
      assert.deepEqual(
        rows.slice(0, 4).map(([way]) => way),
        ["all in one pass", "three at a time", "beside wrong guesses of drafting", "as a tree of guesses"],
      );
      const count = await page.inside(async ({ prompt }) => {
        const [{ loaded }] = globalThis[Symbol.for("lastinch.models")].values();
        return (await loaded.tokenize(prompt, { bos: true })).length;
      });
      const ofRows = (rows) => (4 * 2048 * rows).toLocaleString("en");
      assert.deepEqual(
        rows.slice(0, 4).map(([, , bytes]) => bytes),
        [count + 23, count + 23, 24, 14].map(ofRows),
      );
      assert.ok(rows.every(([, , , different]) => different === "0"));
      assert.ok(Number(rows[2][1]) < 24, "a guess was right");
      await page.checkAccess();
    });

    await t.test("the tree has a row for each guess, and the keyboard opens it", async () => {
      await page.press("summary", "Enter");
      const rows = await page.table(1);
      assert.equal(rows.length, 2 + 4 + 8);
      assert.deepEqual(new Set(rows.map(([, bytes, different]) => `${bytes}, ${different}`)), new Set(["8,192, 0"]));
      // Each of two guesses, then the two after it, each with two of its own.
      const texts = rows.map(([text]) => text);
      assert.equal(new Set(texts).size, 14);
      for (const [before, ...after] of [0, 7].flatMap((at) => [
        [at, at + 1, at + 4],
        [at + 1, at + 2, at + 3],
        [at + 4, at + 5, at + 6],
      ]))
        for (const longer of after) assert.ok(texts[longer].startsWith(texts[before]), texts[longer]);
      await page.checkAccess();
    });

    await t.test("a bit that differs is counted", async () => {
      await page.inside(() => {
        const [{ loaded }] = globalThis[Symbol.for("lastinch.models")].values();
        const { forward } = loaded;
        loaded.forward = async (ids, options) => {
          const rows = await forward.call(loaded, ids, options);
          if (options.parents?.length === 14) new Uint8Array(rows[2].buffer)[5] ^= 1;
          return rows;
        };
      });
      await page.press("button.primary", "Enter");
      await page.until((widget) => /^1 of [\d,]+ bytes differ/.test(widget.statusText));
      assert.deepEqual(
        (await page.table(1)).map(([, , different]) => different),
        Array.from({ length: 14 }, (_, i) => (i === 2 ? "1" : "0")),
      );
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-same-zero></lastinch-same-zero>", { lang: "zh" });
      assert.match(await page.text(), /却有两个答案/);
    });
    await page.checkQuiet();
  });
