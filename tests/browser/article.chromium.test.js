// The lessons: complete, readable without JavaScript, light, accessible, and silent (in Chromium).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { loadModel } from "../../dist/index.js";
import { others } from "../../demos/recorded/game.js";
import { limitOf } from "../limits.js";
import { checkAccess, inAllLooks, setLook } from "./axe.js";
import { waitFor } from "./browsers.js";
import { layoutShift } from "./layout-shift.js";
import { openSite } from "./site.js";

const root = new URL("../..", import.meta.url).pathname;
/** The pages, and how many tables each has without JavaScript. */
const lessons = { "article.html": { tables: 7 }, "tokens.html": { tables: 2 } };
/** Limits of bytes: read to its end, and with every fold. */
const limits = {
  "article.html": [limitOf("lesson"), limitOf("lessonFolds")],
  "tokens.html": [limitOf("secondLesson"), limitOf("secondLesson")],
};
const sheets = ["article.css", "surprise.css", "theme.css"];

/** The surprise of recorded words, " a|15| little|36", in tenths of a bit. @param {string} text */
const sumOf = (text) =>
  text
    .split("|")
    .filter((_, i) => i % 2)
    .reduce((sum, bits) => sum + Number(bits), 0);

const { site, driver, close } = await openSite("chromium");
after(close);
const page = /** @type {import("puppeteer-core").Page} */ (driver.page);

/** Opens a lesson and reads it to the end, so that every widget has drawn itself. @param {boolean} [isDeep] with all folds */
async function read(name = "article.html", isDeep = true) {
  await setLook(driver, "light", 1280);
  await driver.open(`${site.origin}/demos/${name}`);
  const isDrawn = (isDeep) => {
    if (isDeep) for (const fold of document.querySelectorAll("main details.more, main details.check")) fold.open = true;
    const widgets = [...document.querySelectorAll("main *")].filter(
      (element) => element.localName.startsWith("lastinch-") && element.checkVisibility(),
    );
    const waiting = widgets.find((widget) => !widget.shadowRoot?.querySelector("figure .view > *, button.term"));
    waiting?.scrollIntoView();
    return !waiting;
  };
  await waitFor(driver, isDrawn, [isDeep]);
}

test("the lessons have every widget, and no unknown one", () => {
  const index = readFileSync(`${root}web/widgets/index.js`, "utf8");
  const names = [...index.matchAll(/"\.\/([a-z-]+)\.js"/g)].map(([, name]) => name);
  const html = Object.keys(lessons).map((name) => readFileSync(`${root}demos/${name}`, "utf8"));
  const used = new Set([...html.join("").matchAll(/<lastinch-([a-z-]+)/g)].map(([, name]) => name));
  assert.deepEqual([...used].sort(), names.sort());
});

for (const name of Object.keys(lessons)) {
  test(`axe-core finds nothing, and nothing sticks out of the page: ${name}`, async (t) => {
    await read(name);
    await inAllLooks(t, driver, () => checkAccess(driver), [1280, 320]);
  });

  test(`headings form an outline, and the contents list the parts in order: ${name}`, async () => {
    await read(name);
    const { levels, titles, listed, broken } = await driver.evaluate(() => ({
      levels: [...document.querySelectorAll("h1, h2, h3, h4")].map(({ localName }) => Number(localName[1])),
      titles: [...document.querySelectorAll("main h2[id]")].map(({ id }) => "#" + id),
      listed: [...document.querySelectorAll(".contents a")].map((link) => link.getAttribute("href")),
      broken: [...document.querySelectorAll('a[href^="#"]')].filter((link) => !document.querySelector(link.hash))
        .length,
    }));
    assert.deepEqual([levels[0], levels.filter((level) => level === 1).length], [1, 1]);
    levels.forEach((level, i) => assert.ok(level <= (levels[i - 1] ?? 0) + 1, `heading ${i} skips a level`));
    assert.deepEqual(listed, titles);
    assert.equal(broken, 0);
  });
}

