// Draws a tree from left to right; the widget also has it as a nested list.
import { svg } from "lit";
import { box, link, picture, words } from "./draw.js";

/**
 * text: inside the box; note: below the text, smaller. kind: of the box; a thick line leads to a kept box.
 * @typedef {{ text: string, note?: string, kind?: string, children: Branch[] }} Branch
 */

/** @typedef {{ branch: Branch, lines: string[], width: number, own: number, children: Measured[], height: number }} Measured */

const [LINE, GAP, BETWEEN, LETTER, LONGEST] = [17, 8, 20, 7.4, 26];

/**
 * @param {object} tree
 * @param {string} tree.label what it shows, in words
 * @param {Branch} tree.root
 */
export function drawTree({ label, root }) {
  /** Widest box of each column. @type {number[]} */
  const widths = [];
  /** @param {Branch} branch @param {number} depth @returns {Measured} */
  const measure = (branch, depth) => {
    const lines = wrap(branch.text);
    const all = branch.note ? [...lines, branch.note] : lines;
    const width = Math.max(...all.map((line) => line.length)) * LETTER + 14;
    widths[depth] = Math.max(widths[depth] ?? 0, width);
    const children = branch.children.map((child) => measure(child, depth + 1));
    const own = all.length * LINE + 8;
    const below = children.reduce((sum, child) => sum + child.height, 0) + GAP * Math.max(0, children.length - 1);
    return { branch, lines, width, own, children, height: Math.max(own, below) };
  };
  const measured = measure(root, 0);
  const starts = widths.map((_, i) => widths.slice(0, i).reduce((sum, width) => sum + width + BETWEEN, 1));
  /** @type {unknown[]} */
  const links = [];
  /** @type {unknown[]} */
  const boxes = [];
  /** @param {Measured} node @param {number} depth @param {number} top @returns {number} the middle of the node */
  const place = ({ branch, lines, width, own, children, height }, depth, top) => {
    const x = starts[depth];
    let at = top + (height - children.reduce((sum, child) => sum + child.height + GAP, -GAP)) / 2;
    const middles = children.map((child) => {
      const middle = place(child, depth + 1, at);
      at += child.height + GAP;
      return middle;
    });
    const middle = middles.length ? (middles[0] + middles[middles.length - 1]) / 2 : top + height / 2;
    children.forEach((child, i) =>
      links.push(link(x + width, middle, starts[depth + 1], middles[i], child.branch.kind ?? "")),
    );
    const { kind = "", note } = branch;
    const on = kind === "kept" ? "on" : "";
    const first = middle - own / 2 + 4 + LINE / 2;
    boxes.push(svg`<g class="grow">
      ${box(x, middle - own / 2, width, own, kind)}
      ${lines.map((line, i) => words(x + 7, first + i * LINE, line, on))}
      ${note ? words(x + 7, first + lines.length * LINE, note, on || "soft") : ""}
    </g>`);
    return middle;
  };
  place(measured, 0, 1);
  const last = widths.length - 1;
  return picture({
    label,
    width: Math.ceil(starts[last] + widths[last] + 2),
    height: Math.ceil(measured.height + 2),
    content: [...links, ...boxes],
  });
}

/** Lines of a text, none much longer than LONGEST. @param {string} text */
function wrap(text) {
  const lines = [""];
  for (const word of text.split(/(?<= )/))
    if (lines[lines.length - 1].length + word.length > LONGEST && lines[lines.length - 1]) lines.push(word);
    else lines[lines.length - 1] += word;
  return lines;
}
