import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { isPercent, softmax } from "./widget-reference.js";
import { openWidgets } from "./widgets.js";

/** Layers' names, norms, likeliest tokens and shares, as printed. @param {import("./widgets.js").WidgetPage} page */
const strip = (page) => page.table(0);

/**
 * The same pass, computed in the page by the package: labels of the tokens, and plain numbers.
 * @param {import("./widgets.js").WidgetPage} page
 * @param {string} text
 */
const computed = (page, text) =>
  page.inside(async (_, root, prompt) => {
    const { loadModel } = await import("/dist/index.js");
    const model = await loadModel(new URL("/dist/storyteller.gguf", location.href));
    const { tokens, layers } = await model.activations(prompt);
    const decoder = new TextDecoder();
    const labels = model.vocabulary.tokens.map((bytes) => decoder.decode(bytes).replaceAll(" ", "␣"));
    model.dispose();
    return {
      labels,
      tokens: [...tokens],
      layers: layers.map(({ norm, attention, logits }) => ({
        norm,
        attention: attention?.map((weights) => [...weights]),
        logits: [...logits],
      })),
    };
  }, text);

const largest = (/** @type {number[]} */ values) => values.indexOf(Math.max(...values));

for (const name of contentBrowserNames)
  test(`forward pass in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("it opens at the recorded layer in which a head finds the word", async () => {
      await page.show("<lastinch-forward-pass></lastinch-forward-pass>", { script: "widget-forward-pass.js" });
      const rows = await strip(page);
      assert.deepEqual(
        rows.map(([stage]) => stage),
        ["Embedding", "Layer 1", "Layer 2", "Layer 3", "Layer 4", "Layer 5"],
      );
      assert.notEqual(rows[3][2], "␣box");
      assert.equal(rows[4][2], "␣box");
      assert.match(await page.text(), /Layer 4, head 1: where the last token looks/);
      assert.match(await page.text(), /This is a recording/);
      assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")));
      await page.checkAccess();
    });

    await t.test("bars above the words are as high as their weights", async () => {
      const bars = await page.inside((_, root) =>
        [...root.querySelectorAll(".looks i")].map((bar) => [
          bar.getBoundingClientRect().height,
          Number(bar.style.getPropertyValue("--size")),
        ]),
      );
      assert.equal(bars.length, 17);
      const [height, weight] = bars.reduce((a, b) => (b[1] > a[1] ? b : a));
      assert.ok(height > 20, `${height} px`);
      for (const [pixels, share] of bars) assert.ok(Math.abs(pixels - (share / weight) * height) < 0.6, `${share}`);
    });

    await t.test("Step goes to the next layer, a row's name to any layer, and a link keeps the place", async () => {
      await page.inside((_, root) =>
        [...root.querySelectorAll("button")].find((b) => b.textContent === "Step").click(),
      );
      await page.until((_, root) =>
        /^Layer 5: norm .* leads with/.test(root.querySelector("[role=status]").textContent),
      );
      assert.equal(await page.inside((widget) => widget.layer), 5);
      await page.inside((_, root) => root.querySelector("tbody th button").click());
      await page.until((_, root) => /The embedding looks nowhere/.test(root.querySelector("figure").innerText));
      assert.match(await page.text(), /reads and writes with one table/);
      assert.equal(await page.inside((widget) => widget.layer), 0);
      await page.checkAccess();
    });

    const text = "Lily has a cat. The cat is";
    await page.show(`<lastinch-forward-pass prompt="${text}" layer="2" head="3"></lastinch-forward-pass>`);
    await page.click(".primary");
    await page.until((_, root) => root.querySelector(".looks") !== null);

    await t.test("live numbers are the model's: softmax of each layer's logits in float64", async () => {
      const { labels, tokens, layers } = await computed(page, text);
      const rows = await strip(page);
      assert.equal(rows.length, layers.length);
      layers.forEach(({ norm, logits }, i) => {
        const shares = softmax(logits, 1);
        const best = largest(shares);
        assert.equal(rows[i][1], norm.toFixed(1));
        assert.equal(rows[i][2], labels[best]);
        assert.ok(isPercent(rows[i][3], shares[best]), `${rows[i][3]} ${shares[best]}`);
      });
      const weights = layers[2].attention[2];
      const looks = await page.inside((_, root) =>
        [...root.querySelectorAll(".looks i")].map((bar) => Number(bar.style.getPropertyValue("--size"))),
      );
      assert.equal(looks.length, tokens.length);
      looks.forEach((share, i) => assert.ok(Math.abs(share - weights[i]) < 1e-6));
      const [first, ...others] = await page.table(1);
      assert.equal(first[0].replace(/ .*/, ""), labels[tokens[largest(weights)]]);
      assert.ok(isPercent(first[1], Math.max(...weights)));
      assert.equal(others.at(-1)[0], "all other tokens");
      const next = await page.table(2);
      const shares = softmax(layers[2].logits, 1);
      next.forEach(([label, share]) => assert.ok(isPercent(share, shares[labels.indexOf(label)]), `${label} ${share}`));
    });

    await t.test("another text runs at once if the model is loaded", async () => {
      await page.inside((widget) => widget.turn("prompt", "Once upon a", true));
      await page.until((_, root) => root.querySelectorAll(".looks span").length === 4);
      assert.doesNotMatch(await page.text(), /This is a recording/);
    });

    await t.test("the words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-forward-pass></lastinch-forward-pass>", { lang: "zh" });
      assert.match(await page.text(), /第 4 层第 1 个头/);
    });
    await page.checkQuiet();
  });
