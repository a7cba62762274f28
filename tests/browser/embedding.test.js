// Widgets in pages of another origin, as documented: the element, the frame, React and Vue.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, compileScript } from "vue/compiler-sfc";
import { build } from "esbuild";
import { examplesOf } from "../markdown.js";
import { browserNames, launch, waitFor } from "./browsers.js";
import { once } from "./names.js";
import { startSite } from "./site.js";

const guide = "demos/docs/embedding.md";
const [element, frame] = examplesOf(guide, "html");
const [listener] = examplesOf(guide, "js in-page");
const [vue] = examplesOf(guide, "vue");
const [quarto] = examplesOf(guide, "md");
const [observable] = examplesOf(guide, "ojs");
const [react] = examplesOf("demos/docs/widgets.md", "tsx");
const root = fileURLToPath(new URL("../../", import.meta.url));

/** An app as one script, with the package's own names. @param {string} contents @param {"tsx" | "js"} loader */
async function bundle(contents, loader) {
  const { outputFiles } = await build({
    // As the README recommends for esbuild, the WebAssembly modules are in the script.
    stdin: { contents: `import "lastinch/inline"; ${contents}`, loader, resolveDir: root },
    bundle: true,
    write: false,
    format: "esm",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    alias: { vue: "vue/dist/vue.runtime.esm-bundler.js" },
    logLevel: "error",
  });
  return outputFiles[0].text;
}

