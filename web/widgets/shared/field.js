// Fields to write in: one or more lines of text, and the seed.
import { html } from "lit";

/**
 * @param {import("./element.js").LastInchElement} host
 * @param {string} name of the property, and key of its label
 * @param {number} [rows] more than one makes it a larger field
 */
export function textField(host, name, rows = 1) {
  const value = /** @type {any} */ (host)[name];
  const change = (/** @type {Event} */ { target }) =>
    host.turn(name, /** @type {HTMLInputElement} */ (target).value, true);
  const limit = rows > 1 ? 800 : 300;
  return html`<div>
    <label for=${name}>${host.say(name)} <span class="range">${host.say("atMost", { count: limit })}</span></label>
    ${
      rows > 1
        ? html`<textarea id=${name} rows=${rows} maxlength=${limit} .value=${value} @change=${change}></textarea>`
        : html`<input
            type="text"
            id=${name}
            maxlength=${limit}
            .style=${"width: 100%"}
            .value=${value}
            @change=${change}
          />`
    }
  </div>`;
}

/**
 * A field for the seed, and a button that changes it.
 * @param {import("./element.js").LastInchElement & { seed: number }} host
 */
export function seedField(host) {
  const change = (/** @type {Event} */ event) => {
    const input = /** @type {HTMLInputElement} */ (event.target);
    if (input.value && input.validity.valid) host.turn("seed", Number(input.value), true);
    else {
      input.value = String(host.seed);
      host.announce(host.say("badSeed"));
    }
  };
  return html`<div class="actions">
    <label for="seed">${host.say("seed")}</label>
    <input
      type="number"
      id="seed"
      min="0"
      max=${Number.MAX_SAFE_INTEGER}
      .style=${"width: 5.5rem"}
      .value=${String(host.seed)}
      @change=${change}
    />
    <button @click=${() => host.turn("seed", Math.floor(Math.random() * 1e4), true)}>${host.say("newSeed")}</button>
  </div>`;
}
