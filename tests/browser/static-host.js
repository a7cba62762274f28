// A static host as GitHub Pages is one: a site in a folder, no headers but the type, 404.html for what is not there.
import { createServer } from "node:http";
import { extname } from "node:path";
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
 * @property {() => void} close
 */

/**
 * @param {string} folder with a slash before and after it
 * @returns {Promise<Host>}
 */
export async function startHost(folder) {
  const server = createServer(({ url = "/", socket }, response) => {
    if (host.isDown) return void socket.destroy();
    const path = decodeURIComponent(url.split("?")[0]);
    const name = path.startsWith(folder) ? path.slice(folder.length).replace(/(^|\/)$/, "$1index.html") : "";
    const found = host.files.get(name);
    host.asked.push(name);
    if (found === undefined) host.failed.push(url);
    const content = found ?? host.files.get("404.html");
    const extension = /** @type {keyof typeof types} */ (extname(found === undefined ? "404.html" : name));
    const more = {
      "Cache-Control": "max-age=600",
      ETag: `"${digest(content ?? "")}"`,
      ...(host.hasHeaders && isolating),
    };
    response.writeHead(found === undefined ? 404 : 200, { "Content-Type": types[extension], ...more });
    response.end(content);
  });
  const port = await listen(server, 0);
  /** @type {Host} */
  const host = {
    address: `http://localhost:${port}${folder}`,
    files: new Map(),
    asked: [],
    failed: [],
    hasHeaders: false,
    isDown: false,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return host;
}
