// The static site, on a host that only gives out files: from a folder, with and without headers, without a connection.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { siteFiles } from "../../tools/site/site.js";
import { limitOf } from "../limits.js";
import { checkAccess } from "./axe.js";
import { launch, waitFor } from "./browsers.js";
import { startHost } from "./static-host.js";

const host = await startHost("/some/folder/");
after(() => host.close());
host.files = await siteFiles(host.address);
const pages = [...host.files.keys()].filter((path) => path.endsWith(".html") && !path.startsWith("dist/"));
const shown = pages.filter((path) => path !== "404.html");

/** @type {Map<string, number>} */
const weights = new Map();
/** Bytes of a file as servers send it. @param {string} path */
function weigh(path) {
  if (!weights.has(path)) weights.set(path, brotliCompressSync(host.files.get(path) ?? "").length);
  return weights.get(path) ?? 0;
}

/** A page with storage of its own, and what it has fetched. @param {import("node:test").TestContext} t */
async function open(t) {
  const driver = await launch("chromium");
  t.after(() => driver.close());
  const page = /** @type {import("puppeteer-core").Page} */ (driver.page);
  /** @param {string} path */
  const visit = async (path) => {
    await driver.open(host.address + path);
    await page.waitForNetworkIdle({ idleTime: 200 });
  };
  const errors = async () => (await driver.consoleErrors()).splice(0);
  return { driver, page, visit, errors };
}

