// Reads the documentation, GitHub's Markdown: its examples and its tables.
import { readFileSync } from "node:fs";
import { lexer } from "marked";

const root = new URL("../", import.meta.url);

/** @param {string} path from the root of the repository */
const tokensOf = (path) => lexer(readFileSync(new URL(path, root), "utf8")).filter(({ type }) => type !== "space");

/**
 * The code of a file in one language.
 * @param {string} path
 * @param {string} [language] all that follows the opening fence
 */
export const examplesOf = (path, language = "js") =>
  tokensOf(path)
    .filter(({ type, lang }) => type === "code" && lang === language)
    .map(({ text }) => text);

/**
 * The tables of a file. Cells are Markdown.
 * @param {string} path
 * @returns {{ caption: string, head: string[], rows: string[][] }[]} caption: the paragraph in italics before the table, or
 *   the heading above it
 */
export function tablesOf(path) {
  let caption = "";
  const tables = [];
  for (const token of /** @type {any[]} */ (tokensOf(path))) {
    const [italics] = token.type === "paragraph" ? token.tokens : [];
    if (token.type === "heading" || italics?.type === "em") caption = italics?.text ?? token.text;
    const texts = (/** @type {any[]} */ cells) => cells.map(({ text }) => text);
    if (token.type === "table") tables.push({ caption, head: texts(token.header), rows: token.rows.map(texts) });
  }
  return tables;
}

/** The cells under a heading, of all the tables of a file that have it. @param {string} path @param {string} heading */
export const columnOf = (path, heading) =>
  tablesOf(path).flatMap(({ head, rows }) =>
    head.includes(heading) ? rows.map((row) => row[head.indexOf(heading)]) : [],
  );

/** What a cell has as code. @param {string} cell */
export const codesOf = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