test("a link from one lesson into the other leads to a part", () => {
  const [article, tokens] = Object.keys(lessons).map((name) => readFileSync(`${root}demos/${name}`, "utf8"));
  const links = [...article.matchAll(/href="tokens\.html#([a-z]+)"/g)].map(([, id]) => id);
  assert.ok(links.length);
  for (const id of links) assert.ok(tokens.includes(`<h2 id="${id}">`), id);
});

test("bytes that arrive are shown at once, or when their character is whole", async () => {
  await driver.open(`${site.origin}/demos/tokens.html`);
  await waitFor(driver, () => document.querySelector("#pieces-text")?.disabled === false);
  const shown = (count) =>
    driver.evaluate((wanted) => {
      const arrived = document.querySelector("#pieces-arrived");
      arrived.value = wanted;
      arrived.dispatchEvent(new Event("input"));
      return ["bytes", "hasty", "patient"].map((id) => document.querySelector(`#pieces-${id}`).textContent);
    }, String(count));
  // Before the script comes, the page shows three bytes.
  const page = readFileSync(`${root}demos/tokens.html`, "utf8");
  for (const [i, text] of (await shown(3)).entries())
    assert.match(page, new RegExp(`id="pieces-${["bytes", "hasty", "patient"][i]}">${text}<`));
  assert.deepEqual((await shown(9)).slice(1), ["naïve �", "naïve "]);
  assert.deepEqual((await shown(18)).slice(1), ["naïve 🍓 草莓", "naïve 🍓 草莓"]);
});

test("answers are counted, and reset when a check restarts", async () => {
  await read();
  const first = "lastinch-quick-check";
  const progress = () => driver.evaluate(() => document.querySelector("#answered-text").textContent);
  assert.match(await progress(), /^0 of \d\d questions answered$/);
  await driver.evaluate((name) => document.querySelector(name).shadowRoot.querySelector("input").click(), first);
  assert.match(await progress(), /^1 of/);
  assert.equal(await driver.evaluate(() => document.querySelector('.contents a[href="#row"]').dataset.tally), "1/3");
  await driver.evaluate(
    (name) => document.querySelector(name).shadowRoot.querySelector(".actions button").click(),
    first,
  );
  assert.match(await progress(), /^0 of/);
});

for (const [name, { tables }] of Object.entries(lessons)) {
  test(`without JavaScript a lesson has its text, tables, and questions with answers: ${name}`, async () => {
    await page.setJavaScriptEnabled(false);
    try {
      await page.goto(`${site.origin}/demos/${name}`);
      const seen = await page.evaluate(() => {
        const isVisible = (element) => element.checkVisibility() && element.getBoundingClientRect().height > 0;
        for (const one of document.querySelectorAll("details")) one.open = true;
        const inPart = [...document.querySelectorAll("main p, main table, main li, main pre")].filter(
          (element) => !element.closest(".ending, #game-result") && element.textContent,
        );
        return {
          hidden: inPart.filter((element) => !isVisible(element)).map(({ textContent }) => textContent),
          tables: document.querySelectorAll("main table").length,
          terms: [...document.querySelectorAll("lastinch-glossary[term]")].filter(({ textContent }) => !textContent)
            .length,
          unsolved: [...document.querySelectorAll("lastinch-quick-check details")].filter(
            (one) => one.querySelectorAll("[data-right]").length !== 1 || !one.querySelector("p"),
          ).length,
        };
      });
      assert.deepEqual(seen, { hidden: [], tables, terms: 0, unsolved: 0 });
    } finally {
      await page.setJavaScriptEnabled(true);
    }
  });

  test(`a lesson stays within its budget of bytes when it opens and when it is read to the end: ${name}`, async () => {
    const weigh = (path) => brotliCompressSync(readFileSync(root + path.slice(1))).length;
    /** The Brotli bytes so far, without the page's own text, style and icon. */
    const weight = () =>
      [...new Set(site.log)]
        .filter((path) => !path.startsWith("/tests/") && !/\.(html|css|svg)$/.test(path))
        .reduce((total, path) => total + weigh(path), 0);
    site.log.length = 0;
    await page.setViewport({ width: 1280, height: 900 });
    await driver.open(`${site.origin}/demos/${name}`);
    await waitFor(driver, () =>
      [...document.querySelectorAll("main *")].some((one) => one.shadowRoot?.querySelector("table, button.term")),
    );
    const opened = weight();
    await read(name, false);
    const end = weight();
    await read(name);
    const text = [name, ...sheets].reduce((total, file) => total + weigh(`/demos/${file}`), 0);
    console.log(
      `# ${name}, brotli: ${opened} bytes of code when it opens, ${end} read to its end, ${weight()} with every fold, ${text} of text and style`,
    );
    assert.ok(!site.log.some((path) => /gguf|dist\/(model|worker)/.test(path)), "a model came unasked");
    const [most, mostWithFolds] = limits[name];
    assert.ok(opened < 0.7 * most, `${opened} bytes when it opens`);
    assert.ok(end < most, `${end} bytes to its end`);
    assert.ok(weight() < mostWithFolds, `${weight()} bytes with every fold`);
  });
}

