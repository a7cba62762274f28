// The playground as a person meets it, in every browser.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { browserNames, launch, waitFor } from "./browsers.js";
import { startSite } from "./site.js";

const chosen = (process.env.BROWSERS ?? browserNames.join()).split(",");

/** Presses Generate and waits for the end. */
async function generate(driver) {
  await driver.evaluate(() => document.querySelector("#generate").click());
  await waitFor(driver, () => document.querySelector("#generate").textContent === "Generate");
  return storyText(driver);
}

/** A prompt on which the model loops when it is greedy: the first that the page proposes. */
const loopPrompt = (driver) =>
  waitFor(driver, () => document.querySelector(".suggestions:not([hidden]) button")?.textContent);

const storyText = (driver) => driver.evaluate(() => document.querySelector("#story").textContent);
const statusText = (driver) => driver.evaluate(() => document.querySelector("#status").textContent);
const alertText = (driver) =>
  driver.evaluate(() => {
    const alert = document.querySelector("#alert");
    return alert.hidden ? "" : alert.textContent;
  });

/** Sets a field or slider the way a person does: input while it moves, change when it rests. */
const setField = (driver, selector, value) =>
  driver.evaluate(
    (selector, value) => {
      const field = document.querySelector(selector);
      field.value = String(value);
      for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
    },
    selector,
    value,
  );

/** What the inspector's tables say. */
const readInspector = (driver) =>
  driver.evaluate(() => {
    const rows = [...document.querySelectorAll(".bars tbody tr")].map((row) => ({
      label: row.querySelector("th").textContent,
      probability: Number(row.querySelector("data").value),
      text: row.querySelector("data").textContent,
      share: row.querySelector(".share").textContent,
      isCut: row.classList.contains("is-cut"),
      isChosen: row.classList.contains("is-chosen"),
    }));
    const stages = [...document.querySelectorAll(".stages tbody tr")].map((row) =>
      [...row.children].map((cell) => cell.textContent),
    );
    const drawn = document.querySelector(".inspector-body > .hint").textContent;
    return { rows, stages, drawn, isOpen: !document.querySelector(".inspector-body").hidden };
  });

const sum = (rows) => rows.reduce((total, { probability }) => total + probability, 0);

/** Of one address, in the first browser that wrote it. @type {string | undefined} */
let firstStory;

