// Beam search: a tree of two steps, whose best text greedy decoding misses, and the same search on a model.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { textField } from "./shared/field.js";
import { formatPercent, legible, plainText } from "./shared/format.js";
import { fits } from "./shared/knobs.js";
import { drawStyles } from "./shared/draw.js";
import { Live } from "./shared/live.js";
import { due, paceField } from "./shared/pace.js";
import { drawTree } from "./shared/tree.js";

/** @typedef {import("../index.js").FoundText} FoundText */

/** The continuations of "The boat": first tokens, and second tokens after each, except after the end of the text (2). */
const WORDS = ["was", "set", "", "old", "red", "here", "sail", "off", "out"];
const END = 2;
/** @type {Record<string, number[]>} */
const AFTER = {
  "": [0.4, 0.35, 0.25, 0, 0, 0, 0, 0, 0],
  0: [0, 0, 0, 0.5, 0.3, 0.2, 0, 0, 0],
  1: [0, 0, 0, 0, 0, 0, 0.9, 0.07, 0.03],
};
const WIDTHS = [1, 2, 3, 4];
const LENGTH = 28;
const DRAWN = 0;

/** A token that ended a beam. @typedef {{ token: number, children: Node[], isBest: boolean }} Node */
/** @typedef {{ width: number, text: string, mean: number, root?: Node }} Text */

/**
 * Beam search, on a worked tree and on a model.
 * @tagname lastinch-beam-tree
 */
