// What the page on places says of static hosts, frames and isolated documents: its examples, in pages.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { listen, siteHandler } from "../../demos/serve.js";
import { examplesOf } from "../markdown.js";
import { browserNames, launch, untilTrue } from "./browsers.js";

const guide = "demos/docs/places.md";
const [isolate] = examplesOf(guide, "js isolate.js");
const [reopen] = examplesOf(guide, "js in-page");
const [frame] = examplesOf(guide, "html");
const [header] = examplesOf(guide, "http");
const [manifest] = examplesOf(guide, "json manifest.json");

/** A page that writes where its model runs, and what the model has written. */
const story = (threads) => `<!doctype html><title>A story</title><main></main><script type="module">
  import { loadModel } from "/dist/index.js";
  const main = document.querySelector("main");
  try {
    const load = () => loadModel("/dist/draft.gguf", { threads: ${threads} });
    let model = await load();
    // A helper that starts late, as on a busy machine, is left out.
    for (let tries = 1; tries < 5 && crossOriginIsolated && model.threads < ${threads}; tries++) {
      model.dispose();
      model = await load();
    }
    const { text } = await model.complete("Once upon a time", { maxTokens: 8, temperature: 0 });
    main.textContent = JSON.stringify({ text, threads: model.threads, isInWorker: model.isInWorker });
  } catch (error) { main.textContent = JSON.stringify({ error: error.code ?? String(error) }); }
  if (parent !== window) parent.postMessage(main.textContent, "*");
</script>`;

/**
 * A static host, which sends no headers of isolation.
 * @param {import("node:test").TestContext} t
 * @param {Record<string, string>} files by path, beside those of the repository
 * @param {Record<string, string>} [headers] of all files
 */
async function startHost(t, files, headers = {}) {
  const handle = siteHandler();
  const server = createServer((request, response) => {
    const { writeHead } = response;
    response.writeHead = (status, given = {}) => {
      const kept = Object.entries(given).filter(([name]) => !/^cross-origin-(opener|embedder)/i.test(name));
      return writeHead.call(response, status, { ...Object.fromEntries(kept), ...headers });
    };
    const file = files[request.url.split("?")[0]];
    if (file === undefined) return handle(request, response);
    const type = file.startsWith("<") ? "text/html" : "text/javascript";
    response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-cache" });
    response.end(file);
  });
  const origin = `http://localhost:${await listen(server, 0)}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return origin;
}

const told = () => document.querySelector("main")?.textContent;

/** What the page has written; it may be opened again meanwhile. */
const readStory = async (driver, ready = told) =>
  JSON.parse(await untilTrue(() => driver.evaluate(ready).catch(() => ""), "no story"));

for (const name of browserNames) {
  test(`a static host has one thread, and more with the service worker of the guide, in ${name}`, async (t) => {
    const page = story(2).replace('type="module">', `type="module">${reopen}`);
    const origin = await startHost(t, { "/isolate.js": isolate, "/plain.html": story(2), "/story.html": page });
    const driver = await launch(name);
    t.after(() => driver.close());
    await driver.open(`${origin}/plain.html`);
    const one = await readStory(driver);
    assert.deepEqual(one, { ...one, threads: 1, isInWorker: true });
    assert.ok(one.text.length > 10);
    await driver.open(`${origin}/story.html`);
    const again = await readStory(driver, () => crossOriginIsolated && document.querySelector("main").textContent);
    assert.deepEqual(again, { ...one, threads: name === "webkit" ? 1 : 2 });
    await driver.evaluate(async () => {
      for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister();
    });
  });

  test(`the header of a single document isolates it where the browser knows it, in ${name}`, async (t) => {
    const [key, value] = header.split(": ");
    const origin = await startHost(t, { "/story.html": story(2) }, { [key]: value });
    const driver = await launch(name);
    t.after(() => driver.close());
    await driver.open(`${origin}/story.html`);
    const { threads, isInWorker } = await readStory(driver);
    assert.deepEqual({ threads, isInWorker }, { threads: name === "chromium" ? 2 : 1, isInWorker: true });
  });

  test(`a frame of another site writes, in a sandbox too, in ${name}`, async (t) => {
    const far = await startHost(t, { "/story.html": story(1) });
    const near = await startHost(t, { "/": "<!doctype html><title>A course</title><main></main>" });
    const driver = await launch(name);
    t.after(() => driver.close());
    const html = frame.replace("https://example.org", far.replace("localhost", "127.0.0.1"));
    for (const one of [html, html.replace(" allow-same-origin", ""), html.replace(/sandbox="[^"]*"/, "")]) {
      await driver.open(`${near}/`);
      await driver.evaluate((html) => {
        addEventListener("message", ({ data }) => (document.querySelector("main").textContent = data));
        document.body.insertAdjacentHTML("beforeend", html);
      }, one);
      const { text, threads, isInWorker } = await readStory(driver);
      assert.ok(text.length > 10);
      assert.deepEqual({ threads, isInWorker }, { threads: 1, isInWorker: true });
    }
  });

  test(`the policy of an extension's pages is enough, in ${name}`, async (t) => {
    const { content_security_policy: policy } = JSON.parse(manifest);
    const page = story(1).replace(
      /<script type="module">([^]*)<\/script>/,
      '<script type="module" src="/a.js"></script>',
    );
    const script = /<script type="module">([^]*)<\/script>/.exec(story(1))[1];
    const headers = { "Content-Security-Policy": policy.extension_pages };
    const origin = await startHost(t, { "/story.html": page, "/a.js": script }, headers);
    const driver = await launch(name);
    t.after(() => driver.close());
    await driver.open(`${origin}/story.html`);
    assert.ok((await readStory(driver)).isInWorker);
  });
}
