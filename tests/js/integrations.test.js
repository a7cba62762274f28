// The pages to send to other projects: their code is that of the documentation, whose tests run it; their links lead
// somewhere.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const folder = new URL("../../demos/docs/integrations/", import.meta.url);
const names = readdirSync(folder);
const read = (/** @type {string} */ path) => readFileSync(new URL(path, folder), "utf8");
const documented = readdirSync(new URL("../", folder))
  .filter((name) => name.endsWith(".md"))
  .map((name) => read(`../${name}`))
  .join("\n");

/** What stands between fences. @param {string} text */
const codeOf = (text) => [...text.matchAll(/^(`{3,4})[^`\n]*\n([^]*?)^\1$/gm)].map(([, , code]) => code);

test("each piece of code stands in the documentation", () => {
  let count = 0;
  for (const name of names)
    for (const code of codeOf(read(name))) {
      assert.ok(documented.includes(code), `${name}: ${code}`);
      count++;
    }
  assert.ok(count > 6);
});

test("the list has every page, and every link leads to a file", () => {
  const list = read("README.md");
  for (const name of names.filter((name) => name !== "README.md")) assert.ok(list.includes(`](${name})`), name);
  for (const name of names)
    for (const [, target] of read(name).matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      const file = new URL(target.replace(/\.html$/, ".md"), folder);
      assert.ok(existsSync(file) || existsSync(new URL(target, folder)), `${name}: ${target}`);
    }
});
