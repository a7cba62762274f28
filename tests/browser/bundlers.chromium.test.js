// The package as npm ships it, in small apps of each kind in Chromium: what a newcomer writes works without
// configuration.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { copyFileSync, cpSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createServer as createViteServer } from "vite";
import { filePath, listen } from "../../demos/serve.js";
import { installPacked } from "../packed.js";
import { freePort, launch, waitFor } from "./browsers.js";
import { checkStoryOf, checkTemplate, whenUp } from "./template.js";

const modules = join(import.meta.dirname, "../../node_modules");
const { folder, installed } = installPacked("build/apps");
cpSync(join(import.meta.dirname, "../apps"), folder, { recursive: true });
cpSync(join(import.meta.dirname, "../../demos/templates"), join(folder, "templates"), { recursive: true });
cpSync(join(installed, "dist"), join(folder, "templates/plain/lastinch"), { recursive: true });
for (const app of ["esbuild", "rollup"])
  copyFileSync(join(installed, "dist/draft.gguf"), join(folder, app, "draft.gguf"));

const policy = { "Content-Security-Policy": "script-src 'self' 'wasm-unsafe-eval'" };
const isolation = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
const types = { ".html": "text/html", ".js": "text/javascript" };

/** @type {import("./browsers.js").Driver} */
let driver;
/** The same in Node. @type {{ token: number, story: string, json: string }} */
let expected;
/** Headers that the server adds to each response. @type {Record<string, string>} */
let headers = {};
let origin = "";

/** Paths that the server did not have. @type {string[]} */
const missing = [];

const server = createServer(async (request, response) => {
  const path = request.url ?? "";
  if (path === "/favicon.ico") return void response.writeHead(204).end();
  const file = filePath(folder, path) ?? "";
  try {
    const bytes = await readFile(file);
    // Like static hosts that know no MIME type for .wasm.
    const type = types[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "Content-Type": type, ...headers }).end(bytes);
  } catch {
    missing.push(path);
    response.writeHead(404, headers).end();
  }
});

/** Runs a program of Node's in an app's folder. */
async function run(app, ...command) {
  // Bundlers do not know the test runner's own NODE_ENV.
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: join(folder, app), env });
  return stdout;
}

/** Opens a page, checks what it reports, and returns how many threads its model has. */
async function threadsOf(url) {
  await driver.open(url);
  const text = await waitFor(driver, () => document.querySelector("main")?.textContent);
  // Otherwise the next page would get this one's service worker, with the headers of its script.
  await driver.evaluate(async () => {
    for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister();
  });
  const { threads, ...told } = JSON.parse(text);
  assert.deepEqual(told, expected);
  return threads;
}

/**
 * Opens a static page, first isolated, then not isolated and with the strictest policy that it needs.
 * @param {string} path
 * @param {{ hasHelper?: boolean, isInlined?: boolean }} [how]
 */