test("the lesson is at most 26,000 px long, and opens with a picture and the game in the first screen", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  await driver.open(`${site.origin}/demos/article.html`);
  const top = (selector) =>
    driver.evaluate((wanted) => document.querySelector(wanted).getBoundingClientRect().top, selector);
  assert.ok((await top(".opening svg")) < 450);
  assert.ok((await top("#game-choices")) < 900);
  await waitFor(driver, () => {
    const waiting = [...document.querySelectorAll("main *")].find(
      (one) =>
        one.localName.startsWith("lastinch-") &&
        one.checkVisibility() &&
        !one.closest("details:not([open])") &&
        !one.shadowRoot?.querySelector("figure .view > *, button.term"),
    );
    waiting?.scrollIntoView();
    return !waiting;
  });
  const height = await driver.evaluate(() => document.documentElement.scrollHeight);
  console.log(`# the lesson: ${height} px at 1280`);
  assert.ok(height <= 26_000, `${height} px`);
});

test("on a phone, a fold's mark and its formula begin on one line", async () => {
  await page.setViewport({ width: 390, height: 844 });
  await driver.open(`${site.origin}/demos/article.html`);
  const gaps = await driver.evaluate(() =>
    [...document.querySelectorAll(".numpy .formula")].map(
      (formula) => formula.getClientRects()[0].top - formula.closest("summary").getBoundingClientRect().top,
    ),
  );
  assert.ok(gaps.length > 8 && gaps.every((gap) => gap < 24), gaps.join());
});

test("nothing moves after a lesson has opened", async () => {
  for (const name of Object.keys(lessons))
    for (const width of [1280, 390]) {
      await page.setViewport({ width, height: 844 });
      await driver.open(`${site.origin}/demos/${name}`);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const shift = await layoutShift(driver);
      assert.ok(shift < 0.01, `${name}: layout shift ${shift} at ${width} px`);
    }
});

const rowShown = () => ({
  stage: document.querySelector("#thread-stage").textContent,
  shares: [...document.querySelectorAll("#thread-rows b")].map(({ textContent }) => textContent),
  cut: [...document.querySelectorAll("#thread-rows li")].map((item) => item.classList.contains("cut")),
  top: document.querySelector("#thread").getBoundingClientRect().top,
});

