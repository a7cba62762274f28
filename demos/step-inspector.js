// One step of the story: what else could have come, what every stage cut, and what other settings would have done.
import { Controls } from "./controls.js";
import { make, setText } from "./dom.js";
import { formatCount, formatChoices, formatPercent, plural, tokenLabel } from "../web/widgets/shared/format.js";
import { describeSettings, knobs } from "./knobs.js";
import { SHOWN, StepTracer } from "./step-tracer.js";

const CONTEXT_TAIL = 60;
/** Ends of the bars' axis: the smallest that holds the longest bar. */
const axisEnds = [0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1];

/** @type {Record<string, string>} */
const stageLabels = {
  mask: "vocabulary",
  repetition: "repetition penalty",
  temperature: "temperature",
  top_k: "top-k",
  top_p: "top-p",
  min_p: "min-p",
};

/**
 * A finished or running story, as the inspector needs it.
 * @typedef {object} Run
 * @property {import("../dist/index.js").Model} model
 * @property {string} prompt
 * @property {number[]} promptIds
 * @property {Record<string, number>} settings
 * @property {import("./story.js").Step[]} steps
 */

export class StepInspector {
  #onMove;
  #onClose;
  #onUse;
  /** @type {StepTracer | null} */
  #tracer = null;
  /** @type {import("../dist/index.js").Model | null} */
  #tracerOf = null;
  /** @type {Run | null} */
  #run = null;
  #index = -1;
  #controls;
  #parts;

