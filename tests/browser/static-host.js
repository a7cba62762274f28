// A static host as GitHub Pages is one: a site in a folder, no headers but the type, 404.html for what is not there.
import { createServer } from "node:http";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import { listen, types } from "../../demos/serve.js";
import { digest } from "../../tools/site/site.js";

const isolating = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/**
 * @typedef {object} Host
 * @property {string} address of the site
 * @property {Map<string, Buffer | string>} files
 * @property {string[]} asked paths in the site that were asked for
 * @property {string[]} failed addresses that were asked for and are not there
 * @property {boolean} hasHeaders whether it sends the headers for cross-origin isolation
 * @property {boolean} isDown whether it ends every connection
 * @property {boolean} compresses whether it compresses what it sends, but for models and pictures
 * @property {RegExp | null} holds files that wait until release() is called
 * @property {() => void} release
 * @property {() => void} close
 */

/**
 * @param {string} folder with a slash before and after it
 * @returns {Promise<Host>}
 */
export async function startHost(folder) {
  /** @type {(() => void)[]} */
  const held = [];
  const server = createServer((request, response) => {
    if (host.isDown) return void request.socket.destroy();
    const path = decodeURIComponent(String(request.url).split("?")[0]);
    const name = path.startsWith(folder) ? path.slice(folder.length).replace(/(^|\/)$/, "$1index.html") : "";
    host.asked.push(name);
    if (host.holds?.test(name)) held.push(() => answer(name, request.url, response));
    else answer(name, request.url, response);
  });
  /** @param {string} name @param {string | undefined} url @param {import("node:http").ServerResponse} response */
  function answer(name, url = "", response) {
    const found = host.files.get(name);
    if (found === undefined) host.failed.push(url);
    const content = found ?? host.files.get("404.html");
    const extension = /** @type {keyof typeof types} */ (extname(found === undefined ? "404.html" : name));
    const more = {
      "Cache-Control": "max-age=600",
      ETag: `"${digest(content ?? "")}"`,
      ...(host.hasHeaders && isolating),
    };
    const isSmaller = host.compresses && !/\.(gguf|png)$/.test(name);
    if (isSmaller) Object.assign(more, { "Content-Encoding": "gzip" });
    response.writeHead(found === undefined ? 404 : 200, { "Content-Type": types[extension], ...more });
    response.end(isSmaller ? gzipSync(content ?? "") : content);
  }
  const port = await listen(server, 0);
  /** @type {Host} */
  const host = {
    address: `http://localhost:${port}${folder}`,
    files: new Map(),
    asked: [],
    failed: [],
    hasHeaders: false,
    isDown: false,
    compresses: false,
    holds: null,
    release() {
      host.holds = null;
      for (const send of held.splice(0)) send();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return host;
}
