// What `make site` writes: links that lead somewhere, and what search engines and language models are told.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { after, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { limitOf } from "../limits.js";

const address = "https://name.example/lastinch/";
const folder = mkdtempSync(join(tmpdir(), "lastinch-site-"));
after(() => rmSync(folder, { recursive: true }));
execFileSync(process.execPath, ["tools/site/site.js", "--address", address.slice(0, -1), "--to", folder]);
const read = (/** @type {string} */ path) => readFileSync(join(folder, path), "utf8");
const files = readdirSync(folder, { recursive: true }).map(String);
const pages = files.filter((path) => path.endsWith(".html") && !path.startsWith("dist/"));

test("every address in a page is relative and leads to a file of the site, or begins at the site's own address", () => {
  assert.ok(pages.length > 30);
  for (const path of pages) {
    const html = read(path).replace(/<pre>[^]*?<\/pre>|<!--[^]*?-->/g, "");
    const own = [...html.matchAll(/<(?:link|script|a|img)\b[^>]*? (?:href|src)="([^"#]+)/g)].map(
      ([, target]) => target,
    );
    assert.ok(own.length > 2, path);
    for (const target of own.filter((target) => !target.startsWith(address) && !target.startsWith("data:"))) {
      const name = posix.join(posix.dirname(path), target).replace(/(^|\/)\.?\/?$/, "$1index.html");
      assert.ok(!/^[a-z]+:|^\//.test(target) && files.includes(name), `${path}: ${target}`);
    }
  }
});

test("canonical addresses are absolute, and other sites can show a title, a description and a picture with a link", () => {
  for (const path of pages.filter((path) => !["404.html", "embed.html"].includes(path))) {
    const html = read(path);
    const own = address + path.replace(/(^|\/)index\.html$/, "$1");
    assert.ok(html.includes(`<link rel="canonical" href="${own}" />`), path);
    const preview = Object.fromEntries(
      [...html.matchAll(/property="og:(\w+)" content="([^"]*)"/g)].map(([, name, text]) => [name, text]),
    );
    const [, title] = /<title>([^<]+)<\/title>/.exec(html) ?? [];
    const [, description] = /<meta\s+name="description"\s+content="([^"]+)"/.exec(html) ?? [];
    assert.ok(title && description, path);
    assert.deepEqual(preview, { url: own, type: "website", title, description, image: `${address}og.png` }, path);
  }
  const picture = readFileSync(join(folder, "og.png"));
  // A PNG says its width and height at 16 and 20.
  assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [1200, 630]);
  assert.ok(picture.length < 100_000);
});

test("the landing page is drawn from its first bytes: no sheet and no script that waits, 14 KB at most", () => {
  const html = read("index.html");
  assert.doesNotMatch(html, /rel="stylesheet"|<script(?! type="module")/);
  assert.ok(html.includes("<style>"));
  // What a server sends at once, before it hears from the browser.
  const bytes = brotliCompressSync(html).length;
  assert.ok(bytes > 2000 && bytes <= 14_000, `${bytes} bytes`);
});

test("the manifest starts the site in its folder, with a picture that is there", () => {
  const { start_url: start, scope, icons } = JSON.parse(read("manifest.webmanifest"));
  assert.deepEqual([start, scope], ["./", "./"]);
  assert.ok(icons.length && icons.every((/** @type {{ src: string }} */ { src }) => files.includes(src)));
});

test("a first visit keeps no more than its limit, compressed as GitHub Pages does, and no model", () => {
  const [, list] = /^const files = (.*);$/m.exec(read("service-worker.js")) ?? [];
  const kept = Object.keys(JSON.parse(list ?? "{}"));
  assert.ok(kept.includes("index.html") && kept.includes("dist/widgets.js") && kept.includes("404.html"));
  assert.deepEqual(
    kept.filter((path) => /\.gguf$|offline\.html|service-worker/.test(path)),
    [],
  );
  const bytes = kept.reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path))).length, 0);
  assert.ok(bytes <= limitOf("kept"), `${(bytes / 1024).toFixed(0)} KB`);
});

test("scripts of the pages import files of the site", () => {
  for (const path of files.filter((path) => /^(?!dist\/|service-worker).*\.js$/.test(path)))
    for (const [, target] of read(path).matchAll(/^(?:import|\} from).*"(\.[^"]+\.js)"/gm))
      assert.ok(files.includes(posix.join(posix.dirname(path), target)), `${path}: ${target}`);
});

test("the sitemap lists each page once, and frames and the page for wrong addresses not at all", () => {
  const listed = [...read("sitemap.xml").matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url);
  assert.equal(new Set(listed).size, listed.length);
  const wanted = pages.filter((path) => !["404.html", "embed.html"].includes(path));
  assert.deepEqual(listed.toSorted(), wanted.map((path) => address + path.replace(/(^|\/)index\.html$/, "$1")).sort());
  assert.ok(read("robots.txt").includes(`Sitemap: ${address}sitemap.xml`));
});

test("llms.txt links to files of the site, and llms-full.txt has every page of the documentation", () => {
  const links = [...read("llms.txt").matchAll(/\]\(([^)]+)\)/g)].map(([, url]) => url);
  assert.ok(links.length > 30);
  for (const url of links) assert.ok(files.includes(url.slice(address.length)), url);
  const full = read("llms-full.txt");
  for (const path of files.filter((path) => /^docs\/.*\.md$/.test(path) && path !== "docs/index.md"))
    assert.ok(full.includes(`<!-- ${path} -->\n\n${read(path).split("\n")[0]}`), path);
  const code = /^`{3,4}[^]*?^`{3,4}$/gm;
  const targets = [...full.replace(code, "").matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(([, target]) => target);
  assert.ok(targets.length > 100);
  for (const target of targets) {
    assert.ok(target.startsWith(address), target);
    assert.ok(files.includes(target.slice(address.length)), target);
  }
});

test("every address of the documentation's own site is a file of the site", () => {
  let count = 0;
  for (const path of files.filter((path) => /^docs\/(embedding|integrations\/.*)\.md$/.test(path)))
    for (const [, target] of read(path).matchAll(/https:\/\/example\.org\/([\w./-]+)/g)) {
      assert.ok(files.includes(target), `${path}: ${target}`);
      count++;
    }
  assert.ok(count > 8);
});

test("the 404 page names its folder, since it stands for addresses of any depth, and brings its own sheet", () => {
  const html = read("404.html");
  assert.ok(html.includes('<base href="/lastinch/" />') && html.includes("<style>") && html.includes("article.html"));
  assert.doesNotMatch(html, /rel="stylesheet"/);
});

test("without an address nothing is absolute, and there is no sitemap", () => {
  execFileSync(process.execPath, ["tools/site/site.js", "--to", folder]);
  assert.ok(!readdirSync(folder).includes("sitemap.xml"));
  for (const path of pages) assert.doesNotMatch(read(path).replace(/<pre>[^]*?<\/pre>/g, ""), /rel="canonical"|<base/);
  assert.doesNotMatch(read("404.html"), /href="(?!data:)/, "a link that begins nowhere");
  assert.ok(read("404.html").includes("<style>"));
});
