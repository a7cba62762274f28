// Each page of the site as its host sends it: axe-core, what Chromium itself reports, sizes of pictures, and how much of the
// page moves while it loads. `make lighthouse` asks Lighthouse besides.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { siteFiles } from "../../tools/site/site.js";
import { checkAccess } from "./axe.js";
import { launch, waitFor } from "./browsers.js";
import { isIdle } from "./playground-page.js";
import { startHost } from "./static-host.js";

const MOST_SHIFT = 0.05;
const host = await startHost("/some/folder/");
after(() => host.close());
host.files = await siteFiles(host.address);
host.compresses = true;
const pages = [...host.files.keys()].filter((path) => path.endsWith(".html") && !/^(dist\/|404)/.test(path));

/** Runs in each page before its own scripts. */
function countShifts() {
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      globalThis.shifts.push([value, sources.map(({ node }) => node?.localName ?? "text").join(" ")]);
  }).observe({ type: "layout-shift", buffered: true });
}

/** Runs in the page: elements in the window are defined and drawn, fonts are there, and two frames have passed. */
async function whenDrawn() {
  const parts = [...document.querySelectorAll("*")].filter(
    (one) =>
      one.localName.startsWith("lastinch-") &&
      one.checkVisibility() &&
      one.getBoundingClientRect().top < document.documentElement.clientHeight,
  );
  await Promise.all(parts.map(({ localName }) => customElements.whenDefined(localName)));
  await Promise.all(parts.map(({ updateComplete }) => updateComplete));
  await document.fonts.ready;
  for (let i = 0; i < 2; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/**
 * A page, and what Chromium itself reports of it.
 * @param {import("node:test").TestContext} t
 * @param {number} [width] of the window; a phone's
 */
async function openPage(t, width = 390) {
  const driver = await launch("chromium");
  t.after(() => driver.close());
  const page = /** @type {import("puppeteer-core").Page} */ (driver.page);
  await page.setViewport({ width, height: 844 });
  await page.setBypassServiceWorker(true);
  await page.setCacheEnabled(false);
  await page.evaluateOnNewDocument(countShifts);
  const session = await page.createCDPSession();
  /** @type {string[]} */
  const issues = [];
  session.on("Audits.issueAdded", ({ issue }) => issues.push(`${issue.code} ${JSON.stringify(issue.details)}`));
  await session.send("Audits.enable");
  t.after(() => host.release());
  return { driver, page, issues };
}

/** Runs in the page. */
const isPainted = () => performance.getEntriesByName("first-contentful-paint").length > 0;

/** @param {import("node:test").TestContext} t @param {import("./browsers.js").Driver} driver @param {string} path */
async function checkShifts(t, driver, path) {
  const shifts = await driver.evaluate(() => globalThis.shifts);
  const sum = shifts.reduce((/** @type {number} */ total, /** @type {[number]} */ [value]) => total + value, 0);
  t.diagnostic(`${path} moves by ${sum.toFixed(3)}`);
  assert.ok(sum <= MOST_SHIFT, `${sum}: ${JSON.stringify(shifts)}`);
}

/**
 * Opens a page whose scripts come after the first paint, as over a slow connection: whatever they move, has been seen.
 * @param {import("node:test").TestContext} t
 * @param {string} path
 * @param {number} [width]
 */
async function openSlowly(t, path, width) {
  const opened = await openPage(t, width);
  const { driver, page } = opened;
  host.holds = /\.js$/;
  await page.goto(host.address + path + (path === "embed.html" ? "?widget=nucleus" : ""), { waitUntil: [] });
  if (path !== "embed.html") await waitFor(driver, isPainted); // whose frame is empty at first
  host.release();
  await page.waitForNetworkIdle({ idleTime: 200, timeout: 120_000 });
  await driver.evaluate(whenDrawn);
  await checkShifts(t, driver, path);
  return opened;
}

for (const path of pages.filter((path) => !path.startsWith("docs/")))
  test(`${path}: in a wide window it hardly moves`, async (t) => void (await openSlowly(t, path, 1280)));

for (const width of [1280, 390])
  for (const path of ["playground.html", "playground.html#v=1&seed=11&tokens=60"])
    test(`${path}: in a window of ${width} px it hardly moves if its story comes late`, async (t) => {
      const { driver, page } = await openPage(t, width);
      host.holds = /recorded-steps\.js$|\.gguf$/;
      await page.goto(host.address + path, { waitUntil: [] });
      await waitFor(driver, () => document.querySelector(".paper") !== null);
      await driver.evaluate(whenDrawn);
      host.release();
      await waitFor(driver, () => document.querySelector("#story .token") !== null);
      await waitFor(driver, isIdle);
      await driver.evaluate(whenDrawn);
      await checkShifts(t, driver, path);
    });

for (const path of pages)
  test(`${path}: no finding of axe-core or of Chromium, pictures with sizes, and it hardly moves`, async (t) => {
    const { driver, issues } = await openSlowly(t, path);
    const unsized = await driver.evaluate(
      () =>
        [...document.images].filter((image) => !image.getAttribute("width") || !image.getAttribute("height")).length,
    );
    assert.equal(unsized, 0);
    const [language, title] = await driver.evaluate(() => [document.documentElement.lang, document.title]);
    assert.ok(language === "en" && title.length > 8);
    assert.deepEqual(issues, []);
    assert.deepEqual((await driver.consoleErrors()).splice(0), []);
    await checkAccess(driver, { least: 8, ...(path === "embed.html" && { within: "main" }) });
  });

for (const path of ["index.html", "article.html"])
  test(`${path}: the first screen is painted from its HTML alone`, async (t) => {
    const { driver, page } = await openPage(t);
    host.holds = /^(?!(index|article)\.html)/;
    await page.goto(host.address + path, { waitUntil: [] }); // no script arrives, so neither does "load"
    await waitFor(driver, isPainted);
    const [margin, isThere] = await driver.evaluate(() => [
      getComputedStyle(document.body).margin,
      document.querySelector("h1").getBoundingClientRect().bottom < innerHeight,
    ]);
    assert.ok(margin !== "8px" && isThere, path);
    host.release();
  });
