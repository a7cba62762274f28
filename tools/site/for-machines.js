// What language models read of the site: llms.txt, an overview with links, and llms-full.txt, the whole documentation
// in one file (https://llmstxt.org).
import { readFileSync } from "node:fs";
import { posix } from "node:path";

/**
 * The pages of the documentation with title and summary, those first that its index names.
 * @param {import("./site.js").Files} files
 */
function entriesOf(files) {
  const index = String(files.get("docs/index.md"));
  const place = (/** @type {string} */ path) => index.indexOf(`](${path.slice("docs/".length)})`) >>> 0; // -1 is last
  return [...files.keys()]
    .filter((path) => /^docs\/.*\.md$/.test(path) && path !== "docs/index.md")
    .sort((a, b) => place(a) - place(b))
    .map((path) => {
      const [, title = "", about = ""] = /^# (.+)\n\n([^]+?)\n\n/.exec(String(files.get(path))) ?? [];
      return { title, path, about: about.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1").replace(/\s+/g, " ") };
    });
}

/** @param {string} html @param {RegExp} pattern with one group */
const found = (html, pattern) => pattern.exec(html)?.[1].replace(/\s+/g, " ") ?? "";

/**
 * @param {import("./site.js").Files} files
 * @param {string[]} pages that visitors may find
 * @param {string} [address] of the site
 */
export function overview(files, pages, address = "") {
  const { name, description } = JSON.parse(readFileSync("package.json", "utf8"));
  const line = (/** @type {{ title: string, path: string, about: string }} */ { title, path, about }) =>
    `- [${title}](${address}${path})${about && `: ${about}`}`;
  const shown = pages
    .filter((path) => !path.startsWith("docs/"))
    .map((path) => {
      const html = String(files.get(path));
      const about = found(html, /name="description"\s+content="([^"]+)"/);
      return line({ title: found(html, /<title>([^<]+)/), path, about });
    });
  return `# ${name}

> ${description}.

The npm package is \`${name}\`. [All of the documentation in one file](${address}llms-full.txt)

## Documentation

${entriesOf(files).map(line).join("\n")}

## Pages

${shown.join("\n")}
`;
}

/**
 * Links of a text as they are at the top of the site, or what they say where the site has no such file.
 * @param {string} text
 * @param {string} folder of the text in the site
 * @param {import("./site.js").Files} files
 * @param {string} address
 */
function withLinks(text, folder, files, address) {
  const replace = (/** @type {string} */ part) =>
    part.replace(/\[([^\]]+)\]\(([^)#\s]*)(#[^)\s]*)?\)/g, (link, words, target, anchor = "") => {
      if (!target || /^[a-z]+:/.test(target)) return link;
      const path = posix.join(folder, target);
      return files.has(path) ? `[${words}](${address}${path}${anchor})` : words;
    });
  // Not in code, where brackets mean other things.
  return text
    .split(/(^`{3,4}[^]*?^`{3,4}$)/m)
    .map((part, i) => (i % 2 ? part : replace(part)))
    .join("");
}

/**
 * The README and the pages of the documentation, one after the other.
 * @param {import("./site.js").Files} files
 * @param {string} [address] of the site
 */
export function fullText(files, address = "") {
  const readme = withLinks(readFileSync("README.md", "utf8").replaceAll("](demos/", "]("), "", files, address);
  const pages = entriesOf(files).map(({ path }) => {
    const text = withLinks(String(files.get(path)), posix.dirname(path), files, address);
    return `<!-- ${path} -->\n\n${text}`;
  });
  return [readme, ...pages].join("\n");
}
