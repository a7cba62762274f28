// The playground for everyone: axe-core's rules, contrast of marks, phone width, both colour schemes (in Chromium).
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { checkAccess, inAllLooks, setLook } from "./axe.js";
import { waitFor } from "./browsers.js";
import { isIdle, openPlayground } from "./playground-page.js";
import { openSite } from "./site.js";

const { site, driver, close } = await openSite("chromium");
after(close);

/** Opens the page and uses everything on it. */
async function openInUse(hash = "#v=1&seed=12&T=1.1&p=0.9") {
  await openPlayground({ site, driver }, hash);
  await driver.evaluate(() => {
    for (const id of ["settings", "all-options"]) document.getElementById(id).open = true;
    document.querySelector("#story [data-index='5']").click();
  });
  await waitFor(driver, () => document.querySelectorAll(".card li").length >= 5);
  await driver.evaluate(() => [...document.querySelectorAll(".card-foot button")].at(-1).click());
  await waitFor(driver, () => document.querySelector("lastinch-inspector")?.shadowRoot.querySelector("tr.kept"));
  // Makes a branch, so that there is a tree.
  await driver.evaluate(() => document.querySelector("#story [data-index='7']").click());
  await waitFor(driver, () => document.querySelector(".card p").textContent.startsWith("Step 8 of "));
  await driver.evaluate(() => document.querySelector(".card li:not([data-chosen]) button").click());
  await waitFor(driver, () => document.querySelectorAll(".map li").length === 2);
  await waitFor(driver, isIdle);
  await driver.evaluate(() => document.querySelector("#story [data-index='5']").click());
  await waitFor(driver, () => document.querySelector(".card p").textContent.startsWith("Step 6 of "));
  await waitFor(driver, () => document.querySelector("lastinch-inspector").shadowRoot.querySelector("tr.kept"));
}

test("axe-core finds nothing", async (t) => {
  await inAllLooks(t, driver, async () => {
    await openInUse();
    await driver.evaluate(() => {
      for (const group of document.querySelectorAll(".group")) group.open = true;
    });
    await checkAccess(driver);
  });
});

test("axe-core finds nothing in two columns", async (t) => {
  await inAllLooks(t, driver, async () => {
    await openInUse();
    await driver.evaluate(() => {
      document.querySelector(".card-head button:last-child").click();
      document.querySelector("#columns").click();
    });
    await waitFor(driver, () => document.querySelectorAll("#story-b .token").length > 10);
    await waitFor(driver, isIdle);
    await checkAccess(driver);
  });
});

for (const scheme of ["light", "dark"])
  test(`text over the tints has a contrast of 4.5:1 and underlines 3:1, ${scheme}`, async () => {
    await setLook(driver, scheme, 1280);
    await openInUse();
    const contrasts = await driver.evaluate(() => {
      const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      /** The colour of layers painted over one another, as bytes. */
      const paint = (...colors) => {
        for (const color of colors) {
          canvas.fillStyle = color;
          canvas.fillRect(0, 0, 1, 1);
        }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
      };
      const luminance = (rgb) => {
        const [r, g, b] = rgb.map((byte) =>
          byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4,
        );
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const contrast = (a, b) => {
        const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
        return (high + 0.05) / (low + 0.05);
      };
      const paper = getComputedStyle(document.querySelector(".paper")).backgroundColor;
      const marks = [...document.querySelectorAll(".swatch")].map((swatch) => {
        const { color, backgroundColor, textDecorationColor, textDecorationLine } = getComputedStyle(swatch);
        const ground = paint(paper, backgroundColor);
        return {
          text: contrast(paint(color), ground),
          line: textDecorationLine === "none" ? null : contrast(paint(textDecorationColor), ground),
        };
      });
      const { shadowRoot } = document.querySelector("lastinch-inspector");
      const styleOf = (selector) => getComputedStyle(shadowRoot.querySelector(selector));
      const figure = paint(styleOf("figure").backgroundColor);
      const cut = contrast(paint(styleOf("span.cut").borderTopColor), figure);
      const kept = contrast(paint(styleOf("span.kept").backgroundColor), figure);
      const page = getComputedStyle(document.documentElement).backgroundColor;
      const edge = contrast(paint(getComputedStyle(document.querySelector("#seed")).borderTopColor), paint(page));
      return { marks, lines: { cut, kept, edge } };
    });
    assert.equal(contrasts.marks.length, 5);
    for (const { text, line } of contrasts.marks) {
      assert.ok(text >= 4.5, `text ${text}`);
      assert.ok(line === null || line >= 3, `underline ${line}`);
    }
    assert.equal(contrasts.marks.filter(({ line }) => line !== null).length, 2);
    for (const [name, value] of Object.entries(contrasts.lines)) assert.ok(value >= 3, `${name} ${value}`);
  });

test("every control has a name, and every slider says its value", async () => {
  await openInUse("#v=1&seed=12&T=0");
  const sliders = await driver.evaluate(() =>
    [document, ...[...document.querySelectorAll("main *")].map(({ shadowRoot }) => shadowRoot)]
      .flatMap((root) => [...(root?.querySelectorAll("input[type=range]") ?? [])])
      .map((slider) => [slider.labels[0]?.textContent, slider.getAttribute("aria-valuetext") ?? slider.value]),
  );
  assert.ok(sliders.length >= 10);
  for (const [label, value] of sliders) assert.ok(label && /^\d/.test(value), `${label}: ${value}`);
  assert.ok(sliders.some(([label, value]) => label === "Temperature" && value === "0, greedy"));
});

test("the status is a live region, but the tokens are not", async () => {
  await openInUse();
  assert.equal(
    await driver.evaluate(() => document.querySelector("#story").closest("[aria-live], [role=status]")),
    null,
  );
  assert.equal(await driver.evaluate(() => document.querySelector("#status").getAttribute("role")), "status");
});

test("the page reports that WebAssembly is blocked", async () => {
  site.rewrite = (html) =>
    html.replace(" 'wasm-unsafe-eval'", "").replace("script-src 'self'", "script-src 'self'; worker-src 'none'");
  try {
    await driver.open(`${site.origin}/demos/playground.html`);
    await waitFor(driver, () => document.querySelector("#generate")?.disabled === false);
    await driver.evaluate(() => document.querySelector("#generate").click());
    await waitFor(driver, () => !document.querySelector("#alert").hidden);
    const text = await driver.evaluate(() => document.querySelector("#alert").textContent);
    assert.match(text, /WebAssembly.*wasm-unsafe-eval.*cannot run its model/);
  } finally {
    site.rewrite = (html) => html;
  }
});

test("without JavaScript the page says that it needs JavaScript", async () => {
  const page = /** @type {import("puppeteer-core").Page} */ (driver.page);
  await page.setJavaScriptEnabled(false);
  try {
    await page.goto(`${site.origin}/demos/playground.html`);
    assert.match(await page.$eval("main", (main) => main.textContent ?? ""), /needs JavaScript/);
  } finally {
    await page.setJavaScriptEnabled(true);
  }
});
