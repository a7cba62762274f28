// The template of a page that works in flight mode: after one visit it opens and writes although its server is gone.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { listen, siteHandler } from "../../demos/serve.js";
import { browserNames, launch, waitFor } from "./browsers.js";
import { checkTemplate } from "./template.js";

const template = "/demos/templates/offline/";

for (const name of browserNames)
  test(`a page that was visited once writes in flight mode in ${name}`, { timeout: 300_000 }, async (t) => {
    const handle = siteHandler();
    const asked = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      // The template's own folder has the package only in an app.
      request.url = request.url.replace(/^\/app\/lastinch\//, "/dist/").replace(/^\/app\//, template);
      if (request.url === template) request.url += "index.html";
      return handle(request, response);
    });
    const port = await listen(server, 0);
    const end = () => {
      server.closeAllConnections();
      server.close();
    };
    t.after(end);
    const driver = await launch(name);
    t.after(() => driver.close());
    const address = `http://localhost:${port}/app/`;
    // WebKit ends a site's service workers ten seconds after its last page has left. A page that is opened at that
    // moment waits for them for ever. So another page stays open.
    const other = await driver.openTab();
    t.after(() => other.close());
    await other.open(`http://localhost:${port}/tests/browser/blank.html`);

    await checkTemplate(driver, address);
    const manifest = await driver.evaluate(async () => {
      // Under WebDriver, WebKit keeps a Worker's caches only if the page has seen them.
      await caches.keys();
      const { href } = document.querySelector("link[rel=manifest]");
      const response = await fetch(href);
      return { type: response.headers.get("content-type"), ...(await response.json()) };
    });
    assert.equal(manifest.type, "application/manifest+json");
    assert.ok(asked.includes(`/app/${manifest.icons[0].src}`));
    // The service worker keeps a file some time after it has answered with it.
    const files = asked.filter((path) => path.startsWith("/app/") && !/\.gguf$|service-worker\.js$/.test(path));
    await waitFor(
      driver,
      async (files) => {
        const cache = await caches.open("story");
        const kept = await Promise.all(files.map((path) => cache.match(path)));
        return kept.every(Boolean);
      },
      [[...new Set(files)]],
    );
    end();
    const count = asked.length;
    await assert.rejects(fetch(address));
    for (const path of ["", "index.html"]) await checkTemplate(driver, address + path);
    assert.equal(asked.length, count);
  });
