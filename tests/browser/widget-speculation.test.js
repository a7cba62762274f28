import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

/** Target and draft at each place of the worked example, by hand. */
const given = { cat: [0.6, 0.55], sat: [0.7, 0.8], on: [0.85, 0.75], the: [0.8, 0.9], mat: [0.15, 0.6] };
const percent = (share) => (share >= 1 ? "100%" : (100 * share).toFixed(1) + "%");
const number = (text) => Number(text.replace(/[%<>]/g, "")) / 100;

const STEPS = 11;
/** Takes steps through the worked example. */
async function step(page, count) {
  for (let i = 0; i < count; i++) await page.press("button.primary", "Enter");
  await page.until((_, root) => !/ \/ /.test(root.querySelector("tbody th").textContent));
}

for (const name of contentBrowserNames)
  test(`speculation in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("begins with the draft's choices, then steps: the draft, the target, the ledger", async () => {
      await page.show("<lastinch-speculation></lastinch-speculation>", { script: "widget-speculation.js" });
      assert.deepEqual(await page.table(), [
        ["cat / dog", "55.0% / 45.0%", "", "", ""],
        ["sat / slept", "80.0% / 20.0%", "", "", ""],
        ["on / under", "75.0% / 25.0%", "", "", ""],
        ["the / a", "90.0% / 10.0%", "", "", ""],
        ["mat / sofa / floor", "60.0% / 20.0% / 20.0%", "", "", ""],
      ]);
      await page.checkAccess();
      await step(page, 1);
      assert.deepEqual((await page.table()).slice(0, 2), [
        ["cat", "55.0%", "", "", ""],
        ["sat / slept", "80.0% / 20.0%", "", "", ""],
      ]);
      await page.until((_, root) => root.querySelector("[role=status]").textContent === "Proposed: cat");
      await page.checkAccess();
      await step(page, 6);
      await page.until((_, root) => root.querySelector("[role=status]").textContent === "cat: ✓\u00a0stays");
      assert.deepEqual((await page.table())[0].slice(2), ["60.0%", "100%", "✓\u00a0stays"]);
      assert.deepEqual((await page.table())[1].slice(2), ["70.0%", "87.5%", ""]);
    });

    await t.test("four of five proposals stay, and a draw from the residual replaces the fifth", async () => {
      await step(page, STEPS - 7);
      await page.until((_, root) => root.querySelector("[role=status]").textContent === "4 of 5 proposals stay.");
      const rows = Object.entries(given).map(([word, [target, draft]]) => [
        word,
        percent(draft),
        percent(target),
        percent(Math.min(1, target / draft)),
        word === "mat" ? "✕ now “sofa”" : "✓\u00a0stays",
      ]);
      assert.deepEqual(await page.table(), rows);
      const lanes = await page.inside((_, root) =>
        [...root.querySelectorAll("svg.picture text")].map((text) => text.textContent).slice(3),
      );
      assert.deepEqual(lanes, ["cat", "sat", "on", "the", "mat", "✓ cat", "✓ sat", "✓ on", "✓ the", "✕ → sofa"]);
      // Target .15, .6, .25 and draft .6, .2, .2 of mat, sofa and floor: .4 and .05 are left.
      assert.deepEqual(await page.table(1), [
        ["sofa", "40.0%", percent(0.4 / 0.45)],
        ["floor", "5.0%", percent(0.05 / 0.45)],
      ]);
      assert.match(await page.text(), /The cat sat on the sofa/);
      assert.match(await page.text(), /5 tokens from 1 pass/);
      await page.checkAccess();
      await page.inside(
        (_, root) =>
          void [...root.querySelectorAll("button")].find((b) => b.textContent.trim() === "Start again").click(),
      );
      await page.until((_, root) => root.querySelector("tbody th").textContent === "cat / dog");
    });

    await t.test("equal random numbers give equal outcomes, and other numbers others", async () => {
      const seen = new Set();
      for (const seed of [3, 25, 61, 97, 25]) {
        await page.show(`<lastinch-speculation seed="${seed}"></lastinch-speculation>`);
        await step(page, STEPS);
        seen.add(JSON.stringify(await page.table()));
      }
      assert.equal(seen.size, 4);
    });

    await t.test("the models write together, and every chance is min(1, target / draft)", async () => {
      await page.show('<lastinch-speculation scene="write"></lastinch-speculation>');
      await page.click("button.primary");
      await page.until((_, root) => root.querySelector("[role=status]").textContent === "Done.");
      for (const [, draft, target, chance] of await page.table())
        assert.ok(Math.abs(Math.min(1, number(target) / number(draft)) - number(chance)) < 0.02, `${target} ${draft}`);
      const [, tokens, passes, rate] = (await page.text()).match(
        /(\d+) tokens from (\d+) passes of the target: ([\d.]+)/,
      );
      assert.equal((tokens / passes).toFixed(2), rate);
      assert.ok(Number(rate) > 1);
      await page.checkAccess();
    });

    await t.test("the race is drawn to scale: each pass as long as it was measured", async () => {
      const [, tokens, together, alone] = /(\d+) tokens in ([\d.]+) ms with the draft, in ([\d.]+) ms without/.exec(
        await page.text(),
      );
      const [lanes, singles] = await page.inside((_, root) => {
        const boxes = [...root.querySelectorAll("svg.picture rect")].map((box) => ({
          kind: box.classList[1],
          from: box.x.baseVal.value,
          to: box.x.baseVal.value + box.width.baseVal.value,
        }));
        const ends = (/** @type {string[]} */ ...kinds) => {
          const own = boxes.filter(({ kind }) => kinds.includes(kind));
          return [Math.min(...own.map(({ from }) => from)), Math.max(...own.map(({ to }) => to)), own.length];
        };
        return [ends("tint", "kept"), ends("hollow")];
      });
      assert.equal(singles[2], Number(tokens));
      const ratio = (lanes[1] - lanes[0]) / (singles[1] - singles[0]);
      assert.ok(Math.abs(ratio / (Number(together) / Number(alone)) - 1) < 0.02, `${ratio}`);
    });

    await t.test("a slider ends where its label says", async () => {
      await page.press("#temperature", "End");
      assert.equal(await page.inside((widget) => widget.temperature), 2);
      assert.match(await page.inside((_, root) => root.querySelector("[for=temperature]").textContent), /0 to 2/);
    });

    await t.test("measures what a pass of several tokens costs", async () => {
      await page.inside((widget) => void Object.assign(widget, { scene: "cost", temperature: 1 }));
      await page.click("button.primary");
      await page.until((_, root) => root.querySelectorAll("tbody tr").length === 6);
      const rows = await page.table();
      assert.deepEqual(
        rows.map(([count]) => count),
        ["1", "2", "3", "4", "6", "8"],
      );
      assert.ok(rows.every(([, ms]) => Number(ms) > 0));
      await page.checkAccess();
    });

    await t.test("the resulting distribution is the target's, not the draft's", async () => {
      await page.inside((widget) => void (widget.scene = "proof"));
      await page.click("button.primary");
      await page.until((_, root) => /With draft: ✓/.test(root.querySelector("[role=status]").textContent));
      const exact = await page.inside(async ({ prompt }) => {
        const [{ loaded }] = globalThis[Symbol.for("lastinch.models")].values();
        return [...(await loaded.forward(await loaded.tokenize(prompt, { bos: true })))];
      });
      const sum = exact.reduce((total, logit) => total + Math.exp(logit), 0);
      const best = exact.map((logit) => Math.exp(logit) / sum).sort((a, b) => b - a);
      const rows = await page.table();
      rows.slice(0, 6).forEach(([, own, drawn], i) => {
        assert.ok(Math.abs(number(own) - best[i]) < 6e-4, `${own} ${best[i]}`);
        assert.ok(Math.abs(number(drawn) - best[i]) < 5 * Math.sqrt((best[i] * (1 - best[i])) / 4000), `${drawn}`);
      });
      const total = rows.reduce((all, [, , drawn]) => all + number(drawn), 0);
      assert.ok(Math.abs(total - 1) < 0.01, "the tail is part of it");
      const verdicts = await page.table(1);
      assert.deepEqual(
        verdicts.map(([, , , verdict]) => verdict[0]),
        ["✓", "✓", "✕"],
      );
      await page.checkAccess();
    });

    await t.test("trees: a recording shows the guesses of a pass and those that the text took", async () => {
      await page.show('<lastinch-speculation scene="trees" heads="medusa"></lastinch-speculation>');
      await page.until((_, root) => root.querySelector("svg.picture"));
      assert.match(await page.text(), /This is a recording/);
      await page.checkAccess();
      await page.inside((_, root) => root.querySelectorAll("button.token")[2].click());
      const sentence = "Pass 2: 4 guesses in one tree, 3 of them taken. It added “␣girl”, “␣named”, “␣Lily”, “.”.";
      await page.until((_, root, text) => root.querySelector("[role=status]").textContent === text, sentence);
      const boxes = await page.inside((_, root) =>
        [...root.querySelectorAll("svg.picture rect")].map((box) => box.classList[1]).sort(),
      );
      // The text's last token and the model's own next one, three that were taken, one in vain.
      assert.deepEqual(boxes, ["hollow", "hollow", "kept", "kept", "kept", null].sort());
    });

    await t.test(
      "trees: the models write, every tree fits its text, and the race has a lane for each way",
      async () => {
        await page.inside((widget) => void Object.assign(widget, { seed: 9, heads: "eagle" }));
        await page.until((_, root) => !root.querySelector("svg.picture"));
        await page.click("button.primary");
        await page.until((_, root) =>
          /^(Medusa|EAGLE) (was fastest: |needs )\d+ passes/.test(root.querySelector("[role=status]").textContent),
        );
        const [alone, medusa, eagle] = await page.table();
        assert.deepEqual([alone[0], medusa[0], eagle[0]], ["Target alone", "Medusa", "EAGLE"]);
        assert.equal(alone[3], "1.00");
        for (const way of [medusa, eagle]) assert.ok(Number(way[2]) < Number(alone[2]), `${way}`);
        const [tokens, passes] = (await page.text())
          .match(/(\d+) tokens from (\d+) passes:/)
          .slice(1)
          .map(Number);
        assert.equal(await page.inside((_, root) => root.querySelectorAll("button.token").length - 1), tokens);
        // Trees adapt to what was right, so runs differ by a pass or two.
        assert.ok(passes < tokens);
        await page.checkAccess();
      },
    );

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-speculation></lastinch-speculation>", { lang: "zh-CN" });
      assert.match(await page.text(), /推测解码/);
    });
    await page.checkQuiet();
  });