for (const name of chosen)
  describe(`the playground in ${name}`, { concurrency: false, timeout: 240_000 }, () => {
    /** @type {import("./browsers.js").Driver} */
    let driver;
    /** @type {import("./site.js").Site} */
    let site;
    /** @type {import("./site.js").Site[]} */
    const sites = [];
    const openSite = async () => void sites.push((site = await startSite()));
    const open = async (hash = "") => {
      await driver.open(`${site.origin}/demos/playground.html${hash}`);
      await waitFor(driver, () => document.querySelector("#generate")?.disabled === false);
    };
    before(async () => {
      await openSite();
      driver = await launch(name);
    });
    after(async () => {
      await driver?.close();
      for (const one of sites) await one.close();
    });

    test("loads, and says what the model costs before it is fetched", async () => {
      await open();
      await waitFor(driver, () => /loads the model, \d/.test(document.querySelector("#honesty").textContent));
      assert.deepEqual(
        site.log.filter((path) => /model.*\.wasm$|worker\.js$/.test(path)),
        [],
      );
    });

    test("writes a story, each token with its tint", async () => {
      const prompt = await driver.evaluate(() => document.querySelector("#prompt").value);
      const text = await generate(driver);
      assert.ok(text.startsWith(prompt) && text.length > prompt.length + 40, text);
      assert.match(
        await statusText(driver),
        /^(The story is over|The token limit is reached): \d+ tokens, [\d,]+ a second\.$/,
      );
      const tints = await driver.evaluate(() =>
        [...document.querySelectorAll("#story .token")].map((token) => token.dataset.surprise),
      );
      assert.ok(tints.length > 20 && tints.every((tint) => /^[0-5]$/.test(tint)));
      assert.match(await driver.evaluate(() => document.querySelector("#honesty").textContent), /^Live: the model/);
    });

    test("Stop stops", async () => {
      const prompt = await loopPrompt(driver);
      const hash = new URLSearchParams({ v: "1", prompt, T: "0", tokens: "400", seed: "1" });
      await open(`#${hash}`);
      const full = await generate(driver);
      const stopped = await driver.evaluate(async () => {
        const story = document.querySelector("#story");
        const button = document.querySelector("#generate");
        // The model is told of no more room, so it rests 64 tokens ahead however slow this page's frames are.
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (message, ...rest) {
          if (message.kind !== "room") postMessage.call(this, message, ...rest);
        };
        const tokens = () => story.querySelectorAll(".token").length;
        button.click();
        while (tokens() > 0) await new Promise((resolve) => setTimeout(resolve)); // those of the story before
        while (tokens() < 3) await new Promise((resolve) => setTimeout(resolve, 10));
        button.click();
        while (button.textContent !== "Generate") await new Promise((resolve) => setTimeout(resolve, 10));
        Worker.prototype.postMessage = postMessage;
        const text = story.textContent;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return { text, later: story.textContent };
      });
      assert.equal(stopped.text, stopped.later);
      assert.ok(stopped.text.length < full.length && full.startsWith(stopped.text));
      assert.match(await statusText(driver), /^Stopped: \d+ tokens/);
    });

    test("a step shows the whole vocabulary's probabilities, as they were drawn from", async () => {
      await open("#v=1&seed=11");
      const story = await generate(driver);
      firstStory ??= story;
      assert.equal(story, firstStory, "the same address gives another story in another browser");
      for (const index of [0, 7, 19]) {
        await driver.evaluate((i) => document.querySelectorAll("#story .token")[i].click(), index);
        await waitFor(driver, (i) => document.querySelector(".step-number").textContent.startsWith(`Step ${i + 1} `), [
          index,
        ]);
        const { rows, stages, drawn } = await readInspector(driver);
        assert.equal(rows.length, 17);
        assert.ok(Math.abs(sum(rows) - 1) < 1e-6, `the bars sum to ${sum(rows)}`);
        const ordered = rows.slice(0, 16).map(({ probability }) => probability);
        assert.deepEqual(
          ordered,
          [...ordered].sort((a, b) => b - a),
        );
        const chosenRow = rows.slice(0, 16).find(({ isChosen }) => isChosen);
        if (chosenRow) assert.ok(drawn.includes(`probability ${chosenRow.share} among`), `${drawn} ${chosenRow.share}`);
        assert.deepEqual(
          stages.map(([stage]) => stage),
          ["vocabulary", "temperature", "top-p"],
        );
      }
    });

    test("its knobs run the sampler again, and not the model", async () => {
      const posts = await driver.evaluate(() => watched.posts.length);
      const first = await readInspector(driver);
      const story = await storyText(driver);
      /** @param {string} param @param {number} value */
      const turn = async (param, value) => {
        await driver.evaluate(
          (id, value) => {
            const field = document.querySelector(id).closest(".knob").querySelector("input[type=number]");
            field.value = String(value);
            for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
          },
          `#step-${param}`,
          value,
        );
        const now = await readInspector(driver);
        assert.ok(Math.abs(sum(now.rows) - 1) < 1e-6);
        return now;
      };
      const hot = await turn("T", 2);
      assert.ok(hot.rows[0].probability < first.rows[0].probability);
      assert.ok(hot.rows[16].probability > first.rows[16].probability);
      const cut = await turn("k", 5);
      assert.deepEqual(
        cut.rows.map(({ isCut }) => isCut),
        Array.from({ length: 17 }, (_, i) => i >= 5 || cut.rows[i].share.includes("✕")),
      );
      assert.ok(cut.stages.some(([stage, tokens]) => stage === "top-k" && tokens.endsWith("→ 5")));
      await turn("k", 0);
      const sharp = await turn("minp", 0.5);
      assert.ok(sharp.stages.some(([stage]) => stage === "min-p"));
      const penalised = await turn("rep", 1.5);
      assert.ok(penalised.stages.some(([stage]) => stage === "repetition penalty"));
      const greedy = await turn("T", 0);
      assert.equal(greedy.rows.filter(({ isCut }) => !isCut).length, 1);
      assert.equal(greedy.rows[0].share, "100%");
      assert.equal(
        await driver.evaluate(() => watched.posts.length),
        posts,
        "a knob asked the model's Worker for something",
      );
      assert.equal(await storyText(driver), story);

      await driver.evaluate(() =>
        [...document.querySelectorAll(".moved button")].find((button) => /Back/.test(button.textContent)).click(),
      );
      assert.deepEqual(await readInspector(driver), first);
    });

    test("the keyboard does it all", async () => {
      await open("#v=1&seed=3&tokens=60");
      await driver.evaluate(() => document.querySelector("#prompt").focus());
      await driver.press("Control", "Enter");
      await waitFor(driver, () => /tokens,/.test(document.querySelector("#status").textContent));
      const focused = () => driver.evaluate(() => document.activeElement.dataset.index);
      assert.equal(await driver.evaluate(() => document.querySelectorAll('#story [tabindex="0"]').length), 1);
      await driver.evaluate(() => document.querySelector('#story [tabindex="0"]').focus());
      await driver.press("ArrowRight");
      await driver.press("ArrowRight");
      assert.equal(await focused(), "2");
      await driver.press("ArrowLeft");
      assert.equal(await focused(), "1");
      await driver.press("ArrowDown");
      assert.ok(Number(await focused()) > 3);
      await driver.press("Home");
      assert.equal(await focused(), "0");
      await driver.press("ArrowRight");
      await driver.press("Enter");
      await waitFor(driver, () => !document.querySelector(".inspector-body").hidden);
      assert.match(await driver.evaluate(() => document.querySelector(".step-number").textContent), /^Step 2 of /);
      assert.match(
        await driver.evaluate(() => document.querySelector(".inspector [role=status]").textContent),
        /^Step 2: \d[\d,]* of [\d,]+ tokens left; the likeliest is/,
      );
      await driver.press("Escape");
      await waitFor(driver, () => document.querySelector(".inspector-body").hidden);
      assert.equal(await focused(), "1");
    });

    test("the address brings back the settings and the story", async () => {
      await open();
      await setField(driver, "#prompt", 'The cat & the "dog"');
      await setField(driver, "#seed", 4242);
      await setField(driver, "#next-p", 3);
      await driver.evaluate(() => {
        const field = document.querySelector("#next-T").closest(".knob").querySelector("input[type=number]");
        field.value = "1.23";
        for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
      });
      await setField(driver, "#max-tokens", 50);
      const story = await generate(driver);
      const hash = await driver.evaluate(() => location.hash);
      assert.match(hash, /^#v=1&/);
      await open(hash);
      assert.deepEqual(
        await driver.evaluate(() => [
          document.querySelector("#prompt").value,
          document.querySelector("#seed").value,
          document.querySelector("[data-knob=temperature] input[type=number]").value,
          document.querySelector("[data-knob=topP] input[type=number]").value,
          document.querySelector("#max-tokens").value,
        ]),
        ['The cat & the "dog"', "4242", "1.23", "0.15", "50"],
      );
      assert.equal(await generate(driver), story);

      await open("#v=1&T=hot&p=7&model=gpt&seed=-1&k=3");
      assert.deepEqual(
        await driver.evaluate(() => [
          document.querySelector("[data-knob=temperature] input[type=number]").value,
          document.querySelector("[data-knob=topP] input[type=number]").value,
          document.querySelector("[data-knob=topK] input[type=number]").value,
          document.querySelector("#model").value,
        ]),
        ["0.8", "0.95", "3", "storyteller"],
      );
      assert.match(await statusText(driver), /could not be read \(model, T, p, seed\)/);
    });

    test("three regimes run at the same time, and the greedy one is seen to loop", async () => {
      await open();
      const prompt = await loopPrompt(driver);
      assert.equal(await driver.evaluate(() => document.querySelector("#regimes-prompt").value), prompt);
      await driver.evaluate(() => document.querySelector(".regimes button[type=submit]").click());
      await waitFor(driver, () =>
        [...document.querySelectorAll(".regime")].every((regime) => regime.querySelectorAll(".token").length > 5),
      );
      assert.equal(await driver.evaluate(() => document.querySelectorAll(".regime [aria-busy]").length), 3);
      // The loop is marked while it comes about.
      await waitFor(driver, () => document.querySelector('[data-regime="greedy"] [data-again="2"]') !== null);
      await waitFor(driver, () => !document.querySelector(".regime [aria-busy]"));
      assert.match(
        await driver.evaluate(() => document.querySelector('[data-regime="greedy"] .loop-badge').textContent),
        /^(↻ In|Out of) a loop of \d+ tokens/,
      );
      const measures = await driver.evaluate(() =>
        [...document.querySelectorAll(".regime")].map((regime) =>
          [...regime.querySelectorAll("dd")].map((value) => parseFloat(value.textContent)),
        ),
      );
      const [[greedyRepeats, greedyBits], [sweetRepeats, sweetBits], [, hotBits]] = measures;
      assert.ok(greedyRepeats > sweetRepeats && greedyBits < sweetBits && sweetBits < hotBits, String(measures));
    });

    test("the tiny model writes too", async () => {
      await open("#v=1&model=draft&seed=5&tokens=30");
      const text = await generate(driver);
      assert.ok(text.length > 60);
      assert.match(await driver.evaluate(() => document.querySelector("#honesty").textContent), /^Live: /);
    });

    test("nothing went wrong, nothing was asked of any other host, and it goes on without its server", async () => {
      assert.deepEqual(await driver.consoleErrors(), []);
      const outside = (await driver.requests()).filter((url) => !url.startsWith(site.origin));
      assert.deepEqual(
        outside.filter((url) => !/^(data|blob|about):/.test(url)),
        [],
      );
      await open("#v=1&seed=8&tokens=40");
      const story = await generate(driver);
      await driver.evaluate(() => document.querySelectorAll("#story .token")[2].click());
      await waitFor(driver, () => document.querySelectorAll(".bars tbody tr").length > 0);
      await site.close();
      assert.equal(await generate(driver), story);
      await driver.evaluate(() => document.querySelectorAll("#story .token")[3].click());
      await waitFor(driver, () => document.querySelector(".step-number").textContent.startsWith("Step 4 "));
      assert.equal(await alertText(driver), "");
    });

    test("what fails says what to do", async () => {
      await openSite();
      site.missing.add("/demos/model/storyteller.gguf");
      await open();
      await waitFor(driver, () =>
        /is not there\. Choose the other model/.test(document.querySelector("#honesty").textContent),
      );
      await driver.evaluate(() => document.querySelector("#generate").click());
      await waitFor(driver, () => !document.querySelector("#alert").hidden);
      assert.match(await alertText(driver), /could not be downloaded.*press Generate again/);
      site.missing.clear();
      assert.ok((await generate(driver)).length > 60);
      assert.equal(await alertText(driver), "");

      for (const variant of ["", "-relaxed", "-threads", "-relaxed-threads"])
        site.missing.add(`/dist/model${variant}.wasm`);
      await open();
      await driver.evaluate(() => document.querySelector("#generate").click());
      await waitFor(driver, () => !document.querySelector("#alert").hidden);
      assert.match(await alertText(driver), /\.wasm file beside the module could not be loaded/);
    });
  });
