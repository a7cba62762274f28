// The gallery and the page for frames: every widget is there, its code works where it is pasted, and a frame sends its
// height.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { notes } from "../../demos/teaching/notes.js";
import { formatSize } from "../../web/widgets/shared/format.js";
import { checkAccess, findViolations, inAllLooks } from "./axe.js";
import { browserNames, waitFor } from "./browsers.js";
import { once } from "./names.js";
import { openSite } from "./site.js";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const names = [...read("demos/gallery.html").matchAll(/data-name="([a-z-]+)"/g)].map(([, name]) => name);
const manifest = JSON.parse(read("dist/custom-elements.json"));
const elements = manifest.modules.flatMap(({ declarations }) => declarations).filter(({ tagName }) => tagName);
const sizes = new Map(elements.map(({ tagName, pageSize }) => [tagName, pageSize]));

/** @type {import("./browsers.js").Driver} */
let driver;
/** @type {import("./site.js").Site} */
let site;
/** @type {() => Promise<void>} */
let close;

const openGallery = async (hash = "") => {
  await driver.open(`${site.origin}/demos/gallery.html${hash}`);
  await waitFor(driver, () => document.querySelector("#tools")?.inert === false);
};

/** Scrolls to every widget and returns what each has drawn: a view, a problem, or nothing. */
const drawn = () =>
  driver.evaluate(async () => {
    const answers = [];
    for (const card of document.querySelectorAll("#cards > .card")) {
      const widget = card.querySelector(".stage").firstElementChild;
      widget.scrollIntoView();
      let state = "nothing";
      for (let wait = 0; wait < 1000 && state === "nothing"; wait++) {
        if (wait) await new Promise((resolve) => setTimeout(resolve, 25));
        const root = widget.shadowRoot;
        const problem = root?.querySelector(".problem");
        state = problem ? problem.textContent : root?.querySelector("figure .view > *") ? "view" : "nothing";
      }
      answers.push(`${widget.localName}: ${state}`);
    }
    return answers;
  });
const allDrawn = names.map((name) => `lastinch-${name}: view`);

async function checkQuiet() {
  assert.deepEqual(await driver.consoleErrors(), []);
  assert.deepEqual(
    (await driver.requests()).filter((url) => !/^(about|data|blob):/.test(url) && !url.startsWith(site.origin)),
    [],
  );
}

/** Puts markup into an empty page. @param {string} html @param {string} [page] */
async function paste(html, page = "widget") {
  site.rewrite = (text) => text.replace("</body>", () => `<main>${html}</main></body>`);
  await driver.open(`${site.origin}/tests/browser/${page}.html`);
  site.rewrite = (text) => text;
}

const embedText = () => driver.evaluate(() => document.querySelector("#place").innerText);

/** @param {string} query */
async function openEmbed(query) {
  await driver.open(`${site.origin}/demos/embed.html?${query}`);
  await waitFor(driver, () => {
    const [shown] = document.querySelector("#place").children;
    return shown?.role === "alert" || shown?.shadowRoot?.querySelector("figure .view > *, figure .problem") != null;
  });
}

