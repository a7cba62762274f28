import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { setLook } from "./axe.js";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

/** Where a sentence of five tokens begins in what the model writes greedily after "The tree did not want to". */
const [FIRST, PERIOD] = [128, 5];

/** @type {number[]} probability of each turn */
const turns = [];
/** What complete gives with loops. @type {Record<string, { text: string, count: number }>} */
const wanted = {};

{
  const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
  const model = await loadModel(new Blob([file]), { worker: false });
  const ids = await model.tokenize("The tree did not want to", { bos: true });
  const { length } = ids;
  for await (const { tokens } of model.generate(ids, { temperature: 0, maxTokens: 200 }))
    ids.push(...tokens.map(({ id }) => id));
  const { logprobs } = await model.score(ids);
  // The first id has no score, so the score of token i of the text is at length - 1 + i.
  for (let at = length - 1 + FIRST; at + PERIOD <= logprobs.length; at += PERIOD)
    turns.push(Math.exp(logprobs.slice(at, at + PERIOD).reduce((a, b) => a + b)));
  for (const action of /** @type {const} */ (["stop", "redraw"])) {
    const loops = { turns: 2, least: 24, action };
    const { text, tokens, loop } = await model.complete(ids.slice(0, length), {
      temperature: 0,
      maxTokens: 240,
      loops,
    });
    wanted[action] = { text: action === "stop" ? text.slice(0, loop.textEnd) : text, count: tokens.length };
  }
  model.dispose();
}

const plain = (/** @type {string} */ text) => text.replace(/[\s⏎␣]|⟨.*?⟩/g, "");

const isIdle = (_, root) => root.querySelector("#inject:enabled") !== null;
const status = (_, root) => root.querySelector("[role=status]").textContent;