for (const hasHeaders of [false, true])
  test(`every page opens on a host ${hasHeaders ? "with" : "without"} headers, within its bytes`, async (t) => {
    host.hasHeaders = hasHeaders;
    const { driver, page, visit, errors } = await open(t);
    await page.setBypassServiceWorker(true);
    await page.setCacheEnabled(false);
    // The pages of the documentation load the same kinds of files.
    for (const path of shown.filter((path) => !hasHeaders || !path.startsWith("docs/"))) {
      (await driver.requests()).length = 0;
      await visit(path);
      assert.deepEqual(host.failed.splice(0), [], path);
      assert.deepEqual(await errors(), [], path);
      assert.equal(await driver.evaluate(() => crossOriginIsolated), hasHeaders, path);
      const asked = (await driver.requests()).map((url) => new URL(url.replace(/[?#].*/, "")).href);
      const own = [...new Set(asked)].filter((url) => url.startsWith(host.address));
      assert.deepEqual(
        own.length,
        new Set(asked.filter((url) => !/^(data|blob):/.test(url))).size,
        `${path}: ${asked}`,
      );
      const bytes = own.reduce((sum, url) => sum + weigh(url.slice(host.address.length) || "index.html"), 0);
      const most = limitOf(path.startsWith("docs/") ? "docs/*" : path);
      t.diagnostic(`${path}: ${(bytes / 1024).toFixed(1)} KB`);
      assert.ok(bytes > 2000 && bytes <= most, `${path}: ${bytes} bytes of ${most}`);
    }
  });

test("an address that does not exist shows a page with the site's links, however deep it is", async (t) => {
  const { driver, visit, errors } = await open(t);
  await visit("lessons/old/first.html");
  assert.deepEqual(host.failed.splice(0), ["/some/folder/lessons/old/first.html"]);
  const links = await driver.evaluate(() => [...document.querySelectorAll("a")].map(({ href }) => href));
  assert.ok(links.length > 3);
  for (const href of links) {
    assert.ok(href.startsWith(host.address), href);
    assert.ok(host.files.has(href.slice(host.address.length) || "index.html"), href);
  }
  assert.notEqual(await driver.evaluate(() => getComputedStyle(document.body).margin), "8px", "no sheet");
  await checkAccess(driver, { least: 8 });
  assert.deepEqual(await errors(), ["Failed to load resource: the server responded with a status of 404 (Not Found)"]);
});

/** Waits until the page is answered by the site's service worker. @param {import("./browsers.js").Driver} driver */
const whenKept = (driver) => waitFor(driver, () => navigator.serviceWorker.controller?.state === "activated");

test("after one visit, every page opens isolated without a connection, and a loaded model writes", async (t) => {
  host.hasHeaders = false;
  const { driver, page, visit, errors } = await open(t);
  await visit("");
  await whenKept(driver);
  await visit("");
  /** Moves the slider, and waits until the model has rewritten the story. */
  const write = async () => {
    const before = await driver.evaluate(() => document.querySelector("#text").textContent);
    await driver.evaluate(() => {
      const slider = document.querySelector("#temperature");
      slider.value = "1.3";
      for (const type of ["input", "change"]) slider.dispatchEvent(new Event(type, { bubbles: true }));
    });
    await waitFor(driver, (before) => document.querySelector("#text").textContent !== before, [before]);
    await waitFor(driver, () => document.querySelector("#source").textContent.startsWith("Live"));
  };
  await write();
  await waitFor(driver, async () => (await (await import("./dist/index.js")).models()).length === 1);
  assert.deepEqual(host.failed.splice(0), []);
  host.isDown = true;
  t.after(() => void (host.isDown = false));
  await page.setCacheEnabled(false);
  for (const path of [...shown, "docs/", "playground"]) {
    await visit(path);
    assert.deepEqual(await errors(), [], path);
    assert.ok(await driver.evaluate(() => crossOriginIsolated && document.body.innerText.length > 10), path);
  }
  await visit("");
  await write();
  assert.deepEqual(await errors(), []);
});

test("without a connection, a page that is not kept says so, with links, and a folder gets its slash", async (t) => {
  const { driver, page, visit } = await open(t);
  await visit("detector.html");
  await whenKept(driver);
  host.isDown = true;
  t.after(() => void (host.isDown = false));
  const answer = await page.goto(`${host.address}docs/of/old.html`);
  assert.equal(answer?.status(), 503);
  const [text, links] = await driver.evaluate(() => [
    document.body.innerText,
    [...document.querySelectorAll("a")].map(({ href }) => href),
  ]);
  assert.match(text, /^There is no connection\s+This page is not kept/);
  assert.ok(links.length > 3);
  for (const href of links) assert.ok(host.files.has(href.slice(host.address.length) || "index.html"), href);
  await page.goto(`${host.address}docs`);
  assert.equal(await driver.evaluate(() => location.href), `${host.address}docs/`);
  (await driver.consoleErrors()).splice(0); // that the first answer was 503
});

test("a new version is offered, waits for other tabs, and is used when the visitor says so", async (t) => {
  const { driver, page, visit, errors } = await open(t);
  await visit("detector.html");
  await whenKept(driver);
  const { files } = host;
  t.after(() => void (host.files = files));
  const html = String(files.get("detector.html")).replace(/<h1>[^<]+/, "<h1>Another version");
  host.files = await siteFiles(host.address, new Map([["detector.html", html]]));
  const title = () => driver.evaluate(() => document.querySelector("h1").textContent);
  const other = await driver.openTab();
  await other.open(`${host.address}gallery.html`);
  host.asked.length = 0;
  await visit("detector.html");
  await waitFor(driver, () => document.querySelector("#new-version button") !== null);
  assert.notEqual(await title(), "Another version");
  // What has not changed is not fetched again.
  const fetched = host.asked.filter((path) => files.has(path) && path !== "service-worker.js");
  assert.deepEqual(
    [...new Set(fetched)].filter((path) => path !== "detector.html"),
    [],
  );
  await checkAccess(driver);

  await driver.click("#new-version button");
  await waitFor(driver, () => /^Close the other tabs/.test(document.querySelector("#new-version span").textContent));
  assert.notEqual(await title(), "Another version");
  // The other tab still gets files of its own version that it has not had.
  const kept = await other.evaluate(async () =>
    (await (await fetch("detector.html")).text()).includes("Another version"),
  );
  assert.equal(kept, false);
  await other.close();

  // The service worker may hear late that the tab is gone; then the visitor is asked once more.
  await waitFor(driver, () => {
    const isThere = document.querySelector("h1").textContent === "Another version";
    if (!isThere) document.querySelector("#new-version button").click();
    return isThere;
  });
  await page.waitForNetworkIdle({ idleTime: 200 });
  assert.equal(await driver.evaluate(() => document.querySelector("#new-version")), null);
  const counts = await driver.evaluate(async () => {
    const keys = (await (await caches.open((await caches.keys())[0])).keys()).map(({ url }) => url.split("?")[0]);
    return [keys.length, new Set(keys).size];
  });
  assert.equal(counts[0], counts[1], "an old file is still kept");
  assert.deepEqual(await errors(), []);
});

test("who presses Later is not asked again in this visit", async (t) => {
  const { driver, visit } = await open(t);
  await visit("detector.html");
  await whenKept(driver);
  const { files } = host;
  t.after(() => void (host.files = files));
  host.files = await siteFiles(host.address, new Map([["verdict.js", `${files.get("verdict.js")}\n`]]));
  await visit("detector.html");
  await waitFor(driver, () => document.querySelector("#new-version button") !== null);
  await driver.evaluate(() => document.querySelector("#new-version button:last-child").click());
  await visit("embed.html");
  await visit("detector.html");
  assert.equal(await driver.evaluate(() => document.querySelector("#new-version")), null);
});
