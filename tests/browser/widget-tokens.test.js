import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readGguf } from "../vectors/gguf-files.js";
import { tinyTokenizer } from "../js/tokenizer-tools.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

const { metadata } = readGguf(readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url)));
const names = metadata["tokenizer.ggml.tokens"].map((/** @type {string} */ name) => name.replaceAll("\u2581", " "));
const scores = metadata["tokenizer.ggml.scores"];

/** SentencePiece's BPE by its definition, of a text whose characters are all tokens. @param {string} text */
function cut(text) {
  const symbols = Array.from(text);
  const steps = [];
  for (;;) {
    let best = -1;
    let token = -1;
    for (let i = 0; i + 1 < symbols.length; i++) {
      const found = names.indexOf(symbols[i] + symbols[i + 1], 259);
      if (found >= 0 && (best < 0 || scores[found] > scores[token])) [best, token] = [i, found];
    }
    if (best < 0) return { ids: symbols.map((one) => names.indexOf(one, 259)), symbols, steps };
    const [left, right] = symbols.splice(best, 2, names[token]);
    steps.push({ left, right, token, symbols: [...symbols] });
  }
}

const visible = (/** @type {string} */ text) => text.replaceAll(" ", "␣");

for (const name of contentBrowserNames)
  test(`tokens in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    /** The n-th list of pieces. @param {number} at */
    const pieces = (at) =>
      page.inside(
        (_, root, index) => [...root.querySelectorAll(".cut")[index].children].map((one) => one.textContent),
        at,
      );
    const status = () => page.inside((_, root) => root.querySelector("[role=status]").textContent);
    const said = () => page.inside((_, root) => root.querySelectorAll(".cut")[3].nextElementSibling.textContent);

    await t.test("a recording shows every merge of strawberry, step by step, without a model", async () => {
      await page.show("<lastinch-tokens></lastinch-tokens>", { script: "widget-tokens.js" });
      const { symbols, steps, ids } = cut("strawberry");
      assert.match(await page.text(), /This is a recording/);
      assert.deepEqual(await pieces(0), symbols);
      assert.deepEqual(await pieces(1), [..."strawberry"]);
      assert.deepEqual((await pieces(2)).slice(0, 3), ["73", "74", "72"]);
      await page.checkAccess();
      const press = (/** @type {string} */ label) =>
        page.inside(
          (_, root, text) =>
            void [...root.querySelectorAll("button")].find((one) => one.textContent.trim() === text).click(),
          label,
        );
      await press("Start again");
      await page.until((_, root) =>
        /Every character starts alone/.test(root.querySelector("[role=status]").textContent),
      );
      assert.deepEqual(await pieces(3), [..."strawberry"]);
      for (const [i, { left, right, token, symbols: now }] of steps.entries()) {
        await press("Step");
        await page.until((_, root, count) => root.querySelectorAll(".cut")[3].children.length === count, now.length);
        assert.deepEqual(await pieces(3), now);
        if (i + 1 === steps.length) break;
        const sentence = `Merge ${i + 1} of ${steps.length}: “${left}” + “${right}” is “${left + right}”, token ${token}.`;
        assert.equal((await said()).trim(), sentence);
        await page.until((_, root, text) => root.querySelector("[role=status]").textContent === text, sentence);
      }
      assert.match(await status(), /The storyteller: 5 tokens, st, ra, w, ber, ry\./);
      const rows = await page.table(1);
      assert.deepEqual(
        rows.map((row) => Number(row[1])),
        ids,
      );
      assert.deepEqual(rows[0], ["st", String(ids[0]), "73 74"]);
      assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")), "no model was asked for");
    });

    await t.test("another text is cut by the tokenizer itself, as one writes", async () => {
      await page.inside((_, root) => {
        const field = root.querySelector("#text");
        field.value = "There was a small dog";
        field.dispatchEvent(new Event("input"));
      });
      await page.until((_, root) => root.querySelectorAll(".cut").length === 2);
      await page.click("button.primary");
      await page.until((_, root) => root.querySelectorAll(".cut").length === 4);
      const { symbols } = cut("There was a small dog");
      assert.deepEqual(await pieces(0), symbols.map(visible));
      await page.checkAccess();
      await page.inside((_, root) => {
        const field = root.querySelector("#text");
        field.value = "a 🍓";
        field.dispatchEvent(new Event("input"));
      });
      await page.until((_, root) => root.querySelectorAll(".cut")[0].lastElementChild.textContent === "<0x93>");
      assert.deepEqual((await pieces(0)).slice(-4), ["<0xF0>", "<0x9F>", "<0x8D>", "<0x93>"]);
      assert.deepEqual((await pieces(2)).slice(-4), ["F0", "9F", "8D", "93"]);
      // The last step: what is no token becomes bytes.
      assert.deepEqual(await pieces(3), await pieces(0));
      assert.match(await said(), /3 pieces are left\. .*: 6 tokens\./);
      const counts = (await page.table()).map((row) => [row[0], row[1]]);
      assert.deepEqual(counts.slice(1), [
        ["Characters", "3"],
        ["Bytes", "6"],
      ]);
    });

    await t.test("a file of one's own stands beside it, read by its header alone", async () => {
      const file = Buffer.from(tinyTokenizer()).toString("base64");
      await page.inside(async (_, root, packed) => {
        const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([bytes], "own.gguf"));
        const field = root.querySelector("[type=file]");
        field.files = transfer.files;
        field.dispatchEvent(new Event("change"));
      }, file);
      await page.until((_, root) => root.querySelectorAll(".cut").length === 5);
      await page.inside((widget) => widget.turn("text", "abc ab", true));
      await page.until((_, root) => root.querySelectorAll(".cut")[1].textContent.replace(/\s/g, "") === "abc␣ab");
      assert.deepEqual(await pieces(1), ["abc", "␣ab"]);
      assert.match(await page.text(), /How “own\.gguf” gets there/);
      await page.inside((_, root) => void ([...root.querySelectorAll("details")].at(-1).open = true));
      await page.until((_, root) => root.querySelectorAll("table").length === 3);
      const languages = await page.table(2);
      assert.equal(languages.length, 8);
      // Without merges for them, all letters of other scripts are bytes.
      const chinese = languages.find(([language]) => language === "中文");
      assert.deepEqual([chinese[3], chinese[6]], ["57", "57"]);
      await page.checkAccess();
    });

    await t.test("what is announced is the text that is there, and a text of a link has its limit", async () => {
      await page.inside((widget) => widget.turn("text", "strawberry", true));
      await page.until((_, root) => /: \d+ tokens, /.test(root.querySelector("[role=status]").textContent));
      await page.inside((widget) => widget.turn("text", "ab", true));
      await page.until((_, root) => /: 1 tokens, ab\.$/.test(root.querySelector("[role=status]").textContent));
      await page.show(`<lastinch-tokens text="${"word ".repeat(2000)}"></lastinch-tokens>`);
      assert.equal(await page.inside((widget) => widget.text.length), 300);
      assert.equal((await pieces(0)).length, 300);
    });

    await t.test(
      "an element that is moved while it reads goes on, and keeps what it has when it is moved again",
      async () => {
        await page.show("<lastinch-tokens></lastinch-tokens>");
        const move = (widget) => void document.querySelector("main").append(widget);
        await page.inside((widget, root) => {
          root.querySelector("button.primary").click();
          document.querySelector("main").append(document.createElement("section"));
          document.querySelector("main section").append(widget);
        });
        await page.until((_, root) => /^Live: the tokenizers/.test(root.querySelector("footer").textContent.trim()));
        await page.inside(move);
        await page.inside((widget) => widget.turn("text", "ab", true));
        await page.until((_, root) => /: 2 tokens, a, b\.$/.test(root.querySelector("[role=status]").textContent));
      },
    );

    await t.test("a file that is no model is refused in words, and a Chinese page gets Chinese", async () => {
      await page.show("<lastinch-tokens></lastinch-tokens>", { lang: "zh" });
      assert.match(await page.text(), /词元：文本怎样被切开/);
      await page.inside(async (_, root) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(["not a model"], "own.gguf"));
        const field = root.querySelector("[type=file]");
        field.files = transfer.files;
        field.dispatchEvent(new Event("change"));
      });
      await page.until((_, root) => /GGUF/.test(root.querySelector(".problem")?.textContent));
    });
    await page.checkQuiet();
  });