for (const name of browserNames)
  describe(`widgets in pages of another origin, ${name}`, { concurrency: false, timeout: 900_000 }, () => {
    /** @type {import("./browsers.js").Driver} */
    let driver;
    /** The site of the page, and the site of the widgets. @type {import("./site.js").Site[]} */
    let [page, widgets] = [];
    before(async () => {
      [page, widgets] = [await startSite(), await startSite()];
      page.isIsolated = false;
      driver = await launch(name);
    });
    after(async () => {
      await driver?.close();
      for (const site of [page, widgets]) await site?.close();
    });

    /** Opens a page of the first site with documented code. @param {string} code */
    const show = (code) => {
      const there = code
        .replaceAll("https://example.org/embed.html", `${widgets.origin}/demos/embed.html`)
        .replaceAll("https://example.org", widgets.origin);
      page.rewrite = (html) => html.replace("</body>", () => `<main>${there}</main></body>`);
      // The fragment makes the previous page go first: Firefox would wait forever when an isolated page replaces one
      // that is not.
      return driver.open(`${page.origin}/tests/browser/blank.html#anew`);
    };
    const isDrawn = (tag) =>
      document.querySelector(tag)?.shadowRoot?.querySelector("figure .view > *") !== null &&
      document.querySelector(tag)?.shadowRoot != null;

    test("the element of another site works", async () => {
      await show(element);
      await waitFor(driver, isDrawn, ["lastinch-nucleus"]);
      assert.equal(await driver.evaluate(() => document.querySelector("lastinch-nucleus").topP), 0.8);
      assert.deepEqual(await driver.consoleErrors(), []);
    });

    test("the element of another site runs its model", async () => {
      await show(element.replaceAll("nucleus", "penalties").replace(' top-p="0.8"', ""));
      await waitFor(driver, isDrawn, ["lastinch-penalties"]);
      await driver.evaluate(() =>
        document.querySelector("lastinch-penalties").shadowRoot.querySelector("button.primary").click(),
      );
      await waitFor(driver, () => {
        const { shadowRoot } = document.querySelector("lastinch-penalties");
        return /Repetition penalty 1.6:/.test(shadowRoot.querySelector(".view").textContent);
      });
      assert.equal(
        await driver.evaluate(
          () => document.querySelector("lastinch-penalties").shadowRoot.querySelector(".problem")?.textContent ?? "",
        ),
        "",
      );
    });

    test("an element whose script is missing shows its content", once(name), async () => {
      widgets.missing.add("/dist/widget-nucleus.js");
      await show(element);
      assert.match(await driver.evaluate(() => document.querySelector("main").innerText), /Top-p keeps the likeliest/);
      widgets.missing.clear();
      (await driver.consoleErrors()).splice(0);
    });

    for (const isIsolated of [false, true])
      test(`a frame of another site sends its height after its model has written${isIsolated ? ", to an isolated page too" : ""}`, async () => {
        page.isIsolated = isIsolated;
        await show(
          `<script>globalThis.told = []; addEventListener("message", ({ data }) => told.push(data)); ${listener}</script>` +
            frame.replace("widget=nucleus&top-p=0.8", "widget=inspector"),
        );
        page.isIsolated = false;
        const last = () =>
          driver.evaluate(() => ({
            told: globalThis.told.filter(({ type }) => type === "lastinch-height").at(-1),
            canvas: globalThis.told.filter(({ subject }) => subject === "lti.frameResize").at(-1),
            height: Number(document.querySelector("iframe").height),
          }));
        await waitFor(driver, () => globalThis.told.some(({ height }) => height > 300));
        const before = await last();
        // The widget's own page presses the button, because no page can reach into another site's frame.
        widgets.rewrite = (html) => html.replace("</body>", '<script src="/tests/browser/press.js"></script></body>');
        await driver.evaluate(() => {
          const one = document.querySelector("iframe");
          one.src = one.src + "&again";
        });
        await waitFor(driver, (height) => Number(document.querySelector("iframe").height) > height + 300, [
          before.height,
        ]);
        widgets.rewrite = (html) => html;
        const after = await last();
        assert.equal(after.height, after.told.height);
        assert.equal(after.canvas.height, after.told.height);
        assert.equal(after.told.widget, "inspector");
      });

    test("the HTML that Quarto and Observable generate from their examples works in a page", once(name), async () => {
      const [, raw] = /```\{=html\}\n([^]*?)\n```/.exec(quarto);
      await show(raw);
      await waitFor(driver, isDrawn, ["lastinch-nucleus"]);
      const [, html] = /^html`([^`]*)`$/.exec(observable);
      await show(`<script>addEventListener("message", ({ data }) => (globalThis.told = data.height));</script>${html}`);
      await waitFor(driver, () => globalThis.told > 300);
    });

    for (const [framework, makeApp] of [
      [
        "React",
        () =>
          bundle(
            `import { createRoot } from "react-dom/client"; ${react.replace('"use client";', "")}
             createRoot(document.querySelector("main")).render(<Nucleus />);`,
            "tsx",
          ),
      ],
      [
        "Vue",
        () => {
          const { descriptor } = parse(vue, { filename: "app.vue" });
          const { content } = compileScript(descriptor, {
            id: "app",
            inlineTemplate: true,
            templateOptions: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("lastinch-") } },
          });
          const app = content.replace("export default", "const app =");
          return bundle(`import { createApp } from "vue"; ${app}; createApp(app).mount("main");`, "js");
        },
      ],
    ])
      test(`the example for ${framework} shows the widget and hears of its changes`, once(name), async () => {
        const source = await makeApp();
        await show("");
        await driver.evaluate(async (source) => {
          await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
        }, source);
        await waitFor(driver, isDrawn, ["lastinch-nucleus"]);
        await driver.evaluate(() => {
          const slider = document.querySelector("lastinch-nucleus").shadowRoot.querySelector("#topP");
          slider.value = "0.4";
          for (const type of ["input", "change"]) slider.dispatchEvent(new Event(type, { bubbles: true }));
        });
        await waitFor(driver, () => /top-p: 0.4/.test(document.querySelector("main p").textContent));
      });
  });

test("every example of the guide has a row in the table of platforms", () => {
  const text = readFileSync(new URL("../../" + guide, import.meta.url), "utf8");
  for (const platform of ["Canvas", "Moodle", "Notion", "Medium", "Observable", "Quarto", "Jupyter", "React", "Vue"])
    assert.ok(new RegExp(`^\\|.*${platform}`, "m").test(text), platform);
});
