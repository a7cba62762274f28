// Class mode: a teacher's link brings the row to the pupils, their codes bring the votes back, and the numbers beside the
// model's row are right.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { generate } from "lean-qr";
import { createSampler, loadModel } from "../../dist/index.js";
import { checkAccess, inAllLooks } from "./axe.js";
import { browserNames, waitFor } from "./browsers.js";
import { once } from "./names.js";
import { openSite } from "./site.js";

const prompt = "The cat sat & slept on the";
/** As the teacher writes it, and what each word has in tenths of a percent. */
const written = "mat 40,5\nrug 20 %\nold sofa 0\nbed 12.5\n\n";
const row = { bed: 125, mat: 405, "old sofa": 0, rug: 200, "another word": 270 };
const names = Object.keys(row);

for (const name of browserNames)
  describe(`class mode in ${name}`, { concurrency: false, timeout: 600_000 }, async () => {
    const { site, driver, close } = await openSite(name);
    after(close);
    const page = `${site.origin}/demos/class.html`;
    const open = async (fragment = "") => {
      await driver.open(page + fragment);
      await waitFor(driver, () => document.querySelector("#begin").disabled === false);
    };
    const fill = (fields) =>
      driver.evaluate((given) => {
        for (const [id, value] of Object.entries(given)) {
          const field = document.querySelector(`#${id}`);
          field.value = value;
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }
      }, fields);
    const click = (selector) => driver.evaluate((at) => document.querySelector(at).click(), selector);
    const read = (selector) => driver.evaluate((at) => document.querySelector(at).textContent, selector);
    const alertText = () =>
      driver.evaluate(() => {
        const { hidden, textContent } = document.querySelector("#alert");
        return hidden ? "" : textContent;
      });
    const begin = async (fields) => {
      await fill(fields);
      await click("#begin");
    };
    const link = () => driver.evaluate(() => document.querySelector("#link").href);
    /** What the pupil with this link is told for each word. */
    const codesOf = async (address) => {
      await driver.open(address);
      await waitFor(driver, () => document.querySelectorAll("#choices button").length > 0);
      return driver.evaluate(() =>
        [...document.querySelectorAll("#choices button")].map((button) => {
          button.click();
          return [button.textContent, document.querySelector("#own-code").textContent];
        }),
      );
    };
    /** The bars' numbers by words. */
    const bars = () =>
      driver.evaluate(() =>
        [...document.querySelectorAll("#bars tbody")].map((body) => [
          body.querySelector("[scope=rowgroup]").textContent,
          ...[...body.querySelectorAll("td:last-child")].map(({ textContent }) => textContent),
        ]),
      );
    let address = "";
    let codes = [];

    test("a link carries the text and the row to the pupils, in an order that tells nothing", async () => {
      await open();
      await begin({ text: ` ${prompt} `, row: written, seed: 7 });
      assert.equal(await alertText(), "");
      assert.equal(await driver.evaluate(() => document.activeElement?.id), "vote-title");
      address = await link();
      const given = new URLSearchParams(new URL(address).hash.slice(1));
      assert.deepEqual([given.get("text"), given.get("seed"), given.has("votes")], [prompt, "7", false]);
      codes = await codesOf(address);
      assert.deepEqual(
        codes.map(([word]) => word),
        names,
      );
      assert.deepEqual(
        codes.map(([, code]) => code[0]),
        ["A", "B", "C", "D", "E"],
      );
      const seen = await driver.evaluate(() => document.querySelector("main").innerText);
      assert.match(seen, /The cat sat & slept on the …/);
      assert.doesNotMatch(seen, /\d\d|%|begins/, "a percentage or the teacher's form");
    });

    test("a pupil chooses with the keyboard, and chooses again", async () => {
      await open(new URL(address).hash);
      await driver.evaluate(() => document.querySelectorAll("#choices button")[1].focus());
      await driver.press("Enter");
      await waitFor(driver, () => document.activeElement?.id === "told");
      assert.deepEqual(
        [await read("#chosen"), await read("#own-code")],
        ["You chose “mat”. Tell your teacher this code:", codes[1][1]],
      );
      await driver.press("Tab");
      await driver.press("Enter");
      await waitFor(driver, () => document.activeElement?.textContent === "bed");
    });

    test("the link to the vote keeps it", async () => {
      await open(new URL(address).hash);
      await driver.evaluate(() => document.querySelector(".skip").click());
      assert.equal(await driver.evaluate(() => document.activeElement.id), "main");
      assert.equal(await driver.evaluate(() => location.href), address);
      assert.equal(await driver.evaluate(() => document.querySelectorAll("#choices button").length), 5);
    });

    test("codes and numbers are counted, and stand beside the row, the tail and the model's draws", async () => {
      await open();
      await begin({ text: prompt, row: written, seed: 7 });
      assert.equal(await link(), address);
      const [bed, mat, sofa, , other] = codes.map(([, code]) => code);
      const wrong = `${bed[0]}${(Number(bed[1]) + 1) % 10}`;
      await fill({ codes: `${mat} ${mat.toLowerCase()}, ${other}\n${bed};${mat} ${wrong} Z9 ${sofa}` });
      await click("#codes-form button");
      assert.equal(await read("#added"), `6 votes added. Not codes of this vote: ${wrong}, Z9.`);
      assert.equal(await driver.evaluate(() => document.querySelector("#codes").value), `${wrong} Z9`);
      await driver.evaluate(() => {
        const field = document.querySelectorAll("#counts input")[3];
        field.value = "14";
        field.dispatchEvent(new Event("input", { bubbles: true }));
      });
      const votes = { bed: 1, mat: 3, "old sofa": 1, rug: 14, "another word": 1 };
      await waitFor(driver, () => /^Shares of 20 votes$/.test(document.querySelector("#bars caption")?.textContent));

      const sampler = await createSampler({ vocabSize: names.length, seed: 7 });
      const logits = Float32Array.from(names, (word) => Math.log(row[word] / 1000));
      const draws = Object.fromEntries(names.map((word) => [word, 0]));
      for (let i = 0; i < 20; i++) draws[names[sampler.sample(logits)]] += 1;
      sampler.dispose();
      const percent = (share) => (share ? `${(100 * share).toFixed(1)}%` : "0%");
      assert.deepEqual(
        await bars(),
        ["mat", "rug", "bed", "old sofa", "another word"].map((word) => [
          word,
          percent(votes[word] / 20),
          percent(row[word] / 1000),
          percent(draws[word] / 20),
        ]),
      );
      // Bed, mat and the tail lack .075 + .255 + .22; the sofa and the rug have .05 + .5 too much.
      assert.match(await read("#verdict"), /^Of every 100 votes, 55 would have to .*total variation 0\.55/);
      const most = (counts) => names.reduce((sum, word) => sum + Math.max(0, counts[word] / 20 - row[word] / 1000), 0);
      const chance = Math.round(100 * most(draws));
      assert.match(
        await read("#verdict"),
        new RegExp(`20 draws .* seed 7 differ from it by ${chance} of 100\\. The class differs by more`),
      );
      await waitFor(driver, () => new URLSearchParams(location.hash.slice(1)).get("votes") === "1.3.1.14.1");
    });

    test("the teacher's address opens with its votes, and going back leads to the form", once(name), async () => {
      const before = await bars();
      await open(await driver.evaluate(() => location.hash));
      await waitFor(driver, () => document.querySelectorAll("#bars tbody").length > 0);
      assert.deepEqual(await bars(), before);
      assert.equal(await link(), address);
      assert.equal(await driver.evaluate(() => document.querySelector("#reveal").open), false);
      await driver.evaluate(() => void (document.querySelector("#reveal").open = true));
      await begin({ row: written, seed: 8 });
      assert.equal(
        await driver.evaluate(() => document.querySelector("#reveal").open),
        false,
        "the next answer is shown",
      );
      assert.equal(await read("#verdict"), "No votes yet.");
      await open();
      await begin({});
      await driver.evaluate(() => history.back());
      await waitFor(driver, () => document.querySelector("#setup").open && document.querySelector("#vote").hidden);
    });

    test("the picture is the QR code of the link", once(name), async () => {
      await open();
      await begin({ text: prompt, row: written, seed: 7 });
      await waitFor(driver, () => document.querySelector("#qr-path").getAttribute("d"));
      const code = generate(address);
      const drawn = await driver.evaluate(() => {
        const path = document.querySelector("#qr-path");
        return [document.querySelector("#qr").getAttribute("viewBox"), path.getAttribute("d")];
      });
      assert.equal(drawn[0], `-4 -4 ${code.size + 8} ${code.size + 8}`);
      const dark = new Set([...drawn[1].matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`));
      for (let y = 0; y < code.size; y++)
        for (let x = 0; x < code.size; x++) assert.equal(dark.has(`${x} ${y}`), Boolean(code.get(x, y)), `${x} ${y}`);
    });

    test("the storyteller's row is that of its logits, and the one that the page begins with", once(name), async () => {
      await open();
      const begun = await driver.evaluate(() => [
        document.querySelector("#text").value,
        document.querySelector("#row").value.trim(),
      ]);
      assert.ok(!site.log.some((path) => /gguf/.test(path)), "a model came unasked");
      await fill({ row: "" });
      await click("#ask");
      await waitFor(driver, () => /storyteller’s row/.test(document.querySelector("#asked").textContent));
      const shown = (await driver.evaluate(() => document.querySelector("#row").value)).split("\n");
      assert.deepEqual(shown, begun[1].split("\n"));

      const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
      const model = await loadModel(new Blob([file]), { worker: false });
      const texts = model.vocabulary.tokens.map((bytes) => Buffer.from(bytes ?? []).toString());
      const ids = await model.tokenize(begun[0]);
      const shares = async (more) => {
        const powers = Array.from(await model.forward([...ids, ...more], { rows: "last" }), Math.exp);
        return powers.map((power) => power / powers.reduce((a, b) => a + b));
      };
      const first = await shares([]);
      for (const line of shown) {
        const [word, percent] = line.split(" ");
        const id = texts.indexOf(` ${word}`);
        const next = await shares([id]);
        const longer = next.filter((_, i) => /^[a-zA-Z']/.test(texts[i])).reduce((a, b) => a + b, 0);
        assert.ok(Math.abs(100 * first[id] * (1 - longer) - Number(percent)) <= 0.0501, line);
      }
      model.dispose();
    });

    test("what is no vote is refused with a sentence", once(name), async () => {
      const whole = new URL(address).hash;
      for (const [fragment, sentence] of [
        [whole.split("&w=")[0], /A row has 2 to 12 words; this one has 0\./],
        [whole.replace(/text=[^&]+&/, ""), /beginning of the text is missing/],
        [whole.replace("seed=7", "seed=-7"), /seed has to be a whole number/],
        [whole.replace("w=405", "w=4o5"), /“mat” has no percentage/],
        [whole.replace("w=405", "w=905"), /adds up to 123 %/],
        [whole.replace("+mat", "+rug"), /twice/],
        [`${whole}&votes=1.2`, /votes do not fit the row/],
        [`${whole}&votes=1.2.3.4.-5`, /votes do not fit the row/],
        ["#%E0%A4%A", /missing/],
      ]) {
        await open(fragment);
        assert.match(await alertText(), sentence, fragment);
        assert.match(await alertText(), /^This link is not whole, or it was changed\. /);
        const shown = ["pupil", "setup", "vote", "refused"].map((id) => `!document.querySelector("#${id}").hidden`);
        assert.deepEqual(await driver.evaluate(`[${shown}]`), [false, false, false, true], fragment);
      }
      await open();
      for (const [text, sentence] of [
        ["mat\nrug 20", /has a word of at most 30 characters, then its percentage/],
        ["mat 50\nrug 60", /adds up to 110 %/],
        ["mat 50\nrug x", /“rug” has no percentage/],
      ]) {
        await begin({ row: text });
        assert.match(await alertText(), sentence);
        assert.equal(await driver.evaluate(() => document.querySelector("#vote").hidden), true);
      }
      await begin({ row: written });
      assert.equal(await alertText(), "");
    });

    test("axe-core finds nothing: the form, a vote with its bars, a pupil's page", once(name), async (t) => {
      await open();
      await inAllLooks(t, driver, () => checkAccess(driver), [1280, 390]);
      await open(`${new URL(address).hash}&votes=1.3.0.14.1`);
      await driver.evaluate(() => void (document.querySelector("#reveal").open = true));
      await waitFor(driver, () => document.querySelectorAll("#bars tbody").length > 0);
      await inAllLooks(t, driver, () => checkAccess(driver), [1280, 390]);
      await codesOf(address);
      await inAllLooks(t, driver, () => checkAccess(driver, { least: 12 }), [1280, 390]);
    });

    test("all comes from the site, and nothing is sent", async () => {
      const others = (await driver.requests()).filter((url) => !/^(about|data|blob):/.test(url));
      assert.deepEqual(
        others.filter((url) => !url.startsWith(site.origin) || /text=|votes=/.test(url.replace(/#.*/, ""))),
        [],
      );
      assert.deepEqual(await driver.consoleErrors(), []);
    });
  });
