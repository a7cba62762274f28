// One's own GGUF file in the playground: dropped, chosen or named by address; then inspected, loaded and used to write.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { randomModel, vocabularyOf } from "../js/tiny-gguf.js";
import { checkAccess, inAllLooks } from "./axe.js";
import { browserNames, untilTrue, waitFor } from "./browsers.js";
import { facts, give, load, packed, untilLookedAt } from "./given-file.js";
import { once } from "./names.js";
import { openSite, startSite } from "./site.js";

const pieces = ["a", "b", " dog", " cat", " and"];
const tiny = packed(randomModel({ vocabulary: vocabularyOf(pieces), context: 512 }));
const strange = Buffer.from(randomModel({ extra: { "general.architecture": ["string", "llama5"] } })).toString(
  "base64",
);
const MADE = "/build/models/MiniMind2-Small-Q8_0.gguf";

const giveAddress = (driver, address) =>
  untilLookedAt(driver, () =>
    driver.evaluate((address) => {
      document.querySelector("#address").value = address;
      document.querySelector("#address-form button").click();
    }, address),
  );

const choose = (driver, selector, value) =>
  driver.evaluate(
    (selector, value) => {
      const field = document.querySelector(selector);
      field.value = value;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    },
    selector,
    value,
  );

/** The text that the page writes. */
const generate = async (driver) => {
  await driver.evaluate(() => document.querySelector("#generate").click());
  await waitFor(driver, () => document.querySelector("#generate").textContent === "Generate");
  return driver.evaluate(() => document.querySelector("#story").textContent);
};

const megabytes = (text) => parseFloat(text) / (/^[\d.]+ KB/.test(text) ? 1e6 / 1024 : 1);

