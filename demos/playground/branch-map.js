// The texts of a column as a drawn tree: each is a line along an axis of tokens, and leaves the line of another text.
import { make } from "../dom.js";
import { sharedLength } from "./texts.js";

/** @typedef {import("./texts.js").Texts} Texts */
/** @typedef {import("./texts.js").Text} Text */

const ROW = 44;
const WIDTH = 120;
/** On a phone. */
const NARROW = 56;
const MARGIN = 6;
const svgNamespace = "http://www.w3.org/2000/svg";

export class BranchMap {
  #element;
  #onPick;

  /**
   * @param {HTMLElement} element
   * @param {(text: Text) => void} onPick a text was chosen
   */
  constructor(element, onPick) {
    this.#element = element;
    this.#onPick = onPick;
  }

  /** @param {Texts} texts */
  show(texts) {
    const { rows, current } = texts;
    const hadFocus = this.#element.contains(document.activeElement);
    const items = rows.map(({ text, depth }) => {
      const isCurrent = text === current;
      const label = describe(text);
      const button = make(
        "button",
        { type: "button", "aria-current": isCurrent ? "true" : null, onclick: () => this.#onPick(text) },
        make("span", { class: "unseen", text: depth ? `Level ${depth + 1}. ` : "" }),
        make("span", { class: "words", text: label }),
        make("small", { text: `${text.steps.length} tokens` }),
      );
      return make("li", {}, button);
    });
    const width = this.#element.clientWidth < 420 ? NARROW : WIDTH;
    this.#element.replaceChildren(drawLines(rows, current, width), make("ol", {}, ...items));
    if (hadFocus) this.#element.querySelector("[aria-current]")?.closest("button")?.focus({ preventScroll: true });
  }
}

/** The words at which a text becomes its own. @param {Text} text */
function describe({ parent, kept, steps, setup, isRecorded }) {
  const words = (/** @type {number} */ from) =>
    steps
      .slice(from, from + 12)
      .map(({ text, isEnd }) => (isEnd ? "(end)" : text))
      .join("")
      .trim();
  if (parent) return `… ${words(Math.max(0, kept - 1))}`;
  return `${isRecorded ? "Recorded: " : ""}${setup.prompt.slice(0, 24)} … ${words(0)}`;
}

/**
 * @param {{ text: Text, depth: number }[]} rows
 * @param {Text | null} current
 * @param {number} width
 */
function drawLines(rows, current, width) {
  const longest = Math.max(1, ...rows.map(({ text }) => text.steps.length));
  const height = rows.length * ROW;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  const xOf = (/** @type {number} */ step) => MARGIN + (step / longest) * (width - 2 * MARGIN);
  const yOf = (/** @type {number} */ row) => (row + 0.5) * ROW;
  const rowOf = new Map(rows.map(({ text }, row) => [text, row]));
  const order = [...rows.keys()].sort((a, b) => Number(rows[a].text === current) - Number(rows[b].text === current));
  for (const row of order) {
    const { text } = rows[row];
    const y = yOf(row);
    const from = text.parent ? sharedLength(text.steps, text.parent.steps) : 0;
    const above = text.parent ? rowOf.get(text.parent) : undefined;
    const x = xOf(from);
    const start = above === undefined ? `M${x} ${y}` : `M${x} ${yOf(above)}V${y - 6}Q${x} ${y} ${x + 6} ${y}`;
    const end = Math.max(xOf(text.steps.length), above === undefined ? x : x + 6);
    const mark = text === current ? { class: "current" } : {};
    svg.append(draw("path", { d: `${start}H${end}`, ...mark }), draw("circle", { cx: end, cy: y, r: 3.5, ...mark }));
  }
  return svg;
}

/** @param {string} name @param {Record<string, string | number>} attributes */
function draw(name, attributes) {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
