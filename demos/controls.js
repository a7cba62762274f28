// The knobs as controls: a slider for the hand and a field for the exact number.
import { make, setText } from "./dom.js";
import { knobs, nearestStop } from "./knobs.js";
import { parseNumber } from "./url-state.js";

export class Controls {
  #values;
  /** @type {Map<string, (value: number) => void>} */
  #shows = new Map();
  #onInput;
  #onChange;

  /**
   * @param {HTMLElement} container
   * @param {object} how
   * @param {string} how.name prefix of the ids
   * @param {Record<string, number>} how.values
   * @param {string[]} [how.keys] which knobs
   * @param {boolean} [how.isCompact] without their help
   * @param {(values: Record<string, number>) => void} [how.onInput] while a slider moves
   * @param {(values: Record<string, number>) => void} [how.onChange] when it rests
   */
  constructor(container, { name, values, keys, isCompact = false, onInput = () => {}, onChange = () => {} }) {
    this.#values = { ...values };
    this.#onInput = onInput;
    this.#onChange = onChange;
    const wanted = keys ? knobs.filter(({ key }) => keys.includes(key)) : knobs;
    container.append(...wanted.map((knob) => this.#makeKnob(knob, `${name}-${knob.param}`, isCompact)));
  }

  get values() {
    return { ...this.#values };
  }

  /** @param {Record<string, number>} values */
  set(values) {
    for (const [key, show] of this.#shows) {
      if (values[key] === undefined) continue;
      this.#values[key] = values[key];
      show(values[key]);
    }
  }

  /**
   * @param {import("./knobs.js").Knob} knob
   * @param {string} id
   * @param {boolean} isCompact
   */
  #makeKnob(knob, id, isCompact) {
    const { key, label, help, min, max, isWhole, stops, remark } = knob;
    const remarkElement = make("span", { class: "knob-remark" });
    const number = make("input", {
      class: "knob-number",
      type: "number",
      inputmode: isWhole ? "numeric" : "decimal",
      min,
      max,
      step: isWhole ? 1 : "any",
      "aria-label": `${label}, exact, ${min} to ${max}`,
    });
    const slider = make("input", { class: "knob-slider", type: "range", id, min: 0, max: stops.length - 1, step: 1 });

    /** @param {number} value @param {boolean} [keepsNumber] while it is being typed */
    const show = (value, keepsNumber = false) => {
      slider.value = String(nearestStop(knob, value));
      // The slider's own value is the number of a stop, which says nothing to a listener.
      slider.setAttribute("aria-valuetext", [value, remark(value)].filter((part) => part !== "").join(", "));
      slider.style.setProperty("--filled", String(Number(slider.value) / (stops.length - 1)));
      if (!keepsNumber) number.value = String(value);
      setText(remarkElement, remark(value));
    };
    /** @param {number} value @param {boolean} [keepsNumber] */
    const take = (value, keepsNumber) => {
      this.#values[key] = value;
      show(value, keepsNumber);
      this.#onInput(this.values);
    };
    slider.addEventListener("input", () => take(stops[Number(slider.value)]));
    number.addEventListener("input", () => {
      const value = parseNumber(number.value, min, max, isWhole);
      if (value !== null) take(value, true);
    });
    for (const input of [slider, number])
      input.addEventListener("change", () => {
        show(this.#values[key]);
        this.#onChange(this.values);
      });

    this.#shows.set(key, show);
    show(this.#values[key]);
    const head = make("div", { class: "knob-head" }, make("label", { for: id, text: label }), remarkElement, number);
    const knobElement = make("div", { class: "knob", "data-knob": key }, head, slider);
    if (!isCompact) {
      knobElement.append(make("p", { class: "hint", id: id + "-help", text: help }));
      slider.setAttribute("aria-describedby", id + "-help");
    }
    return knobElement;
  }
}