for (const name of browserNames)
  describe(`one's own file in ${name}`, { concurrency: false, timeout: 900_000 }, () => {
    /** @type {Awaited<ReturnType<typeof openSite>>} */
    let opened;
    before(async () => void (opened = await openSite(name)));
    after(() => opened?.close());
    const open = async (hash = "") => {
      const { driver, site } = opened;
      await driver.open(`${site.origin}/demos/playground.html${hash}`);
      await waitFor(driver, () => {
        const { disabled, textContent } = document.querySelector("#generate") ?? {};
        return disabled === false && textContent === "Generate";
      });
      return { driver, site };
    };

    test("a dropped file is inspected, loaded, and writes a story", async () => {
      const { driver, site } = await open();
      await give(driver, "drop", tiny);
      const found = await facts(driver);
      assert.equal(found.name, "tiny.gguf");
      assert.match(found.rows.Family, /^llama, “tiny”/);
      assert.match(found.rows.Types, /^F32 \d+ KB$/);
      assert.match(found.rows.Memory, /^[\d.]+ [KM]B: weights .*, keys and values .*, scratch .*$/);
      assert.deepEqual([found.canLoad, found.problem], [true, ""]);
      assert.ok(!site.log.some((path) => path.endsWith(".gguf")), "nothing of a model was fetched");
      await load(driver);
      assert.match(await driver.evaluate(() => document.querySelector("#honesty").textContent), /^Live: .*“tiny”/);
      const text = await generate(driver);
      const tints = await driver.evaluate(() => document.querySelectorAll("#story .token[data-surprise]").length);
      assert.ok(text.startsWith("Once upon a time") && tints > 0, text);
      await driver.evaluate(() => document.querySelector("#story .token").click());
      const rows = await waitFor(driver, () => document.querySelectorAll(".card li").length);
      assert.ok(rows >= 5);
      assert.deepEqual(await driver.consoleErrors(), []);
    });

    test("the memory shown follows the context and the type of keys and values", once(name), async () => {
      const { driver } = await open();
      await give(driver, "choose", tiny);
      const memory = async () => (await facts(driver)).rows.Memory.match(/keys and values ([\d.]+ \w+)/)[1];
      const whole = megabytes(await memory());
      assert.equal(await driver.evaluate(() => document.querySelector("#context-length").value), "512");
      await choose(driver, "#context-length", "256");
      const half = megabytes(await memory());
      assert.ok(half < 0.6 * whole, `${half} ${whole}`);
      await choose(driver, "#cache-type", "f16");
      assert.ok(megabytes(await memory()) < 0.6 * half);
      await choose(driver, "#cache-type", "q8_0");
      const narrow = await facts(driver);
      assert.equal(narrow.canLoad, false);
      assert.match(narrow.problem, /multiples? of 32/);
      await choose(driver, "#cache-type", "f16");
      assert.deepEqual([(await facts(driver)).canLoad, (await facts(driver)).problem], [true, ""]);
    });

    test("a file that does not run is explained, and the previous model stays", once(name), async () => {
      const { driver } = await open();
      await give(driver, "drop", tiny);
      await facts(driver);
      await load(driver);
      const text = await generate(driver);
      await give(driver, "drop", strange, "strange.gguf");
      const found = await facts(driver);
      assert.equal(found.name, "strange.gguf");
      assert.match(found.rows.Family, /^llama5/);
      assert.equal(found.canLoad, false);
      assert.match(found.problem, /llama5/);
      await give(driver, "choose", packed("PK\u0003\u0004 a zip"), "model.zip");
      const other = await facts(driver);
      assert.deepEqual([other.isKnown, other.canLoad], [false, false]);
      assert.match(other.problem, /archive|compressed/);
      assert.equal(await generate(driver), text);
      assert.deepEqual(await driver.consoleErrors(), []);
    });

    test("loading can be cancelled and restarted", once(name), async () => {
      const { driver, site } = await open();
      const path = "/demos/model/draft.gguf";
      await giveAddress(driver, ".." + path);
      const found = await facts(driver);
      assert.deepEqual([found.name, found.canLoad], ["draft.gguf", true]);
      site.silent.add(path);
      await driver.evaluate(() => document.querySelector("#load").click());
      await waitFor(driver, () => document.querySelector("#cancel-load").hidden === false);
      await driver.evaluate(() => document.querySelector("#cancel-load").click());
      const cancelled = await facts(driver);
      assert.deepEqual([cancelled.status, cancelled.problem, cancelled.canLoad], ["Cancelled.", "", true]);
      assert.equal(await driver.evaluate(() => document.querySelector("#model").value), "storyteller");
      site.silent.delete(path);
      await load(driver);
      assert.ok((await generate(driver)).length > 40);
    });

    test("an address without a file is an error that says so", once(name), async () => {
      const { driver } = await open();
      await giveAddress(driver, "../none.gguf");
      const found = await facts(driver);
      assert.deepEqual([found.name, found.isKnown, found.canLoad], ["none.gguf", false, false]);
      assert.match(found.problem, /HTTP 404.*no such file/);
    });

    test("another site's file is loaded by its address if that site allows it", once(name), async (t) => {
      const { driver } = await open();
      const other = await startSite();
      t.after(() => other.close());
      other.isOpen = false;
      const address = `${other.origin}/demos/model/draft.gguf`;
      await giveAddress(driver, address);
      assert.match((await facts(driver)).problem, /Access-Control-Allow-Origin/);
      other.isOpen = true;
      await giveAddress(driver, address);
      assert.deepEqual([(await facts(driver)).canLoad, (await facts(driver)).problem], [true, ""]);
      await load(driver);
      assert.ok((await generate(driver)).length > 40);
    });

    test("opening the list asks the server, once, for the model that make models makes", once(name), async () => {
      const { driver, site } = await open();
      const asked = () => site.log.filter((path) => path === MADE).length;
      site.log.length = 0;
      site.missing.add(MADE);
      await driver.evaluate(() => document.querySelector("#prompt").focus());
      assert.equal(asked(), 0);
      const toggle = () => driver.evaluate(() => document.querySelector("#models summary").click());
      for (let i = 0; i < 3; i++) await toggle();
      await untilTrue(async () => asked(), "the server is not asked");
      await driver.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300))); // for further requests, if any
      assert.equal(asked(), 1);
      assert.equal(await driver.evaluate(() => document.querySelector("#offered").hidden), true);

      await open();
      await driver.evaluate(() => {
        globalThis.fetch = async () => new Response(null, { headers: { "content-length": "27701984" } });
      });
      await toggle();
      const offer = await waitFor(driver, () => document.querySelector("#offered button")?.textContent);
      assert.equal(offer, "MiniMind2-Small, 27.7 MB");
    });

    test("a link to a text from the reader's own file asks for the file", once(name), async () => {
      const { driver } = await open("#v=1&seed=5&model=own");
      assert.match(await driver.evaluate(() => document.querySelector("#status").textContent), /choose that file/);
      assert.equal(await driver.evaluate(() => document.querySelector("#model").value), "storyteller");
    });

    for (const file of ["tiny", "strange"])
      test(`axe-core finds nothing on a phone, with the ${file} file`, once(name), async (t) => {
        const { driver } = await open();
        await give(driver, "drop", { tiny, strange }[file], `${file}.gguf`);
        await facts(driver);
        await inAllLooks(t, driver, () => checkAccess(driver), [360]);
      });
  });
