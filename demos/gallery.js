// The gallery: every element of dist/custom-elements.json, live, with its code, its attributes and the size of its
// page.
import "../dist/widgets.js";
import { formatSize } from "../web/widgets/shared/format.js";
import { isLocal } from "../web/widgets/shared/share.js";
import { byId, make, setText } from "./dom.js";
import { alsoCalled } from "./also-called.js";
import { elementOf, holdPlace } from "./place.js";
import { lendTrained } from "./trained.js";

/**
 * @typedef {object} Field an attribute, or a property without one
 * @property {string} name
 * @property {string} [fieldName] of an attribute: its property
 * @property {string} [description]
 * @property {string} [default] as JSON
 * @property {{ text: string }} [type]
 * @property {{ min: number, max: number }} [range]
 * @property {object} [inheritedFrom]
 */
/**
 * @typedef {object} Widget
 * @property {string} tagName
 * @property {string} description
 * @property {number} pageSize bytes
 * @property {Field[]} attributes
 * @property {Field[]} members
 * @property {{ description?: string }[]} [slots]
 */
/** @typedef {import("../web/widgets/shared/element.js").LastInchElement} LastInchElement */
/** @typedef {{ widget: Widget, name: string, words: string, card: HTMLElement, link: HTMLElement, refresh: () => void }} Entry */

const localOnly = `It works on this machine alone: put the address of your site in the place of ${location.host}.`;
lendTrained();

const MANIFEST = "../dist/custom-elements.json";
/** Room for a longer status line, in a page that does not listen to its frame. */
const SPARE_HEIGHT = 24;

const listener = `<script>
  addEventListener("message", ({ data, source }) => {
    if (data?.type !== "lastinch-height") return;
    for (const frame of document.querySelectorAll("iframe"))
      if (frame.contentWindow === source) frame.height = Math.min(Number(data.height), 5000);
  });
</script>`;

const table = `<lastinch-nucleus>
  <table>
    <tr><th>token</th><th>logit</th></tr>
    <tr><td>mat</td><td>4.5</td></tr>
    <tr><td>sofa</td><td>3.5</td></tr>
    <tr><td>moon</td><td>1.1</td></tr>
  </table>
</lastinch-nucleus>`;

/** The switches as attributes of every widget: { lang?, theme? }. @returns {Record<string, string>} */
function chosen() {
  const form = new FormData(/** @type {HTMLFormElement} */ (byId("tools")));
  return Object.fromEntries(["lang", "theme"].map((name) => [name, String(form.get(name) ?? "")]).filter(([, v]) => v));
}

/** @param {string} tagName */
function makeElement(tagName) {
  const element = document.createElement(tagName);
  for (const [name, value] of Object.entries(chosen())) element.setAttribute(name, value);
  return element;
}

/** @param {string} path */
const address = (path) => new URL(path, location.href.replace(/[?#].*/, "")).href;

/** @param {Entry} entry */
function snippetOf({ widget, name }) {
  return `<script type="module" src="${address(`../dist/widget-${name}.js`)}"></script>\n${makeElement(widget.tagName).outerHTML}`;
}

/** @param {string} name */
const embedPath = (name) => `embed.html?${new URLSearchParams({ widget: name, ...chosen() })}`;

/** @param {Entry} entry */
function frameOf({ name, card }) {
  const frame = document.createElement("iframe");
  const height = /** @type {HTMLElement} */ (card.querySelector(".stage")).offsetHeight + SPARE_HEIGHT;
  const facts = { src: address(embedPath(name)), title: titleOf(name), width: "100%", height, frameborder: 0 };
  for (const [key, value] of Object.entries(facts)) frame.setAttribute(key, String(value));
  frame.setAttribute("loading", "lazy");
  frame.setAttribute("allow", "clipboard-write");
  return frame.outerHTML;
}

/** The English words of a widget's class. @param {string} name @returns {Record<string, string>} */
const wordsOf = (name) => /** @type {any} */ (customElements.get(`lastinch-${name}`)).words;
const titleOf = (/** @type {string} */ name) => wordsOf(name).title;

/** A widget's picture. @param {string} name */
function makePicture(name) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `thumbnails.svg#${name}`);
  picture.setAttribute("aria-hidden", "true");
  picture.append(use);
  return picture;
}

/** Text in which `code` becomes a code element. @param {string} text */
function prose(text) {
  return text.split("`").map((part, i) => (i % 2 ? make("code", { text: part }) : part));
}

/** @param {Field} field */
function valuesOf({ range, type }) {
  if (range) return `${range.min} to ${Number.isInteger(range.max) ? range.max : Number(range.max.toPrecision(6))}`;
  return type?.text.replace(" | undefined", "") ?? "string";
}

/** @param {string | undefined} json */
function defaultOf(json) {
  const value = json === undefined ? "" : JSON.parse(json);
  return value === "" ? "–" : String(value);
}

/**
 * @param {string} caption
 * @param {string[]} heads
 * @param {(Node | string)[][]} rows cells; the first is the row's head
 */
function makeTable(caption, heads, rows) {
  const cell = (/** @type {Node | string} */ content, /** @type {number} */ i) =>
    i ? make("td", { "data-head": heads[i] }, ...[content].flat()) : make("th", { scope: "row" }, ...[content].flat());
  return make(
    "table",
    {},
    make("caption", { text: caption }),
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col", text })))),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map(cell)))),
  );
}

/** @param {string} caption @param {Field[]} fields */
function attributeTable(caption, fields) {
  const rows = fields.map((field) => [
    make("code", { text: field.name }),
    make("span", {}, ...prose(field.description ?? "")),
    valuesOf(field),
    make("code", { text: defaultOf(field.default) }),
  ]);
  return makeTable(caption, ["Attribute", "What it does", "Values", "Default"], rows);
}

/** @param {string} caption @param {string[]} heads two @param {{ name: string, description?: string }[]} things */
function thingTable(caption, heads, things) {
  const rows = things.map(({ name, description = "" }) => [
    make("code", { text: name }),
    make("span", {}, ...prose(description)),
  ]);
  return makeTable(caption, heads, rows);
}

// ---- Copying ----

/** @param {HTMLElement} code @param {HTMLElement} button */
async function copy(code, button) {
  const status = /** @type {HTMLElement} */ (button.nextElementSibling);
  for (const other of document.querySelectorAll(".copy [role=status]")) other.textContent = "";
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    setText(status, isLocal(location.hostname) ? `Copied. ${localOnly}` : "Copied.");
  } catch {
    getSelection()?.selectAllChildren(code);
    setText(status, "Selected: copy it with your keyboard.");
  }
}

