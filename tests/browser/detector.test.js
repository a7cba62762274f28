// The watermark detector: writes a marked text, finds its mark with the key, and says what it cannot prove.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { detectWatermark, loadModel } from "../../dist/index.js";
import { randomModel, vocabularyOf } from "../js/tiny-gguf.js";
import { checkAccess, inAllLooks } from "./axe.js";
import { browserNames, untilTrue, waitFor } from "./browsers.js";
import { once } from "./names.js";
import { openSite } from "./site.js";

const tiny = Buffer.from(randomModel({ vocabulary: vocabularyOf(["a", "b", " dog", " cat"]), context: 64 })).toString(
  "base64",
);
const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
const model = await loadModel(new Blob([file]), { worker: false });
after(() => model.dispose());

for (const name of browserNames)
  describe(`the watermark detector in ${name}`, { concurrency: false, timeout: 900_000 }, async () => {
    const { site, driver, close } = await openSite(name);
    after(close);
    const open = async () => {
      await driver.open(`${site.origin}/demos/detector.html`);
      await waitFor(driver, () => document.querySelector("#look").disabled === false);
    };
    const fill = (fields) =>
      driver.evaluate((given) => {
        for (const [id, value] of Object.entries(given)) {
          const field = document.querySelector(`#${id}`);
          field.value = value;
          field.dispatchEvent(new Event("change", { bubbles: true }));
        }
      }, fields);
    const click = (id) => driver.evaluate((at) => document.querySelector(`#${at}`).click(), id);
    const read = (id) => driver.evaluate((at) => document.querySelector(`#${at}`).textContent, id);
    const isIdle = () => document.querySelector("#look").disabled === false;
    const look = async () => {
      await click("look");
      await waitFor(driver, isIdle);
      assert.equal(await driver.evaluate(() => document.querySelector("#alert").hidden), true);
      return driver.evaluate(() => ({
        verdict: document.querySelector("#verdict").textContent,
        pValue: Number(document.querySelector("#p-value").textContent),
        used: document.querySelector("#used").textContent,
        looks: document.querySelector("#looks").textContent,
        isFocused: document.activeElement?.id === "verdict",
      }));
    };

    test("a text that the page marks is found with its key, and not with another", async () => {
      await open();
      assert.ok(!site.log.some((path) => /gguf|wasm/.test(path)), "a model came unasked");
      await fill({ scheme: "green", key: "the page's key", window: 2, gamma: 0.4, delta: 4, tokens: 80 });
      await driver.evaluate(() => void (document.querySelector("#write").open = true));
      await driver.evaluate(() => {
        const status = document.querySelector("#status");
        globalThis.announced = [];
        new MutationObserver(() => globalThis.announced.push(status.textContent)).observe(status, {
          childList: true,
          characterData: true,
          subtree: true,
        });
      });
      await click("write-text");
      await waitFor(driver, () => /Written/.test(document.querySelector("#status").textContent));
      // The steps of the download are not announced.
      assert.deepEqual(await driver.evaluate(() => globalThis.announced), [
        "Loading the model …",
        "Writing …",
        "Written: now look for the mark.",
      ]);
      const text = await driver.evaluate(() => document.querySelector("#text").value);
      const mark = { scheme: /** @type {const} */ ("green"), key: "the page's key", window: 2, gamma: 0.4 };
      const { pValue, tokensUsed } = await detectWatermark(text, { ...mark, vocabulary: model });
      const found = await look();
      assert.match(found.verdict, /^A strong sign of this mark$/);
      assert.ok(pValue < 0.001 && Math.abs(found.pValue / pValue - 1) < 0.06, `${found.pValue} ${pValue}`);
      assert.deepEqual([found.used, found.isFocused], [String(tokensUsed), true]);
      assert.match(await read("meaning"), /^(One in [\d.]+( \w+)? unmarked texts scores|Fewer than one)/);
      assert.equal((await look()).looks, found.looks, "the same look counts once");
      await fill({ key: "another" });
      const other = await look();
      assert.match(other.verdict, /No sign|weak sign/);
      assert.match(other.looks, /You have looked 2 times/);
      const best = Number(other.looks.match(/best of the 2, \S+, as (\S+)\.$/)[1]);
      assert.ok(Math.abs(best / (2 * pValue) - 1) < 0.06, other.looks);
      assert.match(await read("meaning"), /says nothing about who wrote|nothing special/);
      assert.deepEqual(await driver.consoleErrors(), []);
    });

    test("one's own file splits the text, and a short text says nothing", once(name), async () => {
      await driver.evaluate((bytes) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], "tiny.gguf"));
        const field = document.querySelector("#file");
        field.files = dataTransfer.files;
        field.dispatchEvent(new Event("change", { bubbles: true }));
      }, tiny);
      assert.equal(await driver.evaluate(() => document.querySelector("#model").value), "tiny.gguf");
      await fill({ text: "a", scheme: "gumbel", window: 4 });
      const found = await look();
      assert.deepEqual([found.verdict, found.used], ["Too short to say anything", "0"]);
      await fill({ text: " dog cat".repeat(3) + "ab" });
      assert.notEqual((await look()).used, "0");
    });

    test("a long paste is read whole, or not at all and with a word", once(name), async () => {
      await fill({ key: "k" });
      const paste = (/** @type {number} */ length) =>
        driver.evaluate((count) => {
          const field = document.querySelector("#text");
          field.select();
          // As pasting does, this keeps to the field's own limits.
          document.execCommand("insertText", false, "a".repeat(count));
          return field.value.length;
        }, length);
      assert.equal(await paste(150_000), 150_000);
      assert.equal((await look()).verdict, "No sign of this mark");
      await fill({ text: "a".repeat(1_000_001) });
      await click("look");
      await waitFor(driver, isIdle);
      assert.match(await read("alert"), /1,000,001 characters, but at most 1,000,000.*Nothing was looked at/);
      assert.equal(await driver.evaluate(() => document.querySelector("#alert").hidden), false);
    });

    test("what is wrong is said: no key, and a file that is no model", once(name), async () => {
      await open();
      await click("look");
      assert.equal(await driver.evaluate(() => document.activeElement?.id), "key");
      await driver.evaluate(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["PK no model"], "no.gguf"));
        const field = document.querySelector("#file");
        field.files = dataTransfer.files;
        field.dispatchEvent(new Event("change", { bubbles: true }));
      });
      await fill({ key: "k", text: "Once upon a time" });
      await click("look");
      await untilTrue(() => driver.evaluate(() => !document.querySelector("#alert").hidden), "no alert");
      assert.ok((await read("alert")).length > 20);
    });

    test("the first paragraph says what a mark cannot prove; axe-core finds nothing", once(name), async (t) => {
      await open();
      assert.match(
        await driver.evaluate(() => document.querySelector("h1 + p").textContent),
        /A mark proves little[^]*not found says nothing/,
      );
      await driver.evaluate(() => void (document.querySelector("#write").open = true));
      await fill({
        key: "k",
        text: "Once upon a time there was a little dog that had a big red ball.",
        scheme: "synthid",
      });
      await look();
      await inAllLooks(t, driver, () => checkAccess(driver), [1280, 390]);
    });

    test("all comes from the site, and an open page looks on when the server is gone", once(name), async () => {
      const others = (await driver.requests()).filter((url) => !/^(about|data|blob):/.test(url));
      assert.deepEqual(
        others.filter((url) => !url.startsWith(site.origin)),
        [],
      );
      await site.close();
      await fill({ key: "k2" });
      assert.match((await look()).looks, /You have looked 2 times/);
      assert.deepEqual(await driver.consoleErrors(), []);
    });
  });
