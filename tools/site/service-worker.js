// Keeps the site, so that every page opens without a connection. A file is kept under its address and its hash: a new
// version fetches only what has changed, and the old one keeps its own files until it ends.

/** The SHA-256 of each file, by its path. The maker of the site fills this in. @type {Record<string, string>} */
const files = {};
const { scope } = registration;
const store = caches.open(`lastinch ${scope}`);
const FETCHES = 6; // side by side, as browsers have connections to one HTTP/1 server

/** @param {string} path */
const keyOf = (path) => new URL(`${path}?${files[path]}`, scope).href;

addEventListener("install", (event) => event.waitUntil(keepAll()));
addEventListener("activate", (event) => event.waitUntil(Promise.all([forgetOthers(), clients.claim()])));
addEventListener("message", ({ data }) => data === "use" && skipWaiting());

async function keepAll() {
  const cache = await store;
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  const missing = Object.keys(files).filter((path) => !kept.has(keyOf(path)));
  const work = async () => {
    for (let path = missing.pop(); path; path = missing.pop()) {
      // In the middle of an upload the file may be of another version: then this one is not installed.
      const response = await fetch(path, { integrity: `sha256-${files[path]}`, cache: "no-cache" });
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      await cache.put(keyOf(path), response);
    }
  };
  await Promise.all(Array.from({ length: FETCHES }, work));
}

async function forgetOthers() {
  const cache = await store;
  const wanted = new Set(Object.keys(files).map(keyOf));
  const stale = (await cache.keys()).filter(({ url }) => !wanted.has(url));
  await Promise.all(stale.map((key) => cache.delete(key)));
}

/** The file for an address, if it is kept: hosts differ in whether they show "index" and ".html". @param {string} url */
function pathOf(url) {
  const path = url.slice(scope.length).replace(/[?#].*/s, "");
  return [path, `${path}index.html`, `${path}.html`].find((one) => Object.hasOwn(files, one));
}

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET" || !url.startsWith(scope)) return;
  const path = pathOf(url);
  if (path) event.respondWith(answer(event.request, path));
  else if (mode === "navigate") event.respondWith(fetch(event.request).catch(() => answer(event.request, "404.html")));
});

/** @param {Request} request @param {string} path */
async function answer(request, path) {
  const response = (await (await store).match(keyOf(path))) ?? (await fetch(request));
  if (response.type === "opaqueredirect") return response;
  // Isolated pages have threads. Many static hosts let nobody set these headers.
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  return new Response(response.body, { status: response.status, headers });
}
