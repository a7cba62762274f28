// The whole step: the inspector widget on a step of the story, beginning with the story's settings.
import "../../dist/widget-inspector.js";
import { byId, setText } from "../dom.js";
import { formatPercent } from "../../web/widgets/shared/format.js";
import { describeSettings, knobs } from "./playground-knobs.js";

/** @typedef {import("./column.js").Column} Column */

export class WholeStep {
  /** Whose step it is. @type {Column | undefined} */
  column;
  /** @type {any} */
  #inspector = document.createElement("lastinch-inspector");
  #loadedModel;

  /**
   * @param {object} page
   * @param {() => import("../../dist/index.js").Model | undefined} page.loadedModel
   * @param {(settings: Record<string, number>) => void} page.onUse takes the inspector's settings for the story
   */
  constructor({ loadedModel, onUse }) {
    this.#loadedModel = loadedModel;
    const inspector = this.#inspector;
    inspector.texts = {
      title: "What else could have come",
      lead: "The sliders run the sampler again on what the model said at this step; the model rests.",
    };
    for (const name of ["lastinch-input", "lastinch-change"]) inspector.addEventListener(name, () => this.#say());
    byId("step").append(inspector);
    byId("close-step").addEventListener("click", () => this.leave());
    byId("storys").addEventListener("click", () => {
      Object.assign(inspector, this.column?.texts.current?.setup.settings);
      this.#say();
    });
    byId("use").addEventListener("click", () =>
      onUse(Object.fromEntries(knobs.map(({ key }) => [key, inspector[key]]))),
    );
  }

  get isOpen() {
    return !byId("inspector").hidden;
  }

  /** Shows the open step of a column. @param {Column} column */
  show(column) {
    const text = column.texts.current;
    const model = this.#loadedModel();
    if (!text || !model || !text.steps[column.index]?.logits) return;
    const isNew = this.#inspector.written?.steps !== text.steps;
    this.column = column;
    if (isNew) {
      this.#inspector.written = { model, ids: text.ids, steps: text.steps };
      Object.assign(this.#inspector, text.setup.settings);
    }
    byId("inspector").hidden = false;
    this.#inspector.turn("step", column.index + 1, true);
  }

  /** The text has grown, so the open step may now have a next one. */
  refresh() {
    if (this.isOpen) this.#inspector.requestUpdate();
  }

  /** Describes another step, or this one under other settings. */
  #say() {
    const text = this.column?.texts.current;
    const index = this.#inspector.step - 1;
    if (!text?.steps[index]) return;
    if (this.column?.index !== index) this.column?.mark(index);
    const { settings, more } = text.setup;
    const drawn =
      settings.temperature === 0
        ? "Taken as the likeliest token"
        : `Drawn with probability ${formatPercent(text.steps[index].probability)} among those that were left`;
    const others = Object.keys(more);
    const left = others.length ? ` The sliders and bars below leave out ${others.join(", ")}.` : "";
    setText(byId("drawn"), `${drawn}, at ${describeSettings(settings)}.${left}`);
    const isMoved = knobs.some(({ key }) => this.#inspector[key] !== settings[key]);
    for (const id of ["storys", "use"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = !isMoved;
  }

  close() {
    byId("inspector").hidden = true;
    this.#inspector.written = undefined;
  }

  /** Closes the step and returns to the word. */
  leave() {
    if (!this.isOpen) return;
    this.close();
    this.column?.leave();
  }
}
