import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

/** Softmax in float64. @param {number[]} logits @param {number} temperature */
function softmax(logits, temperature) {
  const largest = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp((logit - largest) / temperature));
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / sum);
}

/** The most probable, until their sum reaches p. @param {number[]} probabilities @param {number} p */
function nucleus(probabilities, p) {
  const order = probabilities.map((_, id) => id).sort((a, b) => probabilities[b] - probabilities[a] || a - b);
  let sum = 0;
  const kept = order.slice(0, 1 + order.findIndex((id) => (sum += probabilities[id]) >= p - 1e-12));
  return { order, kept, mass: kept.reduce((total, id) => total + probabilities[id], 0) };
}

/** @param {number[]} probabilities */
const entropy = (probabilities) => probabilities.reduce((bits, p) => bits - (p > 0 ? p * Math.log2(p) : 0), 0);

/** What the widget saves. @param {import("./widgets.js").WidgetPage} page */
const saved = (page) =>
  page.inside(async (_, root) => {
    const { createObjectURL } = URL;
    const blob = await new Promise((resolve) => {
      URL.createObjectURL = (given) => (resolve(given), "#");
      [...root.querySelectorAll("button")].find(({ textContent }) => textContent.includes("JSON")).click();
    });
    URL.createObjectURL = createObjectURL;
    return JSON.parse(await blob.text());
  });

const isDone = (_, root) => root.querySelector(".bars") && !root.querySelector(".bars button:disabled");
/** @param {string} text */
const percent = (text) => (text.startsWith("<") ? 0 : text.startsWith(">") ? 100 : Number(text.replace("%", "")));
/** @param {string} shown @param {number} exact */
const isNear = (shown, exact) => assert.ok(Math.abs(percent(shown) - 100 * exact) < 0.06, `${shown} is not ${exact}`);

