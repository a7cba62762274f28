// The lesson: complete, readable without JavaScript, light, accessible, and silent (in Chromium).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { limitOf } from "../limits.js";
import { checkAccess } from "./axe.js";
import { waitFor } from "./browsers.js";
import { openSite } from "./site.js";

const root = new URL("../..", import.meta.url).pathname;
const html = readFileSync(`${root}demos/article.html`, "utf8");
const OPENED = limitOf("lesson");

const { site, driver, close } = await openSite("chromium");
after(close);
const page = /** @type {import("puppeteer-core").Page} */ (driver.page);

/** Opens the lesson and reads it to the end, so that every widget has drawn itself. */
async function read(width = 1280, scheme = "light") {
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await driver.open(`${site.origin}/demos/article.html`);
  const isDrawn = () => {
    const widgets = [...document.querySelectorAll("main :not(:defined), main *")].filter(
      (element) => element.localName.startsWith("lastinch-") && customElements.get(element.localName),
    );
    const waiting = widgets.find((widget) => !widget.shadowRoot?.querySelector("figure .view > *, button.term"));
    waiting?.scrollIntoView();
    return widgets.length > 20 && !waiting;
  };
  await waitFor(driver, isDrawn);
}

test("the lesson has every widget, and no other", () => {
  const index = readFileSync(`${root}web/widgets/index.js`, "utf8");
  const names = [...index.matchAll(/"\.\/([a-z-]+)\.js"/g)].map(([, name]) => name);
  const used = new Set([...html.matchAll(/<lastinch-([a-z-]+)/g)].map(([, name]) => name));
  assert.deepEqual([...used].sort(), names.sort());
});

for (const scheme of ["light", "dark"])
  for (const width of [1280, 360])
    test(`axe-core finds nothing and nothing sticks out, ${scheme}, ${width} px`, async () => {
      await read(width, scheme);
      await checkAccess(driver);
    });

test("headings are an outline, and the contents list the parts in their order", async () => {
  await read();
  const { levels, titles, listed, broken } = await driver.evaluate(() => ({
    levels: [...document.querySelectorAll("h1, h2, h3, h4")].map(({ localName }) => Number(localName[1])),
    titles: [...document.querySelectorAll("main h2[id]:not(#before-title)")].map(({ id }) => "#" + id),
    listed: [...document.querySelectorAll(".contents a")].map((link) => link.getAttribute("href")),
    broken: [...document.querySelectorAll('a[href^="#"]')].filter((link) => !document.querySelector(link.hash)).length,
  }));
  assert.deepEqual([levels[0], levels.filter((level) => level === 1).length], [1, 1]);
  levels.forEach((level, i) => assert.ok(level <= (levels[i - 1] ?? 0) + 1, `heading ${i} skips a level`));
  assert.deepEqual(listed, titles);
  assert.equal(broken, 0);
});

test("answers are counted, and reset when a check restarts", async () => {
  await read();
  const first = "lastinch-quick-check";
  const progress = () => driver.evaluate(() => document.querySelector("#answered-text").textContent);
  assert.match(await progress(), /^0 of \d\d questions answered$/);
  await driver.evaluate((name) => document.querySelector(name).shadowRoot.querySelector("input").click(), first);
  assert.match(await progress(), /^1 of/);
  assert.equal(await driver.evaluate(() => document.querySelector(".contents a").dataset.tally), "1/3");
  await driver.evaluate(
    (name) => document.querySelector(name).shadowRoot.querySelector(".actions button").click(),
    first,
  );
  assert.match(await progress(), /^0 of/);
});

test("without JavaScript the lesson has its text, tables, and questions with answers", async () => {
  await page.setJavaScriptEnabled(false);
  try {
    await page.goto(`${site.origin}/demos/article.html`);
    const seen = await page.evaluate(() => {
      const isVisible = (element) => element.checkVisibility() && element.getBoundingClientRect().height > 0;
      for (const one of document.querySelectorAll("details")) one.open = true;
      const inPart = [...document.querySelectorAll("main p, main table, main li")];
      return {
        hidden: inPart.filter((element) => !isVisible(element)).map(({ textContent }) => textContent),
        tables: document.querySelectorAll("main table").length,
        terms: [...document.querySelectorAll("lastinch-glossary[term]")].filter(({ textContent }) => !textContent)
          .length,
        unsolved: [...document.querySelectorAll("details")].filter(
          (one) => one.querySelectorAll("[data-right]").length !== 1 || !one.querySelector("p"),
        ).length,
      };
    });
    assert.deepEqual(seen, { hidden: [], tables: 6, terms: 0, unsolved: 0 });
  } finally {
    await page.setJavaScriptEnabled(true);
  }
});

test("the lesson opens within its budget, and stays within it as it is read to its end", async () => {
  const weigh = (path) => brotliCompressSync(readFileSync(root + path.slice(1))).length;
  /** Brotli bytes so far of what is not the page's own text, style and icon. */
  const weight = () =>
    [...new Set(site.log)]
      .filter((path) => !path.startsWith("/tests/") && !/\.(html|css|svg)$/.test(path))
      .reduce((total, path) => total + weigh(path), 0);
  site.log.length = 0;
  await page.setViewport({ width: 1280, height: 900 });
  await driver.open(`${site.origin}/demos/article.html`);
  await waitFor(driver, () => document.querySelector("lastinch-worked-example").shadowRoot?.querySelector("table"));
  const opened = weight();
  await read();
  const text = ["html", "css"].reduce(
    (total, kind) => total + weigh(`/demos/article.${kind}`),
    weigh("/demos/theme.css"),
  );
  console.log(
    `# the lesson, brotli: ${opened} bytes of code when it opens, ${weight()} read to its end, ${text} of text and style`,
  );
  assert.ok(site.log.some((path) => path.endsWith("sampler.wasm")));
  assert.ok(!site.log.some((path) => /gguf|model|worker/.test(path)), "a model came unasked");
  assert.ok(opened < OPENED, `${opened} bytes when it opens`);
  assert.ok(weight() < OPENED, `${weight()} bytes to its end`);
});

test("the console has no error, and no request left the site", async () => {
  assert.deepEqual(await driver.consoleErrors(), []);
  const others = (await driver.requests()).filter((url) => !/^(about|data|blob):/.test(url));
  assert.deepEqual(
    others.filter((url) => !url.startsWith(site.origin)),
    [],
  );
});
