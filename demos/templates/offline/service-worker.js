// Keeps each file that the page has fetched, and answers with it when there is no connection.
const NAME = "story";
const page = ["./", "index.html", "main.js", "icon.svg", "manifest.webmanifest"];

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

async function install() {
  const cache = await caches.open(NAME);
  await cache.addAll(page);
  await skipWaiting();
}

addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  // lastinch keeps the model itself.
  const isFile = method === "GET" && url.startsWith(registration.scope) && !url.endsWith(".gguf");
  if (isFile) event.respondWith(answer(event));
});

/** The server's file, so that a new version comes at once; without a connection the file that was kept. */
async function answer(event) {
  const { request } = event;
  const cache = await caches.open(NAME);
  try {
    const response = await fetch(request);
    if (response.ok) event.waitUntil(cache.put(request, response.clone()));
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}
