// Keeps the site, so that every page opens without a connection. A file is kept under its address and its hash: a new
// version fetches only what has changed.

/** The SHA-256 of each file, by its path. The maker of the site fills this in. @type {Record<string, string>} */
const files = {};
const { scope } = registration;
/** Where nothing can be kept, pages come from the host. */
const store = caches.open(`lastinch ${scope}`).catch(() => undefined);
const FETCHES = 6; // side by side, as browsers have connections to one HTTP/1 server

/** @param {string} path */
const keyOf = (path) => new URL(`${path}?${files[path]}`, scope).href;

/**
 * A file of this version. In the middle of an upload it may be of another, and is refused. HTML is taken as it comes,
 * because some hosts add to it.
 * @param {string} path
 */
async function fetchChecked(path) {
  const integrity = path.endsWith(".html") ? undefined : `sha256-${files[path]}`;
  const response = await fetch(new URL(path, scope), { integrity, cache: "no-cache" });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}

addEventListener("install", (event) => event.waitUntil(keepAll()));
addEventListener("activate", (event) => event.waitUntil(Promise.all([forgetOthers(), clients.claim()])));
addEventListener("message", (event) => event.data === "use" && event.waitUntil(use(event)));

async function keepAll() {
  const cache = await store;
  if (!cache) throw new Error("There is no room");
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  const missing = Object.keys(files).filter((path) => !kept.has(keyOf(path)));
  const work = async () => {
    for (let path = missing.pop(); path; path = missing.pop()) await cache.put(keyOf(path), await fetchChecked(path));
  };
  await Promise.all(Array.from({ length: FETCHES }, work));
}

/** Begins with this version, unless other tabs show the old one: they would get half of each. */
async function use({ ports }) {
  const open = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const tabs = open.filter(({ url, frameType }) => url.startsWith(scope) && frameType !== "nested").length;
  ports[0].postMessage({ others: tabs - 1 });
  if (tabs <= 1) await skipWaiting();
}

async function forgetOthers() {
  const cache = await store;
  const wanted = new Set(Object.keys(files).map(keyOf));
  const stale = ((await cache?.keys()) ?? []).filter(({ url }) => !wanted.has(url));
  for (const key of stale) await cache?.delete(key);
}

const has = (/** @type {string} */ path) => Object.hasOwn(files, path);

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET" || !url.startsWith(scope)) return;
  const path = url.slice(scope.length).replace(/[?#].*/s, "");
  // Hosts differ in whether they show "index" and ".html".
  const found = [path, `${path}index.html`, `${path}.html`].find(has);
  if (found) event.respondWith(answer(event.request, found));
  else if (has(`${path}/index.html`)) event.respondWith(Response.redirect(`${scope}${path}/`));
  else if (mode === "navigate") event.respondWith(fetch(event.request).catch(withoutConnection));
});

/** Isolated pages have threads. Many static hosts let nobody set these headers. @param {Headers} given */
function isolated(given) {
  const headers = new Headers(given);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  return headers;
}

/** @param {Request} request @param {string} path */
async function answer(request, path) {
  const kept = await (await store)?.match(keyOf(path));
  const response = kept ?? (await fetchChecked(path).catch(() => fetch(request)));
  if (response.type === "opaqueredirect") return response;
  return new Response(response.body, { status: response.status, headers: isolated(response.headers) });
}

/** The page for wrong addresses, with words for one that may be right. */
async function withoutConnection() {
  const page = await answer(new Request(new URL("404.html", scope)), "404.html");
  const html = (await page.text())
    .replace(/<!-- base -->|<base [^>]*>/, `<base href="${new URL(scope).pathname}" />`)
    .replace("There is no such page", "There is no connection")
    .replace("It may have moved.", "This page is not kept in your browser.");
  return new Response(html, { status: 503, headers: page.headers });
}
