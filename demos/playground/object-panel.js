// The object of a schema beside its text: what has come, and which of it is final.
import { make } from "../dom.js";

/**
 * @typedef {object} GrowingObject
 * @property {any} value as far as it is known
 * @property {Set<string>} done JSON Pointers of what is final
 */

export class ObjectPanel {
  element = make("section", { class: "object", "aria-label": "The object so far" });
  #place = make("ul");
  /** @type {GrowingObject | undefined} */
  #object;
  #frame = 0;

  constructor() {
    this.element.append(make("h3", { text: "The object so far" }), this.#place);
  }

  /** Call again when the object has grown. @param {GrowingObject | undefined} object undefined: the text has none */
  show(object) {
    this.#object = object;
    this.element.hidden = !object;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#place.replaceChildren(...(this.#object ? [this.#rowOf("", this.#object.value, "")] : []));
    });
  }

  /**
   * @param {string} name of a member, or ""
   * @param {any} value
   * @param {string} pointer
   * @returns {HTMLElement}
   */
  #rowOf(name, value, pointer) {
    const isFinal = /** @type {GrowingObject} */ (this.#object).done.has(pointer);
    const isList = typeof value === "object" && value !== null;
    const row = make("li", { class: isFinal ? "final" : "growing" });
    if (name) row.append(make("span", { class: "key", text: name }), ": ");
    if (value === undefined) row.append("nothing yet");
    else if (!isList) row.append(make("span", { class: "value", text: JSON.stringify(value) }));
    else row.append(Array.isArray(value) ? "list" : "object");
    row.append(" ", make("small", { text: isFinal ? "✓ final" : "… so far" }));
    if (isList) {
      const rows = Object.entries(value).map(([key, member]) =>
        this.#rowOf(key, member, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`),
      );
      if (rows.length) row.append(make("ul", {}, ...rows));
    }
    return row;
  }
}
