// Pages to copy: the README's and demos/templates/single/. They import from a CDN, which is here another origin that
// lets everyone have its files, as CDNs do.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { listen } from "../../demos/serve.js";
import { scriptedModel } from "../js/tiny-gguf.js";
import { examplesOf } from "../markdown.js";
import { launch, waitFor } from "./browsers.js";
import { startSite } from "./site.js";

const folder = new URL("../../demos/templates/single/", import.meta.url);
const cdn = await startSite();
let html = "";
const server = createServer((_, response) => void response.setHeader("Content-Type", "text/html").end(html));
const page = `http://localhost:${await listen(server, 0)}/`;
const driver = await launch("chromium");
after(async () => {
  await driver.close();
  await cdn.close();
  server.closeAllConnections();
  server.close();
});

/** Opens a page to copy, with the addresses of the CDN as they are here. @param {string} text */
async function open(text) {
  html = text
    .replaceAll(/https:\/\/cdn\.jsdelivr\.net\/npm\/lastinch@[\d.]+\//g, `${cdn.origin}/`)
    .replaceAll("https://your.site/lastinch/", `${cdn.origin}/`);
  assert.ok(html.includes(`${cdn.origin}/dist/`));
  await driver.open(page);
}
const read = (/** @type {string} */ name) => readFileSync(new URL(name, folder), "utf8");
const errors = async () => (await driver.consoleErrors()).splice(0).filter((text) => !/favicon/.test(text));
const press = () => driver.evaluate(() => document.querySelector("button").click());
const status = () => driver.evaluate(() => document.querySelector("[role=status]").textContent);

test("the README's six lines write a story into an empty page", async () => {
  const [lines] = examplesOf("README.md", "html");
  assert.equal(lines.split("\n").length, 6);
  await open(`<!doctype html><link rel="icon" href="data:,"><body>${lines}</body>`);
  await waitFor(driver, () => /^Once upon a time[^]{60}/.test(document.body.innerText));
  assert.deepEqual(await errors(), []);
});

/** What a nucleus of two kept tokens shows. */
const drawsNucleus = () => {
  const text = document.querySelector("lastinch-nucleus").shadowRoot?.textContent ?? "";
  return text.includes("store") && text.includes("moon");
};

test("the README's widget draws its table", async () => {
  await open(`<!doctype html><link rel="icon" href="data:,"><body>${examplesOf("README.md", "html")[1]}</body>`);
  await waitFor(driver, drawsNucleus);
  assert.deepEqual(await errors(), []);
});

/** @type {Record<string, () => Promise<void>>} */
const checks = {
  "logits.html": async () => {
    await press();
    await waitFor(driver, () => document.querySelector("[role=status]").textContent !== "");
    assert.match(await status(), /^Kept: 0 \(\d\d\.\d %\), 1 .*Drawn: \d( \d){9}$/);
    await driver.evaluate(() => (document.querySelector("[name=topP]").value = "2"));
    await driver.evaluate(() => (document.querySelector("form").noValidate = true));
    await press();
    await waitFor(driver, () => /topP/.test(document.querySelector("[role=status]").textContent));
  },
  "json.html": async () => {
    await press();
    await waitFor(driver, () => document.querySelector("[role=status]").textContent === "Done.");
    const { hero, animal, toys } = JSON.parse(await driver.evaluate(() => document.querySelector("pre").textContent));
    assert.ok(hero.length > 0 && [...hero].length <= 12 && ["dog", "cat", "bird", "none"].includes(animal));
    assert.ok(Array.isArray(toys) && toys.length <= 2);
  },
  "chat.html": async () => {
    const template = "{{ messages[0].role }}: {{ messages[0].content }}\n{{ bos_token }}";
    const extra = { "tokenizer.chat_template": ["string", template] };
    const { bytes } = scriptedModel({ script: ["Good", " day", " to", " you"], extra });
    await driver.evaluate((packed) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))], "talker.gguf"));
      const field = document.querySelector("[type=file]");
      field.files = dataTransfer.files;
      field.dispatchEvent(new Event("change"));
    }, Buffer.from(bytes).toString("base64"));
    for (const message of ["Hello?", "And now?"]) {
      await waitFor(driver, () => !document.querySelector("button").disabled);
      await driver.evaluate((message) => (document.querySelector("[name=message]").value = message), message);
      await press();
      const said = `You: ${message}\nGood day to you\n`;
      await waitFor(driver, (said) => document.querySelector("pre").textContent.endsWith(said), [said]);
    }
    assert.equal(await status(), "");
  },
  "widget.html": async () => void (await waitFor(driver, drawsNucleus)),
};

test("every single page has a check", () => assert.deepEqual(Object.keys(checks).sort(), readdirSync(folder).sort()));

for (const [name, check] of Object.entries(checks))
  test(`${name} works when it is copied`, async () => {
    await open(read(name));
    await check();
    assert.deepEqual(await errors(), []);
  });
