// Steps through something: Step, Play, Start again. Readers who want no motion get no Play.
import { html, nothing } from "lit";

/** @typedef {import("lit").ReactiveController} ReactiveController */

/** @implements {ReactiveController} */
export class Player {
  position = 0;
  #host;
  #interval;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  /** @type {() => number} */
  #count;

  /**
   * @param {import("./element.js").LastInchElement} host
   * @param {() => number} count steps; position runs from 0 to it
   * @param {number} [interval] ms
   */
  constructor(host, count, interval = 1400) {
    this.#host = host;
    this.#count = count;
    this.#interval = interval;
    host.addController(this);
  }

  hostDisconnected() {
    this.pause();
  }

  get isPlaying() {
    return this.#timer !== undefined;
  }

  /** @param {number} position */
  go(position) {
    this.position = Math.max(0, Math.min(this.#count(), position));
    this.#host.requestUpdate();
    if (!this.isPlaying) this.#host.updateComplete.then(() => this.#host.announce(this.#host.summary()));
  }

  step() {
    this.pause();
    this.go(this.position + 1);
  }

  play() {
    if (this.position >= this.#count()) this.go(0);
    this.pause();
    this.#timer = setInterval(async () => {
      await this.#host.onscreen();
      if (this.isPlaying) this.go(this.position + 1);
      if (this.position >= this.#count()) this.pause();
    }, this.#interval);
    this.#host.requestUpdate();
  }

  pause() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#host.requestUpdate();
  }

  reset() {
    this.pause();
    this.go(0);
  }

  controls() {
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
    </div>`;
  }
}
