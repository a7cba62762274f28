// The landing page: a recording that says it is one, a slider whose first touch fetches the model, and four doors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { loadModel } from "../../dist/index.js";
import { options, prompt } from "../../demos/hero-settings.js";
import { recordGame, recordHero } from "../../demos/model/record-pages.js";
import * as game from "../../demos/recorded/game.js";
import * as hero from "../../demos/recorded/hero.js";
import { limitOf } from "../limits.js";
import { checkAccess } from "./axe.js";
import { browserNames, waitFor } from "./browsers.js";
import { layoutShift } from "./layout-shift.js";
import { openSite } from "./site.js";

const root = new URL("../..", import.meta.url);
const model = await loadModel(new Blob([readFileSync(new URL("dist/storyteller.gguf", root))]), { worker: false });
after(() => model.dispose());
const recorded = hero.texts
  .find(({ temperature }) => temperature === options.temperature)
  .tokens.split("|")
  .join("");

const isElsewhere = !browserNames.includes("chromium");
const storyText = () => document.querySelector("#text").textContent;
const sourceText = () => document.querySelector("#source").textContent;

for (const name of browserNames)
  describe(`the landing page in ${name}`, { timeout: 900_000 }, async () => {
    const { site, driver, close } = await openSite(name);
    after(close);
    const open = async () => {
      await driver.open(`${site.origin}/demos/`);
      await waitFor(driver, () => document.querySelector("#temperature").disabled === false);
    };

    test("a recording plays and says that it is recorded; no model is fetched", async () => {
      await open();
      const later = () => document.querySelectorAll("#text .later").length;
      // It takes ten seconds; who looks later presses the button.
      const play = () => {
        const button = document.querySelector("#play");
        if (button.textContent === "Play again") button.click();
      };
      await driver.evaluate(play);
      await waitFor(driver, later);
      const before = await driver.evaluate(later);
      await waitFor(driver, (count) => document.querySelectorAll("#text .later").length < count, [before]);
      assert.match(await driver.evaluate(sourceText), /^Recorded/);
      // The whole text takes its space from the beginning.
      assert.equal(await driver.evaluate(storyText), prompt + recorded);
      await waitFor(driver, () => [...document.querySelectorAll("#bars .bar")].some((bar) => bar.offsetWidth > 20));
      const called = await driver.evaluate(
        `(${play})(), document.querySelector("#play").click(), document.querySelector("#play").textContent`,
      );
      assert.equal(called, "Play");
      assert.ok(!site.log.some((path) => /gguf|worker|wasm/.test(path)), "a model came unasked");
    });

    test("the slider's first touch fetches the model, which rewrites the text of the seed at every move", async () => {
      await open();
      assert.match(await driver.evaluate(() => document.querySelector("#cost").textContent), /2\.6 MB/);
      const move = (value) =>
        driver.evaluate((to) => {
          const slider = document.querySelector("#temperature");
          slider.value = to;
          slider.dispatchEvent(new Event("input", { bubbles: true }));
          globalThis.moved = performance.now();
        }, value);
      await move(1.5);
      // Until the model is there, the slider shows the nearest recording.
      assert.match(await driver.evaluate(sourceText), /^(Recorded at temperature 1\.[46]|Live)/);
      const isLive = (value) => document.querySelector("#text").dataset.live === String(value);
      await waitFor(driver, isLive, [1.5]);
      for (const temperature of [0, 1.15]) {
        await move(temperature);
        const took = await driver.evaluate(
          (value) =>
            new Promise((resolve) => {
              const look = () =>
                document.querySelector("#text").dataset.live === String(value)
                  ? resolve(performance.now() - globalThis.moved)
                  : requestAnimationFrame(look);
              look();
            }),
          temperature,
        );
        console.log(`# ${name}: rewritten at temperature ${temperature} within ${took.toFixed(0)} ms`);
        const { text } = await model.complete(prompt, { ...options, temperature });
        assert.equal(await driver.evaluate(storyText), prompt + text);
        assert.match(await driver.evaluate(sourceText), /^Live/);
      }
      assert.ok(site.log.some((path) => path.endsWith("storyteller.gguf")));
      assert.deepEqual(await driver.consoleErrors(), []);
    });
  });

