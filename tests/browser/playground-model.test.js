// The playground's panel of the model at work: its numbers, the models that the browser keeps, and how they are deleted.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { checkAccess, inAllLooks } from "./axe.js";
import { browserNames, waitFor } from "./browsers.js";
import { isIdle, openPlayground } from "./playground-page.js";
import { openSite } from "./site.js";

/** The rows of the table by their names, and what stands below. */
const shown = (driver) =>
  driver.evaluate(() => {
    const panel = document.querySelector("#model-panel");
    const rows = [...panel.querySelectorAll("tr")].map(({ cells }) => [cells[0].textContent, cells[1].textContent]);
    const kept = [...panel.querySelectorAll("li span")].map(({ textContent }) => textContent);
    return { rows: Object.fromEntries(rows), visit: panel.querySelector("p").textContent, kept };
  });

const openPanel = async (driver) => {
  await driver.evaluate(() => document.querySelector("#at-work summary").focus());
  await driver.press("Enter");
  await waitFor(driver, () => document.querySelector("#model-panel tr") !== null);
};

for (const name of browserNames)
  describe(`the model at work in ${name}`, { concurrency: false, timeout: 900_000 }, () => {
    /** @type {Awaited<ReturnType<typeof openSite>>} */
    let opened;
    before(async () => void (opened = await openSite(name)));
    after(() => opened?.close());

    test("the numbers are those of the loaded model, and follow each text", async () => {
      const driver = await openPlayground(opened);
      await openPanel(driver);
      const { rows } = await shown(driver);
      assert.match(rows.Memory, /^[\d.]+ MB, for 512 tokens of context; \d+ threads?$/);
      assert.match(rows.Loaded, /^2\.\d MB in [\d.]+ s$/);
      assert.match(rows.Prompt, /^first token after [\d.]+ s; [\d,]+ tokens a second$/);
      assert.match(rows.Text, /^[\d,]+ tokens a second$/);
      assert.match(rows["In all"], /^1 text, 60 tokens$/);
      await driver.click("#generate");
      await waitFor(driver, () => document.querySelector("#model-panel").textContent.includes("2 texts, 120 tokens"));
      await waitFor(driver, isIdle);
      const { rows: next } = await shown(driver);
      const [, reused, all] = /^([\d,]+) of ([\d,]+) tokens/.exec(next.Reused);
      assert.ok(Number(reused) > 0 && Number(reused) < Number(all), next.Reused);
      assert.deepEqual(await driver.consoleErrors(), []);
    });

    test("before the model is loaded the panel says so, and loads nothing", async () => {
      opened.site.log.length = 0;
      const driver = await openPlayground(opened, "");
      await openPanel(driver);
      assert.deepEqual((await shown(driver)).rows, { Model: "not loaded: Generate loads it" });
      assert.deepEqual(
        opened.site.log.filter((path) => path.endsWith(".gguf")),
        [],
      );
    });

    test("kept models are listed and deleted, and the panel says what a second visit saves", async (t) => {
      const driver = await openPlayground(opened);
      await openPanel(driver);
      const { kept, visit } = await shown(driver);
      assert.match(visit, /2\.\d MB/);
      // Under WebDriver, WebKit keeps nothing on disk.
      if (name !== "webkit" || kept.length) {
        assert.match(kept.join(), /^storyteller.*\.gguf: 2\.\d MB, /);
        assert.match(visit, /^This visit took 2\.\d MB from the browser's copy/);
        await inAllLooks(t, driver, () => checkAccess(driver), [1280, 390]);
        // A text leaves the focus where it is, and a question that is denied deletes nothing.
        await driver.evaluate(() => {
          document.querySelector("#model-panel li button").focus();
          globalThis.confirm = () => false;
          document.querySelector("#generate").click();
        });
        await waitFor(driver, () => document.querySelector("#model-panel").textContent.includes("2 texts, 120 tokens"));
        await waitFor(driver, isIdle);
        assert.equal(
          await driver.evaluate(() => document.activeElement === document.querySelector("#model-panel li button")),
          true,
        );
        await driver.click("#model-panel li button");
        assert.deepEqual((await shown(driver)).kept, kept);
        await driver.evaluate(() => void (globalThis.confirm = () => true));
        await driver.click("#model-panel li button");
        await waitFor(driver, () =>
          /is deleted: 2\.\d MB are free/.test(document.querySelector("#model-panel").textContent),
        );
        assert.equal(await driver.evaluate(() => document.activeElement?.id), "kept-title");
        const left = await driver.evaluate(async () => {
          const { models } = await import("/dist/index.js");
          return models();
        });
        assert.deepEqual(left, []);
        assert.deepEqual((await shown(driver)).kept, []);
        await driver.click("#generate");
        await waitFor(driver, isIdle);
      }
      assert.deepEqual(await driver.consoleErrors(), []);
    });
  });