  /**
   * @param {HTMLElement} element
   * @param {object} how
   * @param {(index: number) => void} how.onMove to another step of the run
   * @param {() => void} how.onClose
   * @param {(settings: Record<string, number>) => void} how.onUse
   */
  constructor(element, { onMove, onClose, onUse }) {
    this.#onMove = onMove;
    this.#onClose = onClose;
    this.#onUse = onUse;
    const parts = buildParts();
    this.#parts = parts;
    const values = Object.fromEntries(knobs.map((knob) => [knob.key, knob.initial]));
    this.#controls = new Controls(parts.knobs, {
      name: "step",
      values,
      isCompact: true,
      onInput: () => this.#render(),
      onChange: () => this.#announce(),
    });
    parts.previous.addEventListener("click", () => this.#onMove(this.#index - 1));
    parts.next.addEventListener("click", () => this.#onMove(this.#index + 1));
    parts.close.addEventListener("click", () => this.close());
    parts.use.addEventListener("click", () => this.#onUse(this.#controls.values));
    parts.reset.addEventListener("click", () => {
      if (this.#run) this.#controls.set(this.#run.settings);
      this.#render();
      this.#announce();
    });
    element.append(parts.title, parts.placeholder, parts.body);
  }

  get isOpen() {
    return this.#index >= 0;
  }

  /**
   * Makes ready what the first look at a step of the model needs.
   * @param {import("../dist/index.js").Model} model
   */
  async prepare(model) {
    if (this.#tracerOf === model) return;
    const tracer = await StepTracer.create(model);
    this.#tracer?.dispose();
    this.#tracer = tracer;
    this.#tracerOf = model;
  }

  /**
   * Once prepare has been waited for.
   * @param {Run} run
   * @param {number} index
   */
  open(run, index) {
    if (this.#run !== run) this.#controls.set(run.settings);
    this.#run = run;
    this.#index = index;
    const written = run.steps.slice(0, index).map(({ id }) => id);
    this.#tracer?.setHistory(run.promptIds, written);
    this.#parts.placeholder.hidden = true;
    this.#parts.body.hidden = false;
    this.#renderPlace();
    this.#render();
    this.#announce();
  }

  /** The story has grown: there may be a next step now. */
  refresh() {
    if (this.isOpen) this.#renderPlace();
  }

  close() {
    if (!this.isOpen) return;
    this.clear();
    this.#onClose();
  }

  clear() {
    this.#index = -1;
    this.#run = null;
    this.#parts.placeholder.hidden = false;
    this.#parts.body.hidden = true;
    setText(this.#parts.status, "");
  }

  /** Where in the story this is, and how its token came about. */
  #renderPlace() {
    const { parts, run, step } = this.#now();
    const before =
      run.prompt +
      run.steps
        .slice(Math.max(0, this.#index - CONTEXT_TAIL), this.#index)
        .map((s) => s.text)
        .join("");
    const tail = before.length > CONTEXT_TAIL ? "…" + before.slice(-CONTEXT_TAIL).replace(/^\S*\s/, " ") : before;
    setText(parts.step, `Step ${this.#index + 1} of ${run.steps.length}`);
    parts.context.replaceChildren(tail, make("mark", { text: tokenLabel(step.id, run.model) }));
    const drawn =
      run.settings.temperature === 0
        ? "Taken as the likeliest token"
        : `Drawn with probability ${formatPercent(step.probability)} among those that were left`;
    setText(parts.drawn, `${drawn}, at ${describeSettings(run.settings)}.`);
    parts.previous.disabled = this.#index === 0;
    parts.next.disabled = this.#index === run.steps.length - 1;
  }

  #render() {
    if (!this.#run || !this.#tracer) return;
    const { parts, run, step } = this.#now();
    const settings = this.#controls.values;
    const view = this.#tracer.view(step.logits, settings, step.id);
    const { candidates, tail, stages, chosen } = view;

    const longest = Math.max(candidates[0].probability, tail.probability);
    const end = /** @type {number} */ (axisEnds.find((axisEnd) => longest <= axisEnd + 1e-9));
    const isGreedy = settings.temperature === 0;
    setText(parts.axis, `bars end at ${Math.round(100 * end)}%`);
    setText(
      parts.caption,
      `The ${SHOWN} likeliest of ${formatCount(run.model.config.vocabSize)} tokens and all the others together, ` +
        (isGreedy ? "as the model has them: temperature 0 takes the largest." : "over the whole vocabulary."),
    );
    candidates.forEach((candidate, i) => {
      const row = parts.rows[i];
      row.set({
        label: tokenLabel(candidate.id, run.model),
        probability: candidate.probability,
        share: candidate.share,
        note: candidate.removedBy ? stageLabels[candidate.removedBy] : "",
        end,
        isChosen: candidate.id === step.id,
      });
    });
    const isChosenInTail = !candidates.some(({ id }) => id === step.id);
    parts.rows[SHOWN].set({
      label: plural(tail.count, "other token"),
      probability: tail.probability,
      share: tail.kept ? tail.share : null,
      note: tail.kept ? (tail.kept < tail.count ? `${formatCount(tail.kept)} left` : "") : "all cut",
      end,
      isChosen: isChosenInTail,
    });
    parts.hidden.hidden = !isChosenInTail;
    setText(
      parts.hidden,
      `The story's ${tokenLabel(chosen.id, run.model)} is among the others, at ${formatPercent(chosen.probability)}` +
        (chosen.removedBy ? `; ${stageLabels[chosen.removedBy]} would cut it now.` : "."),
    );

    parts.stages.replaceChildren(...stages.map(makeStageRow));
    const off = knobs.filter((knob) => settings[knob.key] === knob.off).map((knob) => knob.label.toLowerCase());
    setText(
      parts.off,
      isGreedy
        ? "At temperature 0 no cut is needed: all of them keep the likeliest token."
        : off.length
          ? `Switched off: ${off.join(", ")}.`
          : "",
    );
    setText(
      parts.entropy,
      `${plural(view.survivors, "token")} left. Uncertainty ${view.entropy.toFixed(2)} bits, like ` +
        `${formatChoices(2 ** view.entropy)} equal choices; after the cuts ${Math.abs(view.entropyLeft).toFixed(2)} bits, ` +
        `like ${formatChoices(2 ** view.entropyLeft)}.`,
    );
    const isMoved = knobs.some(({ key }) => settings[key] !== run.settings[key]);
    parts.moved.hidden = !isMoved;
  }

  /** Said once a control rests, not while it moves. */
  #announce() {
    if (!this.isOpen) return;
    const { parts, run, step } = this.#now();
    const view = /** @type {StepTracer} */ (this.#tracer).view(step.logits, this.#controls.values, step.id);
    const [first] = view.candidates;
    setText(
      parts.status,
      `Step ${this.#index + 1}: ${formatCount(view.survivors)} of ${plural(run.model.config.vocabSize, "token")} left; ` +
        `the likeliest is ${tokenLabel(first.id, run.model)} with ${formatPercent(first.probability)}.`,
    );
  }

  #now() {
    const run = /** @type {Run} */ (this.#run);
    return { parts: this.#parts, run, step: run.steps[this.#index] };
  }
}

/** @param {import("../dist/index.js").TraceStage} stage */
function makeStageRow({ name, before, after, threshold, mass }) {
  const isCut = threshold !== null;
  return make(
    "tr",
    {},
    make("th", { scope: "row", text: stageLabels[name] ?? name }),
    make("td", { text: `${formatCount(before)} → ${formatCount(after)}` }),
    make("td", { text: isCut ? formatPercent(threshold) : "–" }),
    make("td", { text: isCut ? formatPercent(/** @type {number} */ (mass)) : "–" }),
  );
}

/** A row of the bar table, filled anew in place. */
class BarRow {
  #label = make("th", { scope: "row" });
  #bar = make("span", { class: "bar", "aria-hidden": "true" });
  #probability = make("data", { class: "bar-number" });
  #share = make("td", { class: "share" });
  element;

  constructor() {
    this.element = make(
      "tr",
      {},
      this.#label,
      make("td", { class: "bar-cell" }, this.#bar, this.#probability),
      this.#share,
    );
  }

  /** @param {{ label: string, probability: number, share: number | null, note: string, end: number, isChosen: boolean }} row */
  set({ label, probability, share, note, end, isChosen }) {
    setText(this.#label, label);
    this.#bar.style.setProperty("--share", String(probability / end));
    this.#probability.value = String(probability);
    setText(this.#probability, formatPercent(probability));
    this.#share.replaceChildren();
    if (share === null) this.#share.append(make("span", { class: "cut-note", text: `✕ ${note}` }));
    else this.#share.append(formatPercent(share), note ? make("small", { text: ` ${note}` }) : "");
    this.element.classList.toggle("is-cut", share === null);
    this.element.classList.toggle("is-chosen", isChosen);
    if (isChosen) this.element.setAttribute("aria-current", "true");
    else this.element.removeAttribute("aria-current");
  }
}

function buildParts() {
  const rows = Array.from({ length: SHOWN + 1 }, () => new BarRow());
  rows[SHOWN].element.classList.add("is-tail");
  const parts = {
    rows,
    title: make("h2", { id: "inspector-title", text: "One step", tabindex: -1 }),
    placeholder: make("p", {
      class: "inspector-placeholder",
      text: "Every word of the story was one draw among thousands of tokens. Choose one, and its draw opens here.",
    }),
    step: make("p", { class: "step-number" }),
    previous: make("button", {
      type: "button",
      class: "icon",
      "aria-label": "Previous step",
      title: "Previous step",
      text: "‹",
    }),
    next: make("button", { type: "button", class: "icon", "aria-label": "Next step", title: "Next step", text: "›" }),
    close: make("button", { type: "button", class: "icon", "aria-label": "Close the step", title: "Close", text: "×" }),
    context: make("p", { class: "context" }),
    drawn: make("p", { class: "hint" }),
    caption: make("caption"),
    axis: make("span", { class: "axis" }),
    hidden: make("p", { class: "hint" }),
    stages: make("tbody"),
    off: make("p", { class: "hint" }),
    entropy: make("p", { class: "entropy" }),
    knobs: make("div", { class: "knobs is-compact" }),
    use: make("button", { type: "button", class: "quiet", text: "Use these for the next story" }),
    reset: make("button", { type: "button", class: "quiet", text: "Back to the story's" }),
    status: make("p", { class: "unseen", role: "status" }),
  };
  const moved = make("div", { class: "moved", hidden: true }, parts.reset, parts.use);
  const bars = make(
    "table",
    { class: "bars" },
    parts.caption,
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        make("th", { scope: "col", text: "Token" }),
        make("th", { scope: "col", class: "bar-cell" }, "Probability ", parts.axis),
        make("th", { scope: "col", text: "After the cuts" }),
      ),
    ),
    make("tbody", {}, ...rows.slice(0, SHOWN).map(({ element }) => element)),
    make("tbody", {}, rows[SHOWN].element),
  );
  const stages = make(
    "table",
    { class: "stages" },
    make("caption", { text: "What each stage left" }),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        ...["Stage", "Tokens", "Cut below", "Mass kept"].map((text) => make("th", { scope: "col", text })),
      ),
    ),
    parts.stages,
  );
  const body = make(
    "div",
    { class: "inspector-body", hidden: true },
    make("div", { class: "step-head" }, parts.previous, parts.step, parts.next, parts.close),
    parts.context,
    parts.drawn,
    parts.knobs,
    moved,
    bars,
    parts.hidden,
    stages,
    parts.off,
    parts.entropy,
    make("p", { class: "hint", text: "The sliders run the sampler on this step's logits again; the model rests." }),
    parts.status,
  );
  return { ...parts, moved, body };
}
