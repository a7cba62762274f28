// Widgets with a vocabulary of 128,256 tokens: what a move of a slider computes, creates and draws, and whether the
// shown numbers are right.
import assert from "node:assert/strict";
import { test } from "node:test";
import { realisticRow } from "../bench/steps.js";
import { contentBrowserNames } from "./names.js";
import { isPercent } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

const SIZE = 128256;

/** The slider, and how often a move may call the sampler's methods. */
const moves = /** @type {const} */ ([
  ["nucleus", "topP", { trace: 0, information: 1 }],
  ["nucleus", "temperature", { trace: 1, information: 1 }],
  ["rulers", "minP", { trace: 0, information: 3 }],
  ["funnel", "minP", { trace: 1, information: 0 }],
  ["order-bench", "temperature", { trace: 0, information: 2 }],
  ["die", "topP", { trace: 0, information: 1 }],
  ["penalties", "repetitionPenalty", { trace: 1, information: 0 }],
  ["temperature-panels", "middle", { trace: 1, information: 0 }],
  ["peaked-flat", "topP", { trace: 0, information: 6 }],
  ["min-p-heat", "topP", { trace: 0, information: 7 }],
]);
const row = realisticRow(SIZE);

/** Runs in the page: sets the row, and counts what the widget does from now on. */
async function giveRow(widget, _, size) {
  const { realisticRow } = await import("/tests/bench/steps.js");
  const { createSampler } = await import("/dist/index.js");
  const counted = (globalThis.counted = { trace: 0, distribution: 0, information: 0, names: 0, lists: 0 });
  const count = (given, name, note) => {
    let owner = given; // what has the method itself: bundles have copies of classes that only inherit it
    while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
    const former = owner[name];
    owner[name] = function (...args) {
      const made = former.apply(this, args);
      note(made);
      return made;
    };
  };
  const names = Array.from({ length: size }, (_, id) => ` t${id}`);
  const tokens = new Proxy(names, { get: (all, key) => (counted.names++, all[key]) });
  widget.data = { tokens, logits: realisticRow(size) };
  const sampler = Object.getPrototypeOf(await createSampler({ vocabSize: 2 }));
  for (const name of ["trace", "distribution", "information"]) count(sampler, name, () => counted[name]++);
  const isLong = (made) => void (made.length > 1000 && counted.lists++);
  count(Array, "from", isLong);
  for (const name of ["map", "flatMap", "filter", "slice", "concat", "sort"]) count(Array.prototype, name, isLong);
}

/** Runs in the page: moves a slider by one step and returns what that took. */
async function move(widget, root, id) {
  Object.keys(globalThis.counted).forEach((name) => (globalThis.counted[name] = 0));
  const slider = root.getElementById(id);
  slider.stepUp(slider.valueAsNumber < Number(slider.max) ? 1 : -1);
  slider.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  await widget.updateComplete;
  return { ...globalThis.counted, rows: root.querySelectorAll("tr, option").length };
}

for (const name of contentBrowserNames)
  test(`long rows in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    for (const [widget, id, most] of moves)
      await t.test(`${widget}: ${id} moves without a pass over the vocabulary`, async () => {
        await page.show(`<lastinch-${widget}></lastinch-${widget}>`, { script: `widget-${widget}.js` });
        await page.inside(giveRow, SIZE);
        // The curves of min-p-heat take a while.
        await page.until(
          ({ localName }, root) =>
            root.querySelectorAll("tr").length > (localName.includes("heat") ? 37 : 12) &&
            /␣t\d|of 128,256/.test(root.querySelector("figure").textContent),
        );
        await page.inside(move, id);
        const { rows, names, ...calls } = await page.inside(move, id);
        assert.deepEqual(calls, { ...most, distribution: 0, lists: 0 });
        // The funnel lists 200 tokens to choose from.
        assert.ok(rows < 250 && names < 300, `${rows} rows, ${names} names`);
      });

    await t.test("the shown part of a long row is right", async () => {
      const top = row.reduce((a, b) => Math.max(a, b));
      const weights = Float64Array.from(row, (logit) => Math.exp(logit - top));
      const total = weights.reduce((a, b) => a + b);
      const order = [...row.keys()].sort((a, b) => row[b] - row[a]);
      const p = order.map((id) => weights[id] / total);
      const sums = [0];
      for (const one of p) sums.push(sums[sums.length - 1] + one);
      const kept = sums.findIndex((sum) => sum >= 0.9);
      assert.ok(kept > 20);
      await page.show("<lastinch-nucleus></lastinch-nucleus>", { script: "widget-nucleus.js" });
      await page.inside(giveRow, SIZE);
      await page.until((_, root) => root.querySelector("table").textContent.includes("everything"));
      const rows = await page.table();
      const expected = [...order.keys()].slice(0, 20).map((i) => [p[i], sums[i + 1], p[i] / sums[kept]]);
      expected.push([1 - sums[20], 1, 1 - sums[20] / sums[kept]]);
      for (const [i, numbers] of expected.entries())
        numbers.forEach((number, at) => assert.ok(isPercent(rows[i][at + 1], number), `${rows[i]} for ${numbers}`));
      assert.equal(rows[0][0], `␣t${order[0]}`);
      assert.equal(rows[20][0], "everything else (128,236 tokens)");
    });

    await t.test("bars move without a layout, and jump for readers who want no motion", async () => {
      const motion = () =>
        page.inside((_, root) => {
          const { transitionProperty, transitionDuration } = getComputedStyle(root.querySelector(".bar span"));
          return [transitionProperty, transitionDuration];
        });
      assert.deepEqual(await motion(), ["transform", "0.09s"]);
      if (name !== "chromium") return;
      await page.driver.page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
      assert.equal((await motion())[1], "0s");
    });
    await page.checkQuiet();
  });