export class LastInchBeamTree extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    drawStyles,
    css`
      .tree,
      .tree ul {
        margin: 0;
        padding-inline-start: 0.625rem;
        list-style: none;
        border-inline-start: 1px solid var(--line);
      }
      .tree li {
        padding-block: 0.125rem;
        overflow-wrap: anywhere;
      }
      dl {
        margin: 0;
      }
      dt {
        color: var(--soft);
      }
      dd {
        margin: 0;
      }
      .tree .best {
        font-weight: 650;
      }
      .tree .cut {
        color: var(--soft);
        font-weight: 400;
      }
    `,
  ];
  static formula = "score = Σ log p / lengthᵅ";
  static words = {
    title: "Beam search: the tree that greedy never sees",
    lead: "A text's probability is the product of its tokens' probabilities. Greedy takes the best token each time. Beam search keeps several texts alive. Set the width to 1, then to 2.",
    width: "Width (texts kept)",
    lengthPenalty: "Length penalty",
    start: "The boat",
    tree: "What may follow, with the product so far",
    list: "The tree as a list",
    search: "Search",
    isGreedy: "greedy",
    isFound: "★ best found",
    isDropped: "✕ dropped",
    isUnseen: "✕ never looked at",
    caption: "The texts that the search found, best first",
    text: "Text",
    score: "Score",
    scoring:
      "Score: the sum of the logarithms, divided by length to the power of the penalty. At 0 short texts win easily.",
    summary: "Width {width}: the best text found is “… {text}”, {share}.",
    prompt: "Beginning of a story",
    run: "Search with widths 1 to 4",
    liveTree: "Width {width}: every text that was a beam",
    liveCaption: "How likely each way's text is",
    way: "Way",
    drawn: "drawn",
    beams: "{width} beams",
    mean: "Mean log p",
    perToken: "Per token",
    bland:
      "The nearer the mean log-probability of a token is to 0, the less a text surprises: likely, and often bland. Drawn at temperature 1, for comparison:",
    done: "Searched with widths 1 to {width}.",
  };
  static chinese = () => import("./chinese/beam-tree.js");
  static honesty = "both";
  static properties = {
    width: knob("beams", "width"),
    lengthPenalty: knob("lengthPenalty"),
    prompt: { share: true, attribute: "prompt" },
    pace: knob("pace"),
    isSearched: { state: true },
  };

  #live = new Live(this, { storyteller: () => import("../models/storyteller.js") });
  /** The worked tree, searched greedily and at the width. @type {{ greedy: Search, own: Search } | undefined} */
  #searches;
  #searching = Promise.resolve();
  /** @type {Text[]} */
  #texts = [];
  /** The tree that a search has grown so far. @type {{ width: number, root: Node } | undefined} */
  #growing;

  constructor() {
    super();
    /** Number of beams: texts that continue at each step, 1 to 8. */
    this.width = 2;
    /** Power of the length by which a text's score is divided, 0 to 2. */
    this.lengthPenalty = 0;
    /** The prompt of the model. */
    this.prompt = "Once upon a time, there was a";
    /** Most steps of the model's search a second; 0 shows only the final tree. @type {number | undefined} */
    this.pace = undefined;
    this.isSearched = false;
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    // The code of the search is fetched when a reader first asks for a search.
    if (name !== "prompt") this.isSearched = true;
    super.turn(name, value, isFinal);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (this.isSearched && ["isSearched", "width", "lengthPenalty"].some((name) => changed.has(name)))
      this.#searching = this.#search();
    if (this.#texts.length && (changed.has("prompt") || changed.has("lengthPenalty"))) void this.#live.run(this.#write);
  }

  /** The summary of a search is announced after the search. */
  async getUpdateComplete() {
    await super.getUpdateComplete();
    await this.#searching;
    return super.getUpdateComplete();
  }

  async #search() {
    const { width, lengthPenalty } = this;
    if (!fits({ knob: "beams" }, width) || !fits({ knob: "lengthPenalty" }, lengthPenalty)) return;
    try {
      const [greedy, own] = await Promise.all([1, width].map((beams) => search(beams, lengthPenalty)));
      if (width === this.width && lengthPenalty === this.lengthPenalty) this.#searches = { greedy, own };
    } catch (error) {
      this.failure = error;
    }
    this.requestUpdate();
  }

  /**
   * @param {AbortSignal} signal
   * @param {import("../index.js").Model} model
   */
  #write = async (signal, model) => {
    const { prompt, lengthPenalty } = this;
    const options = { maxTokens: LENGTH, signal };
    const drawn = { ids: /** @type {number[]} */ ([]), sum: 0 };
    for await (const { tokens } of model.generate(prompt, { ...options, temperature: 1, seed: 1 }))
      for (const { id, rawLogprob } of tokens) drawn.sum += (drawn.ids.push(id), rawLogprob);
    /** @type {Text[]} */
    const texts = [textOf(DRAWN, drawn.ids, drawn.sum, model)];
    for (const width of WIDTHS) {
      await this.onscreen();
      /** @type {Node} */
      const root = { token: -1, children: [], isBest: true };
      let ends = [root];
      for await (const { beams, tokens } of model.generate(prompt, {
        ...options,
        beams: width,
        lengthPenalty,
        captureBeams: true,
      })) {
        this.#growing = { width, root };
        this.requestUpdate();
        if (beams) {
          await due(this, signal);
          ends = beams.map(({ parent, token }) => {
            const node = { token, children: [], isBest: false };
            ends[parent].children.push(node);
            return node;
          });
        }
        if (!tokens.length) continue;
        const ids = tokens.map(({ id }) => id);
        markBest(root, ids);
        const sum = tokens.reduce((total, { rawLogprob }) => total + rawLogprob, 0);
        texts.push({ ...textOf(width, ids, sum, model), root });
      }
      if (signal.aborted) return;
      this.#texts = [...texts];
      this.requestUpdate();
    }
    this.#growing = undefined;
    this.announce(this.say("done", { width: WIDTHS.length }));
  };

  /**
   * The children of a list of tokens, with all their descendants.
   * @param {number[]} tokens
   * @param {number} product of their probabilities
   * @returns {import("./shared/element.js").Content}
   */
  #branches(tokens, product) {
    const shares = AFTER[tokens.join()];
    if (!shares) return nothing;
    return html`<ul class=${tokens.length ? nothing : "tree"}>
      ${shares.map((share, token) => (share ? this.#branch([...tokens, token], share, product * share) : nothing))}
    </ul>`;
  }

  /** What the searches did with a text. @param {number[]} path */
  #fate(path) {
    const key = path.join();
    const { own, greedy } = this.#shown ?? {};
    const isBest = own && startsWith(own.found[0].tokens, path);
    const isKept = !own || own.running.has(key) || own.found.some(({ tokens }) => tokens.join() === key);
    const isSeen = path.length === 1 || own?.running.has(path.slice(0, -1).join());
    const marks = [
      greedy && startsWith(greedy.found[0].tokens, path) && "isGreedy",
      isBest && !AFTER[key] && "isFound",
      !isKept && (isSeen ? "isDropped" : "isUnseen"),
    ].filter(Boolean);
    return { isBest, isKept, marks };
  }

  /**
   * The same as branches of the drawn tree.
   * @param {number[]} tokens
   * @param {number} product
   * @returns {import("./shared/tree.js").Branch[]}
   */
  #worked(tokens, product) {
    return (AFTER[tokens.join()] ?? []).flatMap((share, token) => {
      if (!share) return [];
      const path = [...tokens, token];
      const { isBest, isKept, marks } = this.#fate(path);
      const text = `${this.#word(token)} ${formatPercent(share)}${path.length > 1 ? ` → ${formatPercent(product * share)}` : ""}`;
      const note = marks.map((mark) => this.say(/** @type {string} */ (mark))).join(" · ");
      const kind = isBest ? "kept" : isKept ? (this.#shown ? "tint" : "") : "cut";
      return [{ text, note, kind, children: this.#worked(path, product * share) }];
    });
  }

  /** @param {number[]} path @param {number} share @param {number} product */
  #branch(path, share, product) {
    const { isBest, isKept, marks } = this.#fate(path);
    return html`<li class="${isBest ? "best" : ""} ${isKept ? "" : "cut"}">
      ${this.#word(path[path.length - 1])} ${formatPercent(share)}
      ${path.length > 1 ? html`→ ${formatPercent(product)}` : nothing}
      ${marks.map((mark) => html`<small>· ${this.say(/** @type {string} */ (mark))} </small>`)}
      ${this.#branches(path, product)}
    </li>`;
  }

  get #shown() {
    return this.isSearched ? this.#searches : undefined;
  }

  /** @param {number} token */
  #word(token) {
    return WORDS[token] || this.say("endOfText");
  }

  /** @param {number[]} tokens */
  #sentence = (tokens) => tokens.map((token) => this.#word(token)).join(" ");

  /**
   * The items after a node; tokens that always came together are one item.
   * @param {Node} node
   * @param {import("../index.js").Model} model
   * @returns {import("./shared/element.js").Content}
   */
  #liveBranches({ children }, model) {
    if (!children.length) return nothing;
    return html`<ul class="tree">
      ${children.map((child) => {
        const ids = [child.token];
        let last = child;
        for (; last.children.length === 1; ids.push(last.token)) last = last.children[0];
        const text = plainText(ids, model).trim();
        return html`<li class=${child.isBest ? "best" : "cut"}>
          ${text ? legible(text).replaceAll("␣", " ") : this.say("endOfText")}
          <small>${last.children.length ? "" : this.say(last.isBest ? "isFound" : "isDropped")}</small>
          ${this.#liveBranches(last, model)}
        </li>`;
      })}
    </ul>`;
  }

  /**
   * The same as branches of the drawn tree.
   * @param {Node} node
   * @param {import("../index.js").Model} model
   * @returns {import("./shared/tree.js").Branch[]}
   */
  #grown({ children }, model) {
    return children.map((child) => {
      const ids = [child.token];
      let last = child;
      for (; last.children.length === 1; ids.push(last.token)) last = last.children[0];
      const text = legible(plainText(ids, model).trim()).replaceAll("␣", " ") || this.say("endOfText");
      const isLeaf = !last.children.length && !this.#growing;
      const note = isLeaf ? this.say(last.isBest ? "isFound" : "isDropped") : "";
      const kind = this.#growing ? "tint" : child.isBest ? "kept" : "cut";
      return { text, note, kind, children: this.#grown(last, model) };
    });
  }

  view() {
    const heads = ["text", "", "probability", "score"].map((key) => key && this.say(key));
    const rows = this.#shown?.own.found.map(({ tokens, logprobs, score }) => {
      const product = productOf(logprobs);
      return {
        kind: "kept",
        cells: [this.#sentence(tokens), { bar: product }, formatPercent(product), score.toFixed(2)],
      };
    });
    return html`<div class="knobs">${this.slider("width", { max: 4 })}${this.slider("lengthPenalty")}</div>
      <div class="actions">
        <button class=${rows ? nothing : "primary"} @click=${this.#begin}>
          ${this.say(rows ? "reset" : "search")}
        </button>
      </div>
      <p class="hint">${this.say("tree")}</p>
      ${drawTree({ label: this.say("tree"), root: { text: `${this.say("start")} …`, kind: "tint", children: this.#worked([], 1) } })}
      <details>
        <summary>${this.say("list")}</summary>
        <div>${this.say("start")} … ${this.#branches([], 1)}</div>
      </details>
      ${
        rows
          ? html`${barTable({ caption: this.say("caption"), heads, rows })}
              <p class="hint">${this.say("scoring")}</p>`
          : nothing
      }
      ${textField(this, "prompt")} ${this.#live.button(this.say("run"), this.#write, { pace: paceField(this) })}
      ${this.#liveView()}`;
  }

  /** Searches the worked tree, or shows the tree as before the search. */
  #begin = async () => {
    this.isSearched = !this.#shown;
    await this.updateComplete;
    this.announce(this.summary());
  };

  #liveView() {
    const [model] = this.#live.models ?? [];
    if ((!this.#texts.length && !this.#growing) || !model) return nothing;
    const rows = this.#texts.map(({ width, mean }) => ({
      kind: "kept",
      isMarked: width === this.width,
      cells: [
        this.say(width === DRAWN ? "drawn" : width === 1 ? "greedy" : "beams", { width }),
        { bar: Math.exp(mean) },
        mean.toFixed(2),
        formatPercent(Math.exp(mean)),
      ],
    }));
    const heads = ["way", "", "mean", "perToken"].map((key) => key && this.say(key));
    const shown = this.#growing ?? this.#texts.find(({ width }) => width === this.width);
    return html`${
        rows.length
          ? html`<p>${this.say("bland")}</p>
              ${barTable({ caption: this.say("liveCaption"), heads, rows })}`
          : nothing
      }
      <dl>
        ${this.#texts.map(
          ({ text }, i) =>
            html`<dt>${rows[i].cells[0]}</dt>
              <dd>… ${text}</dd>`,
        )}
      </dl>
      ${
        shown?.root
          ? html`<p class="hint">${this.say("liveTree", { width: shown.width })}</p>
              ${drawTree({
                label: this.say("liveTree", { width: shown.width }),
                root: { text: "…", kind: "tint", children: this.#grown(shown.root, model) },
              })}
              <details>
                <summary>${this.say("list")}</summary>
                <div>${this.#liveBranches(shown.root, model)}</div>
              </details>`
          : nothing
      }`;
  }

  summary() {
    const [best] = this.#shown?.own.found ?? [];
    if (!best) return "";
    const share = formatPercent(productOf(best.logprobs));
    return this.say("summary", { width: this.width, text: this.#sentence(best.tokens), share });
  }
}

/** @typedef {{ found: FoundText[], running: Set<string> }} Search running: every text that went on, as its tokens */

/**
 * @param {number} beams
 * @param {number} lengthPenalty
 * @returns {Promise<Search>}
 */
async function search(beams, lengthPenalty) {
  const { createBeamSearch } = await import("../index.js");
  const searcher = await createBeamSearch({ vocabSize: WORDS.length, beams, lengthPenalty, eos: [END], maxTokens: 2 });
  const running = new Set();
  while (!searcher.isOver) {
    searcher.step(searcher.beams.map(({ tokens }) => Float32Array.from(AFTER[tokens.join()], Math.log)));
    for (const { tokens } of searcher.beams) running.add(tokens.join());
  }
  const found = searcher.results;
  searcher.dispose();
  return { found, running };
}

/** @param {number[]} logprobs */
const productOf = (logprobs) => Math.exp(logprobs.reduce((sum, one) => sum + one, 0));

/** @param {number[]} tokens @param {number[]} path */
const startsWith = (tokens, path) => path.every((token, i) => tokens[i] === token);

/** @param {Node} root @param {number[]} ids */
function markBest(root, ids) {
  let node = root;
  for (const id of ids) {
    // Two beams never have the same tokens, so exactly one child has this token.
    const next = node.children.find(({ token }) => token === id);
    if (!next) return;
    (node = next).isBest = true;
  }
}

/**
 * @param {number} width
 * @param {number[]} ids
 * @param {number} sum of their log-probabilities
 * @param {import("../index.js").Model} model
 */
const textOf = (width, ids, sum, model) => ({ width, text: plainText(ids, model).trim(), mean: sum / ids.length });

define("beam-tree", LastInchBeamTree);
