// The playground as a person uses it, in every browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { loadModel } from "../../dist/index.js";
import { browserNames, launch, waitFor } from "./browsers.js";
import { once } from "./names.js";
import { startSite } from "./site.js";

/** Presses Generate and waits for the end of the story. */
async function generate(driver) {
  await driver.evaluate(() => document.querySelector("#generate").click());
  await waitFor(driver, () => document.querySelector("#generate").textContent === "Generate");
  return storyText(driver);
}

/** A prompt on which the model loops under greedy decoding. */
const loopPrompt = "The dog had a box";

const storyText = (driver) => driver.evaluate(() => document.querySelector("#story").textContent);
const statusText = (driver) => driver.evaluate(() => document.querySelector("#status").textContent);
const alertText = (driver) =>
  driver.evaluate(() => {
    const alert = document.querySelector("#alert");
    return alert.hidden ? "" : alert.textContent;
  });

/** Sets a field or slider as a person does: input while it moves, change when it rests. */
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

/** Runs a function with a widget of the page and its shadow root, once the widget is drawn. */
const inside = (driver, name, fn, ...args) =>
  driver.evaluate(
    `(async () => { const widget = document.querySelector("lastinch-${name}"); await widget.updateComplete;
       return (${fn})(widget, widget.shadowRoot, ...${JSON.stringify(args)}); })()`,
  );

/** Opens the card at a word, and the whole step below it. @param {number} index */
async function lookAt(driver, index) {
  await driver.evaluate((i) => document.querySelector(`#story [data-index="${i}"]`).click(), index);
  await waitFor(driver, (step) => document.querySelector(".card p")?.textContent.startsWith(`Step ${step} of `), [
    index + 1,
  ]);
  await driver.evaluate(() => {
    if (!document.querySelector("#inspector").hidden) return;
    [...document.querySelectorAll(".card-foot button")].at(-1).click();
  });
  await seeStep(driver, index + 1);
}

/** Waits until a step is drawn. @param {number} step from 1 */
const seeStep = (driver, step) =>
  waitFor(
    driver,
    (step) =>
      document
        .querySelector("lastinch-inspector")
        ?.shadowRoot.querySelector(".actions span")
        ?.textContent.startsWith(`Step ${step} of `),
    [step],
  );

/** Reads the inspector's tables. A bar's size is the exact probability. */
const readInspector = (driver) =>
  inside(driver, "inspector", (_, root) => {
    const [bars, stages] = [...root.querySelectorAll("table")].map((table) => [...table.tBodies[0].rows]);
    const rows = bars.map((row) => {
      const [label, bar, text, share] = row.cells;
      return {
        label: label.textContent.trim(),
        probability: Number(bar.querySelector("span")?.style.getPropertyValue("--size") ?? 0),
        text: text.textContent,
        share: share.textContent,
        isCut: row.classList.contains("cut"),
        isChosen: row.hasAttribute("data-marked"),
      };
    });
    return {
      rows,
      stages: stages.map((row) => [...row.cells].map((cell) => cell.textContent.trim())),
      drawn: document.querySelector("#drawn").textContent,
    };
  });

const sum = (rows) => rows.reduce((total, { probability }) => total + probability, 0);

/** What the address #v=1&seed=11&tokens=100 writes, as the library writes it in Node. */
const expectedStory = await (async () => {
  const file = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
  const model = await loadModel(new Blob([file]), { worker: false });
  let story = "Once upon a time, in a forest far away";
  const options = { temperature: 0.8, topP: 0.95, seed: 11, maxTokens: 100 };
  for await (const { text } of model.generate(story, options)) story += text;
  model.dispose();
  return story;
})();

