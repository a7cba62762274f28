// Runs a model in a widget: a button that says what the model costs, progress, a way to stop, and errors in words.
import { html, nothing } from "lit";
import { formatSize } from "./format.js";
import { explain } from "./words.js";
import { acquireModel, loadedModel, modelSize, registry, trainedKey } from "./models.js";

/** @typedef {import("./models.js").Model} Model */
/** @typedef {import("./models.js").ShippedModel} ShippedModel */
/** @typedef {import("lit").ReactiveController} ReactiveController */

/**
 * @implements {ReactiveController}
 */
export class Live {
  /** @type {"idle" | "loading" | "running"} */
  state = "idle";
  /** @type {{ loaded: number, total: number } | undefined} */
  progress;
  /** The error of the last run. @type {unknown} */
  error;
  #host;
  /** @type {Record<string, ShippedModel>} */
  #shipped;
  /** @type {Map<string, () => void>} */
  #held = new Map();
  /** @type {AbortController | undefined} */
  #abort;
  /** @type {string[] | undefined} */
  #used;
  /** The host's `model`, as last drawn. @type {string | undefined} */
  #asked;
  #isStale = false;
  /** @type {typeof import("./seldom.js") | undefined} */
  #seldom;

  /**
   * @param {import("./element.js").LastInchElement} host
   * @param {Record<string, ShippedModel>} shipped the models by name. The widget imports each of them, so bundlers copy
   *   no other. An author's `src` replaces the first
   */
  constructor(host, shipped) {
    this.#host = host;
    this.#shipped = shipped;
    host.usesModel = true;
    host.addController(this);
  }

  /** Keys of the models that the next press takes. */
  get #wanted() {
    const [first, ...others] = Object.keys(this.#shipped);
    const { src, model } = this.#host;
    const trained = trainedKey() ?? "trained";
    if (model) return [trained, ...others.map(() => trained)];
    return [src ? new URL(src, document.baseURI).href : first, ...others];
  }

  /** Keys of the models in use: what they wrote goes on with them, though another model has learnt since. */
  get #keys() {
    return this.#used ?? this.#wanted;
  }

  /** The models, if all are loaded. @returns {Model[] | null} */
  get models() {
    return this.#isStale ? null : modelsOf(this.#keys);
  }

  /** What the page knows of the first model. */
  get entry() {
    return registry().get(this.#keys[0]);
  }

  hostConnected() {
    addEventListener("lastinch-trained", this.#update);
    if (trainedKey()) this.#update();
  }

  /** If another model is asked for, work ends, and what the former wrote is not shown as this one's. */
  hostUpdate() {
    const { model } = this.#host;
    if (model === this.#asked) return;
    this.#asked = model;
    this.#isStale = true;
    this.#used = undefined;
    this.stop();
  }

  /** A model has learnt: the words and the choice are there from now on. */
  #update = () => {
    const shown = this.#host.loadSeldom().then((seldom) => (this.#seldom = seldom));
    shown.then(() => this.#host.requestUpdate()).catch((error) => (this.error = error));
  };

  hostDisconnected() {
    removeEventListener("lastinch-trained", this.#update);
    this.#used = undefined;
    this.stop();
    for (const release of this.#held.values()) release();
    this.#held.clear();
  }

  stop() {
    this.#abort?.abort();
  }

  /**
   * Fetches the models that are not loaded, and runs `work` with them. Stops earlier work first. Never rejects: `error`
   * says what went wrong.
   * @param {(signal: AbortSignal, ...models: Model[]) => Promise<void>} work ends soon after the signal has aborted
   * @param {string[]} [keys] of the models, if not those that are in use
   */
  async run(work, keys = this.#keys) {
    this.#isStale = false;
    await this.#begin((this.#used = keys), work);
  }

  /**
   * Plays the recording again, which needs no model.
   * @param {(signal: AbortSignal, ...none: Model[]) => Promise<void>} work ends soon after the signal has aborted
   */
  async replay(work) {
    await this.#begin([], work, true);
  }

  /**
   * @param {string[]} keys of models
   * @param {(signal: AbortSignal, ...models: Model[]) => Promise<void>} work
   * @param {boolean} [isRecorded]
   */
  async #begin(keys, work, isRecorded = false) {
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
      for (const key of keys) models.push(await this.#take(key, signal));
      // Of models that learn there may be many.
      for (const [key, release] of this.#held)
        if (key.startsWith("trained ") && !keys.includes(key) && this.#held.delete(key)) release();
      this.#host.isRecorded = isRecorded;
      show("running");
      await work(signal, ...models);
    } catch (error) {
      if (!signal.aborted) this.error = error;
    } finally {
      show("idle");
    }
  }

  /** @param {string} key @param {AbortSignal} signal */
  async #take(key, signal) {
    const onProgress = (/** @type {{ loaded: number, total: number }} */ progress) => {
      this.progress = progress;
      this.#host.requestUpdate();
    };
    const { model, release } = await acquireModel(key, this.#shipped[key], { signal, onProgress });
    if (this.#held.has(key)) release();
    else this.#held.set(key, release);
    return model;
  }

  /**
   * The button that starts `work` and says what it costs; while it runs, progress and a way to stop.
   * @param {string} label
   * @param {(signal: AbortSignal, ...models: Model[]) => Promise<void>} work
   * @param {{ replay?: (signal: AbortSignal) => Promise<void>, pace?: import("lit").TemplateResult, goesOn?: boolean }} [how]
   *   replay: plays the recording again; pace: the field for its pace; goesOn: work goes on with what the models wrote
   */
  button(label, work, { replay, pace, goesOn } = {}) {
    const host = this.#host;
    if (host.model && !trainedKey() && !goesOn) return this.#seldom?.trainedHint(host) ?? this.#update();
    if (this.state === "loading" && !this.models) {
      const { loaded = 0, total = 1 } = this.progress ?? {};
      const words = { loaded: formatSize(loaded), total: formatSize(total) };
      return html`<div class="actions">
        <progress max=${total} value=${loaded} aria-label=${host.say("loading", words)}></progress>
        <span aria-hidden="true">${host.say("loading", words)}</span>
        <button @click=${() => this.stop()}>${host.say("cancel")}</button>
      </div>`;
    }
    const keys = goesOn ? this.#keys : this.#wanted;
    const bytes = keys.map(modelSize).reduce((a, b) => a + b, 0);
    const priced = bytes > 0 ? host.say("load", { label, size: formatSize(bytes) }) : host.say("loadAny", { label });
    return html`<div class="actions">
        <button class="primary" @click=${() => this.run(work, keys)}>${modelsOf(keys) ? label : priced}</button>
        ${trainedKey() && !host.src ? this.#seldom?.trainedBox(host) : nothing}
        ${this.state === "running" ? html`<button @click=${() => this.stop()}>${host.say("stop")}</button>` : nothing}
        ${host.isRecorded && replay && this.state === "idle" ? html`<button id="replay" @click=${() => this.replay(replay)}>▸ ${host.say("replay")}</button>` : nothing}
        ${pace ?? nothing}
      </div>
      ${host.isRecorded ? html`<p class="recorded">${host.say("pressLive", { press: label })}</p>` : nothing}
      ${this.error ? html`<p class="problem" role="alert">${explain(this.error)}</p>` : nothing}`;
  }
}

/** The models of these keys, if all are loaded. @param {string[]} keys @returns {Model[] | null} */
function modelsOf(keys) {
  const models = keys.map(loadedModel);
  return models.every(Boolean) ? /** @type {Model[]} */ (models) : null;
}
