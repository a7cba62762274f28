// Steps through something: Step, Play at a pace, Start again. Readers who want no motion get no Play.
import { html, nothing } from "lit";
import { due, paceField } from "./pace.js";

/** @typedef {import("lit").ReactiveController} ReactiveController */

/** @implements {ReactiveController} */
export class Player {
  position = 0;
  #host;
  /** @type {AbortController | undefined} */
  #playing;
  /** @type {() => number} */
  #count;
  #tokens;

  /**
   * @param {import("./pace.js").Host} host
   * @param {() => number} count steps; position runs from 0 to it
   * @param {number} [tokens] length of a step, in tokens at the host's pace
   */
  constructor(host, count, tokens = 20) {
    this.#host = host;
    this.#count = count;
    this.#tokens = tokens;
    host.addController(this);
  }

  hostDisconnected() {
    this.pause();
  }

  get isPlaying() {
    return this.#playing !== undefined;
  }

  /** @param {number} position */
  go(position) {
    this.position = Math.max(0, Math.min(this.#count(), position));
    this.#host.requestUpdate();
    if (!this.isPlaying) void this.#host.updateComplete.then(() => this.#host.announce(this.#host.summary()));
  }

  step() {
    this.pause();
    this.go(this.position + 1);
  }

  async play() {
    this.pause();
    if (this.position >= this.#count()) this.go(0);
    const { signal } = (this.#playing = new AbortController());
    while (this.position < this.#count()) {
      this.#host.requestUpdate();
      await due(this.#host, signal, this.#tokens);
      await this.#host.onscreen();
      if (signal.aborted) return;
      this.go(this.position + 1);
    }
    this.pause();
    this.go(this.position);
  }

  pause() {
    this.#playing?.abort();
    this.#playing = undefined;
    this.#host.requestUpdate();
  }

  reset() {
    this.pause();
    this.go(0);
  }

  /** @param {boolean} [hasPace] false if the widget shows the field elsewhere */
  controls(hasPace = true) {
    const { position, isPlaying } = this;
    const say = (/** @type {string} */ key) => this.#host.say(key);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    return html`<div class="actions">
      <button class="primary" ?disabled=${position >= this.#count()} @click=${() => this.step()}>${say("step")}</button>
      ${
        isStill
          ? nothing
          : html`<button @click=${() => (isPlaying ? this.pause() : this.play())}>
              ${say(isPlaying ? "pause" : "play")}
            </button>`
      }
      <button ?disabled=${position === 0} @click=${() => this.reset()}>${say("reset")}</button>
      ${isStill || !hasPace ? nothing : paceField(this.#host)}
    </div>`;
  }
}
