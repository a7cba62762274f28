// What a widget's card tells teachers, and the sheet that prints on one page with the numbers that the widget shows.
import { propertiesOf } from "../../web/widgets/shared/share.js";
import { make } from "../dom.js";
import { notes } from "./notes.js";

/** @typedef {import("../../web/widgets/shared/element.js").LastInchElement} LastInchElement */

/** Rows of a widget's table that a sheet has room for. */
const ROWS = 8;
/** Tables of a widget that stand beside each other. */
const TABLES = 3;

/** @param {string[]} texts @param {(text: string) => (Node | string)[]} [more] */
const listOf = (texts, more = () => []) => make("ol", {}, ...texts.map((text) => make("li", {}, text, ...more(text))));

/**
 * The notes of a widget, to be read on the screen.
 * @param {string} name
 * @param {() => LastInchElement} widget the one that is shown
 */
export function notesOf(name, widget) {
  const { aim, predict, answers, misconceptions, minutes } = notes[name];
  const said = misconceptions.map(([claim, truth]) => make("li", {}, make("q", { text: claim }), ` ${truth}`));
  return [
    make("p", {}, make("b", { text: `${minutes} minutes. ` }), aim),
    make("h3", { text: "Predict, then try" }),
    listOf(predict),
    make("details", {}, make("summary", { text: "Answers" }), listOf(answers)),
    make("h3", { text: "What pupils often believe" }),
    make("ul", {}, ...said),
    make(
      "p",
      {},
      make("button", { type: "button", text: "Print a sheet", onclick: () => printSheet(name, widget()) }),
      " One page, without the answers, with the numbers that the widget shows now.",
    ),
  ];
}

/** What the widget calls a setting. @param {LastInchElement} widget @param {string} name @param {string} attribute */
function labelOf(widget, name, attribute) {
  const parts = widget.shadowRoot?.querySelector(`label[for="${name}"]`)?.childNodes ?? [];
  // Not what else stands in the label: the range of the values.
  const own = [...parts].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ textContent }) => textContent);
  return own.join("").trim() || attribute;
}

/** What a link would carry, with the present values, without long texts. @param {LastInchElement} widget */
function settingsOf(widget) {
  const settings = propertiesOf(widget)
    .map(({ name, attribute }) => ({
      attribute,
      label: labelOf(widget, name, attribute),
      value: /** @type {any} */ (widget)[name],
    }))
    .filter(({ value }) => value !== undefined && value !== null && String(value).length < 80);
  const isShared = (/** @type {string} */ text) => settings.filter(({ label }) => label === text).length > 1;
  return settings.map(({ attribute, label, value }) => `${isShared(label) ? attribute : label} = ${value}`);
}

/** The widget's first tables, as far as there is room. @param {LastInchElement} widget */
const tablesOf = (widget) =>
  [...(widget.shadowRoot?.querySelectorAll("figure table") ?? [])].slice(0, TABLES).map((table) => {
    const rows = [...table.querySelectorAll("tr")].slice(0, ROWS + 1);
    const cells = rows.map((row) => [...row.cells].map((cell) => make("td", { text: cell.innerText.trim() })));
    const caption = make("caption", { text: table.querySelector("caption")?.textContent?.trim() ?? "" });
    return make("table", {}, caption, make("tbody", {}, ...cells.map((row) => make("tr", {}, ...row))));
  });

/** @param {string} name @param {LastInchElement} widget */
function printSheet(name, widget) {
  const { predict, misconceptions } = notes[name];
  const { title } = /** @type {any} */ (widget.constructor).words;
  const line = () => [make("p", { class: "line" }), make("p", { class: "line" })];
  const said = [settingsOf(widget).join(", "), widget.summary()].filter(Boolean);
  const tables = tablesOf(widget);
  const shown = [...said.map((text) => make("p", { text })), make("div", { class: "tables" }, ...tables)];
  document.querySelector(".sheet")?.remove(); // where a browser has not told that it printed
  const sheet = make(
    "section",
    { class: "sheet" },
    make("p", { class: "name", text: "Name:" }),
    make("h1", { text: title }),
    ...(said.length || tables.length ? [make("h2", { text: "The widget shows" }), ...shown] : []),
    make("h2", { text: "Predict, then try" }),
    listOf(predict, line),
    make("h2", { text: "True or false? Say why." }),
    listOf(
      misconceptions.map(([claim]) => claim),
      line,
    ),
    make("p", { class: "source", text: location.href.replace(/#.*|$/, `#${name}`) }),
  );
  document.body.append(sheet);
  addEventListener("afterprint", () => sheet.remove(), { once: true });
  print();
}
