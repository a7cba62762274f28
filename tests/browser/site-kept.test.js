// The static site in every browser: after one visit its pages open without a connection, and are isolated although the
// host sends no headers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { siteFiles } from "../../tools/site/site.js";
import { browserNames, launch, waitFor } from "./browsers.js";
import { startHost } from "./static-host.js";

for (const name of browserNames)
  test(`the site is kept after one visit in ${name}`, { timeout: 600_000 }, async (t) => {
    const host = await startHost("/some/folder/");
    t.after(() => host.close());
    host.files = await siteFiles(host.address);
    const driver = await launch(name);
    t.after(() => driver.close());
    // In WebKit a page that opens as the service worker ends would wait for ever: see flight-mode.test.js.
    const other = await driver.openTab();
    t.after(() => other.close());
    await other.open(`${host.address}404.html`);
    await driver.open(`${host.address}detector.html`);
    await waitFor(driver, () => navigator.serviceWorker.controller?.state === "activated", [], 300_000);
    host.isDown = true;
    for (const path of ["", "article.html", "docs/", "docs/chat.html"]) {
      await driver.open(host.address + path);
      const [isIsolated, heading] = await driver.evaluate(() => [
        crossOriginIsolated,
        document.querySelector("h1").textContent,
      ]);
      assert.ok(isIsolated && heading, path);
    }
    await driver.open(`${host.address}embed.html?widget=nucleus`);
    await waitFor(driver, () => /\d%/.test(document.querySelector("lastinch-nucleus")?.shadowRoot?.textContent));
    assert.deepEqual((await driver.consoleErrors()).splice(0), []);
    assert.deepEqual(host.failed, []);
  });
