// Speculative decoding: a small model proposes, the large one judges all at once, and what comes out is the large one's.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { decoderFor } from "./shared/decoders.js";
import { playRound } from "./shared/draft-round.js";
import { textField } from "./shared/field.js";
import { formatCount, formatPercent, plainText, tokenLabel } from "./shared/format.js";
import { fits } from "./shared/knobs.js";
import { Live } from "./shared/live.js";
import { Player } from "./shared/player.js";
import { ranked } from "./shared/sampling.js";
import { tokenText } from "./shared/tokens.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {import("./shared/draft-round.js").Proposal} Proposal */
/** @typedef {import("./shared/draft-round.js").Round} Round */
/** @typedef {import("./shared/draft-measure.js").Cost} Cost */
/** @typedef {import("./shared/draft-measure.js").Proof} Proof */

/** "The …": what may stand at each place, with the target's and the draft's probability of it. @type {[string, number, number][][]} */
const PLACES = [
  [
    ["cat", 0.6, 0.55],
    ["dog", 0.4, 0.45],
  ],
  [
    ["sat", 0.7, 0.8],
    ["slept", 0.3, 0.2],
  ],
  [
    ["on", 0.85, 0.75],
    ["under", 0.15, 0.25],
  ],
  [
    ["the", 0.8, 0.9],
    ["a", 0.2, 0.1],
  ],
  [
    ["mat", 0.15, 0.6],
    ["sofa", 0.6, 0.2],
    ["floor", 0.25, 0.2],
  ],
  [
    ["again", 0.7, 0.7],
    ["today", 0.3, 0.3],
  ],
];
const SCENES = ["example", "write", "cost", "proof"];
const WORDS = PLACES.flat().map(([word]) => word);
const SHOWN = 6;
const LENGTH = 40;
const DRAWS = 4000;

/**
 * Speculative sampling: worked, with two models, what a pass costs, and that the output is the target's.
 * @tagname lastinch-speculation
 */
