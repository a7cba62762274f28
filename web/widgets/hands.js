// One distribution, many hands: every mechanism that changes it has a switch, and their order can be changed.
import { css, html, nothing, svg } from "lit";
import { LastInchElement, define } from "./shared/element.js";
import { barTable, headOf } from "./shared/bars.js";
import { box, drawStyles, picture, widthOfWords, words } from "./shared/draw.js";
import { formatPercent, legible } from "./shared/format.js";
import { look, uncut } from "./shared/look.js";
import { checkStyles } from "./shared/check-styles.js";
import { configure, readySampler, topOf } from "./shared/sampling.js";
import { stageList, stageStyles } from "./shared/stage-list.js";

const SHOWN = 12;
const DRAWS = 8;
const edits = ["guidance", "penalty"];
/** The picture: boxes of the hands above and below, the row between. In pixels. */
const [WIDTH, BOX, HEIGHT, TALLEST] = [460, 136, 30, 96];
/** Each hand's stage in the chain. The mask always comes first. */
const stageOf = { guidance: "bias", penalty: "repetition", temperature: "temperature", cutoff: "top_p" };

/**
 * Temperature, cutoff, penalty, grammar, guidance and training: six switches on one distribution.
 * @tagname lastinch-hands
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchHands extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    checkStyles,
    stageStyles,
    drawStyles,
    css`
      /* The list of hands and the picture each need more room than a table. */
      .panels {
        grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr));
      }
    `,
  ];
  static words = {
    title: "One distribution, many hands",
    lead: "Everything after the model reaches for the same row of numbers. Switch each on and see what it does to the others' work.",
    order: "Hands, in the order in which they act; those that edit single logits come first",
    up: "Move {stage} up",
    down: "Move {stage} down",
    guidance: "Guidance",
    guidance_does: "adds 1 times what the prompt alone changed",
    penalty: "Penalty",
    penalty_does: "“{token}” was said: its logit ÷ 1.25",
    temperature_does: "divides the logits by 2",
    cutoff: "Cutoff",
    cutoff_does: "keeps the smallest set that reaches 90%",
    grammar: "Grammar",
    grammar_does: "“{token}” would break it: masked, before all others",
    training: "Training",
    training_does: "draws groups of answers from what is left, and learns from how they differ",
    picture: "The row, untouched and after the hands. Around it, in the order in which they act: {hands}. On: {on}.",
    caption: "Tokens with their probability untouched, and after the hands",
    before: "Untouched",
    after: "After",
    drawn: "A group of {count}: {tokens}. {different} different answers.",
    alike: "All alike: a trainer that compares them would learn nothing.",
    summary: "Tokens left: {kept}. Most likely: {token}, {share}.",
  };
  static chinese = () => import("./chinese/hands.js");
  static properties = {
    on: { share: true, attribute: "on", someOf: [...Object.keys(stageOf), "grammar", "training"] },
    order: { share: true, attribute: "order", someOf: Object.keys(stageOf) },
  };

  constructor() {
    super();
    /** Names of the hands that are on, separated by spaces. */
    this.on = "temperature cutoff";
    /** Names of guidance, penalty, temperature and cutoff, in order; those left out come last. Guidance and penalty stay before the others. */
    this.order = Object.keys(stageOf).join(" ");
  }

  get #order() {
    const order = [...new Set([...this.order.split(/\s+/).filter(Boolean), ...Object.keys(stageOf)])];
    return order.sort((a, b) => Number(edits.includes(b)) - Number(edits.includes(a)));
  }

  get #hands() {
    return new Set(this.on.split(/\s+/).filter(Boolean));
  }

  #look() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const hands = this.#hands;
    const [first, second] = topOf(logits, 2);
    const order = this.#order
      .filter((name) => hands.has(name))
      .map((name) => stageOf[/** @type {keyof typeof stageOf} */ (name)]);
    /** @type {import("./shared/sampling.js").Settings} */
    const settings = { order };
    if (hands.has("temperature")) settings.temperature = 2;
    if (hands.has("cutoff")) settings.topP = 0.9;
    if (hands.has("penalty")) settings.repetitionPenalty = 1.25;
    // Guidance is a sparse edit here: the prompt raised the logit of the runner-up by one.
    if (hands.has("guidance") && second !== undefined) settings.logitBias = { [second]: 1 };
    if (hands.has("grammar") && second !== undefined) settings.grammar = without(first);
    const plain = uncut(sampler, logits);
    const view = look(sampler, logits, settings, [first]);
    /** @type {number[]} */
    const group = [];
    if (hands.has("training")) {
      configure(sampler, settings, [first]);
      const snapshot = sampler.snapshot();
      for (let i = 0; i < DRAWS; i++) {
        const drawer = sampler.clone({ stream: i });
        group.push(drawer.sample(logits));
        drawer.dispose();
      }
      sampler.restore(snapshot);
    }
    return { tokens, first, plain, view, group };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, first, plain, view, group } = looked;
    const token = legible(tokens[first]);
    const hands = this.#hands;
    const toggle = (/** @type {string} */ name) => {
      if (!hands.delete(name)) hands.add(name);
      this.turn("on", [...hands].join(" "), true);
    };
    const handSwitch = (/** @type {string} */ name) =>
      html`<label class="check"
        ><input type="checkbox" .checked=${hands.has(name)} @change=${() => toggle(name)} /><span
          ><b>${this.say(name)}</b>${this.say("colon")}${this.say(name + "_does", { token })}</span
        ></label
      >`;
    const rows = topOf(plain.probabilities, SHOWN).map((id) => {
      const isKept = view.removedBy(id) === null;
      return {
        kind: isKept ? "kept" : "cut",
        cells: [
          legible(tokens[id]),
          { bars: [{ bar: plain.probabilities[id], kind: "hollow" }, { bar: view.shares[id] }] },
          formatPercent(plain.probabilities[id]),
          isKept ? formatPercent(view.shares[id]) : `✕ ${this.say("cut")}`,
        ],
      };
    });
    const after = topOf(plain.probabilities, SHOWN).map((id) => ({
      text: legible(tokens[id]),
      before: plain.probabilities[id],
      after: view.shares[id],
    }));
    const heads = [this.say("token"), "", headOf(this.say("before"), "hollow"), headOf(this.say("after"), "kept")];
    const different = new Set(group).size;
    return html`<div class="panels">
        <div>
          ${handSwitch("grammar")}
          <p><b>${this.say("order")}</b></p>
          ${stageList({
            order: this.#order,
            label: handSwitch,
            moveLabel: (direction, stage) => this.say(direction, { stage: this.say(stage) }),
            onChange: (order) => this.turn("order", order.join(" "), true),
            edits,
          })}
          ${handSwitch("training")}
        </div>
        ${this.#picture(after)}
      </div>
      ${barTable({ caption: this.say("caption"), heads, rows })}
      ${
        group.length
          ? html`<p>
              ${this.say("drawn", { count: DRAWS, tokens: this.list(group.map((id) => legible(tokens[id]))), different })}
              ${different === 1 ? this.say("alike") : nothing}
            </p>`
          : nothing
      }`;
  }

  /**
   * The row in the middle. The hands that are on reach for it; training takes from it.
   * @param {{ text: string, before: number, after: number }[]} row
   */
  #picture(row) {
    const hands = this.#hands;
    const all = ["grammar", ...this.#order, "training"];
    const [top, bottom] = [HEIGHT + 28, HEIGHT + 28 + TALLEST];
    const names = (/** @type {string[]} */ some) => this.list(some.map((name) => this.say(name)));
    const slot = WIDTH / row.length;
    const scale = TALLEST / Math.max(...row.flatMap(({ before, after }) => [before, after]));
    const bars = row.map(({ text, before, after }, i) => {
      const x = i * slot + slot / 2;
      const bar = (/** @type {number} */ from, /** @type {number} */ share, /** @type {string} */ kind) =>
        svg`<rect class="shape ${kind}" x=${from} y=${bottom - share * scale} width=${slot / 4} height=${share * scale} />`;
      return svg`${bar(x - slot / 4, before, "hollow")}${bar(x, after, "kept")}
        ${widthOfWords(text) < slot ? words(x, bottom + 12, text, "soft", "middle") : nothing}`;
    });
    const reaching = all.map((name, i) => {
      const x = ((i % 3) + 0.5) * (WIDTH / 3);
      const isAbove = i < 3;
      const y = isAbove ? 0 : bottom + 48;
      // From the hand to the row; training's points away from the row.
      const [near, far] = isAbove ? [HEIGHT, top - 4] : [y, bottom + 24];
      const [from, to] = name === "training" ? [far, near] : [near, far];
      const back = to > from ? -7 : 7;
      return svg`${box(x - BOX / 2, y + 0.5, BOX, HEIGHT - 1, hands.has(name) ? "tint" : "")}
        ${words(x, y + HEIGHT / 2, `${i % 5 ? `${i}. ` : ""}${this.say(name)}`, hands.has(name) ? "" : "soft", "middle")}
        ${hands.has(name) ? svg`<path class="link kept" d="M${x} ${from}V${to}m-6 ${back}l6 ${-back}l6 ${back}" />` : nothing}`;
    });
    return picture({
      label: this.say("picture", { hands: names(all), on: names(all.filter((name) => hands.has(name))) || "–" }),
      width: WIDTH,
      height: bottom + 48 + HEIGHT,
      content: svg`<path class="link" d="M0 ${bottom}H${WIDTH}" />${bars}${reaching}`,
    });
  }

  summary() {
    const looked = this.#look();
    if (!looked) return "";
    const { tokens, view } = looked;
    const [top] = view.kept;
    return this.say("summary", {
      kept: view.kept.length,
      token: legible(tokens[top]),
      share: formatPercent(view.shares[top]),
    });
  }
}

/**
 * A grammar in which one token has no place.
 * @param {number} token
 * @returns {import("../index.js").MatcherLike}
 */
const without = (token) => ({
  bitmask: (mask) => {
    mask.fill(2 ** 32 - 1);
    mask[token >> 5] &= ~(1 << (token & 31));
  },
  accept: () => {},
  rollback: () => {},
  clone: () => without(token),
});

define("hands", LastInchHands);
