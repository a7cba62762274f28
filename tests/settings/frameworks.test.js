// The templates of frameworks, and Vite's older versions, which `make test-settings` gets from npm: built, served and opened
// in Chromium, then under their development servers.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { freePort, launch } from "../browser/browsers.js";
import { checkStoryOf, checkTemplate, whenUp } from "../browser/template.js";
import { installPacked } from "../packed.js";

const root = join(import.meta.dirname, "../..");
const frameworks = join(root, "build/frameworks");
// Today's frameworks require a newer Node than lastinch does.
const node = join(root, `build/node/node_modules/node-${process.platform}-${process.arch}/bin/node`);
const { installed } = installPacked("build/frameworks-package");

/** @type {import("../browser/browsers.js").Driver} */
let driver;
before(async () => {
  driver = await launch("chromium");
});
after(() => driver?.close());

/**
 * Puts a template and the package beside the framework.
 * @param {string} name the folder of build/frameworks
 * @param {string} template
 */
function prepare(name, template) {
  const folder = join(frameworks, name);
  cpSync(join(root, "demos/templates", template), folder, { recursive: true });
  const place = join(folder, "node_modules/lastinch");
  rmSync(place, { recursive: true, force: true });
  cpSync(installed, place, { recursive: true });
  return folder;
}

const env = { ...process.env, NODE_ENV: undefined, NUXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1" };

/** Opens a page until its development server has found what to bundle, and reloads it no more. @param {string} url */
async function warm(url) {
  await driver.open(url);
  await driver.page?.waitForNetworkIdle({ idleTime: 3000, timeout: 120_000 });
}

/** Runs a program of Node's to its end. @param {string} folder @param {string[]} command */
const run = (folder, command) =>
  promisify(execFile)(node, command, { cwd: folder, env: { ...env, NODE_ENV: "production" } });

/**
 * Runs a server while its page is checked.
 * @param {string} folder
 * @param {(port: string) => string[]} command
 * @param {(url: string) => Promise<void>} check
 */
async function serve(folder, command, check) {
  const port = String(await freePort());
  const given = { ...env, PORT: port, HOST: "localhost" };
  const server = spawn(node, command(port), { cwd: folder, stdio: "ignore", env: given, detached: true });
  try {
    const url = `http://localhost:${port}/`;
    await whenUp(url);
    await check(url);
  } finally {
    // A page complains of a server that is gone.
    await driver.open("about:blank");
    (await driver.consoleErrors()).splice(0);
    // With the processes that it has started.
    process.kill(-(server.pid ?? assert.fail()), "SIGKILL");
  }
}

const isMissing = (/** @type {string} */ name) =>
  existsSync(node) && existsSync(join(frameworks, name, "node_modules")) ? false : "make test-settings installs it";

/** @type {[name: string, build: string[], start: string[], dev: (port: string) => string[]][]} */
const templates = [
  [
    "sveltekit",
    ["node_modules/vite/bin/vite.js", "build"],
    ["build/index.js"],
    (port) => ["node_modules/vite/bin/vite.js", "dev", "--port", port],
  ],
  [
    "nuxt",
    ["node_modules/nuxt/bin/nuxt.mjs", "build"],
    [".output/server/index.mjs"],
    (port) => ["node_modules/nuxt/bin/nuxt.mjs", "dev", "--port", port],
  ],
  [
    "astro",
    ["node_modules/astro/bin/astro.mjs", "build"],
    ["dist/server/entry.mjs"],
    (port) => ["node_modules/astro/bin/astro.mjs", "dev", "--port", port],
  ],
];
for (const [name, build, start, dev] of templates) {
  const skip = isMissing(name);
  const check = async (/** @type {string} */ url) => {
    await checkStoryOf(url);
    await checkTemplate(driver, url);
  };
  test(`the template of ${name}, built: its page, and its server's route`, { skip }, async () => {
    const folder = prepare(name, name);
    await run(folder, build);
    // What the server needs, it has beside it, or in node_modules.
    await serve(folder, () => start, check);
  });
  test(`the template of ${name} under its development server`, { skip }, () =>
    serve(prepare(name, name), dev, async (url) => {
      await warm(url);
      await check(url);
    }),
  );
}

test("the server that Nuxt has built needs no node_modules beside it", { skip: isMissing("nuxt") }, async () => {
  const folder = prepare("nuxt", "nuxt");
  await run(folder, templates[1][1]);
  const away = join(root, "build/frameworks-package/nuxt");
  renameSync(join(folder, ".output"), away);
  await serve(away, () => ["server/index.mjs"], checkStoryOf);
});

for (const version of ["5", "6", "7"]) {
  const name = `vite-${version}`;
  test(`the template of Vite, built by Vite ${version} without set-up`, { skip: isMissing(name) }, async () => {
    const folder = prepare(name, "vite");
    rmSync(join(folder, "vite.config.js"), { force: true });
    await run(folder, ["node_modules/vite/bin/vite.js", "build"]);
    await serve(
      folder,
      (port) => ["node_modules/vite/bin/vite.js", "preview", "--host", "localhost", "--port", port],
      (url) => checkTemplate(driver, url),
    );
  });
  test(`the development server of Vite ${version}, with lastinch excluded`, { skip: isMissing(name) }, async () => {
    const folder = prepare(name, "vite");
    writeFileSync(join(folder, "vite.config.js"), 'export default { optimizeDeps: { exclude: ["lastinch"] } };\n');
    await serve(
      folder,
      (port) => ["node_modules/vite/bin/vite.js", "--host", "localhost", "--port", port],
      (url) => checkTemplate(driver, url),
    );
  });
}
