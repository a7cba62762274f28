// Makes dist/offline.html: the lesson as one file, which opens without a server.
//
// The packed part is gzip in the page's own encoding, windows-1252, in which every byte is a character; base64 would make
// the file a third larger. The rest is ASCII.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { leanRegexpp } from "../package/lean-regexpp.js";

const OUTPUT = "dist/offline.html";
const models = ["storyteller", "draft", "shakespeare"];
// No threads, because a page from a file has no shared memory.
const wasm = ["sampler", "decode", "grammar", "model", "model-relaxed"];

/** The sources of what the lesson imports from dist/. @type {Record<string, string>} */
const sourceOf = {
  index: "index",
  storyteller: "models/storyteller",
  "widgets-acquire-model": "widgets/shared/acquire-model",
};

/** @type {import("esbuild").Plugin} */
const asOffline = {
  name: "offline",
  setup({ onResolve, onLoad }) {
    // Entries run for their side effects, which package.json does not declare for all of them.
    onResolve({ filter: /^\.\/.+\/.+\.js$/ }, ({ path, importer }) =>
      importer === "<stdin>"
        ? { path: fileURLToPath(new URL(`../../${path}`, import.meta.url)), sideEffects: true }
        : undefined,
    );
    // The lesson's script imports built files; here it is bundled with the widgets, from the same modules.
    onResolve({ filter: /\/dist\/(index|widgets-acquire-model|storyteller)\.js$/ }, ({ path }) => ({
      path: fileURLToPath(new URL(`../../web/${sourceOf[basename(path, ".js")]}.js`, import.meta.url)),
    }));
    // The models are in the page.
    onLoad({ filter: /\/web\/models\/.*\.js$/ }, ({ path }) => ({
      contents: `export default await unpack(${JSON.stringify(basename(path, ".js"))});`,
    }));
    // The lesson is in English.
    onLoad({ filter: /\/chinese\/.*\.js$/ }, () => ({ contents: "export const words = {};" }));
  },
};

/**
 * Bundles files, with all their imports, into one script.
 * @param {string[]} files
 * @param {import("esbuild").BuildOptions} [how]
 */
async function bundle(files, how) {
  const { outputFiles } = await build({
    stdin: { contents: files.map((file) => `export * from "./${file}";`).join("\n"), resolveDir: "." },
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none", // all licences are at the end of the page
    plugins: [asOffline, leanRegexpp],
    write: false,
    logLevel: "warning",
    ...how,
  });
  return outputFiles[0].text;
}

/**
 * Writes bytes as characters. Puts an escape before bytes that HTML would change, and before the escape itself.
 * @param {Uint8Array} bytes
 */
const toText = (bytes) =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(/[\0\r<=]/g, (character) => "=" + String.fromCharCode(character.charCodeAt(0) + 64));

/** @param {string} name @param {string | Uint8Array} content */
const pack = (name, content) =>
  `<script type="application/gzip" id="packed-${name}">${toText(gzipSync(content, { level: 9 }))}</script>\n`;

/** A hash for a Content-Security-Policy. @param {string} text */
const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** @param {string} text @param {string | RegExp} old @param {string} replacement */
function replace(text, old, replacement) {
  const result = text.replace(old, () => replacement);
  if (result === text) throw new Error(`demos/article.html has no ${old}`);
  return result;
}

/** @param {string} path */
const read = (path) => readFileSync(path, "utf8");

/** Puts the parts of the second lesson behind those of the first. @param {string} lesson @param {string} second */
function withSecondLesson(lesson, second) {
  const [, title] = /<h1>(.+)<\/h1>/.exec(second) ?? [];
  const [, list] = /<nav class="contents"[^]*?(<ol>[^]*?<\/ol>)/.exec(second) ?? [];
  const [, parts] = /<main[^>]*>([^]*)<\/main>/.exec(second) ?? [];
  if (!title || !list || !parts) throw new Error("demos/tokens.html has no title, contents or parts");
  const own = parts
    .replace(/<a href="article\.html">([^<]+)<\/a>/g, "$1")
    .replace(/<p>\s*The other lesson[^]*?<\/p>/, "");
  const links = lesson.replace(/href="tokens\.html"/g, 'href="#bytes"').replaceAll('href="tokens.html#', 'href="#');
  const contents = replace(links, '<p class="progress">', `<h2>${title}</h2>${list}<p class="progress">`);
  return replace(contents, "</main>", `${own}</main>`);
}

const sheets = ["theme", "surprise", "article"].map((name) => read(`demos/${name}.css`)).join("");
const { code: style } = await transform(sheets, { loader: "css", minify: true });
const start = await bundle(["tools/demos/offline-start.js"]);
const page = await bundle(["web/widgets/index.js", "demos/article.js", "demos/pieces.js"]);
const icon = `data:image/svg+xml;base64,${readFileSync("demos/icon.svg", "base64")}`;

// Stricter than the site's policy: the page can fetch nothing, and run only these scripts and the Worker.
const policy = [
  "default-src 'none'",
  `script-src ${[start, page].map(hashOf).join(" ")} 'wasm-unsafe-eval'`,
  "worker-src blob:",
  `style-src ${hashOf(style)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

let html = withSecondLesson(read("demos/article.html"), read("demos/tokens.html"));
html = replace(html, `charset="utf-8"`, `charset="windows-1252"`);
html = replace(html, /(?<=Content-Security-Policy"\s+content=")[^"]+/, policy);
html = replace(html, `href="icon.svg"`, `href="${icon}"`);
html = replace(html, /(<link rel="stylesheet"[^>]+>\s+)+/, `<style>${style}</style>`);
html = replace(html, /<script type="module"[^]*<\/script>\s+(?=<\/head>)/, "");
html = replace(html, /<nav class="pages"[^]*?<\/nav>\s+/, "");
html = replace(html, `<a href="./">lastinch</a>`, "lastinch");
// Removes links to other pages, and addresses to share.
html = replace(html, /<button[^>]+id="ending-link"[^]*?<\/button>\s*/, "");
html = replace(html, /<a[^>]+id="ending-play"[^]*?<\/a>/, "");
html = replace(html, /<p>\s*<a href="detector\.html"[^]*?<\/p>\s*/, "");
html = replace(html, "comes from this site", "is in this one file");
html = html.replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);

const packedModels = models.map((name) => pack(name, readFileSync(`dist/${name}.gguf`))).join("");
const packedCode = [
  pack("page", page),
  pack(
    "worker",
    await bundle(["web/model/worker/worker.js"], { format: "iife", define: { "import.meta.url": "undefined" } }),
  ),
  ...wasm.map((name) => pack(name, readFileSync(`dist/${name}.wasm`))),
].join("");
const licences = [read("LICENSE"), read("dist/LICENSES.txt")].join("\n\n").replace(/[^\0-\x7f]/g, "?");
html = replace(
  html,
  "</body>",
  `<script type="module">${start}</script>\n${packedCode}${packedModels}<!--\n${licences}-->\n</body>`,
);
writeFileSync(OUTPUT, html, "latin1");
console.log(
  `${OUTPUT}: ${html.length} bytes, of which ${packedModels.length} are models and ${packedCode.length} are code`,
);
