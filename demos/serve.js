// Serves the checkout as a site: `node demos/serve.js [--port N]`. Reads only, and only below the checkout.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const checkout = dirname(dirname(fileURLToPath(import.meta.url)));
const DEFAULT_PORT = 8080;
const PORTS_TO_TRY = 50;

/** What servers call the files of the site. */
export const types = {
  ".css": "text/css; charset=utf-8",
  ".gguf": "application/octet-stream",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

const headers = {
  // Cross-origin isolated, so that models may use shared memory and threads.
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-cache",
};

/** Lets pages of other sites load embedded widgets and their frame. The rest of the checkout is not for them. */
const open = { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" };
const openFolders = ["/dist/", "/demos/", "/web/widgets/shared/"];

/**
 * The file of a request's path, or null if no file of the site can have that path.
 * @param {string} root
 * @param {string} url path and query as the request has them
 */
export function filePath(root, url) {
  let path;
  try {
    path = decodeURIComponent(url.split(/[?#]/)[0]);
  } catch {
    return null;
  }
  const isPlain = path.startsWith("/") && !/[\0\\]/.test(path);
  // No "..", and nothing hidden: .git is not part of the site.
  if (!isPlain || path.split("/").some((part) => part.startsWith("."))) return null;
  if (path.endsWith("/")) path += "index.html";
  const file = join(root, path);
  return file.startsWith(root + sep) ? file : null;
}

/**
 * @param {string} [root]
 * @returns {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => Promise<void>}
 */
export function siteHandler(root = checkout) {
  return async (request, response) => {
    /** @param {number} status @param {string} text @param {Record<string, string>} [more] */
    const refuse = (status, text, more) => {
      response.writeHead(status, { ...headers, "Content-Type": types[".txt"], ...more }).end(text + "\n");
    };
    if (request.method !== "GET" && request.method !== "HEAD")
      return refuse(405, "This site is only read.", { Allow: "GET, HEAD" });
    if (request.url === "/") return refuse(302, "The pages are at /demos/.", { Location: "/demos/" });
    const file = filePath(root, request.url ?? "");
    const found = file && (await stat(file).catch(() => null));
    if (found?.isDirectory()) return refuse(302, "With a slash.", { Location: request.url?.split("?")[0] + "/" });
    if (!file || !found?.isFile()) return refuse(404, "There is no such file.");
    const type = types[/** @type {keyof typeof types} */ (extname(file))] ?? "application/octet-stream";
    const facts = { "Content-Type": type, "Content-Length": found.size, "Last-Modified": found.mtime.toUTCString() };
    const path = file.slice(root.length).replaceAll(sep, "/");
    const isOpen = openFolders.some((folder) => path.startsWith(folder));
    response.writeHead(200, { ...headers, ...(isOpen && open), ...facts });
    if (request.method === "HEAD") response.end();
    else
      createReadStream(file)
        .on("error", () => response.destroy())
        .pipe(response);
  };
}

/**
 * Listens on the port, or on the next free one.
 * @param {import("node:http").Server} server
 * @param {number} port 0: any
 * @param {number} [tries]
 * @returns {Promise<number>} the port in use
 */
export async function listen(server, port, tries = PORTS_TO_TRY) {
  for (let left = tries; ; left--, port++) {
    try {
      await new Promise((resolve, reject) => {
        server.once("error", reject).listen(port, () => {
          server.off("error", reject);
          resolve(undefined);
        });
      });
      return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EADDRINUSE" || left <= 1) throw error;
    }
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({ options: { port: { type: "string" }, root: { type: "string" } } });
  const port = Number(values.port ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    console.error(`--port must be a whole number from 0 to 65535, but is ${values.port}.`);
    process.exit(2);
  }
  const server = createServer(siteHandler(values.root));
  const used = await listen(server, port);
  console.log(`The pages: http://localhost:${used}/demos/   (Ctrl+C ends it)`);
}
