// The entropy strip: bars that show how uncertain the model was at each step. All strips of a page share one scale.
import { plural } from "../../web/widgets/shared/format.js";
import { make } from "../dom.js";

/** @typedef {import("./texts.js").Step} Step */

const HEIGHT = 44;
/** The bits that fill the strip, unless a step has more. */
export const LEAST_SCALE = 4;

/** The strips of the page, which readers compare. @type {Set<Strip>} */
const strips = new Set();

export class Strip {
  element = make("figure", { class: "strip", hidden: true });
  #canvas = make("canvas", { role: "img" });
  #caption = make("figcaption", { class: "hint" });
  /** @type {readonly Step[]} */
  #steps = [];
  #most = 0;
  /** @type {import("../../dist/index.js").Loop | undefined} */
  #loop;
  #open = -1;
  #frame = 0;

  /** @param {(index: number) => void} onPick a step was clicked */
  constructor(onPick) {
    strips.add(this);
    this.element.append(this.#canvas, this.#caption);
    this.#canvas.addEventListener("click", ({ offsetX }) => {
      const index = Math.floor((offsetX / this.#canvas.clientWidth) * this.#steps.length);
      if (this.#steps[index]) onPick(index);
    });
    new ResizeObserver(() => this.#ask()).observe(this.#canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#ask());
  }

  /**
   * Call again when the steps have grown.
   * @param {readonly Step[]} steps
   * @param {import("../../dist/index.js").Loop} [loop] in which they end
   */
  show(steps, loop) {
    this.#steps = steps;
    this.#loop = loop;
    this.element.hidden = steps.length === 0;
    const before = this.#most;
    this.#most = steps.length ? largest(steps).bits : 0;
    if (this.#most === before) this.#ask();
    else for (const strip of strips) strip.#ask();
  }

  /** Call when the column is removed. */
  remove() {
    strips.delete(this);
    for (const strip of strips) strip.#ask();
  }

  /** @param {number} index -1: none */
  markOpen(index) {
    this.#open = index;
    this.#ask();
  }

  #ask() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw() {
    const canvas = this.#canvas;
    const steps = this.#steps;
    const width = canvas.clientWidth;
    const brush = canvas.getContext("2d");
    if (!brush || !width || !steps.length) return;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    brush.scale(ratio, ratio);
    const { bits: most, index: at } = largest(steps);
    const scale = Math.max(LEAST_SCALE, ...[...strips].map((strip) => strip.#most));
    const style = getComputedStyle(canvas);
    const step = width / steps.length;
    const gap = step > 4 ? 1 : 0;
    steps.forEach(({ bits }, i) => {
      const height = (HEIGHT * bits) / scale;
      brush.fillStyle = i === this.#open ? style.borderBlockStartColor : style.color;
      brush.fillRect(i * step, HEIGHT - height, Math.max(step - gap, 0.5), height);
    });
    if (this.#loop) {
      // A line over the loop, broken where a turn begins.
      const { start, period } = this.#loop;
      brush.fillStyle = style.borderBlockStartColor;
      for (let i = start; i < steps.length; i += period) {
        const end = Math.min(i + period, steps.length);
        brush.fillRect(i * step, 0, Math.max((end - i) * step - 2, 1), 3);
      }
    }
    const mean = steps.reduce((sum, { bits }) => sum + bits, 0) / steps.length;
    const text =
      `How unsure the model was at each step: ${mean.toFixed(1)} bits on average, ` +
      `${most.toFixed(1)} at most, at step ${at + 1}.` +
      (this.#loop ? ` From step ${this.#loop.start + 1} on it repeats ${plural(this.#loop.period, "token")}.` : "");
    canvas.setAttribute("aria-label", text);
    this.#caption.textContent = text;
  }
}

/** @param {readonly Step[]} steps */
function largest(steps) {
  let index = 0;
  steps.forEach(({ bits }, i) => {
    if (bits > steps[index].bits) index = i;
  });
  return { bits: steps[index].bits, index };
}
