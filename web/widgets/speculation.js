// Speculative decoding: a small model proposes tokens, the large model verifies them at once, and the output has the
// large model's distribution.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { PLACES } from "./shared/draft-example.js";
import { textField } from "./shared/field.js";
import { formatCount, formatPercent, tokenLabel } from "./shared/format.js";
import { fits } from "./shared/knobs.js";
import { drawStyles } from "./shared/draw.js";
import { raceLanes, roundLanes } from "./shared/lanes.js";
import { Live } from "./shared/live.js";
import { Player } from "./shared/player.js";
import { tokenText } from "./shared/token-text.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {import("./shared/draft-round.js").Round} Round */
/** @typedef {import("./shared/draft-round.js").Written} Written */
/** @typedef {import("./shared/draft-measure.js").Cost} Cost */
/** @typedef {import("./shared/draft-measure.js").Proof} Proof */

const SCENES = ["example", "write", "trees", "cost", "proof"];
const WORDS = PLACES.flat().map(([word]) => word);
const LENGTH = 40;
const DRAWS = 4000;

/** The code of decoding is fetched when a reader first asks for a text. */
const loadRounds = () => import("./shared/draft-round.js");
const loadMeasures = () => import("./shared/draft-measure.js");
const loadTrees = () => import("./shared/draft-trees.js");

/**
 * Speculative sampling: a worked example, two models, the cost of a pass, and a test that the output is the target's.
 * @tagname lastinch-speculation
 */