describe("the landing page in detail", { timeout: 900_000, skip: isElsewhere }, async () => {
  if (isElsewhere) return;
  const { site, driver, close } = await openSite("chromium");
  after(close);
  const page = /** @type {import("puppeteer-core").Page} */ (driver.page);
  const open = () => driver.open(`${site.origin}/demos/`);

  for (const scheme of ["light", "dark"])
    for (const width of [1280, 320])
      test(`axe-core finds nothing, and nothing sticks out of the page, ${scheme}, ${width} px`, async () => {
        await page.setViewport({ width, height: 800 });
        await page.emulateMediaFeatures([
          { name: "prefers-color-scheme", value: scheme },
          { name: "prefers-reduced-motion", value: "reduce" },
        ]);
        await open();
        await waitFor(driver, () => document.querySelector("#temperature").disabled === false);
        // With reduced motion the whole text is there at once.
        assert.equal(await driver.evaluate(() => document.querySelectorAll("#text .later").length), 0);
        assert.equal(await driver.evaluate(() => document.querySelector("#play").textContent), "Play again");
        await checkAccess(driver);
      });

  test("nothing moves after the page has opened, and the page fetches no more than its limit", async () => {
    await page.emulateMediaFeatures([]);
    await page.setCacheEnabled(false);
    for (const width of [1280, 390]) {
      await page.setViewport({ width, height: 844 });
      await open();
      site.log.length = 0;
      await open();
      await new Promise((resolve) => setTimeout(resolve, 2500));
      const shift = await layoutShift(driver);
      assert.ok(shift < 0.01, `layout shift ${shift} at ${width} px`);
      const paths = new Set(site.log.filter((path) => !path.startsWith("/tests/")));
      const bytes = [...paths]
        .map((path) => (path === "/demos/" ? "/demos/index.html" : path))
        .reduce((sum, path) => sum + brotliCompressSync(readFileSync(new URL("." + path, root))).length, 0);
      console.log(`# the landing page, brotli: ${bytes} bytes in ${paths.size} files`);
      assert.ok(bytes > 5000 && bytes <= limitOf("landing"), `${bytes} bytes`);
    }
    await page.setCacheEnabled(true);
  });

  test("without JavaScript the page has a story, its sentence and four doors", async () => {
    await page.setJavaScriptEnabled(false);
    try {
      await page.goto(`${site.origin}/demos/`);
      assert.equal(await page.$eval("#text", ({ textContent }) => textContent), prompt + recorded);
      assert.equal((await page.$$(".doors a")).length, 4);
    } finally {
      await page.setJavaScriptEnabled(true);
    }
  });

  test("the keyboard moves the slider", async () => {
    await open();
    await page.focus("#temperature");
    await page.keyboard.press("ArrowRight");
    assert.equal(await driver.evaluate(() => document.querySelector("#shown").textContent), "0.85");
    await waitFor(driver, () => document.querySelector("#text").dataset.live === "0.85");
  });

  test("a screen reader is told the text that stands there at last", async () => {
    await open();
    await page.focus("#temperature");
    for (const key of ["Home", "End", "ArrowLeft"]) await page.keyboard.press(key);
    await waitFor(driver, () =>
      document.querySelector("#said").textContent.startsWith("Rewritten at temperature 1.95"),
    );
    const { said, shown, live } = await driver.evaluate(() => ({
      said: document.querySelector("#said").textContent,
      shown: document.querySelector("#text").textContent,
      live: document.querySelector("#text").dataset.live,
    }));
    assert.deepEqual([said, live], [`Rewritten at temperature 1.95: ${shown}`, "1.95"]);
  });
});

test("the recordings equal a new run", { skip: isElsewhere }, async () => {
  const again = await recordHero(model);
  assert.deepEqual(again, { texts: hero.texts, bars: hero.bars });
  const { rows, others, prompt: opening } = await recordGame(model, 2);
  assert.deepEqual([others, opening], [game.others, game.prompt]);
  assert.ok(game.rows.startsWith(rows + ";"));
  assert.equal(game.rows.split(";").length, 1 + 5 + 25 + 125 + 625);
});