/** Code with a button. @param {string} name what the button copies */
function makeCode(name) {
  const code = make("code");
  const button = make("button", { type: "button", "aria-label": `Copy ${name}`, text: "Copy" });
  button.addEventListener("click", () => copy(code, button));
  const status = make("span", { role: "status" });
  return {
    code,
    block: make("div", { class: "code" }, make("pre", {}, code), make("p", { class: "copy" }, button, " ", status)),
  };
}

// ---- One widget ----

/** @param {Widget} widget @returns {Entry} */
function makeEntry(widget) {
  const name = widget.tagName.replace("lastinch-", "");
  const own = (/** @type {Field} */ field) => !field.inheritedFrom;
  const attributes = widget.attributes.filter(own);
  const properties = widget.members.filter(own);
  const snippet = makeCode(`the code of ${name}`);
  const frame = makeCode(`the frame's code of ${name}`);
  const stage = make("div", { class: "stage" });
  const open = make("a", { text: "Open it alone" });
  const frameFold = make(
    "details",
    { class: "fold" },
    make("summary", { text: "For Moodle, Canvas and others: as a frame" }),
    make("p", {}, "For pages that take no scripts. ", make("a", { href: "#frames", text: "Let it fit its height." })),
    frame.block,
    make("p", {}, open),
  );
  const count = attributes.length + properties.length;
  const fields = make(
    "details",
    { class: "fold" },
    make("summary", { text: count ? `Attributes (${attributes.length})` : "Attributes: only the common ones" }),
    ...(attributes.length ? [attributeTable(`Attributes of ${widget.tagName}`, attributes)] : []),
    ...(properties.length
      ? [thingTable(`Properties of ${widget.tagName}`, ["Property", "What it is"], properties)]
      : []),
    ...(widget.slots ?? []).map(({ description = "" }) => make("p", {}, "Inside it: ", ...prose(description), ".")),
    make("p", {}, make("a", { href: "#common", text: "What all widgets understand" })),
  );
  const teaching = make("details", { class: "fold" }, make("summary", { text: "For teachers" }));
  const shown = () => /** @type {LastInchElement} */ (stage.firstElementChild);
  teaching.addEventListener("toggle", async () => {
    if (!teaching.open || teaching.children.length > 1) return;
    const status = make("p", { text: "Loading …" });
    teaching.append(status);
    try {
      const { notesOf } = await import("./teaching/sheet.js");
      status.replaceWith(...notesOf(name, shown));
    } catch {
      status.textContent = "The notes could not be loaded. Load the page again.";
    }
  });
  const weight = make("data", {
    value: widget.pageSize,
    text: formatSize(widget.pageSize),
    title: "All that a page with this widget alone loads before anything live, compressed (Brotli)",
  });
  const card = make(
    "article",
    { class: "card", id: name, "aria-labelledby": `${name}-title` },
    make(
      "header",
      {},
      make("h2", { id: `${name}-title` }, make("span", { class: "prefix", text: "lastinch-" }), name),
      weight,
    ),
    make("p", { class: "about" }, ...prose(widget.description.replace(/\s+/g, " "))),
    stage,
    teaching,
    snippet.block,
    frameFold,
    fields,
  );
  const { title = "", lead = "" } = wordsOf(name);
  const others = alsoCalled[name] ?? [];
  const words = [name, widget.description, title, lead, ...others, ...attributes.map((one) => one.name)];
  const link = make(
    "a",
    { href: `#${name}` },
    makePicture(name),
    make("b", { text: title }),
    make("small", { text: others.join(", ") }),
  );
  const entry = { widget, name, words: words.join(" ").toLowerCase(), card, link, refresh };
  // The widget's height is known only when it is drawn.
  frameFold.addEventListener("toggle", () => setText(frame.code, frameOf(entry)));

  /** Follows the switches. */
  function refresh() {
    setText(snippet.code, snippetOf(entry));
    setText(frame.code, frameOf(entry));
    open.href = embedPath(name);
    const { lang = "", theme = "" } = chosen();
    // A widget chooses its words when it begins. A theme is only a style.
    if (shown()?.lang !== lang) stage.replaceChildren(makeElement(widget.tagName));
    else if (theme) shown().setAttribute("theme", theme);
    else shown().removeAttribute("theme");
  }
  return entry;
}

