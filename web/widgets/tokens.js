// How a text is cut into tokens: by several tokenizers, by merges, and at which price in other languages.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { hexOf, labelOf, mergesOf, stepsOf, symbolsAfter } from "./shared/cuts.js";
import { formatCount, legible, legibleBytes } from "./shared/format.js";
import { Player } from "./shared/player.js";
import { explain } from "./shared/words.js";
import { costs as recordedCosts, cut as recordedCut, settings as recorded } from "./recorded/tokens.js";

/** @typedef {import("../index.js").Tokenizer} Tokenizer */
/** @typedef {import("./shared/cuts.js").CutText} CutText */
/** A tokenizer, the text as it cuts it, and its tokens in each language. @typedef {{ name: string, tokenizer?: Tokenizer, text: CutText, costs: number[] }} Way */

const LONGEST = 300;
const EXAMPLES = [
  "strawberry",
  "7 + 1234567 = 1234574",
  "two  spaces and\n\ta tab",
  "🍓 naïve 👩‍🚀",
  "Once upon a time there was a dragon.",
  "从前有一条龙。",
];

/**
 * How a text is cut into tokens: by the storyteller's tokenizer, by that of a file, by characters and by bytes; every
 * merge, ids and bytes, and how many tokens one sentence takes in eight languages.
 * @tagname lastinch-tokens
 */