for (const name of browserNames)
  describe(`the gallery in ${name}`, { timeout: 900_000 }, () => {
    before(async () => ({ site, driver, close } = await openSite(name)));
    after(() => close());

    test("every widget draws itself and shows the size of its page", once(name), async () => {
      await openGallery();
      assert.deepEqual(await drawn(), allDrawn);
      const shown = await driver.evaluate(() =>
        [...document.querySelectorAll("#cards data")].map(({ value, textContent }) => [value, textContent]),
      );
      assert.deepEqual(
        shown,
        names.map((one) => sizes.get(`lastinch-${one}`)).map((bytes) => [String(bytes), formatSize(bytes)]),
      );
      await checkQuiet();
    });

    test("the switches set the language and the theme of all widgets and of the code", once(name), async () => {
      await openGallery();
      await driver.evaluate(() => document.querySelector("[name=lang][value=zh]").click());
      await driver.evaluate(() => document.querySelector("[name=theme][value=dark]").click());
      assert.deepEqual(await drawn(), allDrawn);
      const states = await driver.evaluate(() =>
        [...document.querySelectorAll(".stage > *")].map((widget) => [
          /[一-鿿]/.test(widget.shadowRoot.querySelector("#title").textContent),
          getComputedStyle(widget.shadowRoot.querySelector("figure")).backgroundColor,
        ]),
      );
      assert.deepEqual(
        states,
        names.map(() => [true, "rgb(27, 28, 31)"]),
      );
      const code = await driver.evaluate(() => document.querySelector("#nucleus pre").textContent);
      assert.ok(code.endsWith('<lastinch-nucleus lang="zh" theme="dark"></lastinch-nucleus>'), code);
      await checkQuiet();
    });

    test("a frame shows one widget, and the parent's script fits it", async () => {
      await openGallery();
      const listener = await driver.evaluate(() => document.querySelector("#listener-code").textContent);
      await paste("");
      await driver.evaluate(`void ${listener.replace(/<\/?script>/g, "").trim()}`.replace(/;$/, ""));
      await driver.evaluate(() => {
        const frame = document.createElement("iframe");
        Object.assign(frame, { src: "/demos/embed.html?widget=nucleus", title: "Nucleus", width: "300", height: "10" });
        document.querySelector("main").append(frame);
      });
      await waitFor(driver, () => Number(document.querySelector("iframe").height) > 400);
      const fits = () =>
        Math.abs(
          document.querySelector("iframe").contentDocument.documentElement.scrollHeight -
            Number(document.querySelector("iframe").height),
        ) <= 1;
      await waitFor(driver, fits);
      const high = await driver.evaluate(() => Number(document.querySelector("iframe").height));
      await driver.evaluate(() => void (document.querySelector("iframe").width = "900"));
      await waitFor(driver, (before) => Number(document.querySelector("iframe").height) < before, [high]);
      await checkQuiet();
    });
  });

