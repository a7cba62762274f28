// The details of a row on a GPU, whose code is fetched when a reader opens them.
import { html, nothing } from "lit";

export class RowDetails {
  #isOpen = false;
  /** @type {import("./row-reader.js").RowReader | undefined} */
  #reader;

  /** @param {import("./element.js").LastInchElement} host says `onGpu` */
  constructor(host) {
    this.host = host;
  }

  /** @param {import("./row-reader.js").Asked} asked the same object for the same row, settings and history */
  view(asked) {
    return html`<details ?open=${this.#isOpen} @toggle=${this.#turn}>
      <summary>${this.host.say("onGpu")}</summary>
      ${this.#isOpen && this.#reader ? this.#reader.view(asked) : nothing}
    </details>`;
  }

  #turn = async (/** @type {Event} */ { target }) => {
    const { host } = this;
    this.#isOpen = /** @type {HTMLDetailsElement} */ (target).open;
    try {
      if (this.#isOpen && !this.#reader) {
        const { RowReader, words } = await import("./row-reader.js");
        host.learn(words);
        this.#reader ??= new RowReader(host);
      }
    } catch (error) {
      host.failure = error;
    }
    host.requestUpdate();
  };
}
