// The knobs as controls: a slider, and a field for the exact number.
import { nearestStop } from "../../web/widgets/shared/knobs.js";
import { make, setText } from "../dom.js";
import { knobs } from "./playground-knobs.js";
import { parseNumber } from "./url-state.js";

export class Controls {
  #values;
  /** @type {Map<string, (value: number) => void>} */
  #shows = new Map();
  #onInput;
  #onChange;

  /**
   * @param {[HTMLElement, HTMLElement]} places of the first knob, and of the others
   * @param {Record<string, number>} values
   * @param {() => void} onInput a control moves
   * @param {() => void} onChange a control rests
   */
  constructor([first, rest], values, onInput, onChange) {
    this.#values = { ...values };
    this.#onInput = onInput;
    this.#onChange = onChange;
    const [one, ...others] = knobs.map((knob) => this.#makeKnob(knob));
    first.append(one);
    rest.append(...others);
  }

  get values() {
    return { ...this.#values };
  }

  /** @param {Record<string, number>} values */
  set(values) {
    for (const [key, show] of this.#shows) {
      this.#values[key] = values[key];
      show(values[key]);
    }
  }

  /** @param {typeof knobs[number]} knob */
  #makeKnob({ key, param, label, help, min, max, step, stops, isWhole, reach, remarks }) {
    const id = "knob-" + param;
    const remark = make("span", { class: "knob-remark" });
    const number = make("input", {
      class: "knob-number",
      type: "number",
      inputmode: isWhole ? "numeric" : "decimal",
      min,
      max,
      step: isWhole ? 1 : "any",
      "aria-label": `${label}, exact, ${min} to ${max}`,
    });
    const ends = stops ? { min: 0, max: stops.length - 1, step: 1 } : { min, max: reach ?? max, step };
    const slider = make("input", { type: "range", id, ...ends, "aria-describedby": id + "-help" });

    /** @param {number} value @param {boolean} [keepsNumber] while a person types it */
    const show = (value, keepsNumber = false) => {
      const said = remarks[value] ?? "";
      slider.value = String(stops ? nearestStop(stops, value) : value);
      // The slider's own value may be the number of a stop, which tells a listener nothing.
      slider.setAttribute("aria-valuetext", [value, said].filter((part) => part !== "").join(", "));
      if (!keepsNumber) number.value = String(value);
      setText(remark, said);
    };
    /** @param {number} value @param {boolean} [keepsNumber] */
    const take = (value, keepsNumber) => {
      this.#values[key] = value;
      show(value, keepsNumber);
      this.#onInput();
    };
    slider.addEventListener("input", () => take(stops ? stops[Number(slider.value)] : Number(slider.value)));
    number.addEventListener("input", () => {
      const value = parseNumber(number.value, min, max, isWhole);
      if (value !== null) take(value, true);
    });
    for (const input of [slider, number])
      input.addEventListener("change", () => {
        show(this.#values[key]);
        this.#onChange();
      });

    this.#shows.set(key, show);
    show(this.#values[key]);
    return make(
      "div",
      { class: "knob", "data-knob": key },
      make("div", { class: "knob-head" }, make("label", { for: id, text: label }), remark, number),
      slider,
      make("p", { class: "hint", id: id + "-help", text: help }),
    );
  }
}
