// The same knobs in two orders: the tokens that survive each order, and the tokens that survive only one.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable, headOf } from "./shared/bars.js";
import { formatCount, formatPercent, legible } from "./shared/format.js";
import { restOf, survivors } from "./shared/look.js";
import { readySampler, topOf } from "./shared/sampling.js";
import { stageList, stageStyles } from "./shared/stage-list.js";

const SHOWN = 20;
const stages = ["repetition", "temperature", "top_k", "top_p", "min_p"];
/** The stages of this bench in the order of each system, without the stages that the system lacks. */
const presets = {
  "llama.cpp": ["repetition", "top_k", "top_p", "min_p", "temperature"],
  "Hugging Face": ["repetition", "temperature", "top_k", "top_p", "min_p"],
  vLLM: ["repetition", "temperature", "min_p", "top_k", "top_p"],
  WebLLM: ["repetition", "temperature", "top_p"],
};
/** The look of each chain's bars. */
const kinds = ["kept", "hollow"];
const knobNames = ["repetitionPenalty", "temperature", "topK", "topP", "minP"];

/**
 * Two chains of the same stages in different orders on the same logits.
 * @tagname lastinch-order-bench
 * @slot - a `<table>` of tokens and logits, or of tokens and probabilities
 */
export class LastInchOrderBench extends LastInchElement {
  static styles = [...LastInchElement.styles, stageStyles];
  static words = {
    title: "Order matters",
    lead: "Two chains, the same knobs, the same logits. Move a stage in one of them and see which tokens live and which die. The penalty edits the logits, so it comes first.",
    bias: "Logit bias on “{token}”",
    first: "Chain A",
    second: "Chain B",
    caption: "Tokens with their probability under each chain",
    preset: "Like {system}",
    up: "Move {stage} up in {chain}",
    down: "Move {stage} down in {chain}",
    stage_repetition: "Repetition penalty (“{token}” was said)",
    stage_temperature: "Temperature",
    stage_top_k: "Top-k",
    stage_top_p: "Top-p",
    stage_min_p: "Min-p",
    lacks: "Without: {stages}.",
    same: "Both chains keep the same {count} tokens.",
    differ: "Only one chain keeps: {tokens}.",
    only: "only {chain}",
    summary: "Tokens kept: {a} by chain A, {b} by chain B.",
  };
  static chinese = () => import("./chinese/order-bench.js");
  static properties = {
    ...Object.fromEntries(knobNames.map((name) => [name, knob(name)])),
    bias: knob("bias"),
    first: { share: true, attribute: "first", someOf: stages },
    second: { share: true, attribute: "second", someOf: stages },
  };

  constructor() {
    super();
    /** Divides or multiplies the logit of the likeliest token, as if the text had it already; 1 is off. */
    this.repetitionPenalty = 1;
    this.temperature = 2;
    /** Added to the logit of the second likeliest token, before the stages of both chains; 0 is off. */
    this.bias = 0;
    this.topK = 0;
    this.topP = 0.9;
    this.minP = 0;
    /** Names of the stages of chain A, in order, separated by spaces. */
    this.first = presets["Hugging Face"].join(" ");
    /** The same for chain B. */
    this.second = presets["llama.cpp"].join(" ");
  }

  /** @param {"first" | "second"} chain */
  #order(chain) {
    return this[chain].split(/\s+/).filter(Boolean);
  }

  #look() {
    const { tokens, logits } = this.row;
    const sampler = readySampler(this, logits.length);
    if (!sampler) return null;
    const order = topOf(logits, SHOWN);
    const [said, second] = order;
    const views = /** @type {const} */ (["first", "second"]).map((chain) => {
      const stages = this.#order(chain);
      const settings = { order: this.bias ? ["bias", ...stages] : stages, temperature: this.temperature };
      if (this.bias && second !== undefined) Object.assign(settings, { logitBias: { [second]: this.bias } });
      // The sampler refuses an option whose stage the order leaves out.
      const knobs = { repetition: "repetitionPenalty", top_k: "topK", top_p: "topP", min_p: "minP" };
      for (const [stage, name] of Object.entries(knobs))
        if (stages.includes(stage)) Object.assign(settings, { [name]: /** @type {any} */ (this)[name] });
      return survivors(sampler, logits, settings, { top: SHOWN, token: said }, [said]);
    });
    return { tokens, order, views };
  }

  view() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, order, views } = looked;
    const [said] = order;
    const [a, b] = views.map(({ shares }) => shares);
    const differing = order.filter((id) => a.has(id) !== b.has(id));
    // Both chains rank the tokens in the same order, except the penalised token.
    const [more, less] = views.map((kept) => restOf(kept, order).count).sort((a, b) => b - a);
    const others = more > less ? ` … (+${formatCount(more - less)})` : "";
    const chains = /** @type {const} */ (["first", "second"]);
    const rows = order.map((id) => ({
      isMarked: differing.includes(id),
      hasLine: false,
      cells: [
        legible(tokens[id]),
        { bars: [a, b].map((shares, i) => ({ bar: shares.get(id) ?? 0, kind: kinds[i] })) },
        ...[a, b].map((shares) => {
          const share = shares.get(id);
          return share === undefined ? `✕ ${this.say("cut")}` : formatPercent(share);
        }),
        differing.includes(id) ? `${this.say("only", { chain: this.say(chains[a.has(id) ? 0 : 1]) })}` : "",
      ],
    }));
    const heads = [this.say("token"), "", ...chains.map((chain, i) => headOf(this.say(chain), kinds[i])), "≠"];
    return html`<div class="knobs">
        ${knobNames.map((name) => this.slider(name, name === "topK" ? { max: Math.min(tokens.length, 1000) } : {}))}
        ${order.length > 1 ? this.slider("bias", { label: this.say("bias", { token: legible(tokens[order[1]]) }) }) : nothing}
      </div>
      <div class="panels">${chains.map((chain) => this.#editor(chain, legible(tokens[said])))}</div>
      ${barTable({ caption: this.say("caption"), heads, rows })}
      <p>
        ${
          differing.length || others
            ? this.say("differ", { tokens: this.list(differing.map((id) => legible(tokens[id]))) + others })
            : this.say("same", { count: formatCount(views[0].count) })
        }
      </p>`;
  }

  /** @param {"first" | "second"} chain @param {string} token */
  #editor(chain, token) {
    const name = this.say(chain);
    const order = this.#order(chain);
    const lacking = stages.filter((stage) => !order.includes(stage));
    const label = (/** @type {string} */ stage) => this.say("stage_" + stage, { token });
    return html`<div>
      <p><b>${name}</b></p>
      ${stageList({
        order,
        label,
        moveLabel: (direction, stage) => this.say(direction, { stage: label(stage), chain: name }),
        onChange: (order) => this.turn(chain, order.join(" "), true),
        edits: ["repetition"],
      })}
      ${lacking.length ? html`<p class="hint">${this.say("lacks", { stages: this.list(lacking.map(label)) })}</p>` : nothing}
      <div class="actions">
        ${Object.entries(presets).map(
          ([system, order]) =>
            html`<button
              class="quiet"
              aria-label="${name}${this.say("colon")}${this.say("preset", { system })}"
              @click=${() => this.turn(chain, order.join(" "), true)}
            >
              ${system}
            </button>`,
        )}
      </div>
    </div>`;
  }

  summary() {
    const views = this.#look()?.views;
    return views ? this.say("summary", { a: views[0].count, b: views[1].count }) : "";
  }
}

define("order-bench", LastInchOrderBench);
