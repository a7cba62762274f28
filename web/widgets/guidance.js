// Combines two rows of logits: moves one away from the row without the prompt, or from a weaker model's row.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable, headOf } from "./shared/bars.js";
import { readTable } from "./shared/data.js";
import { decoderFor, probabilitiesOf, readyDecoder } from "./shared/decoders.js";
import { textField } from "./shared/field.js";
import { formatCount, formatPercent, legible, plainText, tokenLabel } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { configure, ranked, readySampler, samplerFor } from "./shared/sampling.js";
import { promptIds } from "./shared/writing.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {{ labels: string[], first: Float32Array, second: Float32Array }} Pair */

const SHOWN = 8;
const LENGTH = 40;

const logs = (/** @type {number[]} */ probabilities) => Float32Array.from(probabilities, Math.log);

/** Tokens after "The dog was": for a sad story and for any story, and from a large and a small model. */
const EXAMPLES = {
  guidance: {
    labels: ["happy", "big", "lost", "crying", "alone", "brown"],
    first: logs([0.24, 0.2, 0.22, 0.14, 0.12, 0.08]),
    second: logs([0.42, 0.26, 0.09, 0.05, 0.04, 0.14]),
  },
  contrast: {
    labels: ["the", "barking", "a", "chasing", "very", "moon"],
    first: logs([0.3, 0.26, 0.2, 0.16, 0.07, 0.01]),
    second: logs([0.38, 0.12, 0.28, 0.05, 0.169, 0.001]),
  },
};

/**
 * Classifier-free guidance and contrastive decoding, on a pair of rows and on models.
 * @tagname lastinch-guidance
 * @slot - a `<table>` of tokens and two columns of logits, or of probabilities
 */
export class LastInchGuidance extends LastInchElement {
  static words = {
    title: "Two opinions, one choice",
    lead: "Guidance goes from the model without the prompt past the model with it. Contrastive decoding subtracts a weaker model.",
    way: "What is combined",
    isGuidance: "With and without the prompt",
    isContrast: "Strong and weak",
    weight: "Weight",
    plausibility: "Plausible",
    same: "no change",
    guidanceFirst: "With a sad story",
    guidanceSecond: "Without",
    contrastFirst: "Strong",
    contrastSecond: "Weak",
    with: "With the prompt",
    away: "Away from",
    combined: "Combined",
    combine: "Combine them",
    caption: "Tokens in both rows and combined",
    summary: "Weight {weight}: most likely is {token}, {share}.",
    plausible: "Tokens below {share} of the strongest are cut first.",
    pairs: "The table needs three columns: token and two rows.",
    prompt: "Prompt",
    negativePrompt: "Away from (empty: no prompt)",
    run: "Write with the models",
    plain: "Weight {weight}: the model alone",
    steered: "Weight {weight}",
    liveRow: "The next token, of all {count}:",
  };
  static chinese = () => import("./chinese/guidance.js");
  static honesty = "both";
  static properties = {
    way: { share: true, attribute: "way", oneOf: Object.keys(EXAMPLES) },
    weight: knob("weight"),
    plausibility: knob("plausibility"),
    prompt: { share: true, attribute: "prompt" },
    negativePrompt: { share: true, attribute: "negative-prompt" },
    isCombined: { state: true },
  };