export class LastInchSpeculation extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    drawStyles,
    css`
      .wide tbody th {
        min-width: 9.5rem;
      }
      @media (max-width: 36rem) {
        .wide tbody th {
          min-width: 0;
        }
        .wide .bar {
          display: none;
        }
        .wide td {
          white-space: normal;
        }
      }
    `,
  ];
  static formula = "kept with probability min(1, target(x) / draft(x))";
  static words = {
    title: "Speculation: one proposes, one judges",
    lead: "A small draft model proposes several tokens. The large target model judges all of them in one pass. What it rejects it replaces: the text is distributed as if the target wrote alone.",
    scene: "Show",
    example: "Example",
    write: "Live text",
    trees: "Trees",
    cost: "Cost",
    proof: "Same output?",
    start: "The",
    proposes: "Proposed",
    draft: "Draft",
    target: "Target",
    chance: "Stays with",
    ledger: "Outcome",
    text: "Text",
    onlyTarget: "Target alone",
    picture: "Lanes: the draft has proposed {proposed}; the text has {text}",
    race: "Each box is a pass, as long as it takes here: {tokens} tokens in {together} ms with the draft, in {alone} ms without.",
    lanes: "Proposed tokens, both probabilities, the chance to stay, and what became of each",
    given: "“a / b”: the draft will draw one of them.",
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
    heads: { share: true, attribute: "heads", oneOf: ["medusa", "eagle"] },
    pace: knob("pace"),
  };

  /** @type {import("./shared/draft-trees.js").DraftTrees | undefined} */
  #trees;
  #live = new Live(this, {
    storyteller: () => import("../models/storyteller.js"),
    draft: () => import("../models/draft.js"),
  });
  #player = new Player(this, () => 2 * PLACES.length - 1);
  /** @type {Round | undefined} */
  #example;
  /** @type {Promise<void> | undefined} */
  #playing;
  /** The models' results, by scene. @type {{ write?: Written, cost?: Cost, proof?: Proof }} */
  #done = {};

  constructor() {
    super();
    /** `example`, `write`, `trees`, `cost` or `proof`. @type {string} */
    this.scene = "example";
    /** Seed of the random numbers. */
    this.seed = 2;
    /** Temperature of both models. */
    this.temperature = 1;
    /** Number of tokens proposed at a time, 1 to 8. */
    this.draftTokens = 4;
    /** The prompt of both models. */
    this.prompt = "Once upon a time, there was a";
    /** Whose trees of guesses are shown: `medusa` or `eagle`. @type {string} */
    this.heads = "eagle";
    /**
     * Pace of Play in tokens a second: a step takes as long as 20 tokens; 0 goes to the last step.
     * @type {number | undefined}
     */
    this.pace = undefined;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has("seed")) this.#playing = undefined;
    if (this.#player.position) this.#playing ??= this.#play();
    if (this.scene === "trees" && !this.#trees) void this.#openTrees();
    if (!["prompt", "temperature", "draftTokens", "seed"].some((name) => changed.has(name))) return;
    // A result whose settings have changed is computed again.
    const scene = /** @type {"write" | "cost" | "proof"} */ (this.scene);
    const shown = this.#done[scene];
    if (shown) void this.#live.run(this.#works[scene]);
    this.#done = { [scene]: shown };
  }

  /** The summary of the example is announced once the example is ready. */
  async getUpdateComplete() {
    await super.getUpdateComplete();
    await this.#playing;
    return super.getUpdateComplete();
  }

  get honesty() {
    return this.scene === "trees" && this.#trees?.isRecorded ? "recorded" : super.honesty;
  }

  get settings() {
    const { prompt, seed, temperature, draftTokens } = this;
    return { prompt, seed, temperature, draftTokens, length: LENGTH };
  }

  async #openTrees() {
    try {
      const { DraftTrees, words } = await loadTrees();
      this.learn(words);
      this.#trees ??= new DraftTrees(this);
    } catch (error) {
      this.failure = error;
    }
    this.requestUpdate();
  }

  async #play() {
    const { seed } = this;
    if (!fits({ knob: "seed" }, seed)) return;
    try {
      const round = await (await loadRounds()).playExample(PLACES, seed);
      if (seed === this.seed) this.#example = round;
    } catch (error) {
      this.failure = error;
    }
    this.requestUpdate();
  }

  /** @type {Record<"write" | "cost" | "proof", (signal: AbortSignal, ...models: Model[]) => Promise<void>>} */
  #works = {
    write: async (signal, model, draft) => {
      const { writeTogether } = await loadRounds();
      for await (const written of writeTogether(model, draft, this.settings)) {
        if (!(await this.#show({ write: written }, signal))) return;
      }
      this.announce(this.say("done"));
    },
    cost: async (signal, model, draft) => {
      const { measureDraft } = await loadMeasures();
      const cost = await measureDraft(model, draft, { ...this.settings, signal });
      if (cost && (await this.#show({ cost }, signal))) this.announce(this.say("done"));
    },
    proof: async (signal, model, draft) => {
      const { drawBothWays } = await loadMeasures();
      for await (const proof of drawBothWays(model, draft, { ...this.settings, draws: DRAWS })) {
        if (!(await this.#show({ proof }, signal))) return;
      }
      const { distances = [] } = this.#done.proof ?? {};
      this.announce(distances.map(({ way, fits }) => `${this.say(way)}: ${this.say(fits ? "yes" : "no")}`).join(", "));
    },
  };

  /** @param {object} done @param {AbortSignal} signal @returns {Promise<boolean>} whether to go on */
  async #show(done, signal) {
    if (signal.aborted) return false;
    Object.assign(this.#done, done);
    this.requestUpdate();
    await this.onscreen();
    return !signal.aborted;
  }

  /**
   * Draft, target and ledger, up to a step. Before a proposal, the draft shows the tokens that it may propose.
   * @param {Round | undefined} round
   * @param {(id: number) => string} label
   * @param {number} [position]
   */
  #lanes(round, label, position = Infinity) {
    const proposals = round?.proposals ?? PLACES.slice(1).map(() => undefined);
    const { length } = proposals;
    const isJudged = position > length;
    const rows = proposals.map((proposal, i) => {
      if (!proposal || position <= i) {
        const [words, shares] = [PLACES[i].map(([word]) => word), PLACES[i].map(([, , share]) => formatPercent(share))];
        return { kind: "kept", cells: [words.join(" / "), shares.join(" / "), "", { bar: NaN }, "", ""] };
      }
      const { token, target, draft, verdict } = proposal;
      const chance = Math.min(1, target[token] / draft[token]);
      const isRead = position > length + 1 + i;
      const fate = verdict ? (verdict.isAccepted ? "stays" : "replaced") : "unread";
      return {
        kind: isRead && fate !== "stays" ? "cut" : "kept",
        cells: [
          label(token),
          formatPercent(draft[token]),
          isJudged ? formatPercent(target[token]) : "",
          { bar: isJudged ? chance : NaN },
          isJudged ? formatPercent(chance) : "",
          isRead ? this.say(fate, { token: verdict ? label(verdict.token) : "" }) : "",
        ],
      };
    });
    const heads = ["proposes", "draft", "target", "", "chance", "ledger"].map((key) => key && this.say(key));
    return html`<div class="wide">${barTable({ caption: this.say("lanes"), heads, rows })}</div>
      <p class="hint">${this.say(round && position >= length ? "rule" : "given")}</p>
      ${round?.lacks && position > length + round.tokens.length ? this.#residual(round, label) : nothing}`;
  }

  /** @param {Round} round @param {(id: number) => string} label */
  #residual({ proposals, tokens, lacks = [] }, label) {
    const at = tokens.length - 1;
    const rows = lacks.map(({ token, lack, share, count }) => ({
      kind: "kept",
      isMarked: token === tokens[at],
      cells: [
        token < 0 ? this.#others(count) : label(token),
        formatPercent(lack),
        { bar: share },
        formatPercent(share),
      ],
    }));
    const heads = ["token", "difference", "", "drawnWith"].map((key) => key && this.say(key));
    const caption = this.say("residual", { token: label(proposals[at].token) });
    return html`<p>${caption}</p>
      ${barTable({ caption, heads, rows })}`;
  }

  /** @param {number} count */
  #others = (count) => this.say("everythingElse", { count: formatCount(count) });

  view() {
    /** @type {[string, string][]} */
    const options = SCENES.map((part) => [part, this.say(part)]);
    return html`${this.choice("scene", this.say("scene"), options)}
    ${this.scene === "write" ? this.#writeView() : this.scene === "trees" ? this.#treesView() : this.scene === "cost" ? this.#costView() : this.scene === "proof" ? this.#proofView() : this.#exampleView()}`;
  }

  /** Number of accepted proposals in the example; the target adds one token. */
  get #kept() {
    return (this.#example?.tokens.length ?? 1) - 1;
  }

  /** Proposals that the example has already judged. */
  get #judged() {
    return this.#example ? Math.max(0, this.#player.position - PLACES.length) : 0;
  }

  get #isOver() {
    return this.#judged >= Math.min(this.#kept + 1, PLACES.length - 1);
  }

  #exampleView() {
    const { tokens = [] } = this.#example ?? {};
    const kept = this.#kept;
    const judged = this.#judged;
    const shown = this.#isOver ? tokens : tokens.slice(0, Math.min(judged, kept));
    const pieces = [this.say("start"), ...shown.map((token) => " " + WORDS[token])];
    return html`${this.#player.controls()} ${tokenText(pieces.map((text, i) => ({ text, isMarked: i > kept })))}
      ${this.#drawn(shown)} ${this.#lanes(this.#example, (id) => WORDS[id], this.#player.position)}
      <div class="actions">
        <button
          @click=${() => {
            this.#player.position = Infinity;
            this.turn("seed", Math.floor(Math.random() * 1e6), true);
          }}
        >
          ${this.say("again")}
        </button>
        <span>${this.#isOver ? this.say("gain", { count: tokens.length }) : ""}</span>
      </div>`;
  }

  /** The example as lanes. @param {number[]} text added so far */
  #drawn(text) {
    const { position } = this.#player;
    const proposals = this.#example?.proposals ?? [];
    const { length } = PLACES.slice(1);
    const columns = Array.from({ length }, (_, i) => {
      const proposal = position > i ? proposals[i] : undefined;
      const isRead = position > length + 1 + i && i < text.length;
      const isKept = isRead && i < this.#kept;
      const outcome = isRead ? `${isKept ? "✓" : "✕ →"} ${WORDS[text[i]]}` : "";
      return { proposed: proposal ? WORDS[proposal.token] : "", isJudged: position > length, outcome, isKept };
    });
    const proposed = columns.map((column) => column.proposed).filter(Boolean);
    return roundLanes({
      label: this.say("picture", { proposed: this.list(proposed), text: this.list(text.map((token) => WORDS[token])) }),
      names: [this.say("draft"), this.say("target"), this.say("text")],
      columns,
    });
  }

  /** The last text as a race. @param {Written} written */
  #race({ times, rounds, tokens }) {
    const together = rounds.reduce((sum, { proposed }) => sum + proposed * times.draft + times.judge, 0);
    const values = { tokens, together: together.toFixed(1), alone: (tokens * times.single).toFixed(1) };
    const label = this.say("race", values);
    const names = /** @type {[string, string, string]} */ (
      ["draft", "target", "onlyTarget"].map((key) => this.say(key))
    );
    return html`<p>${label}</p>
      ${raceLanes({ label, names, times, rounds })}`;
  }

  #controls() {
    return html`${textField(this, "prompt")}
      <div class="knobs">
        ${this.slider("temperature", { max: 2 })}${this.scene === "proof" ? nothing : this.slider("draftTokens")}
      </div>`;
  }

  #treesView() {
    return html`${this.#controls()} ${this.#trees?.view() ?? nothing}`;
  }

  #writeView() {
    const [model] = this.#live.models ?? [];
    const { write: written } = this.#done;
    return html`${this.#controls()} ${this.#live.button(this.say("run"), this.#works.write)}
    ${
      written && model
        ? html`${tokenText(written.pieces)}
            <p>${this.#read(written)}</p>
            ${this.#race(written)}
            <p class="hint">${this.say("last")}</p>
            ${this.#lanes(written.last, (id) => tokenLabel(id, model, (key) => this.say(key)))}`
        : nothing
    }`;
  }

  /** @param {Written} written */
  #read = ({ tokens, passes, proposed, kept }) =>
    this.say("read", { tokens, passes, rate: (tokens / passes).toFixed(2), share: formatPercent(kept / proposed) });

  #costView() {
    const { cost } = this.#done;
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
    return html`${this.#controls()} ${this.#live.button(this.say("measure"), this.#works.cost)}
    ${
      cost
        ? html`${barTable({ caption: this.say("costCaption"), heads, rows })}
            <p>${this.#costs(cost)}</p>`
        : nothing
    }`;
  }

  /** @param {Cost} cost */
  #costs({ passes, plain, drafted, rate }) {
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
    const { proof } = this.#done;
    return html`${this.#controls()}
    ${this.#live.button(this.say("prove", { count: formatCount(DRAWS) }), this.#works.proof)}
    ${proof && model ? this.#histogram(proof, model) : nothing}`;
  }

  /** @param {Proof} proof @param {Model} model */
  #histogram({ rows: all, others, distances }, model) {
    const rows = all.map(({ token, exact, own, alone }) => ({
      kind: "kept",
      cells: [
        token < 0 ? this.#others(others) : tokenLabel(token, model),
        formatPercent(exact),
        { bar: own },
        ...[own, alone].map(formatPercent),
      ],
    }));
    const heads = ["token", "precise", "", "withDraft", "alone"].map((key) => key && this.say(key));
    const far = distances.map(({ way, chi, limit, fits }) => ({
      kind: "kept",
      cells: [this.say(way), chi.toFixed(1), limit.toFixed(1), this.say(fits ? "yes" : "no")],
    }));
    return html`<div class="wide">${barTable({ caption: this.say("proofCaption"), heads, rows })}</div>
      <p class="hint">${this.say("chi")}</p>
      ${barTable({ caption: this.say("far"), heads: ["way", "χ²", "limit", "verdict"].map((key) => (key === "χ²" ? key : this.say(key))), rows: far })}`;
  }

  /** The summary of the last step of the example. */
  summary() {
    const { position } = this.#player;
    if (!this.#example || !position || this.scene !== "example") return "";
    const { proposals } = this.#example;
    const wordOf = (/** @type {number} */ i) => WORDS[proposals[i].token];
    if (this.#isOver) return this.say("summary", { kept: this.#kept, count: proposals.length });
    if (this.#judged) return `${wordOf(this.#judged - 1)}: ${this.say("stays")}`;
    return position > proposals.length ? this.say("rule") : `${this.say("proposes")}: ${wordOf(position - 1)}`;
  }
}

define("speculation", LastInchSpeculation);
