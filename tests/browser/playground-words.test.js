// Words of a story in the playground: their alternatives, branches, bans, the tree, the strip.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { browserNames, waitFor } from "./browsers.js";
import { once, onceIfNarrow } from "./names.js";
import { isIdle, openPlayground } from "./playground-page.js";
import { openSite } from "./site.js";

const prompt = "Once upon a time, in a forest far away";
const settings = { temperature: 0.8, topP: 0.95, seed: 11 };

const model = await loadModel(
  new Blob([readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url))]),
  {
    worker: false,
  },
);
after(() => model.dispose());

/** What the library writes in Node after some first tokens. @param {number[]} kept @param {object} [options] */
async function written(kept, options) {
  const ids = [...(await model.tokenize(prompt, { bos: model.config.addBos })), ...kept];
  const { tokens } = await model.complete(ids, { ...settings, maxTokens: 60 - kept.length, ...options });
  return [...kept, ...tokens.map(({ id }) => id)];
}

const tokensShown = (driver) =>
  driver.evaluate(() =>
    [...document.querySelectorAll("#story .token")].map(({ textContent }) => textContent).join("|"),
  );
/** A text as its tokens are shown. @param {number[]} ids */
const asShown = (ids) =>
  ids
    .map((id) => (model.vocabulary.eos.includes(id) ? "" : new TextDecoder().decode(model.vocabulary.tokens[id])))
    .map((text) => (/^ *$/.test(text) ? text : text.replace(/^ +/, "")))
    .join("|");

const openCard = async (driver, index) => {
  await driver.click(`#story [data-index="${index}"]`);
  await waitFor(driver, (step) => document.querySelector(".card p")?.textContent.startsWith(`Step ${step} of `), [
    index + 1,
  ]);
};
const cardRows = (driver) =>
  driver.evaluate(() =>
    [...document.querySelectorAll(".card li")].map((row) => ({
      id: Number(row.querySelector("button").dataset.id),
      isChosen: row.hasAttribute("data-chosen"),
      number: row.querySelector(".number").textContent,
      width: row.querySelector(".bar").getBoundingClientRect().width,
      isCut: row.querySelector(".bar").classList.contains("cut"),
    })),
  );

/** Waits until the story is written and its tokens, parted by bars, are this text. */
async function storyReads(driver, text) {
  await waitFor(
    driver,
    (text) => [...document.querySelectorAll("#story .token")].map(({ textContent }) => textContent).join("|") === text,
    [text],
  );
  await waitFor(driver, isIdle);
}