  #live = new Live(this, {
    storyteller: () => import("../models/storyteller.js"),
    draft: () => import("../models/draft.js"),
  });
  /** @type {{ pair: Pair, texts: [string, string], settings: string } | undefined} */
  #written;
  /** Settings of the last text. */
  #asked = "";
  #combining = Promise.resolve();

  constructor() {
    super();
    /** `guidance` or `contrast`. @type {string} */
    this.way = "guidance";
    /** Guidance: 1 changes nothing, 0 removes the prompt. Contrast: weight of the weaker model; 0 changes nothing. */
    this.weight = 1.5;
    /** Contrast: the least share of the likeliest token's probability, 0 to 1. */
    this.plausibility = 0.1;
    /** The prompt. */
    this.prompt = "Once upon a time, there was a sad little dragon. He was";
    /** The negative prompt, from which guidance leads away; empty: no prompt. */
    this.negativePrompt = "Once upon a time, there was a happy little dragon. He was";
    this.isCombined = false;
  }

  get #isContrast() {
    return this.way === "contrast";
  }

  /** The weight that changes nothing. */
  get #neutral() {
    return this.#isContrast ? 0 : 1;
  }

  /** @returns {Pair} */
  get pair() {
    const table = this.data ?? readTable(this);
    if (!table) return EXAMPLES[this.#isContrast ? "contrast" : "guidance"];
    const second = /** @type {any} */ (this.data)?.second ?? readTable(this, 2)?.logits;
    if (second?.length !== table.logits.length) throw new RangeError(this.say("pairs"));
    return { labels: table.tokens.map(legible), first: table.logits, second };
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (name === "weight" || name === "plausibility") this.#begin();
    // A weight for guidance does not suit contrast.
    if (name === "way" && value !== this.way) this.weight = value === "contrast" ? 0.5 : 1.5;
    super.turn(name, value, isFinal);
  }

  /** The code that combines rows is fetched when a reader first combines rows. */
  #begin() {
    this.#combining = decoderFor(this.pair.labels.length).then(
      () => void (this.isCombined = true),
      (error) => void (this.failure = error),
    );
  }

  /** The summary of the combined row is announced once the row is ready. */
  async getUpdateComplete() {
    await this.#combining;
    return super.getUpdateComplete();
  }

  updated() {
    // A text whose settings have changed is written again.
    if (!this.#written || this.#settings === this.#asked) return;
    this.#asked = this.#settings;
    void this.#live.run(this.#write);
  }

  get #settings() {
    const { way, weight, plausibility, prompt, negativePrompt } = this;
    return JSON.stringify([way, weight, plausibility, prompt, negativePrompt]);
  }

  /**
   * @param {AbortSignal} signal
   * @param {Model} model
   * @param {Model} draft
   */
  #write = async (signal, model, draft) => {
    // A moving slider asks for many texts; only the last counts.
    await new Promise((go) => setTimeout(go, 150));
    if (signal.aborted) return;
    const { weight, plausibility, prompt, negativePrompt } = this;
    const settings = (this.#asked = this.#settings);
    const ids = await promptIds(model, prompt);
    const { bos } = model.config;
    const away = negativePrompt ? await promptIds(model, negativePrompt) : bos === null ? ids.slice(-1) : [bos];
    const first = await model.forward(ids);
    const second = this.#isContrast ? await draft.forward(ids) : await model.forward(away);
    await Promise.all([samplerFor(first.length), decoderFor(first.length)]);
    const steer = this.#isContrast
      ? { contrast: { model: draft, weight, plausibility } }
      : { guidance: weight, ...(negativePrompt && { negativePrompt }) };
    const labels = Array.from(first, (_, id) => tokenLabel(id, model, (key) => this.say(key)));
    /** @type {[string, string]} */
    const texts = ["", ""];
    for (const [i, more] of [{}, steer].entries()) {
      const chosen = [];
      const options = { maxTokens: LENGTH, temperature: 0.7, seed: 1, signal, ...more };
      for await (const { tokens } of model.generate(ids, options)) for (const { id } of tokens) chosen.push(id);
      texts[i] = plainText(chosen, model);
    }
    if (signal.aborted) return;
    this.#written = { pair: { labels, first, second }, texts, settings };
    this.announce(this.say("steered", { weight }));
  };

  /**
   * Probabilities in both rows, and in the combined one.
   * @param {Pair} pair
   * @param {boolean} isCombined
   * @returns {{ before: Float64Array, other: Float64Array, row?: Float32Array, now?: Float64Array } | null}
   */
  #look({ first, second }, isCombined) {
    const sampler = readySampler(this, first.length);
    if (!sampler) return null;
    configure(sampler, {});
    const [before, other] = [first, second].map((logits) => probabilitiesOf(sampler, logits));
    const decoder = isCombined && readyDecoder(this, first.length);
    if (!decoder) return { before, other };
    const { weight, plausibility } = this;
    const row = this.#isContrast
      ? decoder.contrast(first, second, { weight, plausibility })
      : decoder.guide(first, second, weight);
    return { before, other, row, now: probabilitiesOf(sampler, row) };
  }

  /** @param {Pair} pair @param {[string, string]} names @param {boolean} isCombined */
  #table(pair, names, isCombined) {
    const seen = this.#look(pair, isCombined);
    if (!seen) return nothing;
    const { before, other, row, now } = seen;
    const order = ranked(now ?? before);
    const winners = ranked(before);
    // The best tokens before and after, so that all stay in sight.
    const shown = new Set([...order.slice(0, SHOWN / 2 + 1), ...winners.slice(0, SHOWN / 2)]);
    const ids = pair.labels.length > SHOWN ? order.filter((id) => shown.has(id)) : order;
    const line = (/** @type {string} */ name, /** @type {(all: Float64Array) => number} */ of, id = -1) => {
      const isCut = row?.[id] === -Infinity;
      const share = now && of(now);
      return {
        kind: isCut ? "cut" : id < 0 ? "plain" : "kept",
        isMarked: Boolean(now) && id === order[0],
        cells: [
          name,
          formatPercent(of(before)),
          formatPercent(of(other)),
          {
            bars: [
              ...[of(before), of(other)].map((bar) => ({ bar, kind: "hollow" })),
              ...(now ? [{ bar: share ?? 0 }] : []),
            ],
          },
          ...(now ? [isCut ? `✕ ${this.say("cut")}` : formatPercent(share ?? 0)] : []),
        ],
      };
    };
    const rows = ids.map((id) => line(pair.labels[id], (all) => all[id], id));
    const rest = pair.labels.length - ids.length;
    if (rest) {
      const name = this.say("everythingElse", { count: formatCount(rest) });
      rows.push(line(name, (all) => Math.max(0, 1 - ids.reduce((sum, id) => sum + all[id], 0))));
    }
    const heads = [
      this.say("token"),
      ...names.map((text) => headOf(text, "hollow")),
      "",
      ...(now ? [headOf(this.say("combined"), "kept")] : []),
    ];
    return barTable({ caption: this.say("caption"), heads, rows });
  }

  view() {
    const { weight, plausibility, isCombined } = this;
    const isOwn = this.data || this.querySelector("table");
    const [first, second] = ["First", "Second"].map((place) => this.say(this.way + place));
    return html`${this.choice("way", this.say("way"), [
        ["guidance", this.say("isGuidance")],
        ["contrast", this.say("isContrast")],
      ])}
      <div class="knobs">
        ${this.slider("weight", { remark: weight === this.#neutral ? this.say("same") : "" })}
        ${this.#isContrast ? this.slider("plausibility") : nothing}
      </div>
      <div class="actions">
        <button class=${isCombined ? nothing : "primary"} @click=${this.#press}>
          ${this.say(isCombined ? "reset" : "combine")}
        </button>
      </div>
      ${this.#table(this.pair, isOwn ? ["1", "2"] : [first, second], isCombined)}
      ${this.#isContrast ? html`<p class="hint">${this.say("plausible", { share: formatPercent(plausibility) })}</p>` : nothing}
      ${textField(this, "prompt")} ${this.#isContrast ? nothing : textField(this, "negativePrompt")}
      ${this.#live.button(this.say("run"), this.#write)} ${this.#liveView()}`;
  }

  /** Combines the rows, or shows them uncombined. */
  #press = async () => {
    if (this.isCombined) this.isCombined = false;
    else this.#begin();
    await this.updateComplete;
    this.announce(this.summary());
  };

  #liveView() {
    const written = this.#written;
    // A text with other settings is being written.
    if (!written) return nothing;
    const { pair, texts, settings } = written;
    const isNow = settings === this.#settings;
    const count = formatCount(pair.labels.length);
    const keys = this.#isContrast
      ? ["contrastFirst", "contrastSecond"]
      : ["with", this.negativePrompt ? "away" : "guidanceSecond"];
    const [first, second] = keys.map((key) => this.say(key));
    return html`<p>${this.say("liveRow", { count })}</p>
      ${isNow ? this.#table(pair, [first, second], true) : nothing}
      <div class="panels" aria-busy=${!isNow}>
        <div>
          <p class="name">${this.say("plain", { weight: this.#neutral })}</p>
          <p class="text">${this.prompt}${texts[0]}</p>
        </div>
        <div>
          <p class="name">${this.say("steered", { weight: this.weight })}</p>
          <p class="text">${this.prompt}${isNow ? texts[1] : " …"}</p>
        </div>
      </div>`;
  }

  summary() {
    const { pair, weight } = this;
    const { now } = this.#look(pair, this.isCombined) ?? {};
    if (!now) return "";
    const [top] = ranked(now);
    return this.say("summary", { weight, token: pair.labels[top], share: formatPercent(now[top]) });
  }
}

define("guidance", LastInchGuidance);