export class LastInchSpeculation extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    css`
      @media (max-width: 36rem) {
        .wide .bar {
          display: none;
        }
        .wide td {
          white-space: normal;
        }
      }
    `,
  ];
  static words = {
    title: "Speculation: one proposes, one judges",
    lead: "A small draft model proposes several tokens. The large target model judges all of them in one pass. What it rejects it replaces: the text is distributed as if the target wrote alone.",
    scene: "Show",
    example: "Example",
    write: "Live text",
    cost: "Cost",
    proof: "Same output?",
    start: "The",
    proposes: "Proposed",
    draft: "Draft",
    target: "Target",
    chance: "Stays with",
    ledger: "Ledger",
    lanes: "Proposed tokens, both probabilities, the chance to stay, and what became of each",
    rule: "Stays with: min(1, target / draft).",
    stays: "✓\u00a0stays",
    replaced: "✕ now “{token}”",
    unread: "✕ not read",
    residual: "“{token}” is rejected. Its place goes to what the draft lacks: max(0, target − draft), scaled up.",
    difference: "Target − draft",
    drawnWith: "Drawn with",
    gain: "{count} tokens from 1 pass of the target.",
    again: "Other random numbers",
    summary: "{kept} of {count} proposals stay.",
    prompt: "Beginning of a story",
    draftTokens: "Tokens proposed at a time",
    run: "Write with both models",
    read: "{tokens} tokens from {passes} passes of the target: {rate} a pass. {share} of the proposals stayed. Framed: chosen by the target.",
    done: "Done.",
    last: "The last round",
    measure: "Measure in this browser",
    rows: "Tokens judged",
    ms: "ms a pass",
    ratio: "Of one",
    costCaption: "Time of a pass that judges several tokens",
    costs:
      "A pass of {count} tokens costs {ratio} of one here. On a graphics processor, which waits for memory, it costs hardly more than one: there drafts pay. {tokens} tokens without a draft: {plain} ms. With it: {drafted} ms, {rate} tokens a pass.",
    prove: "Draw {count} next tokens both ways",
    proofCaption: "How often each token came, beside the target's exact probability",
    precise: "Exact",
    withDraft: "With draft",
    without: "Without",
    alone: "Draft alone",
    way: "Way",
    far: "χ² of each way",
    limit: "Limit",
    verdict: "Is it the target?",
    yes: "✓ fits",
    no: "✕ does not",
    chi: "χ² says how far counts are from the target's. Right ones stay below the limit in 999 of 1,000 trials.",
  };
  static chinese = () => import("./chinese/speculation.js");
  static honesty = "both";
  static properties = {
    scene: { share: true, attribute: "scene", oneOf: SCENES },
    seed: knob("seed"),
    temperature: knob("temperature"),
    draftTokens: knob("draftTokens"),
    prompt: { share: true, attribute: "prompt" },
  };

  #live = new Live(this, "storyteller", "draft");
  #player = new Player(this, () => 2 * PLACES.length - 1);
  /** @type {Round | undefined} */
  #example;
  /** @type {{ pieces: import("./shared/tokens.js").Piece[], tokens: number, passes: number, proposed: number, kept: number, last: Round } | undefined} */
  #written;
  /** @type {Cost | undefined} */
  #cost;
  /** @type {Proof | undefined} */
  #proof;

  constructor() {
    super();
    /** `example`, `write`, `cost` or `proof`. @type {string} */
    this.scene = "example";
    /** Of the random numbers. */
    this.seed = 2;
    /** Of both models. */
    this.temperature = 1;
    /** Proposed at a time, 1 to 8. */
    this.draftTokens = 4;
    /** What the models continue. */
    this.prompt = "Once upon a time, there was a";
    this.#player.position = Infinity;
  }

  prepare() {
    return this.#work();
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (!this.#example) return;
    if (changed.has("seed")) this.#work();
    if (!["prompt", "temperature", "draftTokens", "seed"].some((name) => changed.has(name))) return;
    // What is shown fits the controls, or is done anew.
    const { scene } = this;
    if (scene === "write" ? this.#written : scene === "cost" ? this.#cost : scene === "proof" && this.#proof)
      this.#live.run(scene === "write" ? this.#write : scene === "cost" ? this.#measure : this.#prove);
    if (scene !== "write") this.#written = undefined;
    if (scene !== "cost") this.#cost = undefined;
    if (scene !== "proof") this.#proof = undefined;
  }

  get #settings() {
    const { prompt, seed, temperature, draftTokens } = this;
    return { prompt, seed, temperature, draftTokens };
  }

  async #work() {
    const { seed } = this;
    if (!fits({ knob: "seed" }, seed)) return;
    const decoder = (await decoderFor(WORDS.length)).clone({ seed });
    const rowOf = (/** @type {number} */ place, /** @type {1 | 2} */ who) => {
      const row = new Float32Array(WORDS.length).fill(-Infinity);
      for (const entry of PLACES[place]) row[WORDS.indexOf(entry[0])] = Math.log(entry[who]);
      return row;
    };
    const round = await playRound(decoder, PLACES.length - 1, [], {
      draftRow: (guess) => rowOf(guess.length, 2),
      targetRows: () => PLACES.map((_, place) => rowOf(place, 1)),
    });
    decoder.dispose();
    if (seed !== this.seed) return;
    this.#example = round;
    this.requestUpdate();
  }

  /**
   * @param {AbortSignal} signal
   * @param {Model} model
   * @param {Model} draft
   */
  #write = async (signal, model, draft) => {
    const { prompt, seed, temperature, draftTokens } = this.#settings;
    const text = await model.tokenize(prompt, { bos: model.config.addBos });
    const begun = text.length;
    const decoder = (await decoderFor(model.config.vocabSize)).clone({ seed, temperature });
    const written = { pieces: [{ text: prompt }], tokens: 0, passes: 0, proposed: 0, kept: 0 };
    try {
      while (!signal.aborted && text.length < begun + LENGTH) {
        await this.onscreen();
        const round = await playRound(decoder, draftTokens, model.vocabulary.eos, {
          draftRow: (guess) => draft.forward([...text, ...guess]),
          // One pass for all of them: a row after the text and one after each guess.
          targetRows: async (guess) => {
            const rows = await model.forward([...text, ...guess], { rows: "all" });
            return rows.slice(text.length - 1);
          },
        });
        const kept = round.proposals.filter(({ verdict }) => verdict?.isAccepted).length;
        text.push(...round.tokens);
        written.passes++;
        written.tokens += round.tokens.length;
        written.proposed += round.proposals.length;
        written.kept += kept;
        written.pieces.push(...round.tokens.map((id, i) => ({ text: plainText([id], model), isMarked: i >= kept })));
        this.#written = { ...written, last: round };
        this.requestUpdate();
        if (round.tokens.some((id) => model.vocabulary.eos.includes(id))) break;
      }
    } finally {
      decoder.dispose();
    }
    if (!signal.aborted) this.announce(this.say("done"));
  };

  /** @type {(signal: AbortSignal, ...models: Model[]) => Promise<void>} */
  #measure = async (signal, model, draft) => {
    const { measureDraft } = await import("./shared/draft-measure.js");
    const cost = await measureDraft(model, draft, { ...this.#settings, length: LENGTH, signal });
    if (!cost) return;
    this.#cost = cost;
    this.announce(this.say("done"));
  };

  /** @type {(signal: AbortSignal, ...models: Model[]) => Promise<void>} */
  #prove = async (signal, model, draft) => {
    const { drawBothWays } = await import("./shared/draft-measure.js");
    for await (const proof of drawBothWays(model, draft, { ...this.#settings, draws: DRAWS })) {
      this.#proof = proof;
      this.requestUpdate();
      await this.onscreen();
      if (signal.aborted) return;
    }
    const { distances = [] } = this.#proof ?? {};
    this.announce(distances.map(({ way, fits }) => `${this.say(way)}: ${this.say(fits ? "yes" : "no")}`).join(", "));
  };

  /**
   * Draft, target and ledger, as far as a step.
   * @param {Round} round
   * @param {(id: number) => string} label
   * @param {number} [position]
   */
  #lanes({ proposals }, label, position = Infinity) {
    const { length } = proposals;
    const isJudged = position > length;
    const rows = proposals.map(({ token, target, draft, verdict }, i) => {
      const chance = Math.min(1, target[token] / draft[token]);
      const isRead = position > length + 1 + i;
      const fate = verdict ? (verdict.isAccepted ? "stays" : "replaced") : "unread";
      const isThere = position > i;
      return {
        kind: isRead && fate !== "stays" ? "cut" : "kept",
        cells: [
          isThere ? label(token) : "…",
          isThere ? formatPercent(draft[token]) : "",
          isJudged ? formatPercent(target[token]) : "",
          { bar: isJudged ? chance : NaN },
          isJudged ? formatPercent(chance) : "",
          isRead ? this.say(fate, { token: verdict ? label(verdict.token) : "" }) : "",
        ],
      };
    });
    const heads = ["proposes", "draft", "target", "", "chance", "ledger"].map((key) => key && this.say(key));
    const rejected = proposals.find(({ verdict }) => verdict && !verdict.isAccepted);
    const isOver = rejected && position > length + 1 + proposals.indexOf(rejected);
    return html`<div class="wide">${barTable({ caption: this.say("lanes"), heads, rows })}</div>
      <p class="hint">${this.say("rule")}</p>
      ${isOver ? this.#residual(rejected, label) : nothing}`;
  }

  /** @param {Proposal} rejected @param {(id: number) => string} label */
  #residual({ token, target, draft, verdict }, label) {
    const lacks = target.map((p, id) => Math.max(0, p - draft[id]));
    const sum = lacks.reduce((total, one) => total + one, 0);
    const order = ranked(lacks).filter((id) => lacks[id] > 0);
    const chosen = verdict?.token ?? -1;
    const ids = [...new Set([...order.slice(0, SHOWN), chosen])].sort((a, b) => lacks[b] - lacks[a]);
    const left = order.length - ids.length;
    const row = (/** @type {string} */ name, /** @type {number} */ lack, isMarked = false) => ({
      kind: "kept",
      isMarked,
      cells: [name, formatPercent(lack), { bar: lack / sum }, formatPercent(lack / sum)],
    });
    const rows = ids.map((id) => row(label(id), lacks[id], id === chosen));
    if (left) {
      const name = this.say("everythingElse", { count: formatCount(left) });
      rows.push(row(name, Math.max(0, sum - ids.reduce((total, id) => total + lacks[id], 0))));
    }
    const heads = ["token", "difference", "", "drawnWith"].map((key) => key && this.say(key));
    const caption = this.say("residual", { token: label(token) });
    return html`<p>${caption}</p>
      ${barTable({ caption, heads, rows })}`;
  }

  view() {
    /** @type {[string, string][]} */
    const options = SCENES.map((part) => [part, this.say(part)]);
    return html`${this.choice("scene", this.say("scene"), options)}
    ${this.scene === "write" ? this.#writeView() : this.scene === "cost" ? this.#costView() : this.scene === "proof" ? this.#proofView() : this.#exampleView()}`;
  }

  #exampleView() {
    const round = this.#example;
    if (!round) return nothing;
    const { proposals, tokens } = round;
    const kept = proposals.filter(({ verdict }) => verdict?.isAccepted).length;
    const { position } = this.#player;
    const judged = Math.max(0, position - proposals.length - 1);
    const shown = judged >= Math.min(kept + 1, proposals.length) ? tokens : tokens.slice(0, Math.min(judged, kept));
    const pieces = [this.say("start"), ...shown.map((token) => " " + WORDS[token])];
    return html`${this.#player.controls()} ${tokenText(pieces.map((text, i) => ({ text, isMarked: i > kept })))}
      ${this.#lanes(round, (id) => WORDS[id], position)}
      <div class="actions">
        <button
          @click=${() => {
            this.#player.position = Infinity;
            this.turn("seed", Math.floor(Math.random() * 1e6), true);
          }}
        >
          ${this.say("again")}
        </button>
        <span>${shown === tokens ? this.say("gain", { count: tokens.length }) : ""}</span>
      </div>`;
  }

  #controls() {
    return html`${textField(this, "prompt")}
      <div class="knobs">
        ${this.slider("temperature", { max: 2 })}${this.scene === "proof" ? nothing : this.slider("draftTokens")}
      </div>`;
  }

  #writeView() {
    const [model] = this.#live.models ?? [];
    const written = this.#written;
    return html`${this.#controls()} ${this.#live.button(this.say("run"), this.#write)}
    ${
      written && model
        ? html`${tokenText(written.pieces)}
            <p>${this.#read()}</p>
            <p class="hint">${this.say("last")}</p>
            ${this.#lanes(written.last, (id) => tokenLabel(id, model, (key) => this.say(key)))}`
        : nothing
    }`;
  }

  #read() {
    if (!this.#written) return "";
    const { tokens, passes, proposed, kept } = this.#written;
    return this.say("read", {
      tokens,
      passes,
      rate: (tokens / passes).toFixed(2),
      share: formatPercent(kept / proposed),
    });
  }

  #costView() {
    const cost = this.#cost;
    const rows = (cost?.passes ?? []).map(({ count, ms }, i, all) => ({
      kind: "kept",
      cells: [
        String(count),
        { bar: ms / Math.max(...all.map((one) => one.ms)) },
        ms.toFixed(2),
        `${(ms / all[0].ms).toFixed(1)} ×`,
      ],
    }));
    const heads = ["rows", "", "ms", "ratio"].map((key) => key && this.say(key));
    return html`${this.#controls()} ${this.#live.button(this.say("measure"), this.#measure)}
    ${
      cost
        ? html`${barTable({ caption: this.say("costCaption"), heads, rows })}
            <p>${this.#costs()}</p>`
        : nothing
    }`;
  }

  #costs() {
    if (!this.#cost) return "";
    const { passes, plain, drafted, rate } = this.#cost;
    const last = passes[passes.length - 1];
    return this.say("costs", {
      count: last.count,
      ratio: `${(last.ms / passes[0].ms).toFixed(1)} ×`,
      tokens: LENGTH,
      plain: plain.toFixed(0),
      drafted: drafted.toFixed(0),
      rate: rate.toFixed(2),
    });
  }

  #proofView() {
    const [model] = this.#live.models ?? [];
    const proof = this.#proof;
    return html`${this.#controls()} ${this.#live.button(this.say("prove", { count: formatCount(DRAWS) }), this.#prove)}
    ${proof && model ? this.#histogram(proof, model) : nothing}`;
  }

  /** @param {Proof} proof @param {Model} model */
  #histogram({ exact, counts, draws, distances }, model) {
    const order = ranked(exact);
    const ids = order.slice(0, SHOWN);
    const row = (/** @type {string} */ name, /** @type {(all: ArrayLike<number>) => number} */ of) => {
      const own = of(counts.withDraft) / draws;
      return {
        kind: "kept",
        cells: [name, formatPercent(of(exact)), { bar: own }, ...[own, of(counts.alone) / draws].map(formatPercent)],
      };
    };
    const rows = ids.map((id) => row(tokenLabel(id, model), (all) => all[id]));
    const name = this.say("everythingElse", { count: formatCount(order.length - SHOWN) });
    rows.push(row(name, (all) => order.slice(SHOWN).reduce((sum, id) => sum + all[id], 0)));
    const heads = ["token", "precise", "", "withDraft", "alone"].map((key) => key && this.say(key));
    const far = distances.map(({ way, chi, limit, fits }) => ({
      kind: "kept",
      cells: [this.say(way), chi.toFixed(1), limit.toFixed(1), this.say(fits ? "yes" : "no")],
    }));
    return html`<div class="wide">${barTable({ caption: this.say("proofCaption"), heads, rows })}</div>
      <p class="hint">${this.say("chi")}</p>
      ${barTable({ caption: this.say("far"), heads: ["way", "χ²", "limit", "verdict"].map((key) => (key === "χ²" ? key : this.say(key))), rows: far })}`;
  }

  summary() {
    if (!this.#example || this.scene !== "example") return "";
    const { proposals } = this.#example;
    const kept = proposals.filter(({ verdict }) => verdict?.isAccepted).length;
    return this.say("summary", { kept, count: proposals.length });
  }
}

define("speculation", LastInchSpeculation);
