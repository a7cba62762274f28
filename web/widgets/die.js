// Sampling as a die: expected counts, rolled counts, and a test whether they agree.
import { css, html, nothing, svg } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable, headOf } from "./shared/bars.js";
import { formatCount, formatPercent, legible } from "./shared/format.js";
import { seedField } from "./shared/field.js";
import { drawStyles } from "./shared/draw.js";
import { isSame, look, restOf, sumBut, survivors, uncut } from "./shared/look.js";
import { configure, readySampler, topOf } from "./shared/sampling.js";

const MOST = 10_000;
/** Number of faces shown; the others share one bar. */
const FACES = 12;

/**
 * A distribution as a weighted die: knobs reshape it, and the counts of the rolls appear beside the expected counts.
 * @tagname lastinch-die
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchDie extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    drawStyles,
    css`
      .beside {
        display: grid;
        grid-template-columns: 11rem 1fr;
        gap: 1rem;
        align-items: center;
      }
      .beside > * {
        min-width: 0;
      }
      .wheel {
        display: block;
        width: 100%;
        max-width: 11rem;
        margin-inline: auto;
        overflow: visible;
      }
      .wheel g {
        transform: rotate(var(--turn));
      }
      .wheel .lit {
        stroke: var(--ink);
        stroke-width: 3;
      }
      @media (prefers-reduced-motion: no-preference) {
        .wheel g {
          transition: transform 900ms cubic-bezier(0.2, 0.7, 0.2, 1);
        }
      }
      @media (max-width: 36rem) {
        .beside {
          grid-template-columns: 1fr;
        }
      }
    `,
  ];
  static words = {
    title: "The weighted die",
    lead: "The model's numbers are a die with uneven faces. Reshape it, then roll: a few rolls stray, many settle close to what was expected.",
    roll: "Roll {count}",
    rolls: "Rolls so far: {count}.",
    before: "Before",
    expected: "Die",
    observed: "Rolled",
    wheel: "The die as a wheel: {faces}. It has stopped at {token}.",
    still: "The die as a wheel: {faces}.",
    caption: "Each face of the die: its share before and after the knobs, and how often it fell",
    chi: "χ² = {chi} with {free} degrees of freedom. A fair die of these weights strays at least this far in {p} of all tries.",
    few: "χ² says little yet: a face is expected fewer than 5 times.",
  };
  static chinese = () => import("./chinese/die.js");
  static properties = {
    temperature: knob("temperature"),
    topK: knob("topK"),
    topP: knob("topP"),
    rolls: { type: Number, share: true, attribute: "rolls", knob: "count" },
    seed: knob("seed"),
  };
  static example = {
    tokens: ["the", "a", "that", "one"],
    logits: Float32Array.from([0.6, 0.25, 0.1, 0.05], Math.log),
  };

  /** @type {{ key: string, row: Float32Array, counts: Uint32Array, last: number } | undefined} */
  #rolled;

  constructor() {
    super();
    this.temperature = 1;
    /** Only the k most likely faces; 0 is all. */
    this.topK = 0;
    this.topP = 1;
    /** How often the die has been rolled. @type {number | undefined} */
    this.rolls = undefined;
    /** Decides all rolls. */
    this.seed = 1;
  }

  #look() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const { temperature, topK, topP, seed, rolls = 0 } = this;
    const settings = { temperature, topK, topP };
    const { probabilities } = uncut(sampler, logits);
    const kept = survivors(sampler, logits, settings, { top: FACES });
    const key = JSON.stringify([settings, seed, rolls]);
    if (this.#rolled?.key !== key || !isSame(this.#rolled.row, logits)) {
      const counts = new Uint32Array(logits.length);
      configure(sampler, { ...settings, seed });
      let last = -1;
      for (let i = 0; i < rolls; i++) counts[(last = sampler.sample(logits))]++;
      this.#rolled = { key, row: logits.slice(), counts, last };
    }
    const all = () => look(sampler, logits, settings);
    return {
      tokens,
      rolls,
      probabilities,
      kept,
      all,
      order: topOf(logits, FACES),
      counts: this.#rolled.counts,
      last: this.#rolled.last,
    };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, rolls, probabilities, kept, order, counts } = looked;
    const share = (/** @type {number} */ count) => (rolls ? formatPercent(count / rolls) : "");
    const row = (
      /** @type {string} */ name,
      /** @type {number} */ before,
      /** @type {number | undefined} */ after,
      /** @type {number} */ count,
    ) => ({
      kind: after === undefined ? "cut" : "kept",
      cells: [
        name,
        formatPercent(before),
        { bars: [{ bar: after ?? before }, ...(rolls ? [{ bar: count / rolls, kind: "hollow" }] : [])] },
        after === undefined ? `✕ ${this.say("cut")}` : formatPercent(after),
        share(count),
      ],
    });
    const rows = order.map((id) => row(legible(tokens[id]), probabilities[id], kept.shares.get(id), counts[id]));
    const others = tokens.length - order.length;
    if (others) {
      const name = this.say("everythingElse", { count: formatCount(others) });
      const rest = restOf(kept, order);
      rows.push(row(name, sumBut(probabilities, order), rest.count ? rest.share : undefined, sumBut(counts, order)));
    }
    const observed = this.say("observed");
    const heads = [
      this.say("token"),
      this.say("before"),
      "",
      headOf(this.say("expected"), "kept"),
      rolls ? headOf(observed, "hollow") : observed,
    ];
    return html`<div class="knobs">
        ${this.slider("temperature")}${this.slider("topK", { max: Math.min(1000, tokens.length) })}${this.slider("topP")}
      </div>
      <div class="beside">${this.#wheel(looked)} ${barTable({ caption: this.say("caption"), heads, rows })}</div>
      <div class="actions">
        ${[1, 100, MOST].map(
          (count) =>
            html`<button
              ?disabled=${rolls >= MOST}
              @click=${() => this.turn("rolls", Math.min(MOST, rolls + count), true)}
            >
              ${this.say("roll", { count: formatCount(count) })}
            </button>`,
        )}
        <button ?disabled=${!rolls} @click=${() => this.turn("rolls", undefined, true)}>${this.say("reset")}</button>
      </div>
      ${seedField(this)} ${rolls ? html`<p>${this.summary()}</p>` : nothing}`;
  }

  /** @param {{ tokens: string[], kept: import("./shared/look.js").Survivors, last: number, rolls: number }} looked */
  #wheel({ tokens, kept, last, rolls }) {
    const at = (/** @type {number} */ share) => {
      const angle = 2 * Math.PI * (share - 0.25);
      return `${(50 + 48 * Math.cos(angle)).toFixed(2)} ${(50 + 48 * Math.sin(angle)).toFixed(2)}`;
    };
    const shares = [...kept.shares];
    const rest = 1 - shares.reduce((sum, [, share]) => sum + share, 0);
    if (rest > 1e-9) shares.push([-1, rest]);
    let sum = 0;
    const faces = shares.map(([id, share]) => ({ id, share, from: sum, to: (sum += share) }));
    const landed = faces.find(({ id }) => id === last) ?? faces[faces.length - 1];
    // Each roll adds whole turns, so the wheel always turns the same way.
    const turn = rolls ? 360 * (2 * Math.min(rolls, 50) - (landed.from + landed.to) / 2) : 0;
    const name = (/** @type {number} */ id) => (id < 0 ? "…" : legible(tokens[id]));
    const words = {
      faces: this.list(faces.map(({ id, share }) => `${name(id)} ${formatPercent(share)}`)),
      token: rolls ? name(landed.id) : "",
    };
    return html`<svg
      class="wheel"
      role="img"
      aria-label=${this.say(rolls ? "wheel" : "still", words)}
      viewBox="0 0 100 108"
    >
      <g .style=${`--turn: ${turn}deg; transform-origin: 50px 50px`}>
        ${faces.map(({ id, share, from, to }, i) => {
          const kind = `shape ${i % 2 ? "tint" : "hollow"} ${rolls && id === landed.id ? "lit" : ""}`;
          const angle = 360 * ((from + to) / 2) - 90;
          return svg`${
            share > 0.9999
              ? svg`<circle class=${kind} cx="50" cy="50" r="48" />`
              : svg`<path class=${kind} d="M50 50L${at(from)}A48 48 0 ${share > 0.5 ? 1 : 0} 1 ${at(to)}Z" />`
          }${
            share > 0.04
              ? svg`<text transform="translate(50 50) rotate(${angle})" x="44" dy="0.35em" text-anchor="end" fill="currentColor" font-size="9">${name(id)}</text>`
              : ""
          }`;
        })}
      </g>
      <path d="M50 4L45 -6H55Z" fill="currentColor" />
    </svg>`;
  }

  summary() {
    const looked = this.#look();
    if (!looked?.rolls) return "";
    const { rolls, kept, all, counts } = looked;
    const said = this.say("rolls", { count: formatCount(rolls) });
    const free = kept.count - 1;
    if (!free) return said;
    const few = `${said} ${this.say("few")}`;
    // The least likely face has no more than an even share.
    if (rolls < 5 * kept.count) return few;
    const { kept: faces, shares } = all();
    // Shares are rounded: a face of 5% has 4.9999998 of 100 rolls.
    if (rolls * shares[faces[free]] < 4.999) return few;
    const chi = faces.reduce((sum, id) => sum + (counts[id] - rolls * shares[id]) ** 2 / shares[id], 0) / rolls;
    return `${said} ${this.say("chi", { chi: chi.toFixed(2), free, p: formatPercent(chiSquareTail(chi, free)) })}`;
  }
}

/**
 * The probability that χ² is at least this: one minus the series of the lower incomplete gamma function.
 * @param {number} chi
 * @param {number} free degrees of freedom
 */
function chiSquareTail(chi, free) {
  const [a, x] = [free / 2, chi / 2];
  // Γ(a + 1), up from Γ(1) or Γ(1/2), in logarithms.
  let log = free % 2 ? Math.log(Math.PI) / 2 : 0;
  for (let i = free % 2 ? 0.5 : 1; i <= a; i++) log += Math.log(i);
  let term = x ? Math.exp(a * Math.log(x) - x - log) : 0;
  let sum = term;
  for (let n = 1; term > sum * 1e-15; n++) sum += term *= x / (a + n);
  return Math.max(0, 1 - sum);
}

define("die", LastInchDie);
