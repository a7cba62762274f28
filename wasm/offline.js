// Makes dist/offline.html: the lesson as one file with everything inside, that opens from a stick, without a server.
//
// What is packed is gzip in the page's own encoding, windows-1252, in which every byte is a character: base64 would make the
// file a third larger. The rest is ASCII.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { leanRegexpp } from "./lean-regexpp.js";

const OUTPUT = "dist/offline.html";
const models = ["storyteller", "draft", "shakespeare"];
// No threads: a page from a file has no shared memory.
const wasm = ["sampler", "decode", "grammar", "model", "model-relaxed"];

/** @type {import("esbuild").Plugin} */
const asOffline = {
  name: "offline",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/model-files\.js$/ }, ({ importer }) =>
      importer.endsWith("/offline-models.js")
        ? null
        : { path: fileURLToPath(new URL("offline-models.js", import.meta.url)) },
    );
    // The lesson is in English.
    onLoad({ filter: /\/chinese\/.*\.js$/ }, () => ({ contents: "export const words = {};" }));
  },
};

/**
 * One script with all that it imports.
 * @param {string} file
 * @param {import("esbuild").BuildOptions} [how]
 */
async function bundle(file, how) {
  const { outputFiles } = await build({
    entryPoints: [file],
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

/** Bytes as characters. What HTML would change, or the unpacker takes for a mark, follows a mark. @param {Uint8Array} bytes */
const toText = (bytes) =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(/[\0\r<=]/g, (character) => "=" + String.fromCharCode(character.charCodeAt(0) + 64));

/** @param {string} name @param {string | Uint8Array} content */
const pack = (name, content) =>
  `<script type="application/gzip" id="packed-${name}">${toText(gzipSync(content, { level: 9 }))}</script>\n`;

/** For a Content-Security-Policy. @param {string} text */
const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** @param {string} text @param {string | RegExp} old @param {string} replacement */
function replace(text, old, replacement) {
  const result = text.replace(old, () => replacement);
  if (result === text) throw new Error(`demos/article.html has no ${old}`);
  return result;
}

/** @param {string} path */
const read = (path) => readFileSync(path, "utf8");

const sheets = ["theme", "article"].map((name) => read(`demos/${name}.css`)).join("");
const { code: style } = await transform(sheets, { loader: "css", minify: true });
const lesson = await bundle("demos/article.js");
const start = await bundle("wasm/offline-start.js");
const widgets = await bundle("web/widgets/index.js");
const icon = `data:image/svg+xml;base64,${readFileSync("demos/icon.svg", "base64")}`;

// Stricter than the site's: nothing can be fetched from anywhere, and nothing runs but these scripts and the Worker.
const policy = [
  "default-src 'none'",
  `script-src ${[lesson, start, widgets].map(hashOf).join(" ")} 'wasm-unsafe-eval'`,
  "worker-src blob:",
  `style-src ${hashOf(style)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

let html = read("demos/article.html");
html = replace(html, `charset="utf-8"`, `charset="windows-1252"`);
html = replace(html, /(?<=Content-Security-Policy"\s+content=")[^"]+/, policy);
html = replace(html, `href="icon.svg"`, `href="${icon}"`);
html = replace(html, /<link rel="stylesheet"[^>]+>\s+<link rel="stylesheet"[^>]+>/, `<style>${style}</style>`);
html = replace(html, /<script type="module"[^]*<\/script>\s+(?=<\/head>)/, "");
html = replace(html, /<nav class="pages"[^]*?<\/nav>\s+/, "");
html = replace(html, `<a href="./">lastinch</a>`, "lastinch");
html = replace(html, "comes from this site", "is in this one file");
html = html.replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);

const packedModels = models.map((name) => pack(name, readFileSync(`dist/${name}.gguf`))).join("");
const packedCode = [
  pack("widgets", widgets),
  pack(
    "worker",
    await bundle("web/model/worker/worker.js", { format: "iife", define: { "import.meta.url": "undefined" } }),
  ),
  ...wasm.map((name) => pack(name, readFileSync(`dist/${name}.wasm`))),
].join("");
const licences = [read("LICENSE"), read("dist/LICENSES.txt")].join("\n\n").replace(/[^\0-\x7f]/g, "?");
html = replace(
  html,
  "</body>",
  `<script type="module">${lesson}</script>\n<script type="module">${start}</script>\n${packedCode}${packedModels}<!--\n${licences}-->\n</body>`,
);
writeFileSync(OUTPUT, html, "latin1");
console.log(
  `${OUTPUT}: ${html.length} bytes, of which ${packedModels.length} are models and ${packedCode.length} are code`,
);
