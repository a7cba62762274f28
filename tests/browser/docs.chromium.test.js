// The documentation for everyone: axe-core's rules, phone width, both colour schemes, no JavaScript (in Chromium).
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, test } from "node:test";
import { scriptedModel } from "../js/tiny-gguf.js";
import { examplesOf } from "../markdown.js";
import { checkAccess, inAllLooks, setLook } from "./axe.js";
import { waitFor } from "./browsers.js";
import { openSite } from "./site.js";

const root = new URL("../..", import.meta.url).pathname;
const pages = readdirSync(`${root}demos/docs`)
  .filter((file) => file.endsWith(".md"))
  .map((file) => file.replace(/md$/, "html"));

const { site, driver, close } = await openSite("chromium");
after(close);
const page = /** @type {import("puppeteer-core").Page} */ (driver.page);

/** Opens a page and waits until its widgets have drawn themselves. @param {string} name */
async function open(name) {
  await setLook(driver, "light", 1280);
  await driver.open(`${site.origin}/demos/docs/${name}`);
  await waitFor(driver, () => {
    const widgets = [...document.querySelectorAll("main *")].filter(({ localName }) =>
      localName.startsWith("lastinch-"),
    );
    const waiting = widgets.find((widget) => !widget.shadowRoot?.querySelector("figure .view > *"));
    waiting?.scrollIntoView();
    return !waiting;
  });
}

for (const name of pages)
  test(`${name}: axe-core finds nothing, and nothing sticks out of the page`, async (t) => {
    await open(name);
    await inAllLooks(t, driver, () => checkAccess(driver));
  });

test("headings form an outline on every page", async () => {
  for (const name of pages) {
    await open(name);
    const levels = await driver.evaluate(() =>
      [...document.querySelectorAll("h1, h2, h3, h4")].map(({ localName }) => Number(localName[1])),
    );
    assert.deepEqual([levels[0], levels.filter((level) => level === 1).length], [1, 1], name);
    levels.forEach((level, i) => assert.ok(level <= (levels[i - 1] ?? 0) + 1, `${name}: heading ${i} skips a level`));
  }
});

test("without JavaScript every page has its text", async () => {
  await page.setJavaScriptEnabled(false);
  try {
    for (const name of pages) {
      await page.goto(`${site.origin}/demos/docs/${name}`);
      const hidden = await page.evaluate(() =>
        [...document.querySelectorAll("main p, main td, main li, main pre")]
          .filter((element) => !element.checkVisibility() || !element.getBoundingClientRect().height)
          .map(({ textContent }) => textContent),
      );
      assert.deepEqual(hidden, [], name);
    }
  } finally {
    await page.setJavaScriptEnabled(true);
  }
});

test("the examples for pages run in a page and change the widget as documented", async () => {
  await open("widgets.html");
  const examples = await driver.evaluate(() =>
    [...document.querySelectorAll("pre code.js.in-page")].map(({ textContent }) => textContent),
  );
  assert.equal(examples.length, 2);
  await driver.evaluate(() => {
    const { log } = console;
    globalThis.logged = [];
    console.log = (...values) => (globalThis.logged.push(values), log(...values));
  });
  for (const example of examples) await driver.evaluate(`(() => {${example}\n})()`);
  await waitFor(driver, () => /Der Kern/.test(document.querySelector("lastinch-nucleus").shadowRoot.textContent));
  const text = await driver.evaluate(() => document.querySelector("lastinch-nucleus").shadowRoot.textContent);
  assert.match(text, /Haus/);
  await driver.evaluate(() => {
    const slider = document.querySelector("lastinch-nucleus").shadowRoot.querySelector("input[type=range]");
    slider.value = slider.min;
    for (const type of ["input", "change"]) slider.dispatchEvent(new Event(type, { bubbles: true }));
  });
  await waitFor(driver, () => globalThis.logged.length > 0);
  const [[tag, name]] = await driver.evaluate(() => globalThis.logged);
  assert.equal(tag, "lastinch-nucleus");
  assert.match(name, /^[a-z]\w*$/i);
});

test("a frame sends its height, and the documented script fits the frame to it", async () => {
  await open("embedding.html");
  const [example, ...others] = await driver.evaluate(() =>
    [...document.querySelectorAll("pre code.js.in-page")].map(({ textContent }) => textContent),
  );
  assert.deepEqual(others, []);
  await driver.evaluate(`(() => {${example}\n})()`);
  const height = await driver.evaluate(async () => {
    const frame = document.createElement("iframe");
    frame.src = "../embed.html?widget=nucleus";
    frame.height = "1";
    document.body.append(frame);
    for (let i = 0; i < 1000 && Number(frame.height) < 100; i++) await new Promise((done) => setTimeout(done, 50));
    return Number(frame.height);
  });
  assert.ok(height > 100, `${height}`);
});

test("the documented chat page talks to a file", async () => {
  const [chat] = examplesOf("demos/docs/chat.md", "html");
  const map = '<script type="importmap">{ "imports": { "lastinch": "/dist/index.js" } }</script>';
  const icon = '<link rel="icon" href="data:," />';
  site.rewrite = () => chat.replace("<title>", `${icon}${map}<title>`);
  try {
    await driver.open(`${site.origin}/tests/browser/blank.html`);
  } finally {
    site.rewrite = (html) => html;
  }
  const script = ["Good", " day", " to", " you"];
  const template = "{{ messages[0].role }}: {{ messages[0].content }}\n{{ bos_token }}";
  const { bytes } = scriptedModel({ script, extra: { "tokenizer.chat_template": ["string", template] } });
  await driver.evaluate(async (packed) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))], "talker.gguf"));
    const field = document.querySelector("[type=file]");
    field.files = dataTransfer.files;
    field.dispatchEvent(new Event("change"));
  }, Buffer.from(bytes).toString("base64"));
  await waitFor(driver, () => !document.querySelector("button").disabled);
  for (const message of ["Hello?", "And now?"]) {
    await driver.evaluate((message) => {
      document.querySelector("[name=message]").value = message;
      document.querySelector("button").click();
    }, message);
    await waitFor(
      driver,
      (message) => document.querySelector("pre").textContent.endsWith(`You: ${message}\nGood day to you\n`),
      [message],
    );
  }
});

test("the documented slides show a widget on their second slide", async () => {
  const [slides] = examplesOf("demos/docs/teaching.md", "html");
  const icon = '<link rel="icon" href="data:," />';
  const here = slides
    .replace("<title>", `${icon}<title>`)
    .replace(/https:\/\/cdn\.jsdelivr\.net\/npm\/reveal\.js@[\d.]+/g, "/node_modules/reveal.js")
    .replaceAll("https://example.org/", "/demos/");
  site.rewrite = (html) => (html.includes("embed.js") ? html : here);
  try {
    await driver.open(`${site.origin}/tests/browser/blank.html`);
  } finally {
    site.rewrite = (html) => html;
  }
  await waitFor(driver, () => document.querySelector("section.present h2")?.checkVisibility());
  await driver.press("ArrowRight");
  await waitFor(driver, () => {
    const { contentDocument } = document.querySelector("section.present iframe");
    return contentDocument.querySelector("lastinch-nucleus").shadowRoot.querySelector("figure .view > *") !== null;
  });
});

test("the console shows no error", async () => assert.deepEqual(await driver.consoleErrors(), []));
