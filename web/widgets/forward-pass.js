// One forward pass, layer by layer: the norm of the residual stream, the tokens that a head of attention reads, and the token
// that would come next.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { textField } from "./shared/field.js";
import { formatCount, formatPercent } from "./shared/format.js";
import { describePass } from "./shared/layers.js";
import { Live } from "./shared/live.js";
import { Player } from "./shared/player.js";
import { plot, plotStyles } from "./shared/plot.js";
import { isRecorded, numbersIn } from "./shared/recording.js";
import { topOf } from "./shared/sampling.js";
import { promptIds } from "./shared/writing.js";
import { pass as recordedPass, settings as recorded } from "./recorded/forward-pass.js";

/** @typedef {import("./shared/models.js").Model} Model */
/** @typedef {import("./shared/layers.js").Pass} Pass */
/** @typedef {import("./shared/layers.js").Stage} Stage */

/** Number of a head's weights in the table. */
const MOST = 4;

/**
 * What each layer of a real model adds: how long the row of numbers grows, where attention looks, and how the next token's
 * logits sharpen.
 * @tagname lastinch-forward-pass
 */
export class LastInchForwardPass extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    plotStyles,
    css`
      .way {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem 0.375rem;
        padding: 0;
        list-style: none;
        font-size: 0.875rem;
      }
      .way li {
        padding: 0.125rem 0.625rem;
        border: 1px solid var(--edge);
        border-radius: 1rem;
      }
      .way [aria-current] {
        border: 2px solid var(--accent);
        font-weight: 600;
      }
      .way li + li::before {
        margin-inline-end: 0.375rem;
        content: "→";
      }
      .beside {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr));
        gap: 1rem 1.5rem;
        align-items: start;
      }
      .beside > * {
        display: grid;
        gap: 0.5rem;
        min-width: 0;
      }
      .bars tbody th button {
        min-height: 1.5rem;
        padding: 0;
      }
      .looks {
        display: flex;
        flex-wrap: wrap;
        gap: 0.375rem 0.125rem;
      }
      .looks span {
        display: grid;
        grid-template-rows: 4rem auto;
        justify-items: center;
        padding-inline: 0.125rem;
        font: 1.0625rem/1.4 var(--lastinch-serif, Charter, Cambria, Georgia, serif);
      }
      .looks span:last-child {
        font-weight: 700;
        text-decoration: underline;
      }
      .looks i {
        align-self: end;
        width: 1rem;
        height: calc(100% * var(--size));
        background: var(--accent);
      }
      @media (forced-colors: active) {
        .looks i {
          forced-color-adjust: none;
          background: CanvasText;
        }
      }
    `,
  ];
  static formula = "x ← x + attention(norm x), then x ← x + feed-forward(norm x); logits = W · norm x";
  static words = {
    title: "Inside a forward pass",
    lead: "The last token enters as a row of numbers. Each layer adds to the row what its attention heads have read from earlier tokens. Step down the layers and watch the next token come to light.",
    prompt: "Text",
    run: "Run the model",
    way: "The way to the next token",
    wayTokens: "{count} tokens",
    wayNumbers: "{count} numbers each",
    wayLayers: "{count} layers",
    wayLogits: "{count} logits",
    wayDraw: "sampling",
    stage: "After",
    embedding: "Embedding",
    layer: "Layer {layer}",
    norm: "Norm",
    likeliest: "Likeliest next",
    caption:
      "After each layer: the norm of the row of numbers, and the likeliest next token if this layer were the last",
    head: "Attention head",
    looks: "Layer {layer}, head {head}: where the last token looks. Each bar is a weight; together they make 100%.",
    largest: "The largest weights of this head",
    weight: "Weight",
    others: "all other tokens",
    still: "The embedding looks nowhere: it is a row of a table, the same for this token in every text.",
    repeats: "It repeats its own token, because this model reads and writes with one table.",
    none: "This layer has no attention.",
    next: "The next token, if the model ended after: {stage}",
    lines: "How the tokens that lead in the end gain their share, layer by layer",
    lens: "Earlier layers are read with the norm and the table of the last one (“logit lens”).",
    depth: "Layers run",
    summary: "{stage}: norm {norm}; {token} leads with {share}.",
  };
  static chinese = () => import("./chinese/forward-pass.js");
  static honesty = "live";
  static properties = {
    prompt: { share: true, attribute: "prompt" },
    layer: knob("layer"),
    head: knob("count", "head"),
    pace: knob("pace"),
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** @type {Player} */
  #player = new Player(this, () => Math.max(0, this.#pass.stages.length - 1));
  /** The pass that the model ran in this page. @type {Pass | undefined} */
  #computed;
  /** @type {Pass | undefined} */
  #recording;
  /** The player's layer. */
  #known = -1;

  constructor() {
    super();
    /** The text whose next token is computed. */
    this.prompt = recorded.prompt;
    /** The layer that is shown, from 1; 0 is the embedding. */
    this.layer = recorded.layer;
    /** The attention head that is shown, from 1. */
    this.head = recorded.head;
    /**
     * Pace of Play in tokens a second: a layer takes as long as 20 tokens; 0 goes to the last layer.
     * @type {number | undefined}
     */
    this.pace = undefined;
  }

  prepare() {
    const { prompt } = recorded;
    this.isRecorded = isRecorded(this, { prompt });
    if (this.isRecorded) this.#recording = readPass(this);
  }

  willUpdate() {
    // The layer is both a property, which links carry, and the player's position.
    if (this.layer !== this.#known) this.#player.position = this.layer;
    this.#known = this.layer = this.#player.position;
  }

  /** @returns {Pass} */
  get #pass() {
    const shown = this.isRecorded ? this.#recording : this.#computed;
    return shown ?? { tokens: [], dim: 0, size: 0, stages: [], lines: [] };
  }

  /** The stage in view, and the head, if the model has that many. */
  get #place() {
    const { stages } = this.#pass;
    const at = Math.min(this.#player.position, stages.length - 1);
    return { at, head: Math.min(this.head, stages[at]?.attention?.length ?? 1) - 1 };
  }

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    const activations = await model.activations(await promptIds(model, this.prompt));
    const pass = await describePass(model, activations, (key) => this.say(key));
    if (signal.aborted) return;
    this.#computed = pass;
    this.#player.go(Math.min(this.#player.position, pass.stages.length - 1));
  };

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    super.turn(name, value, isFinal);
    if (name !== "prompt" && name !== "model") return;
    this.#live.stop();
    this.isRecorded = false;
    this.#computed = undefined;
    if (name === "prompt" && this.#live.models) void this.#live.run(this.#run);
  }

  /** @param {number} at */
  #nameOf(at) {
    return at ? this.say("layer", { layer: at }) : this.say("embedding");
  }

  view() {
    const pass = this.#pass;
    return html`${textField(this, "prompt")} ${this.#live.button(this.say("run"), this.#run)}
    ${pass.stages.length ? this.#passView(pass) : nothing}`;
  }

  /** @param {Pass} pass */
  #passView({ tokens, dim, size, stages, lines }) {
    const { at } = this.#place;
    const last = stages.length - 1;
    const way = [
      this.say("wayTokens", { count: tokens.length }),
      this.say("wayNumbers", { count: formatCount(dim) }),
      this.say("wayLayers", { count: last }),
      this.say("wayLogits", { count: formatCount(size) }),
      this.say("wayDraw"),
    ];
    const here = at === 0 ? 1 : at < last ? 2 : 3;
    return html`<ol class="way" aria-label=${this.say("way")}>
        ${way.map((text, i) => html`<li aria-current=${i === here ? "step" : nothing}>${text}</li>`)}
      </ol>
      ${this.#player.controls()}
      <div class="beside">
        <div>${this.#strip(stages, at)}</div>
        <div>${this.#looks(tokens, stages[at], at)}</div>
      </div>
      <div class="beside">
        <div>${this.#next(stages[at], at)}</div>
        <div>
          <p>${this.say("lines")}</p>
          ${plot({
            label: this.say("lines"),
            x: [0, last],
            y: [0, 1],
            xLabel: this.say("depth"),
            yLabel: this.say("probability"),
            formatY: formatPercent,
            lines: lines.map(([name, shares], i) => ({
              name,
              points: shares.map((share, x) => [x, share]),
              dash: /** @type {const} */ (["solid", "dashed", "dotted"])[i],
              kind: i ? "cut" : "kept",
              hasDots: !i,
            })),
          })}
          <p class="hint">${this.say("lens")}</p>
        </div>
      </div>`;
  }

  /** The norm after every layer. @param {Stage[]} stages @param {number} at */
  #strip(stages, at) {
    const longest = Math.max(...stages.map(({ norm }) => norm));
    return barTable({
      caption: this.say("caption"),
      heads: ["stage", "", "norm", "likeliest", "probability"].map((key) => key && this.say(key)),
      rows: stages.map(({ norm, top: [[token, share]] }, i) => ({
        kind: "kept",
        isMarked: i === at,
        cells: [
          html`<button class="quiet" aria-pressed=${i === at} @click=${() => this.#player.go(i)}>
            ${this.#nameOf(i)}
          </button>`,
          { bar: norm / longest },
          norm.toFixed(1),
          token,
          formatPercent(share),
        ],
      })),
    });
  }

  /** The likeliest next tokens. @param {Stage} stage @param {number} at */
  #next({ top }, at) {
    const caption = this.say("next", { stage: this.#nameOf(at) });
    const rows = top.map(([label, share]) => ({ kind: "kept", cells: [label, { bar: share }, formatPercent(share)] }));
    const heads = ["token", "", "probability"].map((key) => key && this.say(key));
    return html`<p>${caption}</p>
      ${barTable({ caption, heads, rows })}`;
  }

  /** The tokens that the head attends to. @param {string[]} tokens @param {Stage} stage @param {number} at */
  #looks(tokens, { attention, top }, at) {
    if (!attention) {
      const doesRepeat = top[0][0] === tokens[tokens.length - 1];
      const still = doesRepeat ? `${this.say("still")} ${this.say("repeats")}` : this.say("still");
      return html`<p>${at ? this.say("none") : still}</p>`;
    }
    const { head } = this.#place;
    const weights = attention[head];
    const most = topOf(weights, MOST);
    const rows = most.map((i) => [`${tokens[i]} (${i + 1})`, weights[i]]);
    const left = weights.reduce((sum, weight) => sum + weight, 0) - most.reduce((sum, i) => sum + weights[i], 0);
    if (weights.length > MOST) rows.push([this.say("others"), Math.max(0, left)]);
    const heads = ["token", "", "weight"].map((key) => key && this.say(key));
    return html`<p>${this.say("looks", { layer: at, head: head + 1 })}</p>
      <p class="looks">
        ${tokens.map((label, i) => html`<span><i .style=${`--size: ${weights[i]}`}></i>${label.replace("␣", "")} </span>`)}
      </p>
      ${attention.length > 1 ? this.slider("head", { max: attention.length }) : nothing}
      <details>
        <summary>${this.say("largest")}</summary>
        ${barTable({
          caption: this.say("largest"),
          heads,
          rows: rows.map(([label, weight]) => ({
            kind: "kept",
            cells: [String(label), { bar: Number(weight) }, formatPercent(Number(weight))],
          })),
        })}
      </details>`;
  }

  summary() {
    const { stages } = this.#pass;
    const { at } = this.#place;
    if (!stages.length) return "";
    const { norm, top } = stages[at];
    const [[token, share]] = top;
    return this.say("summary", {
      stage: this.#nameOf(at),
      norm: norm.toFixed(1),
      token: `“${token}”`,
      share: formatPercent(share),
    });
  }
}

/** The recorded pass. @param {LastInchElement} host @returns {Pass} */
function readPass(host) {
  const { tokens, stages, ...rest } = recordedPass;
  return {
    ...rest,
    lines: /** @type {Pass["lines"]} */ (rest.lines),
    tokens: tokens.map((label) => (label === "start of text" ? host.say("startOfText") : label)),
    stages: stages.map(({ norm, top, attention }) => ({
      norm,
      top: /** @type {Stage["top"]} */ (top),
      attention: attention && attention.map((weights) => numbersIn(weights).map((weight) => weight / 1e4)),
    })),
  };
}

define("forward-pass", LastInchForwardPass);
