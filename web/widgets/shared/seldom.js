// What few readers need: links, embed code, reasons why a value cannot be used, and the model that learnt in the page.
// Loaded on demand.
import { html } from "lit";
import { editDistance } from "../../core/edit-distance.js";
import { knobs, namesIn } from "./knobs.js";

export { applyLink, copy } from "./share.js";

/** @type {import("./words.js").Words} */
export const words = {
  badKnob: "{name} must be a number from {min} to {max}, but is {value}.",
  badWhole: "{name} must be a whole number from {min} to {max}, but is {value}.",
  badChoice: "{name} must be one of {names}, but is “{value}”.",
  badList: "{name} takes {names}, each once, with spaces between. “{value}” does not fit.",
  badAttribute: "There is no attribute {name}: {known} is meant.",
  badText: "There is no text called {key} to replace.",
  badSource: "{name}: this widget uses no model.",
  badData: "data must be { tokens, logits }: two lists of one length, and not empty.",
  noRows: "The table inside this element has no rows of a token and a number.",
  manyRows: "The table has {count} rows; at most {most} can be shown.",
  badRow: "Row {row} of the table (“{token}”) has “{text}” where a number should be.",
  allZero: "Every probability of the table is 0.",
  badLink: "The link says something that cannot be used here: {names}.",
  copiedNow: "Copied.",
  copyByHand: "Copy this by hand",
  localOnly: "It works on this machine alone: put the address of your site in the place of {host}.",
  untrained:
    "This waits for a model that learns in this page: press “Learn” in the figure “Watch a model learn”, then “Use it in the other figures”.",
  useTrained: "the model that learnt here",
  fillIn: "Put the address of lastinch's folder dist in the place of “lastinch/”.",
};

/**
 * @param {import("./element.js").LastInchElement} element
 * @param {RangeError & { values: Record<string, any> }} refusal
 */
export const explainRefusal = (element, { message, values }) =>
  values.property ? explainMisfit(element, values.property) : element.say(message, values);

/** Attributes that any element may have. */
const common = new Set(
  "id is class style lang dir slot part hidden title role nonce tabindex translate inert".split(" "),
);
const prefixes = ["on", "aria-", "data-", "ng-", "v-", "_-", "x-"];

/** Whether an attribute belongs to the page or a framework, not to a widget. */
const isCommon = (/** @type {string} */ name) =>
  common.has(name) || prefixes.some((prefix) => name.startsWith(prefix)) || /[:@.]/.test(name.split("-")[0]);

/**
 * Finds the first attribute that looks like one of the widget's, and the one it looks like.
 * @param {import("./element.js").LastInchElement} element
 * @param {string[]} names
 */
export function misspelt({ kind }, names) {
  const plain = (/** @type {string} */ name) => name.toLowerCase().replace(/[-_]/g, "");
  for (const name of names.filter((one) => !isCommon(one)))
    for (const known of kind.observedAttributes)
      if (editDistance(plain(name), plain(known)) <= Math.min(2, known.length >> 2)) return { name, known };
}

/**
 * Why a property cannot have its value.
 * @param {import("./element.js").LastInchElement} element
 * @param {string} property
 */
function explainMisfit(element, property) {
  const { attribute, knob, oneOf, someOf } = /** @type {any} */ (element.kind).elementProperties.get(property);
  const name = attribute || property;
  const value = /** @type {any} */ (element)[property];
  if (knob) {
    const { min, max, step } = knobs[knob];
    return element.say(step === 1 ? "badWhole" : "badKnob", { name, min, max, value: String(value) });
  }
  if (oneOf) return element.say("badChoice", { name, value, names: oneOf.filter(Boolean).join(", ") });
  const bad = namesIn(value).find((one, i, all) => !someOf.includes(one) || all.indexOf(one) < i);
  return element.say("badList", { name, value: bad ?? "", names: someOf.join(", ") });
}

/** @param {import("./element.js").LastInchElement} host */
export const trainedHint = (host) =>
  html`<p class="recorded">${host.say("untrained")}</p>
    ${trainedBox(host)}`;

/** A box to tick: the next press takes the model that learnt in this page. @param {import("./element.js").LastInchElement} host */
export function trainedBox(host) {
  const change = (/** @type {Event} */ { target }) =>
    host.turn("model", /** @type {HTMLInputElement} */ (target).checked ? "trained" : undefined, true);
  return html`<label
    ><input type="checkbox" id="trained" .checked=${host.model === "trained"} @change=${change} />
    ${host.say("useTrained")}</label
  >`;
}
