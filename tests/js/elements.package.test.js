// dist/custom-elements.json, from which the gallery and editors read the elements and the sizes of their pages.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pageSize } from "../../tools/package/elements.js";
import { limitOf, limitOfWidget } from "../limits.js";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const manifest = JSON.parse(read("dist/custom-elements.json"));
const elements = manifest.modules.flatMap(({ declarations }) => declarations).filter(({ tagName }) => tagName);
const names = [...read("web/widgets/index.js").matchAll(/"\.\/([a-z-]+)\.js"/g)].map(([, name]) => name);

test("every widget is described, and so is each of its attributes and properties", () => {
  assert.ok(names.length >= 12);
  assert.deepEqual(elements.map(({ tagName }) => tagName).sort(), names.map((name) => `lastinch-${name}`).sort());
  const silent = elements.flatMap(({ tagName, description, attributes, members }) => [
    ...(description ? [] : [tagName]),
    ...[...attributes, ...members].filter((field) => !field.description).map(({ name }) => `${tagName} ${name}`),
  ]);
  assert.deepEqual(silent, []);
});

test("an attribute for an option has a range, and a default within it", () => {
  const nucleus = elements.find(({ tagName }) => tagName === "lastinch-nucleus");
  const temperature = nucleus.attributes.find(({ name }) => name === "temperature");
  assert.deepEqual([temperature.default, temperature.range], ["1", { min: 0, max: 5 }]);
  // The attribute has no comment of its own, so the help of the sampler's option describes it.
  assert.match(temperature.description, /^Divides the logits/);
  for (const { tagName, attributes } of elements)
    for (const { name, range, default: value } of attributes)
      if (range && value !== undefined)
        assert.ok(JSON.parse(value) >= range.min && JSON.parse(value) <= range.max, `${tagName} ${name}: ${value}`);
});

// tests/browser/weight.chromium.test.js checks in a browser that pages load no more than is counted here.
test("a page with one widget, and a page with all of them, load no more than their limits", () => {
  const weights = names.map((name) => [name, pageSize(`widget-${name}.js`)]);
  assert.deepEqual(
    weights.filter(([name, size]) => size <= 15_000 || size > limitOfWidget(name)),
    [],
  );
  const all = pageSize("widgets.js");
  assert.ok(all > 30_000 && all <= limitOf("widgets"), `${all} bytes`);
});

test("the gallery lists every widget in the order of the lessons, with a title, a picture and other names", () => {
  const list = read("demos/gallery.html").match(/<ul id="list">([\s\S]*?)<\/ul>/)[1];
  const rows = [...list.matchAll(/<li data-name="([a-z-]+)">.*<b>[^<]+<\/b><small>[^<]+<\/small><span[^>]*>\S/g)];
  const listed = rows.map(([, name]) => name);
  assert.deepEqual(listed.toSorted(), names.toSorted());
  const lesson = read("demos/article.html") + read("demos/tokens.html");
  const places = listed.map((name) => lesson.search(new RegExp(`<lastinch-${name}\\s*>`)));
  assert.ok(!places.includes(-1));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  const pictures = [...read("demos/thumbnails.svg").matchAll(/<symbol id="([a-z-]+)"/g)].map(([, name]) => name);
  assert.deepEqual(pictures.sort(), names.toSorted());
});
