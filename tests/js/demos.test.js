// The parts of the demo pages that can be tested without a page.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import {
  formatChoices,
  formatPercent,
  formatSize,
  legibleBytes,
  plural,
  surpriseClass,
  tokenLabel,
} from "../../web/widgets/shared/format.js";
import { knobs as ranges, nearestStop } from "../../web/widgets/shared/knobs.js";
import { describeSettings, initialSettings, knobs } from "../../demos/playground/playground-knobs.js";
import { sharedWords } from "../../web/widgets/shared/words.js";
import { RepetitionRate } from "../../web/widgets/shared/repetition-rate.js";
import { filePath, listen, siteHandler } from "../../demos/serve.js";
import { newSeed, parseNumber, readState, writeState } from "../../demos/playground/url-state.js";

/** The pages of the site, without templates, which other people's pages start from. @param {URL} folder */
async function pagesIn(folder) {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith(".html") && !name.startsWith("templates"));
}

test("all pages begin with the same character set, viewport, policy and colour schemes", async () => {
  const folder = new URL("../../demos/", import.meta.url);
  const pages = await pagesIn(folder);
  assert.ok(pages.length > 10);
  const heads = await Promise.all(
    pages.map(
      async (name) => (await readFile(new URL(name, folder), "utf8")).split(/(?<=name="color-scheme"[^>]*>)/)[0],
    ),
  );
  for (const head of heads) assert.equal(head, heads[0]);
  for (const part of ["charset", "viewport", "script-src 'self'", "light dark"])
    assert.ok(heads[0].includes(part), part);
});

test("every page has a description, and a title and a heading of its own", async () => {
  const folder = new URL("../../demos/", import.meta.url);
  const seen = new Set();
  for (const name of await pagesIn(folder)) {
    const html = await readFile(new URL(name, folder), "utf8");
    if (html.includes('content="noindex"')) continue;
    const [title, heading] = ["title", "h1"].map((tag) => new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(html)?.[1] ?? "");
    assert.ok(title && !seen.has(title), `${name}: the title “${title}”`);
    assert.ok(heading && heading !== "lastinch", `${name}: the heading “${heading}”`);
    const [, about = ""] = /<meta\s+name="description"\s+content="([^"]+)"/.exec(html) ?? [];
    assert.ok(about.length > 40, `${name} has no description`);
    seen.add(title);
  }
});

const lessons = ["article.html", "tokens.html"];
/** @param {string} name */
const lessonText = (name) => readFile(new URL(`../../demos/${name}`, import.meta.url), "utf8");

test("a label that a lesson quotes is a label of the next widget", async () => {
  Object.assign(globalThis, { CSSStyleSheet: class {} }); // Lit builds a sheet when a widget is defined
  const page = (await Promise.all(lessons.map(lessonText))).join("");
  const widgets = await import("../../web/widgets/index.js");
  let count = 0;
  for (const [, text, tag] of page.matchAll(/<p class="try">([^]*?)<\/p>\s*<(lastinch-[a-z-]+)/g)) {
    const widget = Object.values(widgets).find((one) => one === customElements.get(tag));
    const labels = Object.values({ ...sharedWords, .../** @type {any} */ (widget).words });
    // A {name} in a label stands for one word.
    const patterns = labels.map(
      (label) => new RegExp(`^${label.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "\\S+")}$`),
    );
    for (const [, quoted] of text.matchAll(/“([^”]+)”/g)) {
      count++;
      assert.ok(
        patterns.some((pattern) => pattern.test(quoted)),
        `${tag} has no “${quoted}”`,
      );
    }
  }
  assert.ok(count > 5, `${count} labels`);
});

