// A widget's settings in the address (#v=1&w=nucleus&top-p=0.9), and the code that embeds it as it is.
import { problemOf } from "./knobs.js";

/** @typedef {import("./element.js").LastInchElement} LastInchElement */
/** @typedef {{ name: string, attribute: string, knob?: string, oneOf?: string[], someOf?: string[], type?: unknown }} Shared */

const VERSION = "1";
const LONGEST = 10_000;
/** The folder of the widgets' scripts, as far as this file knows: within a bundle there is none. */
const folder = /^https?:.*\/(?=widgets-share\.js$)/.exec(import.meta.url)?.[0] ?? "lastinch/";

/** Which of the page's widgets a link means. @param {LastInchElement} element */
const nameOf = (element) => element.id || element.kind.widget;

/**
 * Takes over what the address says about this widget.
 * @param {LastInchElement} element
 * @param {Shared[]} properties
 * @returns {string[]} names of what is not valid, and was left out
 */
export function applyLink(element, properties) {
  const params = new URLSearchParams(location.hash.slice(1));
  if (params.get("w") !== nameOf(element)) return [];
  if (params.get("v") !== VERSION) return ["v"];
  params.delete("v");
  params.delete("w");
  const left = [];
  for (const [attribute, text] of params) {
    const how = properties.find((one) => one.attribute === attribute);
    const value = how && valueOf(how, text);
    if (!how || value === undefined || text.length > LONGEST || problemOf(how, value)) left.push(attribute);
    else /** @type {any} */ (element)[how.name] = value;
  }
  element.updateComplete.then(() => element.scrollIntoView?.({ block: "nearest" }));
  return left;
}

/** @param {Shared} property @param {string} text */
function valueOf({ type }, text) {
  if (type === Boolean) return text === "true" || (text === "false" ? false : undefined);
  if (type !== Number) return text;
  return text.trim() && !Number.isNaN(Number(text)) ? Number(text) : undefined;
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
 * Code for any page; where nobody knows the address of the scripts, "lastinch/" stands for it.
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
  return `<script type="module" src="${folder}widget-${kind.widget}.js"></script>\n${copy.outerHTML}`;
}