for (const name of contentBrowserNames)
  test(`inspector in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);
    const run = async (html) => {
      await page.show(html, { script: "widget-inspector.js" });
      await page.click("button.primary");
      await page.until(isDone);
    };

    await t.test("before a run a button names the size of the model, and no model is fetched", async () => {
      await page.show("<lastinch-inspector></lastinch-inspector>", { script: "widget-inspector.js" });
      assert.match(await page.text(), /Write \(loads 2\.6 MB\)/);
      assert.ok(!page.site.log.some((path) => path.endsWith(".gguf")));
      await page.checkAccess();
    });

    await run('<lastinch-inspector pace="0" count="6" temperature="0.9" top-p="0.8" seed="3"></lastinch-inspector>');

    await t.test("the shown numbers equal the saved logits, over the whole vocabulary", async () => {
      const { steps, model } = await saved(page);
      assert.equal(model, "lastinch storyteller");
      assert.equal(steps.length, 6);
      let agreement = 0;
      for (const [index, { logits, token }] of steps.entries()) {
        await page.inside((widget, _, step) => widget.turn("step", step, true), index + 1);
        const probabilities = softmax(logits, 0.9);
        const { order, kept, mass } = nucleus(probabilities, 0.8);
        agreement += probabilities[order[0]] / mass;
        assert.ok(kept.includes(token), "the text has a token that the nucleus cuts");
        const rows = await page.table();
        const listed = order.slice(0, 16).filter((id, i) => i < 4 || probabilities[id] >= 0.001);
        listed.forEach((id, i) => {
          isNear(rows[i][1], probabilities[id]);
          if (kept.includes(id)) isNear(rows[i][2], probabilities[id] / mass);
          else assert.equal(rows[i][2], "✕ Top-p");
          assert.equal(rows[i][0].includes("greedy"), i === 0);
          assert.equal(rows[i][0].includes("in the text"), id === token);
        });
        const others = order.filter((id) => !listed.includes(id) && id !== token);
        isNear(
          /** @type {string[]} */ (rows.at(-1))[1],
          others.reduce((sum, id) => sum + probabilities[id], 0),
        );
        const [stage, passed, floor, left] = /** @type {string[]} */ ((await page.table(1)).at(-1));
        const all = probabilities.length.toLocaleString("en");
        assert.deepEqual([stage, passed], ["Top-p", `${all} → ${kept.length.toLocaleString("en")}`]);
        isNear(floor, probabilities[/** @type {number} */ (kept.at(-1))]);
        isNear(left, mass);
        const bits = entropy(probabilities).toFixed(2);
        const bitsLeft = entropy(kept.map((id) => probabilities[id] / mass)).toFixed(2);
        assert.match(await page.text(), new RegExp(`Uncertainty: ${bits} bits.*After the cuts: ${bitsLeft} bits`));
        assert.match(
          /** @type {string[]} */ (rows.at(-1))[0],
          new RegExp(`${others.length.toLocaleString("en")} tokens`),
        );
        const lead = 100 * (probabilities[order[0]] - probabilities[order[1]]);
        assert.ok((await page.text()).includes(`by ${lead.toFixed(1)} percentage points`));
      }
      assert.ok((await page.text()).includes(`take the greedy token ${agreement.toFixed(1)} times`));
    });

    const readRow = async () => {
      await page.until((_, root) => root.querySelector("details [aria-busy=false] table") !== null);
      const [read, left] = await page.table(2);
      const text = await page.inside((_, root) => root.querySelector("details").innerText);
      const count = (cells) => Number(cells[1].replaceAll(",", ""));
      return { text, read: count(read), left: count(left), mass: read[2] };
    };
    /** What is said of some settings. */
    const tour = async () => {
      await page.inside((widget) => widget.turn("step", 6, true));
      const texts = [(await readRow()).text];
      for (const [change, proof] of [
        [{ topK: 10 }, /keeps 10 tokens, and as many were read/],
        [{ topP: 1, topK: 0, minP: 0.1 }, /removes whatever is below [\d.]+%, and the likeliest token left has/],
        [{ minP: 0 }, /nothing cuts tokens off.*Read: 20,500 bytes, which are a part and all 8,192/s],
        [{ topP: 0.99999999 }, /Top-p might keep tokens that were left/],
        [{ temperature: 0, topP: 1 }, /takes the largest logit, and that was read/],
        [
          { temperature: 0.9, topP: 0.8, repetitionPenalty: 1.2 },
          /The logits of \d+ tokens were asked for by their ids/,
        ],
      ]) {
        await page.inside((widget, _, to) => void Object.assign(widget, to), change);
        await page.inside(() => undefined); // drawn once: a new row is asked for
        const { text } = await readRow();
        assert.match(text, proof);
        texts.push(text);
      }
      return texts;
    };
    /** The same texts without the last paragraph, which says where they come from. @param {string[]} texts */
    const numbersOf = (texts) => texts.map((text) => text.trimEnd().replace(/\n[^\n]*$/, ""));
    let toured = [];

    await t.test("by keyboard a reader sees what is read of a row on a GPU, and what proves the cut", async () => {
      await page.press("details summary", "Enter");
      const { logits } = (await saved(page)).steps.at(-1);
      toured = await tour();
      assert.match(toured[0], name === "chromium" ? /Your GPU did this/ : /offers no WebGPU|Your GPU did this/);
      assert.match(toured[0], /Read: 12,308 bytes, in a row of 8,192/);
      await page.checkAccess();
      await page.inside((widget) => void (widget.repetitionPenalty = 1));
      await page.inside(() => undefined);
      const { text, read, left, mass } = await readRow();
      assert.equal(text, toured[0]);
      // As many of the largest as whole bins of distances allow.
      assert.ok(read > 512 && read <= 1024, `${read} are read`);
      assert.equal(read + left, logits.length);
      const probabilities = softmax(logits, 0.9).sort((a, b) => b - a);
      isNear(
        mass,
        probabilities.slice(0, read).reduce((a, b) => a + b),
      );
      assert.ok(text.includes(`keeps the same ${nucleus(softmax(logits, 0.9), 0.8).kept.length} tokens`), text);
      await page.click("details summary");
    });

    await t.test("sliders change the shares without the model, by keyboard too", async () => {
      const before = await saved(page);
      await page.press("#temperature", "Home");
      assert.equal(await page.inside((widget) => widget.temperature), 0);
      assert.match(await page.text(), /greedy token 6\.0 times on average: 100%/);
      assert.deepEqual((await saved(page)).steps, before.steps);
      await page.checkAccess();
    });

    await t.test("buttons and tokens lead to steps", async () => {
      const buttons = await page.inside((_, root) => root.querySelectorAll(".token").length);
      assert.equal(buttons, 6);
      await page.click(".token");
      assert.match(await page.text(), /Step 1 of 6/);
      await page.inside((_, root) =>
        [...root.querySelectorAll("button")].find((b) => /Next/.test(b.textContent)).click(),
      );
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("Step 2 of 6"));
    });

    await t.test("another token continues the text, and the tokens before it are not computed again", async () => {
      const before = await saved(page);
      await page.inside((widget) => widget.turn("step", 3, true));
      await page.inside((_, root) => {
        const row = [...root.querySelectorAll(".bars tr")].slice(1, 4).find((tr) => !tr.hasAttribute("data-marked"));
        row.querySelector("button").click();
      });
      await page.until((_, root) => root.querySelector("[role=status]").textContent.startsWith("From step 3"));
      const status = await page.inside((_, root) => root.querySelector("[role=status]").textContent);
      const length = before.promptTokens.length + 3;
      assert.match(
        status,
        new RegExp(`Of the ${length} tokens before, (${length - 1}|${length - 2}) were not computed`),
      );
      const after = await saved(page);
      assert.equal(after.steps.length, 6);
      assert.deepEqual(after.steps.slice(0, 2), before.steps.slice(0, 2));
      assert.notEqual(after.steps[2].token, before.steps[2].token);
      assert.deepEqual(after.steps[2].logits, before.steps[2].logits);
    });

    await t.test("any text may be the beginning", async () => {
      for (const prompt of ["", "🙂 سلام \u0000"]) {
        await page.inside((widget, root, text) => {
          widget.prompt = text;
          widget.count = 1;
          root.querySelector("button.primary").click();
        }, prompt);
        await page.until(
          (_, root) => root.textContent.includes("Step 1 of 1") && !root.querySelector(".bars button:disabled"),
        );
      }
      await page.show('<lastinch-inspector temperature="9"></lastinch-inspector>');
      assert.match(await page.text(), /temperature must be a number from 0 to 5, but is 9/);
    });

    await t.test("the inspector shows a text of the page and writes none", async () => {
      await page.show('<lastinch-inspector step="70" temperature="2"></lastinch-inspector>');
      const logits = [1, 3, 0, 2];
      await page.inside((widget, _, logits) => {
        const tokens = ["a", "b", "c", "d"].map((text) => new TextEncoder().encode(text));
        const step = { id: 3, text: "d", probability: 0.2, rawLogprob: -1.6, logits: Float32Array.from(logits) };
        const model = { config: { bos: -1 }, vocabulary: { tokens, eos: [2] } };
        widget.written = { model, ids: [0], steps: Array(80).fill(step) };
      }, logits);
      await page.until((_, root) => root.querySelectorAll(".bars").length);
      const probabilities = softmax(logits, 2);
      const rows = await page.table();
      assert.deepEqual(
        rows.map(([label]) => label),
        ["b greedy", "d in the text", "a", "end of text"],
      );
      [1, 3, 0, 2].forEach((id, i) => isNear(rows[i][1], probabilities[id]));
      assert.match(await page.text(), /Step 70 of 80/);
      // Only the steps around it: a slider could not keep up with all of them.
      assert.match(await page.text(), /At the 60 steps/);
      assert.equal(await page.inside((_, root) => root.querySelectorAll(".text .token").length), 60);
      const buttons = await page.inside((_, root) =>
        [...root.querySelectorAll(".view button")].map(({ textContent }) => textContent.trim()),
      );
      assert.deepEqual(buttons, ["‹ Previous", "Next ›", "Save the logits (JSON)"]);
      assert.equal((await saved(page)).steps.length, 80);
      await page.checkAccess();
    });

    await t.test("without WebGPU the page reads the same of a row, and says so", async () => {
      await page.show(
        '<lastinch-inspector pace="0" count="6" temperature="0.9" top-p="0.8" seed="3"></lastinch-inspector>',
      );
      await page.inside(() => void Object.defineProperty(navigator, "gpu", { value: undefined }));
      await page.click("button.primary");
      await page.until(isDone);
      await page.click("details summary");
      const texts = await tour();
      assert.match(texts[0], /This browser offers no WebGPU\. JavaScript did what the GPU would do/);
      assert.deepEqual(numbersOf(texts), numbersOf(toured));
    });

    await t.test("its words are Chinese on a Chinese page", async () => {
      await page.show("<lastinch-inspector></lastinch-inspector>", { lang: "zh" });
      assert.match(await page.text(), /逐步检视/);
      await page.checkAccess();
    });
    await page.checkQuiet();
  });
