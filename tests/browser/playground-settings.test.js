// Settings of the playground: stories that follow a slider, two columns, every option, and what can be saved.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { checkAccess, inAllLooks } from "./axe.js";
import { browserNames, waitFor } from "./browsers.js";
import { once, onceIfNarrow } from "./names.js";
import { isIdle, openPlayground } from "./playground-page.js";
import { openSite } from "./site.js";

const prompt = "Once upon a time, in a forest far away";
const open = (name) => new Blob([readFileSync(new URL(`../../demos/model/${name}.gguf`, import.meta.url))]);
const model = await loadModel(open("storyteller"), { worker: false });
after(() => model.dispose());

/** What the library writes in Node. @param {object} options */
const story = async (options) =>
  prompt + (await model.complete(prompt, { topP: 0.95, seed: 11, maxTokens: 60, ...options })).text;

const shows = (driver, id, text) =>
  waitFor(driver, (id, text) => document.getElementById(id)?.textContent === text, [id, text]);
const textOf = (driver, selector) => driver.evaluate((one) => document.querySelector(one).textContent, selector);

/** Moves a slider as a hand does that does not let go. */
const drag = (driver, id, values) =>
  driver.evaluate(
    async (id, values) => {
      const slider = document.getElementById(id);
      for (const value of values) {
        slider.value = String(value);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    },
    id,
    values,
  );

/** Fills in a field among all options. */
const fillIn = async (driver, name, text) => {
  await driver.evaluate(() => (document.querySelector("#all-options").open = true));
  await waitFor(driver, (name) => document.getElementById(`option-${name}`) !== null, [name]);
  await driver.evaluate(
    (name, text) => {
      const field = document.getElementById(`option-${name}`);
      field.value = text;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    },
    name,
    text,
  );
};

/** Keeps the files that the page would save. */
const keepFiles = (driver) =>
  driver.evaluate(() => {
    globalThis.kept = [];
    const { createObjectURL } = URL;
    URL.createObjectURL = (file) => (globalThis.kept.push(file), createObjectURL(file));
    HTMLAnchorElement.prototype.click = () => {};
  });
const saved = async (driver, what) => {
  await driver.evaluate((what) => {
    globalThis.kept.length = 0;
    document.querySelector(`[data-save=${what}]`).click();
  }, what);
  await waitFor(driver, () => globalThis.kept.length > 0);
  return driver.evaluate(async () => [globalThis.kept[0].name, await globalThis.kept[0].text()]);
};

for (const name of browserNames)
  describe(`settings of the playground in ${name}`, { concurrency: false, timeout: 900_000 }, () => {
    /** @type {Awaited<ReturnType<typeof openSite>>} */
    let opened;
    before(async () => void (opened = await openSite(name)));
    after(() => opened?.close());
    const open = (hash) => openPlayground(opened, hash);

    test("the story is written again while a slider moves, without a press", async () => {
      const driver = await open();
      await shows(driver, "story", await story({ temperature: 0.8 }));
      await drag(driver, "knob-T", [10, 5, 3, 0]);
      await shows(driver, "story", await story({ temperature: 0 }));
      await waitFor(driver, isIdle);
      assert.match(await textOf(driver, "#share-status"), /\d+ tokens, [\d,]+ a second\./);
      await drag(driver, "knob-T", [24]);
      await shows(driver, "story", await story({ temperature: 1.2 }));
      await waitFor(driver, isIdle);
      assert.deepEqual(await driver.consoleErrors(), []);
    });

    test("a recorded story asks for no model when a slider moves", once(name), async () => {
      opened.site.log.length = 0;
      const driver = await open("");
      await waitFor(driver, () => document.querySelector(".note")?.hidden === false);
      await drag(driver, "knob-T", [3, 20]);
      assert.match(await textOf(driver, "#share-status"), /press Generate/);
      assert.deepEqual(
        opened.site.log.filter((path) => /\.gguf$|model.*\.wasm$/.test(path)),
        [],
      );
    });

    test(
      "two columns are written with one seed and their own settings, and a link restores both",
      once(name),
      async () => {
        const driver = await open();
        await driver.click("#columns");
        await shows(driver, "story-b", await story({ temperature: 0.8 }));
        await waitFor(driver, isIdle);
        await drag(driver, "knob-T", [0]);
        await shows(driver, "story-b", await story({ temperature: 0 }));
        await waitFor(driver, isIdle);
        assert.equal(await textOf(driver, "#story"), await story({ temperature: 0.8 }));
        assert.match(await textOf(driver, "#papers"), /A: temperature 0.8, top-p 0.95.*B: temperature 0, top-p 0.95/s);
        const parted = await driver.evaluate(() =>
          ["#story", "#story-b"].map((id) => {
            const places = [...document.querySelectorAll(`${id} > span:not(.prompt)`)];
            return places.findIndex((place) => place.hasAttribute("data-differs"));
          }),
        );
        assert.ok(parted[0] >= 0 && parted[0] === parted[1], String(parted));
        const hash = await driver.evaluate(() => location.hash);
        await open(hash);
        await shows(driver, "story", await story({ temperature: 0.8 }));
        await shows(driver, "story-b", await story({ temperature: 0 }));
        await driver.click("#columns");
        assert.equal(await driver.evaluate(() => document.querySelectorAll(".paper").length), 1);
      },
    );

    test("the strips of two columns share one scale", once(name), async () => {
      const driver = await open("#v=1&seed=11&tokens=60&columns=2&b-T=2&b-p=1");
      await waitFor(driver, isIdle);
      await driver.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
      const strips = await driver.evaluate(() =>
        [...document.querySelectorAll(".strip canvas")].map((canvas) => {
          const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          let first = 0;
          while (first < data.length && data[first + 3] < 128) first += 4;
          const most = Number(/([\d.]+) at most/.exec(canvas.getAttribute("aria-label"))[1]);
          return { most, share: 1 - Math.floor(first / 4 / width) / height };
        }),
      );
      const [a, b] = strips;
      assert.notEqual(a.most, b.most);
      assert.ok(Math.abs(a.share / b.share - a.most / b.most) < 0.06, JSON.stringify(strips));
    });

    test("on a phone, the story being written is in view with the first slider", onceIfNarrow(name), async () => {
      const { page } = opened.driver;
      await page.setViewport({ width: 390, height: 844 });
      const driver = await open();
      const places = await driver.evaluate(() =>
        ["#knob-T", "#story .token"].map((selector) => {
          const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        }),
      );
      await page.setViewport({ width: 1280, height: 900 });
      assert.deepEqual(places, [true, true]);
    });

    test("typing finds options by their names and their help", once(name), async () => {
      const driver = await open();
      await driver.evaluate(() => (document.querySelector("#all-options").open = true));
      await waitFor(driver, () => document.querySelector("#option-search") !== null);
      const found = (text) =>
        driver.evaluate((text) => {
          const search = document.querySelector("#option-search");
          search.value = text;
          search.dispatchEvent(new Event("input", { bubbles: true }));
          return [...document.querySelectorAll(".option")]
            .filter((option) => option.checkVisibility())
            .map((option) => option.firstElementChild.textContent);
        }, text);
      assert.deepEqual(await found("typical"), ["typicalP"]);
      assert.ok((await found("top-n")).includes("topNSigma"));
      assert.ok((await found("repet")).includes("dryMultiplier"));
      assert.deepEqual(await found("zzz"), []);
      assert.equal(await textOf(driver, "#finder [role=status]"), "0 options found.");
      assert.deepEqual(await found(""), []);
      await found("temperature");
      await driver.evaluate(() => document.querySelector(".option:not([hidden]) button").click());
      assert.equal(await driver.evaluate(() => document.activeElement.id), "knob-T");
    });

    test("options of every kind have the same effect as in the library", once(name), async () => {
      const driver = await open();
      const dog = await model.tokenize(" dog", { bos: false });
      const lists = { badWords: [[...dog]], logitBias: [[dog[0], -3]], noRepeatNgram: 2 };
      const fields = { badWords: '" dog"', logitBias: '" dog" -3', noRepeatNgram: "2" };
      for (const [what, text] of Object.entries(fields)) await fillIn(driver, what, text);
      await shows(driver, "story", await story({ temperature: 0.8, ...lists }));
      await waitFor(driver, isIdle);
      assert.match(await driver.evaluate(() => location.hash), /noRepeatNgram=2/);
      const hash = await driver.evaluate(() => location.hash);
      await open(hash);
      await shows(driver, "story", await story({ temperature: 0.8, ...lists }));
    });

    test("one press restores the defaults, and an error disappears with its cause", once(name), async () => {
      const driver = await open();
      const usual = await story({ temperature: 0.8, maxTokens: 300 });
      await drag(driver, "knob-T", [0]);
      await shows(driver, "story", await story({ temperature: 0 }));
      await fillIn(driver, "mirostat", "2");
      await waitFor(driver, () => /mirostat/.test(document.querySelector("#alert").textContent));
      await driver.evaluate(() => document.querySelector("#defaults").click());
      await shows(driver, "story", usual);
      await waitFor(driver, isIdle);
      assert.deepEqual(
        [await textOf(driver, "#alert"), await textOf(driver, "#status")],
        ["", ""],
        "and one message stands at a time",
      );
    });

    for (const [what, text, options] of [
      ["beams", "3", { beams: 3, temperature: 1, topP: 1 }],
      ["draft", "lookup", { draft: "lookup" }],
      ["regex", "[^eE]{40,200}", { regex: "[^eE]{40,200}" }],
      ["jsonSchema", '{ "enum": ["dog", "cat"] }', { jsonSchema: { enum: ["dog", "cat"] } }],
    ])
      test(`${what} is one of the options, and a link carries it`, once(name), async () => {
        // Beam search draws nothing, and the library refuses settings that would.
        const knobs = what === "beams" ? { T: "1", p: "1" } : {};
        const hash = `#${new URLSearchParams({ v: "1", seed: "11", tokens: "60", ...knobs, [what]: text })}`;
        const driver = await open(hash);
        await shows(driver, "story", await story({ temperature: 0.8, ...options }));
        assert.equal(await textOf(driver, "#alert"), "");
      });

    test("the tiny model can draft for the storyteller", once(name), async () => {
      const driver = await open(`#${new URLSearchParams({ v: "1", seed: "11", tokens: "60", draft: "tiny model" })}`);
      assert.match(await textOf(driver, "#status"), /\d+ of \d+ drafted tokens kept\./);
    });

    test("an error names the option that the library refuses", once(name), async () => {
      for (const [what, text, words] of [
        ["mirostat", "2", /mirostat/i],
        ["typicalP", "3", /typicalP.*0.*1/],
        ["minKeep", "many", /minKeep: “many” is no number/],
        ["badWords", "dog", /badWords: words stand in quotes/],
        ["bannedTokens", '" unbelievable"', /bannedTokens: " unbelievable" is \d+ tokens/],
        ["topQ", "1", /no option called topQ/],
      ]) {
        const driver = await open(`#${new URLSearchParams({ v: "1", seed: "11", tokens: "60", [what]: text })}`);
        assert.match(await textOf(driver, "#alert"), words);
      }
    });

    test("a refused option leaves the story and its tree as they were", once(name), async () => {
      const driver = await open("#v=1&seed=11&tokens=60");
      const before = await textOf(driver, "#story");
      assert.ok(before.length > 2 * prompt.length);
      await fillIn(driver, "beams", "4");
      await waitFor(driver, () => /temperature/.test(document.querySelector("#alert").textContent));
      assert.match(await textOf(driver, "#alert"), /Change one of them, or press “Back to the defaults”\.$/);
      await shows(driver, "story", before);
      await driver.evaluate(() => {
        document.querySelector("#alert").textContent = "";
        document.querySelector("#generate").click();
      });
      await waitFor(driver, () => /temperature/.test(document.querySelector("#alert").textContent));
      await shows(driver, "story", before);
      await waitFor(driver, () => document.querySelector(".branches").hidden);
      await driver.evaluate(() => document.querySelector('[data-index="3"]').click());
      await waitFor(driver, () => document.querySelectorAll(".card li button").length >= 5);
    });

    test("a number without an upper limit says so", once(name), async () => {
      const driver = await open();
      await fillIn(driver, "beams", "");
      const hints = await driver.evaluate(() =>
        [...document.querySelectorAll("#finder [placeholder]")].map((field) => field.placeholder),
      );
      assert.ok(hints.includes("1 or more"));
      assert.deepEqual(
        hints.filter((hint) => /undefined|NaN/.test(hint)),
        [],
      );
    });

    test("a story is saved as text, numbers, a program and a picture", async () => {
      const driver = await open("#v=1&seed=11&tokens=60&minp=0.05");
      await keepFiles(driver);
      const whole = await textOf(driver, "#story");
      assert.deepEqual(await saved(driver, "text"), ["story.txt", whole + "\n"]);
      const [, json] = await saved(driver, "json");
      const [{ seed, settings, steps }] = JSON.parse(json);
      assert.deepEqual([seed, settings.minP, prompt + steps.map(({ text }) => text).join("")], [11, 0.05, whole]);
      assert.ok(steps.every(({ probability, bits }) => probability > 0 && probability <= 1 && bits >= 0));
      const [, code] = await saved(driver, "code");
      const lines = [];
      const program = code
        .replace(/^import.*$/gm, "")
        .replace("const model = await loadModel(source);", "")
        .replace("model.dispose();", "");
      const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
      await new AsyncFunction("model", "console", program)(model, { log: (text) => lines.push(text) });
      assert.equal(prompt + lines[0], whole);

      await saved(driver, "picture");
      const { width, height, colours } = await driver.evaluate(async () => {
        const picture = await createImageBitmap(globalThis.kept[0]);
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [picture.width, picture.height];
        const brush = canvas.getContext("2d");
        brush.drawImage(picture, 0, 0);
        const { data } = brush.getImageData(0, 0, canvas.width, canvas.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return { width: picture.width, height: picture.height, colours: [...seen] };
      });
      assert.ok(width === 1200 && height >= 630, `${width} by ${height}`);
      for (const colour of [0xfffdf9, 0x1f1d1a, 0x00639c]) assert.ok(colours.includes(colour), colour.toString(16));
    });

    test("a schema's object stands beside its text, and goes with it", once(name), async (t) => {
      const driver = await open("#v=1&seed=11&tokens=60");
      const jsonSchema = {
        type: "object",
        properties: {
          hero: { type: "string", maxLength: 20 },
          "a/b": { type: "array", items: { enum: [1, true, null] }, maxItems: 3 },
        },
        required: ["hero", "a/b"],
        additionalProperties: false,
      };
      // The change has the text written again; a press would stop it.
      await fillIn(driver, "jsonSchema", JSON.stringify(jsonSchema));
      await waitFor(driver, () => document.querySelector(".object > ul > li > small")?.textContent === "✓ final");
      await waitFor(driver, isIdle);
      const { text, rows, isLive } = await driver.evaluate(async () => {
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        const panel = document.querySelector(".object");
        return {
          text: document.querySelector("#story").textContent,
          rows: [...panel.querySelectorAll("li")].map((row) => {
            const key = row.querySelector(":scope > .key")?.textContent ?? "";
            return [
              key,
              row.querySelector(":scope > .value")?.textContent ?? "",
              row.querySelector(":scope > small").textContent,
            ];
          }),
          isLive: panel.closest("[aria-live], [role=status], [role=log]") !== null,
        };
      });
      const written = JSON.parse(text.slice(prompt.length));
      const items = written["a/b"].map((item, i) => [String(i), JSON.stringify(item)]);
      assert.deepEqual(rows, [
        ["", "", "✓ final"],
        ["hero", JSON.stringify(written.hero), "✓ final"],
        ["a/b", "", "✓ final"],
        ...items.map((row) => [...row, "✓ final"]),
      ]);
      assert.ok(!isLive);
      await inAllLooks(t, driver, () => checkAccess(driver, { within: ".paper", least: 10 }), [1280, 390]);
      await fillIn(driver, "jsonSchema", "");
      await waitFor(driver, () => document.querySelector(".object").hidden);
    });

    test("each example of the page writes a story without errors", once(name), async () => {
      const driver = await open("#v=1&seed=11&tokens=60");
      const count = await driver.evaluate(() => document.querySelectorAll("#tries button").length);
      assert.ok(count >= 5);
      for (let i = 0; i < count; i++) {
        await driver.evaluate((i) => document.querySelectorAll("#tries button")[i].click(), i);
        await waitFor(driver, isIdle);
        const { alert, length } = await driver.evaluate(() => ({
          alert: document.querySelector("#alert").textContent,
          length: document.querySelectorAll("#story .token").length,
        }));
        assert.ok(alert === "" && length > 8, `${i}: ${alert} ${length}`);
      }
    });
  });
