// The demo server under test: logs requests, watches pages, and can misbehave on purpose.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { listen, siteHandler } from "../../demos/serve.js";
import { launch } from "./browsers.js";

/**
 * @typedef {object} Site
 * @property {string} origin
 * @property {string[]} log paths that were asked for
 * @property {boolean} isIsolated whether pages are cross-origin isolated and so have shared memory
 * @property {boolean} isOpen whether pages of other origins may use its files, as the server and most static hosts allow
 * @property {Set<string>} missing paths that are answered with 404
 * @property {Set<string>} silent paths that are never answered
 * @property {(html: string) => string} rewrite changes pages on their way
 * @property {() => Promise<void>} close
 */

/**
 * A site, and a browser page to view it. `close` ends both.
 * @param {string} browser
 */
export async function openSite(browser) {
  const site = await startSite();
  try {
    const driver = await launch(browser);
    const close = async () => {
      await driver.close();
      await site.close();
    };
    return { site, driver, close };
  } catch (error) {
    await site.close();
    throw error;
  }
}

/** @returns {Promise<Site>} */
export async function startSite() {
  const handle = siteHandler();
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").split("?")[0];
    site.log.push(path);
    if (site.silent.has(path)) return;
    setOpen(response, site.isOpen);
    if (site.missing.has(path)) return void response.writeHead(404).end();
    if (!path.endsWith("/") && !path.endsWith(".html")) return void handle(request, response);
    // The page as the server would send it, with the watcher before the page's own scripts.
    const file = path === "/demos/" ? "/demos/index.html" : path;
    const html = await readFile(new URL(`../..${file}`, import.meta.url), "utf8");
    response.writeHead(200, {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      ...(site.isIsolated && {
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
      }),
    });
    response.end(site.rewrite(html.replace("<head>", '<head><script src="/tests/browser/watch.js"></script>')));
  });
  const port = await listen(server, 0);
  /** @type {Site} */
  const site = {
    origin: `http://localhost:${port}`,
    log: [],
    isIsolated: true,
    isOpen: true,
    missing: new Set(),
    silent: new Set(),
    rewrite: (html) => html,
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return site;
}

/**
 * Allows pages of other origins everything, or forbids what the server allows.
 * @param {import("node:http").ServerResponse} response
 * @param {boolean} isOpen
 */
function setOpen(response, isOpen) {
  const { writeHead } = response;
  response.writeHead = (/** @type {number} */ status, /** @type {any} */ { ...headers } = {}) => {
    delete headers["Access-Control-Allow-Origin"];
    headers["Cross-Origin-Resource-Policy"] = isOpen ? "cross-origin" : "same-origin";
    if (isOpen) headers["Access-Control-Allow-Origin"] = "*";
    return writeHead.call(response, status, headers);
  };
}
