// All options in groups, found by typing. An empty field leaves the library's default.
import { make, setText } from "../dom.js";
import { plural } from "../../web/widgets/shared/format.js";
import { knobs } from "./playground-knobs.js";
import { groups, loadRows } from "./option-fields.js";

/** @typedef {import("./option-fields.js").Row} Row */

export class OptionFinder {
  #element;
  #onChange;
  #found = make("p", { class: "hint", role: "status" });
  /** @type {{ row: Row, words: string, element: HTMLElement, field?: HTMLInputElement }[]} */
  #entries = [];
  /** @type {Map<string, HTMLDetailsElement>} */
  #groups = new Map();
  /** @type {Record<string, string>} */
  #values = {};

  /**
   * @param {HTMLElement} element
   * @param {(values: Record<string, string>) => void} onChange what is filled in
   */
  constructor(element, onChange) {
    this.#element = element;
    this.#onChange = onChange;
  }

  /** @param {Record<string, string>} values */
  async show(values) {
    this.#values = { ...values };
    if (!this.#entries.length) await this.#build();
    for (const { row, field } of this.#entries) if (field) field.value = values[row.name] ?? "";
    this.#markFilled();
  }

  async #build() {
    const rows = await loadRows();
    if (this.#entries.length) return;
    const search = make("input", {
      type: "search",
      id: "option-search",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "typical, repeat, beam, JSON …",
    });
    search.addEventListener("input", () => this.#filter(search.value));
    // Enter must not submit the form.
    search.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
    const label = make("label", { for: "option-search", text: "Find an option" });
    this.#entries = rows.map((row) => this.#makeEntry(row));
    const sections = groups.map((name) => {
      const inside = this.#entries.filter(({ row }) => row.group === name).map(({ element }) => element);
      const group = make("details", { class: "group" }, make("summary", { text: name }), ...inside);
      this.#groups.set(name, group);
      return group;
    });
    this.#element.replaceChildren(label, search, this.#found, ...sections);
  }

  /** @param {Row} row */
  #makeEntry(row) {
    const { name, help, field, usual, min, max } = row;
    const id = `option-${name}`;
    const words = `${name} ${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${help}`.toLowerCase();
    const knob = knobs.find(({ key }) => key === name);
    const about = make("p", { class: "hint", id: `${id}-help`, text: help });
    if (knob) {
      const go = () => /** @type {HTMLElement} */ (document.getElementById(`knob-${knob.param}`)).focus();
      const button = make("button", { type: "button", class: "quiet", text: "Go to its slider", onclick: go });
      return { row, words, element: make("div", { class: "option" }, make("span", { text: name }), button, about) };
    }
    const range = min === undefined ? "" : max === undefined ? `${min} or more` : `${min} to ${max}`;
    const facts = { id, "aria-describedby": `${id}-help`, autocomplete: "off", spellcheck: "false" };
    const input = /** @type {HTMLInputElement} */ (makeField(field, facts, usual || range));
    input.addEventListener("change", () => this.#take(name, input.value));
    const element = make("div", { class: "option" }, make("label", { for: id, text: name }), input, about);
    return { row, words, element, field: input };
  }

  /** @param {string} name @param {string} text */
  #take(name, text) {
    if (text.trim()) this.#values[name] = text;
    else delete this.#values[name];
    this.#markFilled();
    this.#onChange({ ...this.#values });
  }

  /** Shows in each group how many fields are filled in, and opens groups with any. */
  #markFilled() {
    for (const [name, group] of this.#groups) {
      const filled = this.#entries.filter(({ row }) => row.group === name && row.name in this.#values).length;
      const summary = /** @type {HTMLElement} */ (group.querySelector("summary"));
      setText(summary, filled ? `${name} (${filled} set)` : name);
      if (filled) group.open = true;
    }
  }

  /** @param {string} text */
  #filter(text) {
    const wanted = text.toLowerCase().split(/\s/).filter(Boolean);
    let count = 0;
    for (const { words, element } of this.#entries) {
      element.hidden = !wanted.every((word) => words.includes(word));
      count += Number(!element.hidden);
    }
    for (const [name, group] of this.#groups) {
      const isFound = this.#entries.some(({ row, element }) => row.group === name && !element.hidden);
      group.hidden = !isFound;
      if (wanted.length) group.open = isFound;
    }
    setText(this.#found, wanted.length ? `${plural(count, "option")} found.` : "");
  }
}

/**
 * @param {import("./option-fields.js").Field} field
 * @param {Record<string, string>} facts
 * @param {string} hint what an empty field shows
 */
function makeField(field, facts, hint) {
  if (Array.isArray(field)) {
    const first = make("option", { value: "", text: hint && hint !== "undefined" ? `default: ${hint}` : "off" });
    return make("select", facts, first, ...field.map((text) => make("option", { value: text, text })));
  }
  if (field === "number") return make("input", { ...facts, type: "text", inputmode: "decimal", placeholder: hint });
  /** @type {Record<string, string>} */
  const examples = { words: '" dog", 17', lines: "one a line", json: '{ "type": "object" }', text: "" };
  return make("textarea", { ...facts, rows: "2", placeholder: examples[/** @type {string} */ (field)] });
}
