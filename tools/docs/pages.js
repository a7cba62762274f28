// Makes the pages of the documentation, demos/docs/*.html, from its Markdown, demos/docs/*.md: `node tools/docs/pages.js`.
//
// The first heading of a page is its title, the paragraph after it the summary. The text reads well on GitHub too.
// Pages add three rules: a paragraph in italics before a table is its caption, the first cell of a row is its heading,
// and a link to a .md page leads to its .html.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import http from "highlight.js/lib/languages/http";
import javascript from "highlight.js/lib/languages/javascript";
import xml from "highlight.js/lib/languages/xml";
import { Marked } from "marked";

const FOLDER = "demos/docs/";

// tests/js/demos.test.js checks that every page of demos/ begins with the same lines, up to its colour schemes.
const gallery = readFileSync("demos/gallery.html", "utf8");
const HEAD = gallery.slice(0, gallery.indexOf("    <meta", gallery.indexOf('name="color-scheme"')));

/** The navigation: file and name of each page, in order. */
const pages = [
  ["index", "Documentation"],
  ["start", "Quick start"],
  ["transformers", "transformers.js"],
  ["json", "JSON"],
  ["structured-output", "Structured output"],
  ["gguf", "GGUF models"],
  ["gguf-files", "Files"],
  ["loading", "Loading"],
  ["memory", "Memory"],
  ["prompts", "Prompts"],
  ["chat", "Chat"],
  ["templates", "Templates"],
  ["decoding", "Decoding"],
  ["watermarks", "Watermarks"],
  ["same-bits", "Same bits"],
  ["training", "Training"],
  ["gpu", "Logits on the GPU"],
  ["inside", "Inside"],
  ["providers", "AI SDK"],
  ["widgets", "Widgets"],
  ["embedding", "Embedding"],
  ["teaching", "Teaching"],
  ["settings", "Settings"],
  ["options", "Options"],
  ["rules", "Rules"],
  ["migration", "Migration"],
  ["api", "API"],
  ["setup", "Setup"],
  ["places", "Places"],
  ["browsers", "Browsers"],
  ["limits", "What does not work"],
  ["comparison", "Comparison"],
  ["measurements", "Measurements"],
];

for (const [name, language] of Object.entries({ js: javascript, html: xml, css, sh: bash, http }))
  hljs.registerLanguage(name, language);

/** @param {string} text */
const escape = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** The id that GitHub gives a heading. @param {string} text */
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      // <a id="…"></a> at the beginning of a heading fixes its id.
      const id = /^<a id="([^"]+)"><\/a>/.exec(text)?.[1] ?? slug(text);
      const html = this.parser.parseInline(tokens).replace(/^<a id="[^"]+"><\/a>/, "");
      return `<h${depth} id="${id}">${html}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const target = href.replace(/^([a-z-]+)\.md(?=#|$)/, "$1.html");
      return `<a href="${escape(target)}">${this.parser.parseInline(tokens)}</a>`;
    },
    // With the size of the picture, so that the text below does not move when it comes.
    image({ href, text }) {
      const [, size = ""] = /^<svg[^>]*( width="\d+" height="\d+")/.exec(readFileSync(FOLDER + href, "utf8")) ?? [];
      return `<img src="${escape(href)}" alt="${escape(text)}"${size} />`;
    },
    code({ text, lang = "" }) {
      const [language] = lang.split(" ");
      const html = hljs.getLanguage(language) ? hljs.highlight(text, { language }).value : escape(text);
      return `<pre><code class="${escape(lang)}">${html}</code></pre>\n`;
    },
    table({ header, rows, caption, label }) {
      const cell = (/** @type {any} */ { tokens }) => this.parser.parseInline(tokens);
      const heads = header.map((/** @type {any} */ one) => `<th scope="col">${cell(one)}</th>`).join("");
      const lines = rows.map(
        ([first, ...others]) =>
          `<tr><th scope="row">${cell(first)}</th>${others.map((one) => `<td>${cell(one)}</td>`).join("")}</tr>`,
      );
      const shown = caption ? `<caption>${this.parser.parseInline(caption)}</caption>\n` : "";
      return `<div class="wide" tabindex="0" role="region" aria-label="${escape(label)}">
<table>
${shown}<thead>
<tr>${heads}</tr>
</thead>
<tbody>
${lines.join("\n")}
</tbody>
</table>
</div>
`;
    },
  },
});

/** The text of tokens, without markup. @param {any[]} tokens @returns {string} */
const plain = (tokens) => tokens.map((token) => (token.tokens ? plain(token.tokens) : (token.text ?? ""))).join("");

/** Gives each table its caption, if it has one, and a label: the caption or the heading above. @param {any[]} tokens */
function labelTables(tokens) {
  const captions = new Set();
  let heading = "";
  for (const [i, block] of tokens.entries()) {
    if (block.type === "heading") heading = plain(block.tokens);
    if (block.type !== "table") continue;
    const before = tokens[i - 1];
    const [only, ...others] = before?.type === "paragraph" ? before.tokens : [];
    if (only?.type === "em" && !others.length) {
      captions.add(before);
      block.caption = only.tokens;
    }
    block.label = block.caption ? plain(block.caption) : heading;
  }
  return tokens.filter((token) => !captions.has(token));
}

/** @param {string} name @param {string} source Markdown */
function pageOf(name, source) {
  const [title, lead, ...rest] = /** @type {any[]} */ (marked.lexer(source).filter(({ type }) => type !== "space"));
  if (title.type !== "heading" || lead?.type !== "paragraph")
    throw new Error(`${FOLDER}${name}.md begins with neither a title nor a summary`);
  const heading = plain(title.tokens);
  const main = marked.parser(labelTables(rest));
  const written = rest.filter(({ type }) => type === "html").map(({ raw }) => raw);
  const widgets = [...written.join("").matchAll(/<lastinch-([a-z-]+)/g)].map(([, widget]) => widget);
  const scripts = widgets.map((widget) => `\n    <script type="module" src="../../dist/widget-${widget}.js"></script>`);
  const links = pages.map(
    ([file, label]) =>
      `\n        <a href="${file}.html"${file === name ? ' aria-current="page"' : ""}>${escape(label)}</a>`,
  );
  const about = escape(plain(lead.tokens).replace(/\s+/g, " "));
  return `${HEAD}    <meta name="description" content="${about}" />
    <title>lastinch: ${escape(heading)}</title>
    <link rel="icon" href="../icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="../theme.css" />
    <link rel="stylesheet" href="docs.css" />${[...new Set(scripts)].join("")}
  </head>
  <body class="page-${name}">
    <a class="skip" href="#text">Skip to the text</a>
    <header>
      <nav class="pages" aria-label="Pages">${links.join("")}
        <a href="../index.html">lastinch</a>
      </nav>
      <div class="masthead">
        <h1>${escape(heading)}</h1>
        <p class="lead">${marked.parseInline(lead.text)}</p>
      </div>
    </header>
    <main id="text" tabindex="-1">
${main}
    </main>
    <footer>
      <p>Every example on these pages is run by the tests. All the code is under the MIT licence.</p>
    </footer>
  </body>
</html>
`;
}

const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".md"))
  .map((file) => file.slice(0, -3));
const unlisted = names.filter((name) => !pages.some(([file]) => file === name));
if (unlisted.length)
  throw new Error(`${FOLDER}${unlisted[0]}.md is not among the pages that tools/docs/pages.js lists`);
for (const [name] of pages)
  writeFileSync(`${FOLDER}${name}.html`, pageOf(name, readFileSync(`${FOLDER}${name}.md`, "utf8")));