for (const [i, limit] of [20, 10].entries())
  test(`${lessons[i]} takes ${limit} minutes without the parts that go deeper`, async () => {
    const page = await lessonText(lessons[i]);
    assert.ok(page.includes(`${limit} minutes, tries included`));
    let text = page.slice(page.indexOf("<main"), page.indexOf("</main>"));
    const checks = text.match(/<lastinch-quick-check[^]*?<\/lastinch-quick-check/g) ?? [];
    const questions = checks.join("").split(/<details\s*>/).length - 1;
    // From the innermost fold outwards.
    for (let before = ""; before !== text;)
      text = (before = text).replace(/<details[^>]*>(?:(?!<details)[^])*?<\/details\s*>/g, "");
    const words = text.replace(/<(noscript|table)[^]*?<\/\1\s*>|<[^>]+>/g, " ").split(/\s+/).length;
    const tries = text.split('class="try"').length - 1;
    assert.ok(questions && tries && words > 70 * limit, `${questions} ${tries} ${words}`);
    // 230 words a minute, half a minute for each try, 8 seconds for each question.
    const minutes = words / 230 + tries / 2 + (questions * 8) / 60;
    assert.ok(minutes <= limit, `${minutes.toFixed(1)} minutes`);
  });

test("percentages show no more digits than are known", () => {
  /** @type {[number, string][]} */
  const table = [
    [0, "0%"],
    [Number.MIN_VALUE, "<0.01%"],
    [1e-9, "<0.01%"],
    [0.0000999, "<0.01%"],
    [0.0001, "0.01%"],
    [0.000149, "0.01%"],
    [0.005, "0.50%"],
    [0.00994, "0.99%"],
    [0.009949, "0.99%"],
    [0.00996, "1.0%"],
    [0.01, "1.0%"],
    [0.0123, "1.2%"],
    [0.59, "59.0%"],
    [0.99, "99.0%"],
    [0.9994, "99.9%"],
    [0.9996, ">99.9%"],
    [1 - 2 ** -53, ">99.9%"],
    [1, "100%"],
    [1 + 2 ** -52, "100%"],
    [NaN, "–"],
  ];
  for (const [probability, text] of table) assert.equal(formatPercent(probability), text, String(probability));
});

test("a larger probability never shows as a smaller one", () => {
  const value = (/** @type {string} */ text) =>
    text === "<0.01%" ? 0.005 : text === ">99.9%" ? 99.95 : parseFloat(text);
  let before = -1;
  for (let i = 0; i <= 100_000; i++) {
    const now = value(formatPercent(i / 100_000));
    assert.ok(now >= before, `${i / 1000}%`);
    before = now;
  }
});

test("sizes, counts and numbers are rounded to what a reader needs", () => {
  assert.equal(formatSize(0), "0 bytes");
  assert.equal(formatSize(999), "999 bytes");
  assert.equal(formatSize(90 * 1024), "90 KB"); // as the limits of the README count
  assert.equal(formatSize(345_312), "337 KB");
  assert.equal(formatSize(999_499), "976 KB");
  assert.equal(formatSize(999_500), "1.0 MB");
  assert.equal(formatSize(2_563_840), "2.6 MB");
  assert.equal(plural(1, "token"), "1 token");
  assert.equal(plural(2032, "other token"), "2,032 other tokens");
  assert.deepEqual([1, 7.5391, 10.177, 99.94, 2047.6].map(formatChoices), ["1.00", "7.54", "10.2", "99.9", "2,048"]);
});

test("tokens are shown without invisible or broken characters", () => {
  const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
  assert.equal(legibleBytes(bytes(" the")), "␣the");
  assert.equal(legibleBytes(bytes("\n")), "⏎");
  assert.equal(legibleBytes(bytes("\t ")), "⇥␣");
  assert.equal(legibleBytes(bytes("é🙂")), "é🙂");
  assert.equal(legibleBytes(bytes("\u0007")), "<0x07>");
  assert.equal(legibleBytes(bytes("a\u200b")), "a<0xE2><0x80><0x8B>");
  assert.equal(legibleBytes(bytes("\u00a0")), "<0xC2><0xA0>");
  assert.equal(legibleBytes(Uint8Array.of(0xe2, 0x80)), "<0xE2><0x80>");
  const model = /** @type {any} */ ({
    config: { bos: 1 },
    vocabulary: { tokens: [bytes(""), bytes(""), bytes(""), bytes(" a")], eos: [2] },
  });
  assert.deepEqual(
    [0, 1, 2, 3].map((id) => tokenLabel(id, model)),
    ["#0", "start of text", "end of text", "␣a"],
  );
});

