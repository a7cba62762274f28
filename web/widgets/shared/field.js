// A line (or a few) of text that the reader may change.
import { html } from "lit";

/**
 * @param {import("./element.js").LastInchElement} host
 * @param {string} name of the property; also of its label's words
 * @param {number} [rows] more than one makes it a larger field
 */
export function textField(host, name, rows = 1) {
  const value = /** @type {any} */ (host)[name];
  const change = (/** @type {Event} */ { target }) =>
    host.turn(name, /** @type {HTMLInputElement} */ (target).value, true);
  return html`<div>
    <label for=${name}>${host.say(name)}</label>
    ${
      rows > 1
        ? html`<textarea id=${name} rows=${rows} maxlength="800" .value=${value} @change=${change}></textarea>`
        : html`<input
            type="text"
            id=${name}
            maxlength="300"
            .style=${"width: 100%"}
            .value=${value}
            @change=${change}
          />`
    }
  </div>`;
}
