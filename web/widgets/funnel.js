// The whole funnel from one trace: pick a token and see which stage removes the token, and why.
import { css, html, nothing, svg } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { box, drawStyles, link, picture, widthOfWords, words } from "./shared/draw.js";
import { formatCount, formatPercent, legible } from "./shared/format.js";
import { look, sumBut } from "./shared/look.js";
import { readySampler, topOf } from "./shared/sampling.js";
import { stageList, stageStyles } from "./shared/stage-list.js";

const SHOWN = 20;
/** In the picture: the mouth of the funnel, and the height of a stage. */
const [WIDTH, STEP] = [220, 46];
/** Number of tokens to choose from. */
const LISTED = 200;
const stages = ["temperature", "top_k", "top_p", "min_p", "typical"];
const cutting = stages.slice(1);
const knobNames = ["temperature", "topK", "topP", "minP", "typicalP"];

/**
 * The sampler's stages in a row, with how many tokens each lets through, and the fate of one token.
 * @tagname lastinch-funnel
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchFunnel extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    stageStyles,
    drawStyles,
    css`
      mark {
        padding: 0 0.25em;
        border-radius: 0.2em;
        background: var(--cut);
        color: var(--paper);
      }
    `,
  ];
  static words = {
    title: "The funnel: watch one token survive",
    lead: "Logits pass one stage after another. Pick a token, set the knobs, and see at which stage it falls out.",
    watch: "Watch",
    noToken: "watch: there is no token {watch}, they are numbered from 0 to {last}.",
    stages: "Stages, in order",
    up: "Move {stage} up",
    down: "Move {stage} down",
    stage_temperature: "Temperature",
    stage_top_k: "Top-k",
    stage_top_p: "Top-p",
    stage_min_p: "Min-p",
    stage_typical: "Typical",
    typicalP: "Typical p",
    passed: "{before} in, {after} out",
    mass: "{mass} of the probability stays",
    floor: "cut below {threshold}",
    dies: "“{token}” falls out here",
    idle: "off",
    lives: "“{token}” survives with {share} of what is left; it had {probability}.",
    died: "“{token}” had {probability} and was removed by {stage}.",
    picture: "The funnel: {stages}",
    caption: "Tokens from the most likely down, and which stage removed each",
    fate: "Fate",
    summary: "{kept} of {count} tokens survive.",
  };
  static chinese = () => import("./chinese/funnel.js");
  static properties = {
    ...Object.fromEntries(knobNames.map((name) => [name, knob(name)])),
    order: { share: true, attribute: "order", someOf: stages },
    watch: { type: Number, share: true, attribute: "watch" },
  };

  constructor() {
    super();
    this.temperature = 1;
    this.topK = 5;
    this.topP = 0.95;
    this.minP = 0.1;
    this.typicalP = 1;
    /** Names of the stages, in order, separated by spaces; missing ones come last. */
    this.order = stages.join(" ");
    /** Number of the token that is watched, counting from 0; the fourth if none is given. @type {number | undefined} */
    this.watch = undefined;
  }

  get #stages() {
    return [...new Set([...this.order.split(/\s+/).filter(Boolean), ...stages])];
  }

  #look() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const settings = Object.fromEntries(knobNames.map((name) => [name, /** @type {any} */ (this)[name]]));
    const last = tokens.length - 1;
    const watched = this.watch !== undefined && this.watch in tokens ? this.watch : Math.min(3, last);
    return { tokens, watched, ...look(sampler, logits, { ...settings, order: this.#stages }) };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, watched, probabilities, shares, removedBy } = looked;
    const order = topOf(probabilities, LISTED);
    const shown = order.slice(0, SHOWN);
    const token = legible(tokens[watched]);
    const rows = shown.map((id) => ({
      kind: removedBy(id) === null ? "kept" : "cut",
      isMarked: id === watched,
      cells: [
        legible(tokens[id]),
        { bar: probabilities[id] },
        formatPercent(probabilities[id]),
        removedBy(id) === null
          ? `✓ ${this.say("kept")}, ${formatPercent(shares[id])}`
          : `✕ ${this.say("stage_" + removedBy(id))}`,
      ],
    }));
    const rest = tokens.length - shown.length;
    if (rest) {
      const share = sumBut(probabilities, shown);
      const kept = looked.kept.length - shown.filter((id) => removedBy(id) === null).length;
      rows.push({
        kind: "plain",
        isMarked: false,
        cells: [
          this.say("everythingElse", { count: formatCount(rest) }),
          { bar: share },
          formatPercent(share),
          `${formatCount(kept)} ${this.say("kept")}`,
        ],
      });
    }
    const pick = (/** @type {Event} */ event) =>
      this.turn("watch", Number(/** @type {HTMLSelectElement} */ (event.target).value), true);
    const killer = removedBy(watched);
    return html`<label
        >${this.say("watch")}
        <select @change=${pick}>
          ${order.map((id) => html`<option value=${id} ?selected=${id === watched}>${legible(tokens[id])}</option>`)}
        </select></label
      >
      ${
        (this.watch ?? watched) === watched
          ? nothing
          : html`<p class="problem" role="alert">
              ${this.say("noToken", { watch: this.watch ?? "", last: tokens.length - 1 })}
            </p>`
      }
      <div class="knobs">
        ${knobNames.map((name) => this.slider(name, name === "topK" ? { max: Math.min(tokens.length, 1000) } : {}))}
      </div>
      ${this.#picture(looked, token)}
      <p><b>${this.say("stages")}</b></p>
      ${stageList({
        order: this.#stages,
        label: (stage) => this.#stage(stage, looked, token),
        moveLabel: (direction, stage) => this.say(direction, { stage: this.say("stage_" + stage) }),
        onChange: (stages) => this.turn("order", stages.join(" "), true),
      })}
      <p>
        ${
          killer === null
            ? this.say("lives", {
                token,
                share: formatPercent(shares[watched]),
                probability: formatPercent(probabilities[watched]),
              })
            : this.say("died", {
                token,
                probability: formatPercent(probabilities[watched]),
                stage: this.say("stage_" + killer),
              })
        }
      </p>
      ${barTable({
        caption: this.say("caption"),
        heads: [this.say("token"), "", this.say("probability"), this.say("fate")],
        rows,
      })}`;
  }

  /**
   * Each stage, as wide as the tokens that it lets through, and the path of the watched token.
   * @param {import("./shared/look.js").View & { watched: number, tokens: string[] }} looked
   * @param {string} token
   */
  #picture({ stages, removedBy, watched, tokens }, token) {
    // Almost nothing is left of a large vocabulary, so the width is logarithmic: each step to a tenth takes the same
    // share.
    const { length } = tokens;
    const widthOf = (/** @type {number} */ count) =>
      WIDTH * (length > 100 ? Math.log(count + 1) / Math.log(length + 1) : count / length);
    const cuts = stages.filter(({ name }) => cutting.includes(name));
    const killer = removedBy(watched);
    const middle = WIDTH / 2 + 4;
    const fall = middle + WIDTH / 2 - 10;
    const fallen = token.length * 8 + 26;
    const aside = fall + fallen + 8;
    const labels = cuts.map(
      ({ name, before, after }) => `${this.say("stage_" + name)}: ${formatCount(before)} → ${formatCount(after)}`,
    );
    const end = cuts.findIndex(({ name }) => name === killer);
    const shapes = cuts.map(({ before, after }, i) => {
      const y = 8 + i * STEP;
      const [from, to] = [widthOf(before) / 2, widthOf(after) / 2];
      return svg`<g class="funnel"><path class="shape tint" d="M${middle - from} ${y}H${middle + from}L${middle + to} ${y + STEP - 4}H${middle - to}Z" /></g>
        ${words(aside, y + STEP / 2, labels[i])}`;
    });
    const last = end < 0 ? cuts.length : end;
    const bottom = 8 + last * STEP + (end < 0 ? 10 : STEP / 2);
    return picture({
      label: this.say("picture", { stages: this.list(labels) }),
      width: Math.ceil(aside + Math.max(0, ...labels.map(widthOfWords))),
      height: 8 + cuts.length * STEP + 28,
      content: [
        ...shapes,
        svg`<path class="link kept" d="M${middle} 0V${end < 0 ? bottom : bottom - 8}" />`,
        end < 0 ? "" : link(middle, bottom - 8, fall, bottom + 4, "cut"),
        end < 0
          ? words(middle, bottom + 10, `✓ ${token}`, "", "middle")
          : [box(fall - 4, bottom - 7, fallen, 22, "cut"), words(fall + 4, bottom + 4, `✕ ${token}`)],
      ],
    });
  }

  /**
   * @param {string} name
   * @param {import("./shared/look.js").View & { watched: number }} looked
   * @param {string} token
   */
  #stage(name, { stages, removedBy, watched }, token) {
    const stage = stages.find((one) => one.name === name);
    const label = html`<b>${this.say("stage_" + name)}</b>`;
    if (!stage) return html`${label} · ${this.say("idle")}`;
    const { before, after, mass, threshold } = stage;
    return html`${label} · ${this.say("passed", { before: formatCount(before), after: formatCount(after) })}
    ${mass === null ? nothing : html` · ${this.say("mass", { mass: formatPercent(mass) })}`}
    ${threshold === null ? nothing : html` · ${this.say("floor", { threshold: formatPercent(threshold) })}`}
    ${removedBy(watched) === name ? html`<mark>✕ ${this.say("dies", { token })}</mark>` : nothing}`;
  }

  summary() {
    const looked = this.#look();
    return looked ? this.say("summary", { kept: looked.kept.length, count: looked.tokens.length }) : "";
  }
}

define("funnel", LastInchFunnel);
