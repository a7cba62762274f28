// A text that a model writes for a widget, and the fields that say what it shall write.
import { html } from "lit";

/** @typedef {import("./element.js").LastInchElement} LastInchElement */
/** @typedef {import("./models.js").Model} Model */

/**
 * text: what a token adds, "" while its character is incomplete.
 * @typedef {import("../../index.js").Token & { text: string }} Written
 */

/**
 * A model's text as it comes, and the widget drawn again for each part; nothing is written where no reader is near.
 * @param {LastInchElement} host
 * @param {Model} model
 * @param {string | ArrayLike<number>} prompt
 * @param {import("../../index.js").GenerateOptions} options
 */
export async function* write(host, model, prompt, options) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const { tokens: bytes, eos } = model.vocabulary;
  for await (const { tokens, usage } of model.generate(prompt, options)) {
    const read = (/** @type {number} */ id) =>
      eos.includes(id) ? ` ⟨${host.say("endOfText")}⟩` : decoder.decode(bytes[id], { stream: true });
    yield { tokens: tokens.map((token) => /** @type {Written} */ ({ ...token, text: read(token.id) })), usage };
    host.requestUpdate();
    await host.onscreen();
  }
}

/** The ids of a prompt, as `generate` would begin with them. @param {Model} model @param {string} prompt */
export const promptIds = (model, prompt) => model.tokenize(prompt, { bos: model.config.addBos });

/**
 * A line of text.
 * @param {LastInchElement} host
 * @param {string} name of the property
 * @param {string} label
 */
export const textField = (host, name, label) =>
  html`<div class="knob">
    <label for=${name}>${label}</label>
    <input
      type="text"
      id=${name}
      maxlength="300"
      .value=${/** @type {any} */ (host)[name]}
      @change=${(/** @type {Event} */ { target }) => host.turn(name, /** @type {HTMLInputElement} */ (target).value, true)}
    />
  </div>`;

/**
 * The seed (property `seed`), and a button for another one.
 * @param {LastInchElement} host
 * @param {string} label of the button
 */
export function seedField(host, label) {
  const change = (/** @type {Event} */ event) => {
    const input = /** @type {HTMLInputElement} */ (event.target);
    if (input.value && input.validity.valid) host.turn("seed", Number(input.value), true);
    else input.value = /** @type {any} */ (host).seed;
  };
  return html`<div class="actions">
    <label for="seed">${host.say("seed")}</label>
    <input
      type="number"
      id="seed"
      min="0"
      max=${Number.MAX_SAFE_INTEGER}
      .value=${String(/** @type {any} */ (host).seed)}
      @change=${change}
    />
    <button @click=${() => host.turn("seed", Math.floor(Math.random() * 1e4), true)}>${label}</button>
  </div>`;
}
