// Makes build/site/: all pages as a static site, which runs from any folder of any host.
// `node tools/site/site.js [--address https://name.example/folder/] [--to build/site]`
//
// What lies in demos/ lies at the top, with dist/ and what the pages import from web/ and src/ in folders of these
// names. All addresses are relative. Only what must be absolute needs --address (or the homepage of package.json): the
// sitemap, canonical addresses and pictures for other sites, and links of the page for wrong addresses.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join, posix } from "node:path";
import { parseArgs } from "node:util";
import { transform } from "esbuild";
import { fullText, overview } from "./for-machines.js";

/** A file of the site: its bytes, or its text. @typedef {Map<string, Buffer | string>} Files */

/** Folders beside demos/ in the checkout, and inside it in the site. */
const beside = ["dist", "web", "src"];
const isText = (/** @type {string} */ path) => /\.(html|js|css|md|svg|json)$/.test(path);

/** What is in demos/ but no part of the site: its server, the makers of recordings and models, apps to copy. */
const isLeftOut = (/** @type {string} */ path) =>
  /^(model\/|templates\/(?!turbowarp\/))|^serve\.js$|^playground\/record-opening\.js$/.test(path);

/** Copies of modules for bundlers, types, and the lists of npm are of no use on a site. */
const isForBundlers = (/** @type {string} */ path) => /^(types\/|inline|elements\.js)|\.map$/.test(path);

/** The files below a folder, with / between their parts. @param {string} folder */
const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** Takes one ../ from addresses that leave demos/. @param {string} text */
function movedUp(text) {
  const leaves = new RegExp(`(?<=["'\`(])((?:\\.\\./)+)(?=(?:${beside.join("|")})/)`, "g");
  return text.replace(leaves, (_, up) => up.slice(3) || "./");
}

/**
 * Adds the scripts that the pages import from web/ to the files, and what these import.
 * @param {Files} files
 */
function addImported(files) {
  for (const [path, text] of files)
    if (/^(?!dist\/).*\.(js|html)$/.test(path))
      for (const [, target] of String(text).matchAll(/^(?:import|\} from|.* rel="modulepreload").*"(\.[^"]+\.js)"/gm)) {
        const found = posix.join(posix.dirname(path), target);
        if (found.startsWith("web/") && !files.has(found)) files.set(found, readFileSync(found, "utf8"));
      }
}

/** The files as they are in the checkout, at their places in the site. @returns {Files} */
function copied() {
  /** @type {Files} */
  const files = new Map();
  const add = (/** @type {string} */ from, /** @type {string} */ path) =>
    files.set(path, isText(path) ? readFileSync(from, "utf8") : readFileSync(from));
  for (const path of filesBelow("demos").filter((path) => !isLeftOut(path))) {
    add(`demos/${path}`, path);
    if (/\.(html|js)$/.test(path)) files.set(path, movedUp(String(files.get(path))));
  }
  for (const path of filesBelow("dist").filter((path) => !isForBundlers(path))) add(`dist/${path}`, `dist/${path}`);
  for (const name of ["options", "stages"]) add(`src/tables/${name}.json`, `src/tables/${name}.json`);
  addImported(files);
  return files;
}

/** @param {string | Buffer} content @returns {string} as in a Content-Security-Policy or an integrity attribute */
export const digest = (content) => createHash("sha256").update(content).digest("base64");

/**
 * Puts the sheets of a page into the page, so that it is drawn as soon as it is there.
 * @param {string} html
 * @param {Files} files
 */
async function withSheets(html, files) {
  const links = /<link rel="stylesheet" href="([^"]+)" \/>\s+/g;
  const sheets = [...html.matchAll(links)].map(([, path]) => files.get(path)).join("\n");
  const { code } = await transform(sheets, { loader: "css", minify: true });
  const policy = `style-src 'self' 'sha256-${digest(code)}'; `;
  return html
    .replaceAll(links, "")
    .replace("base-uri '", () => `${policy}base-uri '`)
    .replace("</head>", () => `  <style>${code}</style>\n  </head>`);
}

/** Whether search engines and visitors' bookmarks are to have the page. @param {string} html */
const isListed = (html) => !html.includes('name="robots" content="noindex"');

/**
 * What a page needs on a site: the manifest and the service worker; where the address is known, also what search engines
 * and other sites read.
 * @param {string} html
 * @param {string} path
 * @param {string} [address] of the site
 */