for (const width of [1280, 390])
  test(`the row stays in view and follows every part, ${width} px`, async () => {
    await page.setViewport({ width, height: 844 });
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    await driver.open(`${site.origin}/demos/article.html`);
    const go = async (id, stage) => {
      await driver.evaluate((name) => document.querySelector(`.contents a[href="#${name}"]`).click(), id);
      await waitFor(driver, (text) => document.querySelector("#thread-stage").textContent === text, [stage]);
      const shown = await driver.evaluate(rowShown);
      assert.ok(shown.top >= 0 && shown.top < 844, `${id} at ${shown.top}`);
      return shown;
    };
    assert.deepEqual((await driver.evaluate(rowShown)).shares, ["59.0%", "21.7%", "13.2%", "4.8%", "1.1%", "0.15%"]);
    assert.deepEqual((await go("temperature", "T = 2")).shares, ["39.2%", "23.8%", "18.5%", "11.2%", "5.3%", "2.0%"]);
    const cut = await go("cutoffs", "top-p = 0.9");
    assert.deepEqual(cut.cut, [false, false, false, true, true, true]);
    assert.deepEqual(cut.shares.slice(0, 3), ["62.9%", "23.1%", "14.0%"]);
    // Sofa leads after the repetition penalty.
    assert.deepEqual((await go("order", "repetition penalty = 1.25")).shares.slice(0, 2), ["30.3%", "37.0%"]);
    assert.deepEqual((await go("greedy", "greedy takes one")).cut, [false, true, true, true, true, true]);
    assert.deepEqual((await go("grammar", "only words with b")).cut, [true, true, true, false, true, false]);
    // A token is accepted with probability target ÷ draft.
    const softmax = (row) => row.map((z) => Math.exp(z) / row.reduce((sum, one) => sum + Math.exp(one), 0));
    const [target, draft] = [softmax([6, 5, 4.5, 3.5, 2, 0]), softmax([5, 5.5, 4, 4, 2.5, 0])];
    const { shares } = await go("speed", "if drafted, kept with");
    shares.forEach((text, id) => {
      const wanted = 100 * Math.min(1, target[id] / draft[id]);
      assert.ok(Math.abs(parseFloat(text.replace(/[<>]/, "")) - wanted) < 0.06, `${id}: ${text}, not ${wanted}`);
    });
    // The figure follows the controls of the part.
    await driver.evaluate(() => {
      const detail = { name: "topK", value: 2 };
      document
        .querySelector("lastinch-rulers")
        .dispatchEvent(new CustomEvent("lastinch-input", { detail, bubbles: true, composed: true }));
    });
    await waitFor(driver, () => document.querySelector("#thread-stage").textContent === "top-k = 2");
    assert.deepEqual((await driver.evaluate(rowShown)).shares.slice(0, 3), ["73.1%", "26.9%", "0%"]);
  });

test("the reader picks five words, and sees their surprise beside that of other texts", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  await driver.open(`${site.origin}/demos/article.html`);
  await waitFor(driver, () => document.querySelector("#game-choices button").disabled === false);
  site.log.length = 0;
  let bits = 0;
  for (let round = 0; round < 5; round++) {
    const words = await driver.evaluate(() =>
      [...document.querySelectorAll("#game-choices button")].map(({ textContent }) => textContent),
    );
    assert.equal(words.length, 5);
    assert.deepEqual(words, words.toSorted(), "the order says nothing of the probability");
    await driver.evaluate((at) => document.querySelectorAll("#game-choices button")[at].click(), round % 5);
    const picked = round + 1;
    await waitFor(driver, (count) => document.querySelectorAll("#game-text .token").length === count, [picked]);
    const told = /: ([\d.]+) bits/.exec(await driver.evaluate(() => document.querySelector("#game-hint").textContent));
    bits = picked < 5 ? bits + Number(told[1]) : Number(told[1]) - bits;
  }
  // The last word has the rest of the sum.
  assert.ok(bits >= 0);
  const rows = await driver.evaluate(() =>
    [...document.querySelectorAll("#game-result tbody tr")].map((row) => [...row.cells].map((cell) => cell.innerText)),
  );
  assert.deepEqual(
    rows.map(([who]) => who),
    ["You", "Greedy: always the likeliest", "A die, at temperature 1", "A person"],
  );
  assert.deepEqual(
    rows.slice(1).map(([, , sum]) => sum),
    Object.values(others).map((text) => (sumOf(text) / 10).toFixed(1)),
  );
  assert.ok(
    site.log.some((path) => path.endsWith("recorded/game.js")),
    "the tree comes with the first pick",
  );
  assert.ok(!site.log.some((path) => path.endsWith(".gguf")));
  await checkAccess(driver);
  await driver.evaluate(() => document.querySelector("#game-choices button").click());
  assert.equal(await driver.evaluate(() => document.querySelector("#game-result").hidden), true);
});