// ---- The page ----

/** @param {Entry[]} entries */
function filterEntries(entries) {
  const words = /** @type {HTMLInputElement} */ (byId("filter")).value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const { words: text, card, link } of entries) {
    const isFound = words.every((word) => text.includes(word));
    card.hidden = /** @type {HTMLElement} */ (link.closest("li")).hidden = !isFound;
    found += Number(isFound);
  }
  setText(
    byId("found"),
    found === entries.length ? "" : found ? `${found} of ${entries.length} widgets` : "No widget has these words.",
  );
}

/** @param {any} base declaration of LastInchElement */
function showCommon(base) {
  byId("common-tables").append(
    attributeTable("Attributes", base.attributes),
    thingTable("Properties", ["Property", "What it is"], base.members),
    thingTable("Events, which bubble", ["Event", "When"], base.events),
    thingTable("Parts, for ::part()", ["Part", "What it is"], base.cssParts),
    thingTable("CSS properties, inherited", ["Property", "Colour or type"], base.cssProperties),
  );
  setText(byId("table-code"), table);
  setText(byId("listener-code"), listener);
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-copies]")))
    button.addEventListener("click", () => copy(byId(button.dataset.copies ?? ""), button));
  byId("common").hidden = false;
}

/** Goes where the address says, and where a link of the list leads. */
function followLinks() {
  holdPlace(elementOf(location.hash));
  addEventListener("hashchange", () => holdPlace(elementOf(location.hash)));
  // A second click on the same link does not change the address.
  byId("list").addEventListener("click", ({ target }) => {
    const link = /** @type {HTMLElement} */ (target).closest("a");
    if (link) holdPlace(elementOf(link.hash));
  });
}

async function start() {
  const response = await fetch(MANIFEST);
  if (!response.ok)
    throw new Error(`dist/custom-elements.json could not be loaded (${response.status}): run "make build".`);
  const manifest = await response.json();
  const declarations = manifest.modules.flatMap((/** @type {any} */ { declarations }) => declarations);
  // In the list's order, which is the lesson's.
  const names = [...byId("list").children].map((row) => /** @type {HTMLElement} */ (row).dataset.name);
  const entries = names
    .map((name) => declarations.find((/** @type {any} */ { tagName }) => tagName === `lastinch-${name}`))
    .map(makeEntry);

  byId("list").replaceChildren(...entries.map((/** @type {Entry} */ { link }) => make("li", {}, link)));
  setText(byId("total"), formatSize(manifest.pageSize));
  const refresh = () => entries.forEach((/** @type {Entry} */ { refresh }) => refresh());
  const form = byId("tools");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", ({ target }) => target !== byId("filter") && refresh());
  byId("filter").addEventListener("input", () => filterEntries(entries));
  // A browser may have kept what the fields held.
  filterEntries(entries);
  byId("cards").append(...entries.map((/** @type {Entry} */ { card }) => card));
  refresh();
  showCommon(declarations.find((/** @type {any} */ { name }) => name === "LastInchElement"));
  form.inert = false;
  followLinks();
}

start().catch((error) => {
  byId("alert").hidden = false;
  setText(byId("alert"), `The gallery could not be put together. ${error.message}`);
});