for (const name of browserNames)
  describe(`the playground in ${name}`, { concurrency: false, timeout: 900_000 }, () => {
    /** @type {import("./browsers.js").Driver} */
    let driver;
    /** @type {import("./site.js").Site} */
    let site;
    /** @type {import("./site.js").Site[]} */
    const sites = [];
    const openSite = async () => void sites.push((site = await startSite()));
    const open = async (hash = "") => {
      await driver.open(`${site.origin}/demos/playground.html${hash}`);
      await waitFor(driver, () => {
        const { disabled, textContent } = document.querySelector("#generate") ?? {};
        return disabled === false && textContent === "Generate"; // a link's story is written on arrival
      });
    };
    before(async () => {
      await openSite();
      driver = await launch(name);
    });
    after(async () => {
      await driver?.close();
      for (const one of sites) await one.close();
    });

    test("the page shows the model's size before it fetches the model", async () => {
      await open();
      await waitFor(driver, () => /loads the model, \d/.test(document.querySelector("#honesty").textContent));
      assert.deepEqual(
        site.log.filter((path) => /model.*\.wasm$|worker\.js$|\.gguf$/.test(path)),
        [],
      );
    });

    test("the page writes a story and tints each token", async () => {
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

    test("Stop ends the story", async () => {
      const hash = new URLSearchParams({ v: "1", prompt: loopPrompt, T: "0", tokens: "160", seed: "1" });
      await open(`#${hash}`);
      const full = await generate(driver);
      const stopped = await driver.evaluate(async () => {
        const story = document.querySelector("#story");
        const button = document.querySelector("#generate");
        // Drops the messages that let the model go on, so it stops 64 tokens ahead however slow the frames are.
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (message, ...rest) {
          if (message.kind !== "room") postMessage.call(this, message, ...rest);
        };
        const former = story.querySelector(".token"); // of the previous story, which goes when this one begins
        const tokens = () => (former.isConnected ? 0 : story.querySelectorAll(":not(.former) > .token").length);
        button.click();
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

    test("a step shows the probabilities from which its token was drawn", once(name), async () => {
      await open("#v=1&seed=11&tokens=100");
      assert.equal(await generate(driver), expectedStory);
      for (const index of [0, 7, 19]) {
        await lookAt(driver, index);
        const { rows, stages, drawn } = await readInspector(driver);
        const chosen = rows.findIndex(({ isChosen }) => isChosen);
        // Up to sixteen of the likeliest tokens, the story's own if it is not one of them, and a row for all others.
        assert.ok(chosen >= 0 && rows.length > 4 && rows.length <= 18, `${rows.length} rows, chosen ${chosen}`);
        assert.ok(Math.abs(sum(rows) - 1) < 1e-6, `the bars sum to ${sum(rows)}`);
        const ordered = rows.slice(0, -1).map(({ probability }) => probability);
        assert.deepEqual(
          ordered,
          [...ordered].sort((a, b) => b - a),
        );
        const { share } = rows[chosen];
        assert.ok(drawn.includes(`probability ${share} among`), `${drawn} ${share}`);
        assert.deepEqual(
          stages.map(([stage]) => stage),
          ["Vocabulary", "Temperature", "Top-p"],
        );
      }
    });

    test("moving to the next step marks it in the story too", once(name), async () => {
      await inside(driver, "inspector", (_, root) => root.querySelectorAll(".actions button")[1].click());
      await seeStep(driver, 21);
      const marked = () =>
        driver.evaluate(() =>
          [...document.querySelectorAll("#story [aria-current]")].map(({ dataset }) => dataset.index),
        );
      assert.deepEqual(await marked(), ["20"]);
      await inside(driver, "inspector", (_, root) => root.querySelectorAll(".actions button")[0].click());
      await seeStep(driver, 20);
      assert.deepEqual(await marked(), ["19"]);
    });

    test("a step's controls run the sampler again, but not the model", once(name), async () => {
      const posts = await driver.evaluate(() => watched.posts.length);
      const first = await readInspector(driver);
      const story = await storyText(driver);
      /** @param {string} name @param {number} value */
      const turn = async (name, value) => {
        await inside(
          driver,
          "inspector",
          (widget, root, name, value) => {
            const slider = root.getElementById(name);
            const move = (place) => {
              slider.value = String(place);
              slider.dispatchEvent(new Event("input", { bubbles: true }));
            };
            // The values of a slider with stops are the numbers of the stops.
            if (!slider.hasAttribute("aria-valuetext")) move(value);
            else for (let stop = 0; stop <= slider.max && widget[name] !== value; stop++) move(stop);
            slider.dispatchEvent(new Event("change", { bubbles: true }));
          },
          name,
          value,
        );
        const now = await readInspector(driver);
        assert.ok(Math.abs(sum(now.rows) - 1) < 1e-6);
        return now;
      };
      const hot = await turn("temperature", 2);
      assert.ok(hot.rows[0].probability < first.rows[0].probability);
      assert.ok(hot.rows.at(-1).probability > first.rows.at(-1).probability);
      const cut = await turn("topK", 5);
      assert.deepEqual(
        cut.rows.map(({ isCut }) => isCut),
        cut.rows.map(({ share }, i) => i >= 5 || share.includes("✕")),
      );
      assert.ok(cut.stages.some(([stage, tokens]) => stage === "Top-k" && tokens.endsWith("→ 5")));
      await turn("topK", 0);
      const sharp = await turn("minP", 0.5);
      assert.ok(sharp.stages.some(([stage]) => stage === "Min-p"));
      const penalised = await turn("repetitionPenalty", 1.5);
      assert.ok(penalised.stages.some(([stage]) => stage === "Repetition penalty"));
      const greedy = await turn("temperature", 0);
      assert.equal(greedy.rows.filter(({ isCut }) => !isCut).length, 1);
      assert.equal(greedy.rows[0].share, "100%");
      assert.equal(
        await driver.evaluate(() => watched.posts.length),
        posts,
        "a knob asked the model's Worker for something",
      );
      assert.equal(await storyText(driver), story);

      await driver.evaluate(() => document.querySelector("#storys").click());
      assert.deepEqual(await readInspector(driver), first);

      await turn("minP", 0.5);
      await driver.evaluate(() => document.querySelector("#use").click());
      assert.deepEqual(
        await driver.evaluate(() =>
          [...document.querySelectorAll(".knobs [data-knob] input[type=number]")].map(({ value }) => value),
        ),
        ["0.8", "0", "0.95", "0.5", "1"],
      );
      await waitFor(driver, (before) => document.querySelector("#story").textContent !== before, [story]);
    });

    test("the keyboard reaches every function", async () => {
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
      await waitFor(driver, () => document.activeElement.closest(".card") !== null);
      await driver.evaluate(() => [...document.querySelectorAll(".card-foot button")].at(-1).click());
      await seeStep(driver, 2);
      const status = await waitFor(driver, () => {
        const { shadowRoot } = document.querySelector("lastinch-inspector");
        return shadowRoot.querySelector("[role=status]").textContent;
      });
      assert.match(status, /^Step 2 of \d+\. “.+” leads “.+” by [\d.]+ percentage points\.$/);
      await driver.press("Escape");
      await waitFor(driver, () => document.querySelector("#inspector").hidden);
      assert.equal(await focused(), "1");
    });

    test("the address restores the settings and the story", once(name), async () => {
      await open();
      await setField(driver, "#prompt", 'The cat & the "dog"');
      await setField(driver, "#seed", 4242);
      await setField(driver, "#knob-p", 0.15);
      await driver.evaluate(() => {
        const field = document.querySelector("#knob-T").closest(".knob").querySelector("input[type=number]");
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

      await open("#v=1&T=hot&p=7&model=gpt&seed=-1&k=3&tokens=60");
      assert.deepEqual(
        await driver.evaluate(() => [
          document.querySelector("[data-knob=temperature] input[type=number]").value,
          document.querySelector("[data-knob=topP] input[type=number]").value,
          document.querySelector("[data-knob=topK] input[type=number]").value,
          document.querySelector("#model").value,
        ]),
        ["0.8", "0.95", "3", "storyteller"],
      );
      assert.match(await alertText(driver), /could not be read \(model, seed, T, p\)/);
    });

    test("the small model writes a story too", once(name), async () => {
      await open("#v=1&model=draft&seed=5&tokens=30");
      const text = await generate(driver);
      assert.ok(text.length > 60);
      assert.match(await driver.evaluate(() => document.querySelector("#honesty").textContent), /^Live: /);
    });

    test("the console shows no error, no request leaves the site, and the page works without its server", async () => {
      assert.deepEqual(await driver.consoleErrors(), []);
      const outside = (await driver.requests()).filter((url) => !url.startsWith(site.origin));
      assert.deepEqual(
        outside.filter((url) => !/^(data|blob|about):/.test(url)),
        [],
      );
      await open("#v=1&seed=8&tokens=40");
      const story = await generate(driver);
      await lookAt(driver, 2);
      await site.close();
      assert.equal(await generate(driver), story);
      await lookAt(driver, 3);
      assert.ok(Math.abs(sum((await readInspector(driver)).rows) - 1) < 1e-6);
      assert.equal(await alertText(driver), "");
    });

    test("errors say what to do", async () => {
      await openSite();
      site.missing.add("/dist/storyteller.gguf");
      await open();
      await setField(driver, "#max-tokens", 60);
      await driver.evaluate(() => document.querySelector("#generate").click());
      await waitFor(driver, () => !document.querySelector("#alert").hidden);
      assert.match(
        await alertText(driver),
        /could not be downloaded.*choose the other model; then press Generate again/,
      );
      site.missing.clear();
      assert.ok((await generate(driver)).length > 60);
      assert.equal(await alertText(driver), "");

      for (const variant of ["", "-relaxed", "-threads", "-relaxed-threads"])
        site.missing.add(`/dist/model${variant}.wasm`);
      await open();
      await driver.evaluate(() => document.querySelector("#generate").click());
      await waitFor(driver, () => !document.querySelector("#alert").hidden);
      assert.match(await alertText(driver), /\.wasm file beside the script did not load/);
    });
  });
