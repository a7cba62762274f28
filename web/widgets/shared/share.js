// Writes a widget's settings into the address (#v=1&w=nucleus&top-p=0.9), and the code that embeds the widget with
// them.
import { fits } from "./knobs.js";

/** @typedef {import("./element.js").LastInchElement} LastInchElement */
/** @typedef {import("./knobs.js").Limits & { name: string, attribute: string, type?: unknown }} Shared */

const VERSION = "1";
const LONGEST = 10_000;
/** The folder of the widgets' scripts. Inside a bundle it is unknown. */
const folder = /^https?:.*\/(?=widgets-seldom\.js$)/.exec(import.meta.url)?.[0] ?? "lastinch/";

/** What a link carries. @param {LastInchElement} element @returns {Shared[]} */
export const propertiesOf = (element) =>
  [.../** @type {any} */ (element.kind).elementProperties]
    .filter(([, how]) => how.share)
    .map(([name, how]) => ({ name, ...how }));

/** Tells the page's widgets apart in a link. @param {LastInchElement} element */
const nameOf = (element) => element.id || element.kind.widget;

/**
 * Applies what the address says about this widget.
 * @param {LastInchElement} element
 * @returns {string[]} names of invalid settings, which were left out
 */
export function applyLink(element) {
  const params = new URLSearchParams(location.hash.slice(1));
  if (params.get("w") !== nameOf(element)) return [];
  if (params.get("v") !== VERSION) return ["v"];
  params.delete("v");
  params.delete("w");
  const left = [];
  for (const [attribute, text] of params) {
    const how = propertiesOf(element).find((one) => one.attribute === attribute);
    const value = how && valueOf(how, text);
    if (!how || value === undefined || text.length > LONGEST || !fits(how, value)) left.push(attribute);
    else /** @type {any} */ (element)[how.name] = value;
  }
  void element.updateComplete.then(() => element.scrollIntoView?.({ block: "nearest" }));
  return left;
}

/** @param {Shared} property @param {string} text */
function valueOf({ type }, text) {
  if (type === Boolean) return text === "true" || (text === "false" ? false : undefined);
  if (type !== Number) return text;
  return text.trim() && !Number.isNaN(Number(text)) ? Number(text) : undefined;
}

/**
 * Copies a link or code, or shows it if the page may not copy.
 * @param {LastInchElement} element
 * @param {"linkTo" | "embedCode"} what
 */
export async function copy(element, what) {
  const text = what === "linkTo" ? linkTo(element) : embedCode(element);
  // Without the address of the scripts the code must be completed by hand.
  const more = warningOf(element, text);
  try {
    await navigator.clipboard.writeText(text);
    element.copied = "";
    element.announce(element.say("copiedNow") + more);
  } catch {
    element.copied = text;
    element.announce(element.say("copyByHand") + more);
  }
}

/**
 * If a copied text will not work elsewhere, the reason.
 * @param {LastInchElement} element
 * @param {string} text
 */
function warningOf(element, text) {
  if (text.includes('"lastinch/')) return " " + element.say("fillIn");
  const host = /https?:\/\/(\[[^\]]*\]|[^/:"]*)/.exec(text)?.[1] ?? "";
  return isLocal(host) ? " " + element.say("localOnly", { host }) : "";
}

/** Whether only this machine knows the host. @param {string} host */
export const isLocal = (host) => /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0)$/.test(host);

/**
 * @param {LastInchElement} element
 */
export function linkTo(element) {
  const params = new URLSearchParams({ v: VERSION, w: nameOf(element) });
  for (const { name, attribute } of propertiesOf(element)) {
    const value = /** @type {any} */ (element)[name];
    if (value !== undefined && value !== null) params.set(attribute, String(value));
  }
  return location.href.replace(/#.*/, "") + "#" + params;
}

/**
 * Code for any page, with "lastinch/" if the address of the scripts is unknown.
 * @param {LastInchElement} element
 */
export function embedCode(element) {
  const { localName, kind } = element;
  const copy = document.createElement(localName);
  for (const { name, attribute, type } of propertiesOf(element)) {
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
