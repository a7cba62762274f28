// The seed as a field, and a button for another one.
import { html } from "lit";

/** @param {import("./element.js").LastInchElement & { seed: number }} host */
export function seedField(host) {
  const take = (/** @type {Event} */ { target }) => {
    const number = Math.trunc(Number(/** @type {HTMLInputElement} */ (target).value)) || 0;
    host.turn("seed", Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, number)), true);
  };
  return html`<div class="actions">
    <label for="seed">${host.say("seed")}</label>
    <input id="seed" type="number" min="0" .value=${String(host.seed)} @change=${take} />
    <button @click=${() => host.turn("seed", Math.floor(Math.random() * 1e6), true)}>${host.say("newSeed")}</button>
  </div>`;
}