async function checkStatic(path, { hasHelper = true, isInlined = false } = {}) {
  missing.length = 0;
  headers = isolation;
  // There are two threads only in a Worker that has found its helper.
  assert.equal(await threadsOf(origin + path), hasHelper ? 2 : 1);
  assert.deepEqual((await driver.consoleErrors()).splice(0), []);
  headers = policy;
  assert.equal(await threadsOf(origin + path), 1);
  const errors = (await driver.consoleErrors()).splice(0);
  // An inlined Worker is a blob:, which this policy forbids: the model runs in the page.
  if (isInlined) assert.match(errors.shift() ?? "", /^Creating a worker from 'blob:/);
  assert.deepEqual(errors, []);
  assert.deepEqual(missing, []);
}

before(async () => {
  origin = `http://localhost:${await listen(server, 0)}`;
  driver = await launch("chromium");
  const script = `
    import * as lastinch from "lastinch";
    import draft from "lastinch/models/draft";
    import { tell } from "./story.js";
    console.log(JSON.stringify(await tell(lastinch, draft)));
    process.exit();`;
  const { threads, ...told } = JSON.parse(await run("", "--input-type=module", "--eval", script));
  assert.equal(threads, 2);
  assert.match(told.story, /[a-z]+ [a-z]+/);
  assert.ok(Number.isInteger(JSON.parse(told.json).age));
  expected = told;
});
after(async () => {
  await driver?.close();
  server.closeAllConnections();
  server.close();
});

test("the template of a page without a bundler works", async () => {
  headers = {};
  await checkTemplate(driver, `${origin}/templates/plain/index.html`);
});

test("the template of Vite works", async () => {
  await run("templates/vite", join(modules, "vite/bin/vite.js"), "build", "--base", "./");
  headers = policy;
  await checkTemplate(driver, `${origin}/templates/vite/dist/index.html`);
});

test("a page without a bundler works", () => checkStatic("/plain/index.html"));

test("a Worker without a bundler works", () => checkStatic("/plain/worker.html"));

// A service worker has neither Worker nor import().
test("a service worker without a bundler works", () => checkStatic("/plain/service-worker.html", { hasHelper: false }));

test("a site built by Vite works", async () => {
  await run("vite", join(modules, "vite/bin/vite.js"), "build", "--base", "./");
  await checkStatic("/vite/dist/index.html");
  await waitFor(driver, () => Boolean(document.querySelector("lastinch-nucleus").shadowRoot?.querySelector("table")));
});

test("the development server of Vite works", async () => {
  const vite = await createViteServer({
    root: join(folder, "vite"),
    logLevel: "error",
    server: { port: 0, headers: isolation },
  });
  try {
    await vite.listen();
    assert.equal(await threadsOf(vite.resolvedUrls?.local[0] ?? ""), 2);
    assert.deepEqual((await driver.consoleErrors()).splice(0), []);
  } finally {
    await vite.close();
  }
});

test("a site built by webpack works", async () => {
  await run("webpack", "build.js");
  await checkStatic("/webpack/index.html");
});

test("a site built by esbuild works", async () => {
  const flags = ["--bundle", "--format=esm", "--outfile=dist/main.js"];
  await run("esbuild", join(modules, "esbuild/bin/esbuild"), "main.js", ...flags);
  await checkStatic("/esbuild/index.html", { isInlined: true });
});

test("a site built by Rollup works", async () => {
  await run("rollup", join(modules, "rollup/dist/bin/rollup"), "--config", "--silent");
  await checkStatic("/rollup/index.html", { isInlined: true });
});

/** Builds an app of Next.js, serves it, and checks it. @param {string} app @param {(url: string) => Promise<void>} check */
async function withNext(app, check, ...flags) {
  await run(app, join(modules, "next/dist/bin/next"), "build", ...flags);
  const port = await freePort();
  const next = spawn(process.execPath, [join(modules, "next/dist/bin/next"), "start", "--port", String(port)], {
    cwd: join(folder, app),
    stdio: "ignore",
  });
  try {
    await check(`http://localhost:${port}/`);
  } finally {
    next.kill();
  }
}

test("Next.js works on the server and in the page", () =>
  withNext("next", async (url) => {
    const html = await whenUp(url);
    assert.match(html, new RegExp(`<p id="server">${expected.token}</p>`));
    assert.equal(await threadsOf(url), 2);
    assert.deepEqual((await driver.consoleErrors()).splice(0), []);
    // Routes of the Edge runtime: with the .wasm files as text, and without.
    assert.deepEqual(JSON.parse(await whenUp(`${url}edge`)), { token: 2 });
    const { code, message } = JSON.parse(await whenUp(`${url}bare`));
    assert.equal(code, "wasm-unavailable");
    assert.match(message, /lastinch\/inline/);
  }));

for (const [bundler, flag] of [["Turbopack"], ["webpack", "--webpack"]]) {
  const skip = process.env.CHECK_LONG ? false : "make test-long";
  test(`the page and the server's route of the template of Next.js work, built by ${bundler}`, { skip }, () =>
    withNext(
      "templates/next",
      async (url) => {
        await checkStoryOf(url);
        await checkTemplate(driver, url);
        await waitFor(driver, () =>
          Boolean(document.querySelector("lastinch-nucleus").shadowRoot?.querySelector("table")),
        );
      },
      ...(flag ? [flag] : []),
    ),
  );
}