for (const name of contentBrowserNames)
  test(`greedy spiral in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    await page.show('<lastinch-greedy-spiral pace="0"></lastinch-greedy-spiral>', {
      script: "widget-greedy-spiral.js",
    });

    await t.test("the axes' titles are at their axes, and no text covers another", async () => {
      for (const width of [1280, 390]) {
        await setLook(page.driver, "light", width);
        const { axis, texts, titles } = await page.inside((_, root) => {
          const boxOf = (part) => {
            const { left, right, top, bottom } = part.getBoundingClientRect();
            return { left, right, top, bottom };
          };
          const all = [...root.querySelectorAll(".plot text")].filter((text) => text.textContent.trim());
          return {
            axis: boxOf(root.querySelector(".plot .axis")),
            texts: all.map(boxOf),
            titles: all.filter((text) => /^(Turn|Whole phrase)$/.test(text.textContent.trim())).map(boxOf),
          };
        });
        const [x, y] = titles;
        const height = x.bottom - x.top;
        // The box of a text may reach a fraction of a pixel into the axis.
        assert.ok(x.top > axis.bottom - 1 && x.top - axis.bottom < height / 2, `${width}: ${x.top - axis.bottom}`);
        assert.ok(y.bottom < axis.top + 1 && axis.top - y.bottom < height, `${width}: ${axis.top - y.bottom}`);
        for (const [i, a] of texts.entries())
          for (const b of texts.slice(i + 1))
            assert.ok(a.right < b.left || b.right < a.left || a.bottom < b.top + 2 || b.bottom < a.top + 2);
      }
    });

    await t.test("the storyteller loops, and each turn has the probability that the model gives it", async () => {
      assert.match(await page.text(), /Write greedily \(loads/);
      assert.match(await page.text(), /This is a recording/);
      const recorded = await page.table();
      await page.checkAccess();
      await page.click("button.primary");
      await page.until(isIdle);
      assert.match(await page.text(), /A loop of 5 tokens, from token 129 on/);
      const rows = await page.table();
      assert.ok(rows.length >= 10);
      assert.equal(rows.length, recorded.length);
      rows.forEach(([turn, text, mean, phrase], i) => {
        assert.equal(text, "The tree was strong.");
        assert.equal(recorded[i][1], text);
        assert.ok(Math.abs(parseFloat(recorded[i][2]) - parseFloat(mean)) < 0.15, `${recorded[i]} is not ${mean}`);
        assert.equal(turn, String(i + 1));
        assert.ok(Math.abs(parseFloat(phrase) - 100 * turns[i]) < 0.06, `${phrase} is not ${turns[i]}`);
        assert.ok(Math.abs(parseFloat(mean) - 100 * turns[i] ** (1 / PERIOD)) < 0.06);
      });
      assert.ok(turns[9] > 2 * turns[0], "it does not rise");
      const dots = await page.inside((_, root) => root.querySelectorAll("circle").length);
      assert.equal(dots, rows.length);
      await page.checkAccess();
    });

    await t.test("one drawn token leaves the loop, with the recorded seed", async () => {
      await page.click("#inject");
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("The loop is broken"));
      assert.match(await page.text(), /At token 141 the model drew “␣said”/);
      assert.equal(
        await page.inside((_, root) => root.querySelectorAll(".text")[1].querySelectorAll("[data-marked]").length),
        1,
      );
      await page.checkAccess();
    });

    await t.test("generate stops at the loop, or goes back and leaves it, as without a page", async () => {
      for (const action of /** @type {const} */ (["stop", "redraw"])) {
        const { text, count } = wanted[action];
        await page.click(`#${action}`);
        await page.until(
          (_, root, word) => root.querySelector("[role=status]").textContent.includes(word),
          `“${action}”`,
        );
        await page.until(isIdle);
        const shown = await page.inside((_, root) => [...root.querySelectorAll(".text")].at(-1).textContent);
        assert.ok(plain(shown).endsWith(plain(text)), `${shown} is not ${text}`);
        if (action === "stop") assert.match(await page.text(), new RegExp(`ended after ${count} tokens`));
        else assert.match(await page.text(), /went back [1-9]/);
        await page.checkAccess();
      }
    });

    await t.test("the seed decides what is drawn, and the keyboard changes it", async () => {
      await page.press("#seed", "ArrowUp");
      await page.inside((_, root) => root.activeElement.blur());
      assert.equal(await page.inside((widget) => widget.seed), 9);
      // Some of these seeds draw what greedy takes.
      const answers = new Set();
      for (const seed of [1, 2, 3]) {
        await page.inside((widget) => widget.announce(""));
        await page.inside((widget, _, value) => void widget.turn("seed", value, false), seed);
        await page.click("#inject");
        await page.until(isIdle);
        answers.add((await page.inside(status)).split(":")[0]);
      }
      assert.ok(answers.has("The draw gave what greedy takes"), [...answers].join());
    });

    await t.test("another beginning starts again, and its recorded seed leaves the loop", async () => {
      for (const [index, found] of /** @type {[number, RegExp][]} */ ([
        [1, /A loop of 11 tokens/],
        [2, /A loop of 25 tokens/],
      ])) {
        await page.inside((_, root, at) => root.querySelectorAll("[type=radio]")[at].click(), index);
        assert.ok(await page.inside((_, root) => !root.querySelector(".text")));
        await page.click("button.primary");
        await page.until(isIdle);
        assert.match(await page.text(), found);
        await page.click("#inject");
        await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("The loop is broken"));
      }
    });

    await t.test("the widget says that a beginning does not loop", async () => {
      await page.show('<lastinch-greedy-spiral prompt="Once upon a time 🙂"></lastinch-greedy-spiral>', { lang: "zh" });
      assert.match(await page.text(), /贪心的漩涡/);
      await page.click("button.primary");
      await page.until((_, root) => /没有出现循环|陷入循环/.test(root.querySelector("[role=status]").textContent));
      await page.checkAccess();
    });
    await page.checkQuiet();
  });