test("surprise has six classes, with the limits in the legend and one more at 90%", () => {
  const classes = [1, 0.9, 0.899, 0.5, 0.499, 0.2, 0.199, 0.05, 0.049, 0.01, 0.0099, 0].map(surpriseClass);
  assert.deepEqual(classes, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
});

const repeat = (/** @type {number[]} */ phrase, /** @type {number} */ times) => Array(times).fill(phrase).flat();

test("the repetition rate counts 4-grams that occurred before", () => {
  const rate = new RepetitionRate();
  assert.equal(rate.value, 0);
  for (const id of repeat([1, 2, 3, 4], 5)) rate.push(id);
  assert.equal(rate.value, 1 - 4 / 17);
});

const column = { settings: initialSettings(), more: {}, kept: [] };
const defaults = { ...column, model: "storyteller", prompt: "Once", seed: null, maxTokens: 300, second: null };
const models = ["storyteller", "draft"];

test("the state is written to the address and read back", () => {
  const state = {
    model: "draft",
    prompt: 'A cat & "a dog" = 100% #1\nnew line, ä 🙂',
    settings: { temperature: 1.25, topK: 40, topP: 0.9, minP: 0.05, repetitionPenalty: 1.1 },
    more: { typicalP: "0.9", regex: "[^&=#]{1,20} 50%\n|", badWords: '" dog", 17' },
    kept: [17, 0, 2047],
    seed: Number.MAX_SAFE_INTEGER,
    maxTokens: 12,
    second: { settings: { ...initialSettings(), temperature: 2 }, more: { beams: "4" }, kept: [3] },
  };
  const hash = writeState(state, defaults);
  assert.deepEqual(readState(hash, defaults, models), { state, ignored: [] });
  assert.equal(writeState({ ...defaults, seed: 7 }, defaults), "#v=1&seed=7");
  assert.deepEqual(readState("", defaults, models), { state: defaults, ignored: [] });
  assert.deepEqual(readState("#story", defaults, models), { state: defaults, ignored: [] });
  const ofWidget = "#v=1&w=failure-modes&prompt=The+dog&seed=3";
  assert.deepEqual(readState(ofWidget, defaults, models), { state: defaults, ignored: [] });
});

test("invalid parts of an address are ignored and reported", () => {
  const wrong = "#v=1&T=hot&k=1.5&p=2&minp=-1&rep=0&tokens=0&seed=1e3&model=gpt&prompt=x";
  const { state, ignored } = readState(wrong, defaults, models);
  assert.deepEqual(state, { ...defaults, prompt: "x" });
  assert.deepEqual(ignored.sort(), ["T", "k", "minp", "model", "p", "rep", "seed", "tokens"]);
  const more = "#v=1&kept=1,x&columns=3&b-T=hot&__proto__=1&a.b=2&regex=a";
  const read = readState(more, defaults, models);
  assert.deepEqual(read.state, { ...defaults, more: { regex: "a" } });
  assert.deepEqual(read.ignored.sort(), ["__proto__", "a.b", "b-T", "columns", "kept"]);
  assert.deepEqual(readState("#v=2&T=1", defaults, models), { state: defaults, ignored: ["v"] });
  assert.deepEqual(readState("#T=1", defaults, models), { state: defaults, ignored: ["v"] });
  assert.deepEqual(readState(`#v=1&prompt=${"x".repeat(3000)}`, defaults, models).ignored, ["prompt"]);
  for (const text of ["", " ", "NaN", "Infinity", "0x10", "1e2", "-1", "+1", "1."])
    assert.equal(parseNumber(text, 0, 100), null);
  assert.equal(parseNumber("9007199254740993", 0, Number.MAX_SAFE_INTEGER, true), null);
  const seed = newSeed();
  assert.ok(Number.isInteger(seed) && seed >= 0);
});

test("every control has the widgets' range and a default within it, and names the value that switches it off", () => {
  for (const { key, min, max, initial, reach = max, remarks } of knobs) {
    assert.deepEqual({ min, max }, { min: ranges[key].min, max: ranges[key].max }, key);
    for (const value of [initial, reach, ...Object.keys(remarks).map(Number)])
      assert.ok(value >= min && value <= max, `${key} ${value}`);
  }
  assert.equal(describeSettings(initialSettings()), "temperature 0.8, top-p 0.95");
  const all = { temperature: 0, topK: 5, topP: 1, minP: 0.1, repetitionPenalty: 1.2 };
  assert.equal(describeSettings(all), "temperature 0, top-k 5, min-p 0.1, repetition penalty 1.2");
});

test("a slider shows a value at the nearest stop, and a stop at its own place", () => {
  for (const [name, { stops, min, max }] of Object.entries(ranges)) {
    if (!stops) continue;
    assert.deepEqual(
      stops,
      [...new Set(stops)].sort((a, b) => a - b),
      name,
    );
    assert.deepEqual([stops[0], stops.at(-1)], [min, max], name);
    stops.forEach((stop, i) => assert.equal(nearestStop(stops, stop), i));
    assert.equal(nearestStop(stops, min - 1), 0);
    assert.equal(nearestStop(stops, max + 1), stops.length - 1);
  }
});

test("the server serves its folder and nothing else", async (t) => {
  for (const path of ["/../x", "/%2e%2e/x", "/a/..%2f..%2fx", "/.git/config", "/a\\..\\x", "/a%00.html", "/%", "x"])
    assert.equal(filePath("/site", path), null, path);
  assert.equal(filePath("/site", "/a%20b/?q#f"), "/site/a b/index.html");

  const root = await mkdtemp(join(tmpdir(), "lastinch-site-"));
  await writeFile(join(root, "page.html"), "<p>hello");
  await writeFile(join(root, "code.wasm"), "1234");
  await mkdir(join(root, "dist"));
  await writeFile(join(root, "dist", "widgets.js"), "0");
  const server = createServer(siteHandler(root));
  const port = await listen(server, 0);
  t.after(async () => {
    server.close();
    await rm(root, { recursive: true });
  });
  /** @param {string} path @param {string} [method] @returns {Promise<{ status?: number, headers: any, body: string }>} */
  const ask = (path, method = "GET") =>
    new Promise((resolve, reject) => {
      // Not fetch, which would tidy the path up first.
      const request = get({ port, path, method, agent: false }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text) => (body += text));
        response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
      });
      request.on("error", reject).end();
    });

  const page = await ask("/page.html?x");
  assert.equal(page.status, 200);
  assert.equal(page.body, "<p>hello");
  assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
  assert.equal(page.headers["cross-origin-opener-policy"], "same-origin");
  assert.equal(page.headers["cross-origin-embedder-policy"], "require-corp");
  assert.equal(page.headers["access-control-allow-origin"], undefined);
  const script = await ask("/dist/widgets.js");
  assert.deepEqual(
    [script.headers["access-control-allow-origin"], script.headers["cross-origin-resource-policy"]],
    ["*", "cross-origin"],
    "pages of other sites may load the widgets",
  );
  const wasm = await ask("/code.wasm", "HEAD");
  assert.deepEqual(
    [wasm.headers["content-type"], wasm.headers["content-length"], wasm.body],
    ["application/wasm", "4", ""],
  );
  assert.equal((await ask("/")).headers.location, "/demos/");
  assert.equal((await ask("/../../etc/passwd")).status, 404);
  assert.equal((await ask("/%2e%2e/%2e%2e/etc/passwd")).status, 404);
  assert.equal((await ask("/missing.js")).status, 404);
  assert.equal((await ask("/page.html", "POST")).status, 405);

  const second = createServer(siteHandler(root));
  t.after(() => second.close());
  const next = await listen(second, port);
  assert.ok(next > port, "a port that is taken is passed over");
});