const isElsewhere = !browserNames.includes("chromium");
describe("the gallery, looked at closely", { timeout: 900_000, skip: isElsewhere }, () => {
  /** @type {import("puppeteer-core").Page} */
  let page;
  before(async () => {
    ({ site, driver, close } = await openSite("chromium"));
    page = /** @type {import("puppeteer-core").Page} */ (driver.page);
  });
  after(() => close());

  test("axe-core finds nothing in the gallery", async (t) => {
    await openGallery();
    await driver.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    const check = async () => {
      assert.deepEqual(await drawn(), allDrawn);
      await checkAccess(driver);
    };
    await inAllLooks(t, driver, check, [1280, 320]);
    await checkQuiet();
  });

  test("axe-core finds nothing in a frame", async (t) => {
    await openEmbed("widget=nucleus");
    const check = async () => {
      const violations = await findViolations(driver, { least: 5 });
      // A frame is a part of its page, not a page.
      assert.deepEqual(
        violations.filter((one) => !/^(region|page-has-heading-one):/.test(one)),
        [],
      );
    };
    await inAllLooks(t, driver, check, [1280, 320]);
    await checkQuiet();
  });

  test("the keyboard reaches every control, and the filter finds widgets", async () => {
    await page.setViewport({ width: 1280, height: 900 });
    await openGallery();
    await page.keyboard.press("Tab");
    assert.equal(await driver.evaluate(() => document.activeElement.textContent), "Skip to the widgets");
    await page.focus("#filter");
    await page.keyboard.type("NUCLEUS top-p");
    const shown = () =>
      driver.evaluate(() => [...document.querySelectorAll("#cards .card:not([hidden])")].map(({ id }) => id));
    const found = await shown();
    assert.ok(found.includes("nucleus") && found.length < names.length, found);
    assert.equal(
      await driver.evaluate(() => document.querySelector("#found").textContent),
      `${found.length} of ${names.length} widgets`,
    );
    await page.keyboard.type(" zzz");
    assert.deepEqual(await shown(), []);
    assert.match(await driver.evaluate(() => document.querySelector("#found").textContent), /^No widget/);
    await driver.evaluate(() => {
      document.querySelector("#filter").value = "";
      document.querySelector("#filter").dispatchEvent(new Event("input"));
    });
    assert.deepEqual(await shown(), names);
    await page.focus("[name=theme]:checked");
    await page.keyboard.press("ArrowRight");
    assert.equal(
      await driver.evaluate(() => document.querySelector("lastinch-nucleus").getAttribute("theme")),
      "light",
    );
    await page.focus('#list a[href="#rulers"]');
    await page.keyboard.press("Enter");
    // The widget stays there, whatever draws itself above it.
    const place = () => Math.abs(document.querySelector("#rulers").getBoundingClientRect().top) < 40;
    await waitFor(driver, place);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await waitFor(driver, place);
    await page.keyboard.press("PageUp");
    await waitFor(driver, () => document.querySelector("#rulers").getBoundingClientRect().top > 200);
  });

  test("people find widgets by other names, and see each as a picture with a title", async () => {
    await openGallery();
    const found = (words) =>
      driver.evaluate((text) => {
        document.querySelector("#filter").value = text;
        document.querySelector("#filter").dispatchEvent(new Event("input"));
        return [...document.querySelectorAll("#cards .card:not([hidden])")].map(({ id }) => id);
      }, words);
    for (const [words, name] of [
      ["nucleus sampling", "nucleus"],
      ["creativity", "temperature-panels"],
      ["loop", "greedy-spiral"],
      ["structured output", "json-mask"],
    ])
      assert.ok((await found(words)).includes(name), words);
    await found("");
    const tiles = await driver.evaluate(() =>
      [...document.querySelectorAll("#list a")].map((link) => [
        link.querySelector("b").textContent === customElements.get(`lastinch-${link.hash.slice(1)}`).words.title,
        link.querySelector("use").getBoundingClientRect().width > 10,
      ]),
    );
    assert.deepEqual(
      tiles,
      names.map(() => [true, true]),
    );
  });

  test("a link that a widget copied leads to that widget, with its settings", async () => {
    await page.setViewport({ width: 1280, height: 900 });
    await openGallery("#v=1&w=nucleus&top-p=0.55");
    await waitFor(driver, () => document.querySelector("lastinch-nucleus").shadowRoot?.querySelector(".view > *"));
    const isAtTop = () => {
      const at = document.querySelector("lastinch-nucleus").getBoundingClientRect().top;
      return at >= 0 && at < 300;
    };
    await waitFor(driver, isAtTop);
    await new Promise((resolve) => setTimeout(resolve, 1000)); // other widgets draw themselves above it
    await waitFor(driver, isAtTop);
    assert.equal(await driver.evaluate(() => document.querySelector("lastinch-nucleus").topP), 0.55);
  });

  test("copied code works in an empty page, which loads only that widget", async () => {
    await page.browserContext().overridePermissions(site.origin, ["clipboard-read", "clipboard-sanitized-write"]);
    for (const name of [names[0], "nucleus", names.at(-1)]) {
      await openGallery();
      await driver.evaluate((id) => document.querySelector(`#${id} .copy button`).click(), name);
      await waitFor(
        driver,
        (id) =>
          document
            .querySelector(`#${id} .copy [role=status]`)
            .textContent.startsWith("Copied. It works on this machine alone"),
        [name],
      );
      const code = await driver.evaluate(() => navigator.clipboard.readText());
      site.log.length = 0;
      await paste(code);
      await waitFor(
        driver,
        () => document.querySelector("main > :last-child").shadowRoot?.querySelector("figure .view > *") != null,
      );
      assert.deepEqual(
        site.log.filter((path) => /^\/dist\/widget(s\.js|-)/.test(path)),
        [`/dist/widget-${name}.js`],
      );
    }
    await checkQuiet();
  });

  test("each widget has its table of attributes, and shared attributes are listed once", async () => {
    await openGallery();
    const tables = await driver.evaluate(() =>
      [...document.querySelectorAll("#cards .card")].map((card) => [
        card.id,
        [...card.querySelectorAll("tbody th")].map((head) => head.textContent),
      ]),
    );
    const nucleus = new Map(tables).get("nucleus");
    assert.deepEqual(nucleus, ["top-p", "temperature", "u"]);
    assert.ok(tables.every(([, rows]) => !rows.includes("src") && !rows.includes("theme")));
    const common = await driver.evaluate(() => document.querySelector("#common-tables").textContent);
    for (const word of ["src", "theme", "texts", "lastinch-change", "--lastinch-accent", "status"])
      assert.ok(common.includes(word), word);
  });

  test("teachers find notes on every widget, and the answers behind a press", async () => {
    await openGallery();
    const folds = await driver.evaluate(async () => {
      const { notes } = await import("/demos/teaching/notes.js");
      return [...document.querySelectorAll("#cards .card")].map(({ id }) => {
        const { minutes, aim, predict, answers, misconceptions } = notes[id] ?? {};
        return [id, minutes > 0 && aim.length > 20, predict.length, answers.length, misconceptions.flat().length];
      });
    });
    assert.deepEqual(
      folds,
      names.map((name) => [name, true, 3, 3, 4]),
    );
    for (const one of ["#nucleus details", "#nucleus details details"]) {
      await waitFor(driver, (path) => document.querySelector(path) != null, [one]);
      await page.focus(`${one} > summary`);
      await page.keyboard.press("Enter");
      await waitFor(driver, (path) => document.querySelector(path).open, [one]);
    }
    assert.match(await page.$eval("#nucleus details details", (one) => one.innerText), /It stays/);
  });

  test("a sheet prints on one page, with the numbers that the widget shows, without the answers", async () => {
    await openGallery();
    assert.deepEqual(await drawn(), allDrawn);
    await driver.evaluate(async () => {
      window.print = () => {};
      document.querySelector("lastinch-nucleus").topP = 0.55;
      await document.querySelector("lastinch-nucleus").updateComplete;
      for (const card of document.querySelectorAll("#cards .card")) card.querySelector("details").open = true;
    });
    await waitFor(driver, (count) => document.querySelectorAll("#cards .fold h3 + ol").length === count, [
      names.length,
    ]);
    for (const name of names) {
      const text = await driver.evaluate((id) => {
        document.querySelector(`#${id} .fold button`).click();
        return document.querySelector(".sheet").textContent;
      }, name);
      if (name === "nucleus") {
        assert.ok(text.includes("Top-p = 0.55") && text.endsWith("/gallery.html#nucleus"), text);
        assert.ok(text.includes(await driver.evaluate(() => document.querySelector("lastinch-nucleus").summary())));
        for (const answer of ["It stays", notes.nucleus.aim]) assert.ok(!text.includes(answer), text);
      }
      const pdf = Buffer.from(await page.pdf({ format: "A4" })).toString("latin1");
      assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, 1, name);
      await driver.evaluate(() => dispatchEvent(new Event("afterprint")));
      assert.equal(await driver.evaluate(() => document.querySelector(".sheet")), null);
    }
    await checkQuiet();
  });

  test("without JavaScript the gallery lists the widgets and says that JavaScript is needed", async () => {
    await page.setJavaScriptEnabled(false);
    try {
      await page.goto(`${site.origin}/demos/gallery.html`);
      const text = await page.$eval("#all", (all) => /** @type {HTMLElement} */ (all).innerText);
      assert.match(text, /need JavaScript/);
      for (const { description } of elements) {
        const [first] = description.replace(/[`\s]+/g, " ").split(/ ?[.,;:] /);
        assert.ok(text.replace(/\s+/g, " ").includes(first), first);
      }
      await page.goto(`${site.origin}/demos/embed.html?widget=nucleus`);
      // Without scripts the browser has no frames to wait for.
      const visibility = () => page.$eval("#problem", (problem) => getComputedStyle(problem).visibility);
      for (let wait = 0; wait < 600 && (await visibility()) !== "visible"; wait++)
        await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(await visibility(), "visible");
      assert.match(await page.$eval("main", (main) => main.textContent ?? ""), /needs JavaScript/);
    } finally {
      await page.setJavaScriptEnabled(true);
    }
  });

  test("a missing part of the site is explained", async () => {
    site.missing.add("/dist/custom-elements.json");
    await driver.open(`${site.origin}/demos/gallery.html`);
    await waitFor(driver, () => !document.querySelector("#alert").hidden);
    assert.match(await driver.evaluate(() => document.querySelector("#alert").textContent), /make build/);
    site.missing.clear();
    await driver.consoleErrors().then((errors) => errors.splice(0));
  });

  test("a frame's address sets the widget's attributes, and nothing else", async () => {
    site.log.length = 0;
    await openEmbed(
      "widget=nucleus&top-p=0.55&lang=zh&theme=dark&onclick=alert(1)&style=color:red&id=x&class=y&u=%22%3E%3Cscript%3Ealert(2)%3C/script%3E",
    );
    const [attributes, topP, title, language, background, scripts] = await driver.evaluate(() => {
      const widget = document.querySelector("lastinch-nucleus");
      return [
        widget.getAttributeNames().sort(),
        widget.topP,
        widget.shadowRoot.querySelector("#title").textContent,
        document.documentElement.lang,
        getComputedStyle(widget.shadowRoot.querySelector("figure")).backgroundColor,
        document.querySelectorAll("main script, lastinch-nucleus *").length,
      ];
    });
    assert.deepEqual(attributes, ["theme", "top-p", "u"]);
    assert.deepEqual([topP, language, background, scripts], [0.55, "zh", "rgb(27, 28, 31)", 0]);
    assert.match(title, /核采样/);
    // The widget explains a value that is not a number.
    assert.match(
      await driver.evaluate(
        () => document.querySelector("lastinch-nucleus").shadowRoot.querySelector(".problem").textContent,
      ),
      /NaN/,
    );
    assert.deepEqual(
      site.log.filter((path) => /^\/dist\/widget(s\.js|-)/.test(path)),
      ["/dist/widget-nucleus.js"],
    );
    await openEmbed("widget=nucleus&lang=%22%3E%3Cimg%20src=x%3E&theme=red");
    assert.deepEqual(
      await driver.evaluate(() => [document.documentElement.lang, document.documentElement.style.colorScheme]),
      ["en", ""],
    );
    await checkQuiet();
  });

  test("unknown widget names are refused with a sentence", async () => {
    for (const [query, words] of [
      ["", /does not say which widget/],
      ["widget=../nucleus", /only small letters/],
      ["widget=%22%3E%3Cscript%3E", /only small letters/],
      ["widget=penalties&src=https://example.invalid/model.gguf", /same site/],
      ["widget=no-such-thing", /no widget called “no-such-thing”/],
    ]) {
      await openEmbed(query);
      assert.match(await embedText(), words);
      assert.match(await embedText(), /All widgets/);
    }
    (await driver.consoleErrors()).splice(0);
  });

  /** Heights that a frame has posted. */
  const told = () => driver.evaluate(() => globalThis.told);
  async function frameIn(origin, attributes, query = "widget=nucleus") {
    await driver.open(`${origin}/tests/browser/blank.html`);
    await driver.evaluate(
      (source, more) => {
        globalThis.told = [];
        addEventListener("message", ({ data, origin: from }) => globalThis.told.push({ ...data, from }));
        const frame = document.createElement("iframe");
        for (const [name, value] of Object.entries({ src: source, width: "700", height: "600", ...more }))
          frame.setAttribute(name, value);
        document.body.append(frame);
      },
      `${site.origin}/demos/embed.html?${query}`,
      attributes,
    );
    const frame = await page.waitForFrame((one) => one.url().includes("embed.html"));
    return frame;
  }

  test("in a page of another origin the frame works, and sends its height", async () => {
    site.isIsolated = false;
    const frame = await frameIn(site.origin.replace("localhost", "127.0.0.1"), {});
    await waitFor(driver, () => globalThis.told.some(({ height }) => height > 300));
    const last = (await told()).at(-1);
    assert.deepEqual([last.type, last.widget, last.from], ["lastinch-height", "nucleus", site.origin]);
    assert.equal(last.height, await frame.evaluate(() => Math.ceil(document.body.getBoundingClientRect().height)));
    assert.deepEqual((await driver.consoleErrors()).splice(0), []);
    (await driver.requests()).splice(0);
  });

  test("in a sandbox without an origin the frame and its model work if the server allows it", async () => {
    site.isIsolated = false;
    site.isOpen = true;
    const frame = await frameIn(site.origin, { sandbox: "allow-scripts" }, "widget=penalties");
    await waitFor(driver, () => globalThis.told.some(({ height }) => height > 300));
    assert.equal((await told()).at(-1).from, "null");
    await frame.evaluate(() =>
      document.querySelector("lastinch-penalties").shadowRoot.querySelector("button.primary").click(),
    );
    await frame.waitForFunction(
      () => {
        const root = document.querySelector("lastinch-penalties").shadowRoot;
        return (
          root.querySelector(".problem") !== null ||
          root.querySelector(".view").innerText.includes("Repetition penalty 1.6:")
        );
      },
      { timeout: 60_000 },
    );
    assert.equal(
      await frame.evaluate(
        () => document.querySelector("lastinch-penalties").shadowRoot.querySelector(".problem")?.textContent ?? "",
      ),
      "",
    );
    site.isOpen = false;
  });

  test("in a sandbox whose scripts the server refuses, the frame says what is missing", async () => {
    (await driver.consoleErrors()).splice(0);
    const frame = await frameIn(site.origin, { sandbox: "allow-scripts" });
    // A busy machine may not draw frames of another origin for a while, so the test does not wait for animation frames.
    // Nor is it parsed at once.
    const isShown = () =>
      document.readyState === "complete" &&
      getComputedStyle(document.querySelector("#problem")).visibility === "visible";
    await frame.waitForFunction(isShown, { polling: 100, timeout: 90_000 });
    assert.match(await frame.evaluate(() => document.body.innerText), /allow-same-origin/);
  });
});