export class LastInchTokens extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    css`
      .cut {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem;
        padding: 0;
        list-style: none;
        font: 1rem/1.4 var(--lastinch-mono, ui-monospace, monospace);
      }
      .cut li {
        padding: 0.1rem 0.35rem;
        border: 1px solid var(--edge);
        border-radius: 0.25rem;
        overflow-wrap: anywhere;
      }
      .cut li:nth-child(2n) {
        background: color-mix(in srgb, var(--accent) 14%, transparent);
      }
      .cut [data-new] {
        border: 2px solid var(--accent);
        font-weight: 700;
      }
      button.quiet {
        max-width: 100%;
        white-space: normal;
        overflow-wrap: anywhere;
      }
      input[type="file"] {
        max-width: 100%;
      }
      textarea {
        display: block;
        width: 100%;
      }
    `,
  ];
  static words = {
    title: "Tokens: how a text is cut",
    lead: "A model reads numbers. A tokenizer cuts the text into pieces of its vocabulary, and each piece has a number. Where it cuts decides what the model can see.",
    text: "Your text",
    examples: "Try",
    run: "Cut it here",
    reads: "{label} (loads the vocabulary, 50 KB)",
    file: "Compare with the tokenizer of a model of yours",
    choose: "A GGUF file (only its header is read; it stays on this machine)",
    reading: "Reading …",
    ways: "The text in each tokenizer’s tokens",
    shipped: "The storyteller",
    characters: "Characters",
    bytes: "Bytes",
    tokenizer: "Tokenizer",
    count: "Tokens",
    vocabulary: "Vocabulary",
    real: "Live: the tokenizers themselves cut the text, in your browser.",
    merges: "How “{name}” gets there",
    start: "Every character starts alone.",
    startBytes: "Every byte starts alone.",
    merge: "Merge {at} of {count}: “{left}” + “{right}” is “{made}”, token {id}.",
    whole: "“{made}” is found whole: token {id}.",
    over: "No two neighbours make a token any more: {count} tokens.",
    ids: "Ids and bytes of “{name}”",
    id: "Id",
    price: "One sentence in eight languages",
    equals:
      "These are the tokens that the model reads: the same code cuts them. This project’s tests compare it, id by id, with SentencePiece, with llama.cpp, and with Hugging Face’s tokenizers.",
    letters:
      "The model gets ids, not letters: nothing in {ids} says which letters they have. It can only have learnt that.",
    spill:
      "{symbols} pieces are left. What is no token of the vocabulary becomes the tokens of its bytes: {count} tokens.",
    tooLong: "Cut to {count} characters.",
    summary: "{name}: {count} tokens, {tokens}.",
  };
  static chinese = () => import("./chinese/tokens.js");
  static properties = {
    text: { share: true, attribute: "text" },
    pace: knob("pace"),
    failing: { state: true },
    isReading: { state: true },
  };

  /** @type {Player} */
  #player = new Player(this, () => (this.#watched ? stepsOf(this.#watched.text) : 0), 4);
  /** The storyteller's tokenizer, then that of the reader's file. @type {Way[]} */
  #ways = [];
  /** @type {AbortController | undefined} */
  #abort;
  /** Whether a tokenizer was open when the element left its page. */
  #wasLive = false;
  /** The sentence in eight languages, once a reader has opened it. @type {typeof import("./shared/token-price.js").tokenPrice | undefined} */
  #price;

  constructor() {
    super();
    this.usesModel = true;
    /** The text, at most 300 characters. */
    this.text = recorded.text;
    /**
     * Pace of Play in tokens a second: a merge takes as long as 4 tokens; 0 goes to the last merge.
     * @type {number | undefined}
     */
    this.pace = undefined;
    /** The error of the last file. @type {unknown} */
    this.failing = undefined;
    this.isReading = false;
  }

  get honesty() {
    return this.isRecorded ? "recorded" : "real";
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.#wasLive) void this.#run();
    this.#wasLive = false;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    // An element that only moves to another place is connected again at once, and goes on.
    queueMicrotask(() => this.isConnected || this.#close());
  }

  #close() {
    this.#abort?.abort();
    this.isReading = false;
    this.#wasLive = this.#ways.some(({ tokenizer }) => tokenizer);
    for (const { tokenizer } of this.#ways) tokenizer?.dispose();
    this.#ways = this.#ways.filter(({ tokenizer }) => !tokenizer);
  }

  /** A text that comes from a link or an attribute is cut to its limit. */
  willUpdate() {
    const letters = Array.from(this.text);
    if (letters.length <= LONGEST) return;
    this.text = letters.slice(0, LONGEST).join("");
    this.announce(this.say("tooLong", { count: LONGEST }));
  }

  prepare() {
    this.#player.position = Infinity;
    if (this.src || this.text !== recorded.text) return;
    this.isRecorded = true;
    const { pieces, ids } = recordedCut;
    const cut = { bytes: new TextEncoder().encode(this.text), pieces };
    this.#ways = [{ name: this.say("shipped"), text: { cut, isBytes: false, ids }, costs: recordedCosts }];
  }

  /** The tokenizer whose merges are shown: the newest. */
  get #watched() {
    return this.#ways[this.#ways.length - 1];
  }

  /** @param {Tokenizer} tokenizer @param {string} text @returns {Promise<CutText>} */
  async #cut(tokenizer, text) {
    const [cut, ids] = await Promise.all([tokenizer.trace(text), tokenizer.tokenize(text)]);
    return { cut, ids, isBytes: tokenizer.config.kind === "bpe" };
  }

  /**
   * Reads a tokenizer, and takes it in place of the n-th.
   * @param {number} place
   * @param {() => Promise<any>} source what loadTokenizer takes
   * @param {string} [name]
   */
  async #open(place, source, name) {
    this.#abort?.abort();
    const { signal } = (this.#abort = new AbortController());
    this.isReading = true;
    this.failing = undefined;
    /** @type {Tokenizer | undefined} */
    let opened;
    try {
      const [{ loadTokenizer }, { languages }] = await Promise.all([
        import("../index.js"),
        import("./shared/token-price.js"),
      ]);
      const tokenizer = (opened = await loadTokenizer(await source(), { signal }));
      const costs = [];
      for (const [, text] of languages) costs.push((await tokenizer.tokenize(text)).length);
      const text = await this.#cut(tokenizer, this.text);
      signal.throwIfAborted();
      this.#ways[place]?.tokenizer?.dispose();
      this.#ways[place] = { name: name ?? tokenizer.config.name ?? "GGUF", tokenizer, text, costs };
      opened = undefined; // the list has it
      this.isRecorded = false;
      await this.#again(true);
    } catch (error) {
      if (!signal.aborted) this.failing = error;
    } finally {
      opened?.dispose();
      if (this.#abort.signal === signal) this.isReading = false;
    }
  }

  #run = () =>
    this.#open(
      0,
      async () => this.src ?? (await import("../models/storyteller.js")).default,
      this.src ? undefined : this.say("shipped"),
    );

  /** Cuts the text as it is now. @param {boolean} isFinal whether to say what came of it */
  async #again(isFinal) {
    const { text } = this;
    // A recording knows one text.
    if (text !== recorded.text) this.#ways = this.#ways.filter(({ tokenizer }) => tokenizer);
    const ways = [...this.#ways];
    const cuts = await Promise.all(
      ways.map(async (way) => (way.tokenizer ? this.#cut(way.tokenizer, text) : way.text)),
    );
    if (this.text !== text || ways.some((way, i) => this.#ways[i] !== way)) return;
    ways.forEach((way, i) => (way.text = cuts[i]));
    this.#player.position = Infinity;
    this.requestUpdate();
    if (isFinal) this.announce(this.summary());
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    super.turn(name, value, isFinal);
    if (name !== "text") return;
    this.#player.pause();
    if (value !== recorded.text) this.isRecorded = false;
    this.#again(isFinal).catch((error) => (this.failing = error));
  }

  view() {
    const write = (/** @type {Event} */ { target, type }) =>
      this.turn("text", /** @type {HTMLTextAreaElement} */ (target).value, type === "change");
    const examples = EXAMPLES.map(
      (text) => html`<button class="quiet" @click=${() => this.turn("text", text, true)}>${shown(text)}</button>`,
    );
    return html`<div>
        <label for="text"
          >${this.say("text")} <span class="range">${this.say("atMost", { count: LONGEST })}</span></label
        >
        <textarea
          id="text"
          rows="2"
          maxlength=${LONGEST}
          spellcheck="false"
          .value=${this.text}
          @input=${write}
          @change=${write}
        ></textarea>
      </div>
      <div class="actions" role="group" aria-label=${this.say("examples")}>${examples}</div>
      ${this.#opener()} ${this.#table()} ${this.#watched ? this.#steps(this.#watched) : nothing}`;
  }

  #opener() {
    const isLive = this.#ways.some(({ tokenizer }) => tokenizer);
    const choose = (/** @type {Event} */ { target }) => {
      const file = /** @type {HTMLInputElement} */ (target).files?.[0];
      if (file) void this.#open(this.#ways.length ? 1 : 0, async () => file, file.name);
    };
    const label = this.say("run");
    return html`<div class="actions">
        ${
          isLive
            ? nothing
            : html`<button class="primary" ?disabled=${this.isReading} @click=${this.#run}>
                ${this.src ? label : this.say("reads", { label })}
              </button>`
        }
        ${this.isReading ? html`<span>${this.say("reading")}</span>` : nothing}
      </div>
      <details>
        <summary>${this.say("file")}</summary>
        <label>${this.say("choose")} <input type="file" accept=".gguf" @change=${choose} /></label>
      </details>
      ${this.isRecorded ? html`<p class="recorded">${this.say("pressLive", { press: label })}</p>` : nothing}
      ${this.failing ? html`<p class="problem" role="alert">${explain(this.failing)}</p>` : nothing}`;
  }

  /** All tokenizers, side by side. */
  #table() {
    const letters = Array.from(this.text);
    const bytes = new TextEncoder().encode(this.text);
    const ways = this.#ways.map(({ name, tokenizer, text }) => ({
      name,
      labels: tokenizer
        ? text.ids.map((id) => legibleBytes(tokenizer.vocabulary.tokens[id]))
        : symbolsAfter(text, Infinity).symbols.map((symbol) => labelOf(text.cut, symbol)),
      size: formatCount(tokenizer?.config.vocabSize ?? recorded.size),
    }));
    ways.push(
      { name: this.say("characters"), labels: letters.map(legible), size: formatCount(0x110000 - 0x800) },
      { name: this.say("bytes"), labels: Array.from(bytes, (byte) => hexOf(Uint8Array.of(byte))), size: "256" },
    );
    const most = Math.max(1, ...ways.map(({ labels }) => labels.length));
    return html`${ways.map(
      ({ name, labels }) =>
        html`<section aria-label=${name}>
          <p class="name">${name}</p>
          ${cutList(labels.map((label) => ({ label })))}
        </section>`,
    )}
    ${barTable({
      caption: this.say("ways"),
      heads: [this.say("tokenizer"), "", this.say("count"), this.say("vocabulary")],
      rows: ways.map(({ name, labels, size }) => ({
        kind: "kept",
        cells: [name, { bar: labels.length / most }, formatCount(labels.length), size],
      })),
    })}`;
  }

  /** The merges of one tokenizer, its ids and its languages. @param {Way} way */
  #steps({ name, text, tokenizer }) {
    const { cut, ids } = text;
    const count = stepsOf(text);
    const at = Math.min(this.#player.position, count);
    const { symbols, last } = symbolsAfter(text, at);
    const parts =
      at < count || !tokenizer
        ? symbols.map((symbol) => ({ label: labelOf(cut, symbol), isNew: at < count && symbol === last?.made }))
        : ids.map((id) => ({ label: legibleBytes(tokenizer.vocabulary.tokens[id]) }));
    const rows = ids.map((id, i) => {
      const bytes = tokenizer ? tokenizer.vocabulary.tokens[id] : bytesOf(text, i);
      return { cells: [legibleBytes(bytes), String(id), hexOf(bytes)] };
    });
    return html`<p class="name">${this.say("merges", { name })}</p>
      ${count ? this.#player.controls() : nothing} ${cutList(parts)}
      <p>${this.#said(at, count)}</p>
      <details>
        <summary>${this.say("ids", { name })}</summary>
        ${barTable({ caption: this.say("ids", { name }), heads: [this.say("token"), this.say("id"), this.say("bytes")], rows })}
        <p class="hint">${this.say("letters", { ids: ids.slice(0, 8).join(" ") })}</p>
      </details>
      ${this.#languages()}
      <p class="hint">${this.say("equals")}</p>`;
  }

  /** What the last step did. @param {number} at @param {number} count */
  #said(at, count) {
    const { text } = this.#watched;
    const { last, symbols } = symbolsAfter(text, at);
    if (at >= count) {
      const tokens = formatCount(text.ids.length);
      const isSpilt = count > mergesOf(text.cut);
      return this.say(isSpilt ? "spill" : "over", { symbols: symbols.length, count: tokens });
    }
    if (!last || !at) return this.say(text.isBytes ? "startBytes" : "start");
    const label = (/** @type {import("./shared/cuts.js").Symbol} */ symbol) => labelOf(text.cut, symbol);
    const made = label(last.made);
    const id = last.made.token ?? "";
    if (last.left === last.right || !symbols.length) return this.say("whole", { made, id });
    return this.say("merge", { at, count, left: label(last.left), right: label(last.right), made, id });
  }

  #languages() {
    const open = async () => {
      const { tokenPrice, words } = await import("./shared/token-price.js");
      this.learn(words);
      this.#price = tokenPrice;
      this.requestUpdate();
    };
    return html`<details @toggle=${() => this.#price ?? open().catch((error) => (this.failing = error))}>
      <summary>${this.say("price")}</summary>
      ${this.#price?.(this, this.#ways) ?? nothing}
    </details>`;
  }

  /** @returns {string} */
  summary() {
    const way = this.#watched;
    if (!way) return "";
    const { text, tokenizer } = way;
    const count = stepsOf(text);
    if (this.#player.position < count) return this.#said(this.#player.position, count);
    const labels = tokenizer
      ? text.ids.map((id) => legibleBytes(tokenizer.vocabulary.tokens[id]))
      : symbolsAfter(text, count).symbols.map((symbol) => labelOf(text.cut, symbol));
    const tokens = this.list(labels);
    return this.say("summary", { name: way.name, count: way.text.ids.length, tokens });
  }
}

/** An example with visible white space. @param {string} text */
const shown = (text) => text.replaceAll(" ", "␣").replaceAll("\n", "⏎").replaceAll("\t", "⇥");

/** @param {{ label: string, isNew?: boolean }[]} parts */
const cutList = (parts) =>
  html`<ul class="cut">
    ${parts.map(({ label, isNew }) => html`<li ?data-new=${isNew}>${label}</li>`)}
  </ul>`;

/** Of a recording: the bytes of its n-th token. @param {CutText} text @param {number} at */
function bytesOf(text, at) {
  const { begin, end } = symbolsAfter(text, Infinity).symbols[at];
  return text.cut.bytes.slice(begin, end);
}

define("tokens", LastInchTokens);
