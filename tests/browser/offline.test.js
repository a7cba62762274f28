// The lesson as a single file, opened from a folder that holds nothing else.
import assert from "node:assert/strict";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { browserNames, launch, waitFor } from "./browsers.js";

const folder = await mkdtemp(join(tmpdir(), "lastinch-offline-"));
const file = join(folder, "offline.html");
await copyFile(new URL("../../dist/offline.html", import.meta.url), file);
const address = pathToFileURL(file).href;
after(() => rm(folder, { recursive: true, force: true }));

/**
 * Presses the button that runs the models (not that of a worked example) and waits for the text.
 * @param {string} name
 * @param {string} written
 */
const writes = async (driver, name, written) => {
  await driver.evaluate((name) => {
    const widget = document.querySelector(`lastinch-${name}`);
    widget.scrollIntoView();
    [...widget.shadowRoot.querySelectorAll("button.primary")].at(-1).click();
  }, name);
  await waitFor(
    driver,
    (name, written) => {
      const { shadowRoot, isRecorded } = document.querySelector(`lastinch-${name}`);
      const problem = shadowRoot.querySelector(".problem")?.textContent;
      if (problem) throw new Error(problem);
      // The recorded text stays there until the models are loaded.
      return !isRecorded && shadowRoot.querySelector(written)?.textContent.length > 40;
    },
    [name, written],
  );
};

for (const browser of browserNames)
  test(`${browser} opens the offline file: every widget draws, models write, nothing is fetched`, async (t) => {
    const driver = await launch(browser);
    t.after(() => driver.close());
    await driver.page?.evaluateOnNewDocument(await readFile(new URL("watch.js", import.meta.url), "utf8"));
    await driver.open(address);
    assert.equal(await driver.evaluate(() => document.querySelector("h1").textContent), "How numbers become a text");

    const drawn = await waitFor(driver, () => {
      for (const fold of document.querySelectorAll("main details.more, main details.check")) fold.open = true;
      const widgets = [...document.querySelectorAll("main *")].filter(({ localName }) =>
        localName.startsWith("lastinch-"),
      );
      const waiting = widgets.find((one) => !one.shadowRoot?.querySelector("figure .view > *, button.term"));
      waiting?.scrollIntoView();
      return widgets.length > 20 && !waiting && new Set(widgets.map(({ localName }) => localName)).size;
    });
    const index = await readFile(new URL("../../web/widgets/index.js", import.meta.url), "utf8");
    assert.equal(drawn, [...index.matchAll(/"\.\/[a-z-]+\.js"/g)].length);
    const problems = await driver.evaluate(() =>
      [...document.querySelectorAll("main *")].flatMap(
        ({ shadowRoot }) => shadowRoot?.querySelector(".problem")?.textContent ?? [],
      ),
    );
    assert.deepEqual(problems, []);

    await writes(driver, "greedy-spiral", ".view .text"); // storyteller
    await writes(driver, "guidance", ".panels .text"); // and draft
    await writes(driver, "characters", ".bars tbody"); // shakespeare
    await driver.evaluate(() => document.querySelector("#ending-write").click());
    await waitFor(driver, () => document.querySelectorAll("#ending-story .token").length > 20);
    await driver.evaluate(() => document.querySelector("#game-choices button").click());
    await waitFor(driver, () => document.querySelectorAll("#game-text .token").length === 1);
    // Selenium cannot watch the page from its start.
    if (driver.page) {
      const posts = await driver.evaluate(() => globalThis.watched.posts);
      assert.equal(posts.filter((/** @type {string} */ kind) => kind === "load").length, 3, "models run in a Worker");
    }

    assert.deepEqual(await driver.consoleErrors(), []);
    const asked = (await driver.requests()).filter((url) => !/^(about|data|blob):/.test(url) && url !== address);
    assert.deepEqual(asked, []);
    const broken = await driver.evaluate(() =>
      [...document.querySelectorAll("[href], [src]")]
        .map((one) => one.getAttribute("href") ?? one.getAttribute("src"))
        .filter((target) => !target.startsWith("data:") && !(target[0] === "#" && document.querySelector(target))),
    );
    assert.deepEqual(broken, []);
  });