for (const name of browserNames)
  describe(`words of a story in ${name}`, { concurrency: false, timeout: 900_000 }, () => {
    /** @type {Awaited<ReturnType<typeof openSite>>} */
    let opened;
    before(async () => void (opened = await openSite(name)));
    after(() => opened?.close());
    const open = (hash) => openPlayground(opened, hash);

    test(
      "the page opens with a recorded story that says so, and its words have their alternatives",
      once(name),
      async () => {
        opened.site.log.length = 0;
        const driver = await open("");
        await waitFor(driver, () => document.querySelectorAll("#story .token").length > 60);
        assert.match(await driver.evaluate(() => document.querySelector(".note").textContent), /^Recorded/);
        await openCard(driver, 5);
        assert.ok((await cardRows(driver)).length >= 5);
        assert.deepEqual(
          opened.site.log.filter((path) => /\.gguf$|model.*\.wasm$/.test(path)),
          [],
        );
      },
    );

    test("a link's story is written on arrival, and its end is not part of the last word", once(name), async () => {
      const driver = await open("#v=1&seed=48");
      const gap = await driver.evaluate(() => {
        const tokens = [...document.querySelectorAll("#story .token")];
        const end = tokens.at(-1);
        return {
          label: end.dataset.marker,
          gap: end.getBoundingClientRect().left - tokens.at(-2).getBoundingClientRect().right,
          isBelow: end.getBoundingClientRect().top > tokens.at(-2).getBoundingClientRect().top + 8,
        };
      });
      assert.equal(gap.label, "end of text");
      assert.ok(gap.isBelow || gap.gap >= 6, `${gap.gap} px`);
      assert.match(await driver.evaluate(() => document.querySelector("#status").textContent), /^The story is over/);
    });

    test(
      "the card's five likeliest tokens are the model's, and bars are as long as their probabilities",
      once(name),
      async () => {
        const driver = await open();
        for (const index of [0, 8]) {
          await openCard(driver, index);
          const rows = await cardRows(driver);
          const ids = (await written([])).slice(0, index);
          const whole = [...(await model.tokenize(prompt, { bos: model.config.addBos })), ...ids];
          const logits = await model.forward(whole);
          const likeliest = [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b).slice(0, 5);
          assert.deepEqual(
            rows.slice(0, 5).map(({ id }) => id),
            likeliest,
          );
          assert.equal(rows.filter(({ isChosen }) => isChosen).length, 1);
          const kept = rows.filter(({ isCut, width }) => !isCut && width > 5);
          for (const { width, number } of kept) {
            const ratio = width / kept[0].width;
            assert.ok(Math.abs(ratio - parseFloat(number) / parseFloat(kept[0].number)) < 0.03, `${number}: ${ratio}`);
          }
        }
      },
    );

    test(
      "a press on another token continues the text with that token, and the tree has both texts",
      once(name),
      async () => {
        const driver = await open();
        const first = await written([]);
        assert.equal(await tokensShown(driver), asShown(first));
        await openCard(driver, 6);
        const other = (await cardRows(driver)).find(({ isChosen }) => !isChosen).id;
        await driver.click(`.card [data-id="${other}"]`);
        await waitFor(driver, () => document.querySelectorAll(".map li").length === 2);
        await waitFor(driver, isIdle);
        const branch = await written([...first.slice(0, 6), other]);
        assert.equal(await tokensShown(driver), asShown(branch));
        assert.equal(await driver.evaluate(() => document.querySelectorAll(".map path").length), 2);
        const hash = await driver.evaluate(() => location.hash);

        await driver.click(".map li:first-child button");
        assert.equal(await tokensShown(driver), asShown(first));
        assert.equal(await driver.evaluate(() => document.activeElement.getAttribute("aria-current")), "true");

        await open(hash);
        assert.equal(await tokensShown(driver), asShown(branch), "a link brings the branch back");
      },
    );

    test("the keyboard opens the card, moves through it and branches", async () => {
      const driver = await open();
      await driver.evaluate(() => document.querySelector('#story [tabindex="0"]').focus());
      await driver.press("ArrowRight");
      await driver.press("ArrowRight");
      await driver.press("Enter");
      await waitFor(driver, () => document.activeElement.closest(".card li[data-chosen]") !== null);
      await driver.press("ArrowRight");
      await waitFor(driver, () => document.querySelector(".card p").textContent.startsWith("Step 4 of "));
      await driver.press("Escape");
      assert.deepEqual(
        await driver.evaluate(() => [document.activeElement.dataset.index, document.querySelector(".card").hidden]),
        ["3", true],
      );
      await driver.press("Enter");
      await waitFor(driver, () => document.activeElement.closest(".card li") !== null);
      await driver.press("ArrowDown");
      const other = await driver.evaluate(() => Number(document.activeElement.dataset.id));
      await driver.press("Enter");
      await waitFor(driver, () => document.querySelectorAll(".map li").length === 2);
      await waitFor(driver, isIdle);
      const first = await written([]);
      assert.equal(await tokensShown(driver), asShown(await written([...first.slice(0, 3), other])));
      assert.equal(await driver.evaluate(() => document.activeElement.dataset.index), "3");
    });

    test("a banned token does not come again, and can be allowed again", once(name), async () => {
      const driver = await open();
      const first = await written([]);
      const [banned] = first.slice(5);
      for (const bannedTokens of [[banned], []]) {
        const index = bannedTokens.length ? 5 : 0;
        await openCard(driver, index);
        if (!bannedTokens.length)
          await driver.evaluate(() => {
            const field = document.querySelector("#option-bannedTokens");
            field.value = "";
            field.dispatchEvent(new Event("change", { bubbles: true }));
          });
        else await driver.evaluate(() => document.querySelector(".card-foot button").click());
        const text = asShown(await written([], { bannedTokens }));
        await storyReads(driver, text);
      }
    });

    test("a press at a word bans it, or it and the next, and allows it again", once(name), async () => {
      const driver = await open();
      const first = new TextDecoder().decode(
        Uint8Array.from((await written([])).flatMap((id) => [...model.vocabulary.tokens[id]])),
      );
      const press = (index) =>
        driver.evaluate((at) => document.querySelectorAll(".card-foot button")[at].click(), index);
      const index = await driver.evaluate(() =>
        [...document.querySelectorAll("#story .token")].findIndex(({ textContent }) => /^[a-z]{4,}$/.test(textContent)),
      );
      await openCard(driver, index);
      const labels = await driver.evaluate(() =>
        [...document.querySelectorAll(".card-foot button")].map(({ textContent }) => textContent),
      );
      const [word, phrase] = labels.slice(1, 3).map((label) => /“(.*)”/.exec(label)[1]);
      assert.ok(phrase.startsWith(`${word} `) && first.includes(phrase), labels.join());
      await press(2);
      const text = asShown(await written([], { bannedStrings: [phrase] }));
      await storyReads(driver, text);
      assert.equal(await driver.evaluate(() => document.querySelector("#option-bannedStrings").value), phrase);
    });

    test("a loop is marked over the strip, and one press takes it back", once(name), async () => {
      const laughing = encodeURIComponent(`The cat said:${" ha".repeat(16)}`);
      const driver = await open(`#v=1&seed=11&tokens=60&T=0&prompt=${laughing}`);
      await waitFor(driver, () => document.querySelector(".loop:not([hidden])") !== null);
      await waitFor(driver, isIdle);
      assert.match(await driver.evaluate(() => document.querySelector(".loop").textContent), /turns of \d+ token/);
      assert.match(
        await driver.evaluate(() => document.querySelector(".strip canvas").getAttribute("aria-label")),
        /it repeats \d+ token/,
      );
      const before = await tokensShown(driver);
      await driver.evaluate(() => document.querySelector(".loop").click());
      await waitFor(driver, () => document.querySelectorAll(".map li").length === 2);
      await waitFor(driver, isIdle);
      assert.notEqual(await tokensShown(driver), before);
    });

    test("the strip's bars have the heights of the entropies", once(name), async () => {
      const driver = await open();
      await waitFor(driver, () => document.querySelector(".strip canvas").getAttribute("aria-label"));
      await driver.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
      const heights = await driver.evaluate(() => {
        const canvas = document.querySelector(".strip canvas");
        const count = document.querySelectorAll("#story .token").length;
        const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return Array.from({ length: count }, (_, i) => {
          const x = Math.floor(((i + 0.4) / count) * width);
          let rows = 0;
          for (let y = 0; y < height; y++) rows += Number(data[4 * (y * width + x) + 3] > 127);
          return rows / height;
        });
      });
      const ids = await written([]);
      const whole = [...(await model.tokenize(prompt, { bos: model.config.addBos }))];
      const rows = await model.forward([...whole, ...ids], { rows: "all" });
      const bits = ids.map((_, i) => {
        const row = rows[whole.length - 1 + i];
        const most = Math.max(...row);
        const weights = Array.from(row, (logit) => Math.exp(logit - most));
        const sum = weights.reduce((a, b) => a + b);
        return weights.reduce((total, weight) => total - (weight ? (weight / sum) * Math.log2(weight / sum) : 0), 0);
      });
      const scale = Math.max(4, ...bits);
      heights.forEach((height, i) =>
        assert.ok(Math.abs(height - bits[i] / scale) < 0.05, `step ${i}: ${height} ${bits[i] / scale}`),
      );
      await driver.evaluate(() => document.querySelector(".strip canvas").click());
      await waitFor(driver, () => document.querySelector(".card p")?.textContent.startsWith("Step "));
    });

    for (const [width, height] of [
      [1280, 900],
      [390, 844],
    ])
      test(`word and card are in view at ${width} by ${height}`, onceIfNarrow(name), async () => {
        const { page } = opened.driver;
        await page.setViewport({ width, height });
        for (const hash of ["", "#v=1&seed=11&tokens=60"]) {
          const driver = await open(hash);
          await waitFor(driver, () => document.querySelectorAll("#story .token").length > 50);
          const last = await driver.evaluate(() => document.querySelectorAll("#story .token").length - 1);
          for (const index of [0, 20, last]) {
            await openCard(driver, index);
            const places = await driver.evaluate(
              (index) =>
                [`#story [data-index="${index}"]`, ".card"].map((selector) => {
                  const { top, bottom, left, right } = document.querySelector(selector).getBoundingClientRect();
                  return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
                }),
              index,
            );
            await driver.press("Escape");
            assert.deepEqual(places, [true, true], `${hash} step ${index + 1}`);
          }
        }
        await page.setViewport({ width: 1280, height: 900 });
      });
  });
