// What a widget does with a model: a button that says what it costs, progress, a way to stop, and errors in words.
import { html, nothing } from "lit";
import { formatSize } from "./format.js";
import { explain } from "./words.js";
import { acquireModel, loadedModel, modelSize } from "./models.js";

/** @typedef {import("./models.js").Model} Model */
/** @typedef {import("lit").ReactiveController} ReactiveController */

/**
 * @implements {ReactiveController}
 */
export class Live {
  /** @type {"idle" | "loading" | "running"} */
  state = "idle";
  /** @type {{ loaded: number, total: number } | undefined} */
  progress;
  /** What went wrong in the last run. @type {unknown} */
  error;
  #host;
  #sources;
  /** @type {Map<string, () => void>} */
  #held = new Map();
  /** @type {AbortController | undefined} */
  #abort;

  /**
   * @param {import("./element.js").LastInchElement} host
   * @param {...string} sources names of shipped models; an author's `src` replaces the first
   */
  constructor(host, ...sources) {
    this.#host = host;
    this.#sources = sources;
    host.usesModel = true;
    host.addController(this);
  }

  get sources() {
    const [first, ...others] = this.#sources;
    return [this.#host.src || first, ...others];
  }

  /** The models, if all are there already. @returns {Model[] | null} */
  get models() {
    const models = this.sources.map(loadedModel);
    return models.every(Boolean) ? /** @type {Model[]} */ (models) : null;
  }

  hostDisconnected() {
    this.stop();
    for (const release of this.#held.values()) release();
    this.#held.clear();
  }

  stop() {
    this.#abort?.abort();
  }

  /**
   * Fetches the models where that has not been done, and runs `work` with them. What still runs is stopped before.
   * @param {(signal: AbortSignal, ...models: Model[]) => Promise<void>} work ends soon after the signal has aborted
   */
  async run(work) {
    this.stop();
    const abort = (this.#abort = new AbortController());
    const { signal } = abort;
    const show = (/** @type {Live["state"]} */ state) => {
      if (this.#abort !== abort) return;
      this.state = state;
      this.#host.requestUpdate();
    };
    this.error = undefined;
    try {
      show("loading");
      const models = [];
      for (const source of this.sources) models.push(await this.#take(source, signal));
      show("running");
      await work(signal, ...models);
    } catch (error) {
      if (!signal.aborted) this.error = error;
    } finally {
      show("idle");
    }
  }

  /** @param {string} source @param {AbortSignal} signal */
  async #take(source, signal) {
    const onProgress = (/** @type {{ loaded: number, total: number }} */ progress) => {
      this.progress = progress;
      this.#host.requestUpdate();
    };
    const { model, release } = await acquireModel(source, { signal, onProgress });
    if (this.#held.has(source)) release();
    else this.#held.set(source, release);
    return model;
  }

  /**
   * The button that starts `work`, with what it costs on it; progress and a way to stop while it runs.
   * @param {string} label
   * @param {(signal: AbortSignal, ...models: Model[]) => Promise<void>} work
   */
  button(label, work) {
    const host = this.#host;
    if (this.state === "loading" && !this.models) {
      const { loaded = 0, total = 1 } = this.progress ?? {};
      const words = { loaded: formatSize(loaded), total: formatSize(total) };
      return html`<div class="actions">
        <progress max=${total} value=${loaded} aria-label=${host.say("loading", words)}></progress>
        <span aria-hidden="true">${host.say("loading", words)}</span>
        <button @click=${() => this.stop()}>${host.say("cancel")}</button>
      </div>`;
    }
    const bytes = this.sources.map(modelSize).reduce((a, b) => a + b, 0);
    const priced = bytes > 0 ? host.say("load", { label, size: formatSize(bytes) }) : host.say("loadAny", { label });
    return html`<div class="actions">
        <button class="primary" @click=${() => this.run(work)}>${this.models ? label : priced}</button>
        ${this.state === "running" ? html`<button @click=${() => this.stop()}>${host.say("stop")}</button>` : nothing}
      </div>
      ${this.error ? html`<p class="problem" role="alert">${explain(this.error)}</p>` : nothing}`;
  }
}