test("a link that a widget copied leads to that widget, even into a fold, with its settings", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  for (const [name, hash, property, value] of [
    ["rulers", "top-k=2", "topK", 2],
    ["funnel", "min-p=0.05", "minP", 0.05],
  ]) {
    await driver.open(`${site.origin}/demos/article.html#v=1&w=${name}&${hash}`);
    await waitFor(driver, (tag) => document.querySelector(tag).shadowRoot?.querySelector(".view > *") != null, [
      `lastinch-${name}`,
    ]);
    const isAtTop = (tag) => {
      const { top } = document.querySelector(tag).getBoundingClientRect();
      return top >= 0 && top < 100;
    };
    await waitFor(driver, isAtTop, [`lastinch-${name}`]);
    await new Promise((resolve) => setTimeout(resolve, 1000)); // other widgets draw themselves above it
    await waitFor(driver, isAtTop, [`lastinch-${name}`]);
    const set = await driver.evaluate((tag, key) => document.querySelector(tag)[key], `lastinch-${name}`, property);
    assert.equal(set, value);
  }
});

test("the end writes a story with the reader's settings, paints it and leads to the playground", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  await driver.open(`${site.origin}/demos/article.html`);
  await waitFor(driver, () => document.querySelector("#ending-write").disabled === false);
  assert.match(await driver.evaluate(() => document.querySelector("#ending-write").textContent), /2\.6 MB/);
  await driver.evaluate(() => {
    const detail = { name: "temperature", value: 0.6 };
    document
      .querySelector("lastinch-rulers")
      .dispatchEvent(new CustomEvent("lastinch-change", { detail, bubbles: true, composed: true }));
    document.querySelector("#ending-write").click();
  });
  await waitFor(driver, () => document.querySelector("#ending-picture").disabled === false);
  const { text, link, tinted } = await driver.evaluate(() => ({
    text: document.querySelector("#ending-story").textContent,
    link: document.querySelector("#ending-play").href,
    tinted: document.querySelectorAll("#ending-story [data-surprise]").length,
  }));
  assert.ok(text.startsWith("The cat sat on the ") && text.length > 60 && tinted > 20, text);
  const settings = new URLSearchParams(new URL(link).hash.slice(1));
  assert.deepEqual(
    ["v", "T", "p", "tokens", "prompt"].map((name) => settings.get(name)),
    ["1", "0.6", "0.95", "60", "The cat sat on the"],
  );
  // The same settings and seed write the same story anywhere.
  const model = await loadModel(new Blob([readFileSync(`${root}dist/storyteller.gguf`)]), { worker: false });
  const again = await model.complete("The cat sat on the", {
    temperature: 0.6,
    topP: 0.95,
    seed: Number(settings.get("seed")),
    maxTokens: 60,
  });
  model.dispose();
  assert.equal(text, "The cat sat on the" + again.text);
  const size = await driver.evaluate(async () => {
    const { paintStory } = await import("/demos/picture.js");
    const blob = await paintStory("The cat", [{ text: " sat", surprise: 5 }], "temperature 1");
    const { width, height } = await createImageBitmap(blob);
    return [blob.type, width, height];
  });
  assert.deepEqual(size, ["image/png", 1200, 630]);
});

test("the console shows no error, and no request leaves the site", async () => {
  assert.deepEqual(await driver.consoleErrors(), []);
  const others = (await driver.requests()).filter((url) => !/^(about|data|blob):/.test(url));
  assert.deepEqual(
    others.filter((url) => !url.startsWith(site.origin)),
    [],
  );
});
