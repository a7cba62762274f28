// Two rows of logits made into one: away from what the model says untold, or from what a weaker model says as well.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { readTable } from "./shared/data.js";
import { decoderFor, probabilitiesOf, readyDecoder } from "./shared/decoders.js";
import { textField } from "./shared/field.js";
import { formatCount, formatPercent, legible, plainText, tokenLabel } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { ranked } from "./shared/sampling.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {{ labels: string[], first: Float32Array, second: Float32Array }} Pair */

const SHOWN = 8;
const LENGTH = 40;

const logs = (/** @type {number[]} */ probabilities) => Float32Array.from(probabilities, Math.log);

/** What may follow "The dog was", for a sad story and for any; and as a large and as a small model see it. */
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
    lead: "Guidance makes the prompt count for more: it goes on from what the model says without it, past what it says with it. Contrastive decoding takes away what a weaker model says too. Move the weight.",
    way: "What is combined",
    isGuidance: "With and without the prompt",
    isContrast: "Strong and weak model",
    weight: "Weight",
    plausibility: "Plausible from",
    same: "no change",
    guidanceFirst: "With “A sad story”",
    guidanceSecond: "Without",
    contrastFirst: "Strong",
    contrastSecond: "Weak",
    with: "With the prompt",
    away: "Away from",
    combined: "Combined",
    caption: "Each token's probability in both rows and in the combined one",
    summary: "Weight {weight}: most likely is {token}, {share}.",
    plausible:
      "Tokens below {share} of the strongest are cut first: else whatever the weak model finds absurd would win.",
    pairs: "The table needs three columns with as many rows each: token, first row, second row.",
    prompt: "Prompt",
    negativePrompt: "Away from (empty: from no prompt at all)",
    run: "Write with the models",
    plain: "Weight {weight}: the model alone",
    steered: "Weight {weight}",
    liveRow: "The next token after the prompt, of all {count}:",
    done: "Written with weight {weight}.",
  };
  static chinese = () => import("./chinese/guidance.js");
  static honesty = "both";
  static properties = {
    way: { share: true, attribute: "way", oneOf: Object.keys(EXAMPLES) },
    weight: knob("weight"),
    plausibility: knob("plausibility"),
    prompt: { share: true, attribute: "prompt" },
    negativePrompt: { share: true, attribute: "negative-prompt" },
  };

  #live = new Live(this, "storyteller", "draft");
  /** @type {{ pair: Pair, texts: [string, string], settings: string } | undefined} */
  #written;

  constructor() {
    super();
    /** `guidance` or `contrast`. @type {string} */
    this.way = "guidance";
    /** Guidance: 1 changes nothing, 0 takes the prompt away. Contrast: of the weaker model, 0 changes nothing. */
    this.weight = 1.5;
    /** Contrast: the least share of the likeliest token's probability, 0 to 1. */
    this.plausibility = 0.1;
    /** What the model continues. */
    this.prompt = "Once upon a time, there was a sad little dragon. He was";
    /** What guidance leads away from; empty: no prompt. */
    this.negativePrompt = "Once upon a time, there was a happy little dragon. He was";
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

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const names = ["way", "weight", "plausibility", "prompt", "negativePrompt"];
    if (this.#written && names.some((name) => changed.has(name)) && this.#settings !== this.#written.settings)
      this.#live.run(this.#write);
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
    // A slider on its way asks for many texts, of which the last is wanted.
    await new Promise((go) => setTimeout(go, 150));
    if (signal.aborted) return;
    const { weight, plausibility, prompt, negativePrompt } = this;
    const settings = this.#settings;
    const ids = await model.tokenize(prompt, { bos: model.config.addBos });
    const { bos } = model.config;
    const away = negativePrompt
      ? await model.tokenize(negativePrompt, { bos: model.config.addBos })
      : bos === null
        ? ids.slice(-1)
        : [bos];
    const first = await model.forward(ids);
    const second = this.#isContrast ? await draft.forward(ids) : await model.forward(away);
    await decoderFor(first.length);
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
    this.announce(this.say("done", { weight }));
  };

  /** @param {Pair} pair */
  #combine({ first, second }) {
    const decoder = readyDecoder(this, first.length);
    if (!decoder) return null;
    const { weight, plausibility } = this;
    const row = this.#isContrast
      ? decoder.contrast(first, second, { weight, plausibility })
      : decoder.guide(first, second, weight);
    const [before, other, now] = [first, second, row].map((logits) => probabilitiesOf(decoder, logits));
    return { row, before, other, now };
  }

  /** @param {Pair} pair @param {[string, string]} names */
  #table(pair, names) {
    const combined = this.#combine(pair);
    if (!combined) return nothing;
    const { row, before, other, now } = combined;
    const order = ranked(now);
    const winners = ranked(before);
    // The best before and the best now, so that none is lost from sight.
    const shown = [...new Set([...order.slice(0, SHOWN / 2 + 1), ...winners.slice(0, SHOWN / 2)])];
    const ids = pair.labels.length > SHOWN ? shown.sort((a, b) => now[b] - now[a]) : order;
    const rows = ids.map((id) => ({
      kind: row[id] === -Infinity ? "cut" : "kept",
      isMarked: id === order[0],
      cells: [
        pair.labels[id],
        formatPercent(before[id]),
        formatPercent(other[id]),
        { bar: now[id] },
        row[id] === -Infinity ? `✕ ${this.say("cut")}` : formatPercent(now[id]),
      ],
    }));
    const rest = pair.labels.length - ids.length;
    if (rest) {
      const [a, b, c] = [before, other, now].map((all) => Math.max(0, 1 - ids.reduce((sum, id) => sum + all[id], 0)));
      const name = this.say("everythingElse", { count: formatCount(rest) });
      rows.push({
        kind: "plain",
        isMarked: false,
        cells: [name, formatPercent(a), formatPercent(b), { bar: c }, formatPercent(c)],
      });
    }
    const heads = [this.say("token"), ...names, "", this.say("combined")];
    return barTable({ caption: this.say("caption"), heads, rows });
  }

  view() {
    const { weight, plausibility } = this;
    const isOwn = this.data || this.querySelector("table");
    const kind = this.#isContrast ? "contrast" : "guidance";
    const [first, second] = [`${kind}First`, `${kind}Second`].map((key) => this.say(key));
    return html`${this.choice("way", this.say("way"), [
        ["guidance", this.say("isGuidance")],
        ["contrast", this.say("isContrast")],
      ])}
      <div class="knobs">
        ${this.slider("weight", { remark: weight === this.#neutral ? this.say("same") : "" })}
        ${this.#isContrast ? this.slider("plausibility") : nothing}
      </div>
      ${this.#table(this.pair, isOwn ? ["1", "2"] : [first, second])}
      ${this.#isContrast ? html`<p class="hint">${this.say("plausible", { share: formatPercent(plausibility) })}</p>` : nothing}
      ${textField(this, "prompt")} ${this.#isContrast ? nothing : textField(this, "negativePrompt")}
      ${this.#live.button(this.say("run"), this.#write)} ${this.#liveView()}`;
  }

  #liveView() {
    const written = this.#written;
    // What was written with other settings is being written anew.
    if (!written) return nothing;
    const { pair, texts, settings } = written;
    const isNow = settings === this.#settings;
    const count = formatCount(pair.labels.length);
    const keys = this.#isContrast
      ? ["contrastFirst", "contrastSecond"]
      : ["with", this.negativePrompt ? "away" : "guidanceSecond"];
    const [first, second] = keys.map((key) => this.say(key));
    return html`<p>${this.say("liveRow", { count })}</p>
      ${isNow ? this.#table(pair, [first, second]) : nothing}
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
    const combined = this.#combine(pair);
    if (!combined) return "";
    const [top] = ranked(combined.now);
    return this.say("summary", { weight, token: pair.labels[top], share: formatPercent(combined.now[top]) });
  }
}

define("guidance", LastInchGuidance);
