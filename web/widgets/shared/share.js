// A widget's settings in the address (#v=1&w=nucleus&top-p=0.9), and the code that embeds it as it is.
import { rangeProblem } from "./knobs.js";

/** @typedef {import("./element.js").LastInchElement} LastInchElement */
/** @typedef {{ name: string, attribute: string, knob?: string, type?: unknown }} Shared */

const VERSION = "1";
const LONGEST = 2000;
const here = import.meta.url;

/** Which of the page's widgets a link means. @param {LastInchElement} element */
const nameOf = (element) => element.id || element.kind.widget;

/**
 * Takes over what the address says about this widget. What is not valid is left out.
 * @param {LastInchElement} element
 * @param {Shared[]} properties
 */
export function applyLink(element, properties) {
  const params = new URLSearchParams(location.hash.slice(1));
  if (params.get("v") !== VERSION || params.get("w") !== nameOf(element)) return;
  for (const { name, attribute, knob, type } of properties) {
    const text = params.get(attribute);
    if (text === null || text.length > LONGEST) continue;
    const value = type === Number ? (text.trim() ? Number(text) : NaN) : type === Boolean ? text === "true" : text;
    if (typeof value === "number" && (Number.isNaN(value) || (knob && rangeProblem(knob, value)))) continue;
    /** @type {any} */ (element)[name] = value;
  }
  element.updateComplete.then(() => element.scrollIntoView?.({ block: "nearest" }));
}

/**
 * @param {LastInchElement} element
 * @param {Shared[]} properties
 */
export function linkTo(element, properties) {
  const params = new URLSearchParams({ v: VERSION, w: nameOf(element) });
  for (const { name, attribute } of properties) {
    const value = /** @type {any} */ (element)[name];
    if (value !== undefined && value !== null) params.set(attribute, String(value));
  }
  return location.href.replace(/#.*/, "") + "#" + params;
}

/**
 * @param {LastInchElement} element
 * @param {Shared[]} properties
 */
export function embedCode(element, properties) {
  const { localName, kind } = element;
  const copy = document.createElement(localName);
  for (const { name, attribute, type } of properties) {
    const value = /** @type {any} */ (element)[name];
    if (type === Boolean) copy.toggleAttribute(attribute, Boolean(value));
    else if (value !== undefined && value !== null) copy.setAttribute(attribute, String(value));
  }
  for (const { name, value } of element.attributes)
    if (name === "src" || name === "theme") copy.setAttribute(name, value);
  const table = element.querySelector("table");
  if (table) copy.append(table.cloneNode(true));
  const script = new URL(`widget-${kind.widget}.js`, here);
  return `<script type="module" src="${script}"></script>\n${copy.outerHTML}`;
}