function atHome(html, path, address) {
  if (!isListed(html)) return html; // frames are shown in pages of others, which keep nothing
  const up = "../".repeat(path.split("/").length - 1);
  const lines = [
    `<link rel="manifest" href="${up}manifest.webmanifest" />`,
    `<script type="module" src="${up}visit.js"></script>`,
  ];
  if (address) {
    const own = new URL(path.replace(/(^|\/)index\.html$/, "$1"), address).href;
    const find = (/** @type {RegExp} */ pattern) => pattern.exec(html)?.[1] ?? "";
    // What other sites show with a link.
    const preview = {
      url: own,
      type: "website",
      title: find(/<title>([^<]+)/),
      description: find(/name="description"\s+content="([^"]+)/),
      image: new URL("og.png", address).href,
    };
    lines.push(`<link rel="canonical" href="${own}" />`, '<meta name="twitter:card" content="summary_large_image" />');
    for (const [name, text] of Object.entries(preview)) lines.push(`<meta property="og:${name}" content="${text}" />`);
  }
  return html.replace("</head>", () => `  ${lines.join("\n    ")}\n  </head>`);
}

/**
 * It stands for addresses of any depth, so its links need a place that is fixed: where none is known, they go.
 * @param {string} html
 * @param {string} [address]
 */
function pageForWrongAddresses(html, address) {
  if (!address) return html.replace(/<!-- links -->[^]*<!-- end of links -->/, "");
  return html.replace("<!-- base -->", `<base href="${new URL(address).pathname}" />`);
}

/** What is kept on the first visit: all but models, which lastinch keeps itself, and what only machines read. */
const isKept = (/** @type {string} */ path) =>
  /\.(html|js|css|svg|json|wasm|webmanifest)$/.test(path) && !/^(dist\/offline\.html|service-worker)/.test(path);

/** @param {Files} files */
function serviceWorker(files) {
  const list = [...files.keys()].filter(isKept).sort();
  const hashes = Object.fromEntries(list.map((path) => [path, digest(files.get(path) ?? "")]));
  const source = readFileSync(join(import.meta.dirname, "service-worker.js"), "utf8");
  return source.replace("const files = {};", () => `const files = ${JSON.stringify(hashes)};`);
}

const manifest = {
  name: "lastinch: the last inch of a language model",
  short_name: "lastinch",
  start_url: "./",
  scope: "./",
  display: "minimal-ui",
  icons: [{ src: "icon.svg", sizes: "any", type: "image/svg+xml" }],
};

/**
 * All files of the site.
 * @param {string} [address] where the site will be, with a slash at its end
 * @param {Files} [others] in the place of those in the checkout
 * @returns {Promise<Files>}
 */
export async function siteFiles(address, others) {
  const files = new Map([...copied(), ...(others ?? [])]);
  const own = (/** @type {string} */ name) => readFileSync(join(import.meta.dirname, name), "utf8");
  files.set("visit.js", own("visit.js"));
  files.set("manifest.webmanifest", JSON.stringify(manifest, null, 2));
  for (const path of ["index.html", "article.html"]) files.set(path, await withSheets(String(files.get(path)), files));
  const pages = [...files].filter(([path]) => path.endsWith(".html") && !path.startsWith("dist/"));
  for (const [path, html] of pages) files.set(path, atHome(String(html), path, address));
  files.set("404.html", pageForWrongAddresses(await withSheets(own("404.html"), files), address));

  const listed = pages.filter(([, html]) => isListed(String(html))).map(([path]) => path);
  files.set("llms.txt", overview(files, listed, address));
  files.set("llms-full.txt", fullText(files, address));
  files.set("robots.txt", `User-agent: *\nAllow: /\n${address ? `Sitemap: ${address}sitemap.xml\n` : ""}`);
  if (address) {
    const urls = listed.map(
      (path) => `  <url><loc>${new URL(path.replace(/(^|\/)index\.html$/, "$1"), address)}</loc></url>`,
    );
    files.set(
      "sitemap.xml",
      `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join("\n")}
</urlset>
`,
    );
  }
  files.set(".nojekyll", ""); // GitHub Pages would make pages of its own from the Markdown
  files.set("service-worker.js", serviceWorker(files));
  return files;
}

/** @param {Files} files @param {string} folder */
export function writeSite(files, folder) {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { address: { type: "string" }, to: { type: "string", default: "build/site" } },
  });
  const { homepage } = JSON.parse(readFileSync("package.json", "utf8"));
  const given = values.address || homepage;
  const address = given && new URL(given.endsWith("/") ? given : `${given}/`).href;
  const files = await siteFiles(address);
  writeSite(files, values.to);
  const pages = [...files.keys()].filter((path) => extname(path) === ".html").length;
  const bytes = [...files.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  console.log(`${values.to}/: ${pages} pages, ${files.size} files, ${(bytes / 1e6).toFixed(1)} MB`);
  if (!address)
    console.log("No sitemap.xml, and a 404.html without links: make site address=https://name.github.io/lastinch/");
}
