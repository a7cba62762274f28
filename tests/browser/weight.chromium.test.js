// What a browser fetches for a widget before its reader presses anything (in Chromium).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { loadedWith } from "../../tools/package/elements.js";
import { limitOf, limitOfWidget } from "../limits.js";
import { untilTrue, waitFor } from "./browsers.js";
import { openSite } from "./site.js";

const root = new URL("../..", import.meta.url);
const index = readFileSync(new URL("web/widgets/index.js", root), "utf8");
const names = [...index.matchAll(/"\.\/([a-z-]+)\.js"/g)].map(([, name]) => name);

const { site, driver, close } = await openSite("chromium");
after(close);
await driver.page.setCacheEnabled(false);

/** Everything that was fetched, except the test's own page. */
const fetched = () => [...new Set(site.log)].filter((path) => !path.startsWith("/tests/"));
/** @param {string[]} paths */
const weigh = (paths) =>
  paths.reduce((total, path) => total + brotliCompressSync(readFileSync(new URL("." + path, root))).length, 0);

/**
 * Opens a page with some widgets, and brings each to the middle of the screen.
 * @param {string} script of dist/
 * @param {string[]} shown their names
 */
async function read(script, shown) {
  const widgets = shown.map((name) => `<lastinch-${name}></lastinch-${name}>`).join("");
  site.rewrite = (page) =>
    page.replace("</body>", `<script type="module" src="/dist/${script}"></script><main>${widgets}</main></body>`);
  site.log.length = 0;
  await driver.open(`${site.origin}/tests/browser/widget.html`);
  for (const name of shown) {
    await driver.evaluate((tag) => document.querySelector(tag).scrollIntoView({ block: "center" }), `lastinch-${name}`);
    await waitFor(
      driver,
      (tag) => document.querySelector(tag).shadowRoot?.querySelector("figure .view > *, figure .problem") != null,
      [`lastinch-${name}`],
    );
  }
  await driver.page.waitForNetworkIdle({ idleTime: 500 });
}

/** Asserts that the page fetched nothing that its size does not count. @param {string} script @param {number} limit */
function checkWeight(script, limit) {
  const counted = [...loadedWith(script), "sampler.wasm"].map((file) => `/dist/${file}`);
  const paths = fetched();
  assert.ok(paths.includes(`/dist/${script}`), "the script is among them");
  assert.deepEqual(
    paths.filter((path) => !counted.includes(path)),
    [],
  );
  const bytes = weigh(paths);
  assert.ok(bytes <= limit, `${bytes} bytes`);
  return bytes;
}

test("each widget's page fetches no more than its limit, and nothing that its size does not count", async () => {
  const bytes = [];
  for (const name of names) {
    await read(`widget-${name}.js`, [name]);
    bytes.push([checkWeight(`widget-${name}.js`, limitOfWidget(name)), name]);
  }
  bytes.sort(([a], [b]) => b - a);
  console.log(
    `# the heaviest: ${bytes
      .slice(0, 5)
      .map(([size, name]) => `${name} ${size}`)
      .join(", ")}`,
  );
});

test("a page with all widgets, read to its end, fetches no more than its limit", async () => {
  await read("widgets.js", names);
  console.log(`# all: ${checkWeight("widgets.js", limitOf("widgets"))} bytes`);
});

test("the playground fetches no more than its limit before its model", async () => {
  site.rewrite = (page) => page;
  site.log.length = 0;
  await driver.open(`${site.origin}/demos/playground.html`);
  await waitFor(driver, () => document.querySelector("#generate")?.disabled === false);
  await driver.page.waitForNetworkIdle({ idleTime: 500 });
  const bytes = weigh(fetched());
  console.log(`# the playground: ${bytes} bytes`);
  assert.ok(bytes > 20_000 && bytes <= limitOf("playground"), `${bytes} bytes`);
});

for (const name of ["beam-tree", "guidance", "speculation"])
  test(`${name} fetches the decoding code when its button is first pressed`, async () => {
    await read(`widget-${name}.js`, [name]);
    await driver.evaluate(
      (tag) => document.querySelector(tag).shadowRoot.querySelector("button.primary").click(),
      `lastinch-${name}`,
    );
    await untilTrue(async () => fetched().includes("/dist/decode.wasm"), "decode.wasm is not fetched");
    assert.ok(weigh(fetched()) > 40_000);
  });
