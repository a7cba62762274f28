// Which model writes: one of the site's, fetched when first needed, or the person's own file.
import { formatCount, formatSize } from "../../web/widgets/shared/format.js";
import { loadedModel, modelSize } from "../../web/widgets/shared/models.js";
import { byId, make, setText } from "../dom.js";
import { shipped, VOCABULARY } from "./shipped.js";

/** @typedef {import("../../dist/index.js").Model} Model */

/** The shipped models that write stories, by their names. @type {Record<string, string>} */
const models = { storyteller: "Storyteller", draft: "Tiny: a tenth of its size" };
/** The person's own file in the list of models. */
export const OWN = "own";

export class ModelChoice {
  /** The name of the first model. */
  static usual = Object.keys(models)[0];
  field = /** @type {HTMLSelectElement} */ (byId("model"));
  /** The person's own file, once loaded. @type {Model | undefined} */
  own;
  /** Where that file came from. @type {File | string | undefined} */
  #ownSource;
  #onShow;

  /** @param {() => void} onShow another model is chosen or loaded */
  constructor(onShow) {
    this.#onShow = onShow;
    this.field.append(...Object.entries(models).map(([value, text]) => make("option", { value, text })));
  }

  get name() {
    return this.field.value;
  }

  get names() {
    return [...this.field.options].map(({ value }) => value);
  }

  /** The chosen model, if it is there already. @returns {Model | undefined} */
  get loaded() {
    return this.name === OWN ? this.own : loadedModel(this.name);
  }

  /** Fetches the chosen model if necessary. @param {AbortSignal} signal @returns {Promise<Model>} */
  async take(signal) {
    if (this.loaded) return this.loaded;
    setText(byId("status"), "Loading the model …");
    try {
      const model = shipped[this.name];
      // Fetches all code at once, and the sampler's module together with the model.
      const [{ acquireModel }, { samplerFor }] = await Promise.all([
        import("../../dist/widgets-live.js"),
        import("../../dist/widgets-base.js"),
        import("../../dist/index.js"),
        model(),
      ]);
      samplerFor(VOCABULARY).catch(() => {});
      const taken = await acquireModel(this.name, model, { onProgress: showProgress, signal });
      this.show();
      return taken.model;
    } finally {
      byId("progress").hidden = true;
    }
  }

  /** The address of the chosen model; undefined for a file of the person's own. @returns {Promise<string | undefined>} */
  async address() {
    if (this.name !== OWN) return (await shipped[this.name]()).default.href;
    return typeof this.#ownSource === "string" ? new URL(this.#ownSource, location.href).href : undefined;
  }

  /**
   * @param {Model} model takes the place of the file that was loaded before
   * @param {string} name
   * @param {File | string} source a file, or its address
   */
  takeOwn(model, name, source) {
    this.own?.dispose();
    this.own = model;
    this.#ownSource = source;
    this.field.querySelector(`[value=${OWN}]`)?.remove();
    this.field.append(make("option", { value: OWN, text: name }));
    this.field.value = OWN;
  }

  /** Shows which model would run and what it costs to fetch. */
  show() {
    const config = this.loaded?.config;
    setText(byId("model-name"), this.field.selectedOptions[0].text);
    setText(
      byId("honesty"),
      config
        ? `Live: the model “${config.name ?? this.name}” (${formatSize(config.size)}, ${config.layers} layers, ` +
            `${formatCount(config.vocabSize)} tokens) computes all of this in this page.`
        : `Generate first loads the model, ${formatSize(modelSize(this.name))}, from this site; it then runs in this page.`,
    );
    this.#onShow();
  }
}

/** @param {{ loaded: number, total: number }} progress total 0: unknown */
function showProgress({ loaded, total }) {
  byId("progress").hidden = false;
  const bar = /** @type {HTMLProgressElement} */ (byId("progress-bar"));
  if (total) bar.value = loaded / total;
  else bar.removeAttribute("value");
  setText(byId("progress-text"), `Loading the model: ${formatSize(loaded)}${total ? ` of ${formatSize(total)}` : ""}`);
}
