// Counts and a transformer before the same passage: what each knows at a place, where it stumbles, and how it goes on.
import { css, html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { seedField, textField } from "./shared/field.js";
import { formatCount, formatPercent, legible, surpriseClass } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { isRecorded } from "./shared/recording.js";
import { textOf } from "./shared/text-sources.js";
import { tintLegend } from "./shared/token-text.js";
import { readers as recordedReaders, settings as recorded } from "./recorded/markov.js";

/** @typedef {import("./shared/models.js").Model} Model */
/** @typedef {import("./shared/character-readers.js").Reader} Reader */
/** @typedef {import("./shared/character-readers.js").Place} Place */

/** Characters that each writes. */
const LENGTH = 40;

/**
 * Counts of order 1 to 5 beside a transformer, before the same passage and with the same seed: the row of each at a
 * place, where it stumbles, and how it goes on.
 * @tagname lastinch-markov
 */
export class LastInchMarkov extends LastInchElement {
  static styles = [
    ...LastInchElement.styles,
    css`
      .bars .written {
        display: block;
        text-align: start;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .bars td + td {
        padding-inline-start: 0.5rem;
      }
      .never {
        text-decoration: underline wavy var(--cut);
      }
      i {
        color: var(--soft);
      }
    `,
  ];
  static words = {
    title: "Counting, or learning",
    lead: "The oldest language model counts which characters followed the last few. A transformer learns. Both read your passage, and go on from the same seed. Where does counting break?",
    passage: "Passage",
    place: "Place in the passage",
    run: "Compare",
    model: "Model",
    order: "counts, order {order}",
    transformer: "transformer",
    caption: "The passage, tinted by how likely each character was, and how each goes on",
    text: "The passage, and how it goes on",
    bits: "Bits a character",
    at: "At place {place}, before “{next}”",
    looks: "Looks at",
    all: "all of it",
    times: "“{seen}”, {times}×",
    likeliest: "Likeliest next",
    next: "“{next}”",
    never: "never",
    wavy: "Wavy, and ✕: never seen there, so the surprise is infinite.",
    about:
      "Where counts know nothing, they look at fewer characters. They read the beginning of Richard III; the shipped transformer has read more of Shakespeare. With a model that learnt in this page, both have the same text.",
    short: "The passage needs two characters.",
    tokens: "This model has no single characters as tokens.",
    summary: "“{next}” was given: {shares}.",
    share: "{name} {share}",
  };
  static chinese = () => import("./chinese/markov.js");
  static honesty = "live";
  static properties = {
    passage: { share: true, attribute: "passage" },
    place: knob("rolls", "place"),
    temperature: knob("temperature"),
    seed: knob("seed"),
    readers: { state: true },
  };

  #live = new Live(this, { shakespeare: () => import("../models/shakespeare.js") });

  constructor() {
    super();
    /** What all of them read. */
    this.passage = recorded.passage;
    /** The character of the passage before which their rows are shown, from 1. */
    this.place = recorded.place;
    /** Of what they write. */
    this.temperature = recorded.temperature;
    /** Decides what they write. */
    this.seed = recorded.seed;
    /** @type {Reader[]} */
    this.readers = [];
  }

  prepare() {
    const { passage, temperature, seed } = recorded;
    this.isRecorded = isRecorded(this, { passage, temperature, seed });
    if (this.isRecorded) this.readers = recordedReaders.map(unpack);
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    if (name !== "place") {
      this.#live.stop();
      this.isRecorded = false;
      this.readers = [];
    }
    super.turn(name, value, isFinal);
  }

  #run = async (/** @type {AbortSignal} */ signal, /** @type {Model} */ model) => {
    const { readersOf } = await import("./shared/character-readers.js");
    const { passage, temperature, seed } = this;
    const characters = Array.from(passage);
    if (characters.length < 2) throw new RangeError(this.say("short"));
    if ((await model.tokenize(passage, { bos: false })).length > characters.length || longest(model) > 1)
      throw new RangeError(this.say("tokens"));
    const text = this.#live.entry?.text ?? (await textOf("richard", ""));
    this.readers = [];
    const how = { passage, temperature, seed, length: LENGTH, signal };
    for await (const reader of readersOf(model, text, how)) {
      signal.throwIfAborted();
      this.readers = [...this.readers, reader];
    }
    this.announce(this.summary());
  };

  get #characters() {
    return Array.from(this.passage);
  }

  /** The place, within the passage. */
  get #at() {
    return Math.max(1, Math.min(this.place, this.#characters.length - 1));
  }

  /** @param {Reader} reader */
  #nameOf({ order }) {
    return order === undefined ? this.say("transformer") : this.say("order", { order });
  }

  view() {
    const most = this.#characters.length - 1;
    return html`${textField(this, "passage")}
      <div class="knobs">${this.slider("temperature")}${most > 1 ? this.slider("place", { max: most }) : nothing}</div>
      ${seedField(this)} ${this.#live.button(this.say("run"), this.#run)}
      ${this.readers.length ? this.#result() : nothing}`;
  }

  #result() {
    const at = this.#at;
    const next = legible(this.#characters[at]);
    const before = this.#characters.slice(0, at);
    return html`${barTable({
        caption: this.say("caption"),
        heads: ["model", "text", "bits"].map((key) => this.say(key)),
        rows: this.readers.map((reader) => ({
          cells: [this.#nameOf(reader), this.#text(reader), bitsOf(reader.places)],
        })),
      })}
      ${tintLegend(this)}
      <p class="hint">${this.say("wavy")}</p>
      <p class="name">${this.say("at", { place: at, next })}</p>
      ${barTable({
        caption: this.say("at", { place: at, next }),
        heads: [this.say("model"), this.say("looks"), this.say("likeliest"), this.say("next", { next })],
        rows: this.readers.map((reader) => {
          const { seen, times = 0, top, next: share } = reader.places[at - 1];
          const tail =
            seen === undefined
              ? ""
              : before
                  .slice(before.length - seen)
                  .map(legible)
                  .join("");
          const looks =
            seen === undefined ? this.say("all") : this.say("times", { seen: tail, times: formatCount(times) });
          const likeliest = top.map(([character, p]) => `${legible(character)} ${Math.round(100 * p)}%`);
          return {
            kind: share ? "kept" : "cut",
            cells: [
              this.#nameOf(reader),
              html`<span class="written">${looks}</span>`,
              html`<span class="written">${this.list(likeliest)}</span>`,
              share ? formatPercent(share) : `✕ ${this.say("never")}`,
            ],
          };
        }),
      })}
      <p class="hint">${this.say("about")}</p>`;
  }

  /** @param {Reader} reader */
  #text({ places, line }) {
    const [first, ...rest] = this.#characters;
    const spans = rest.map((character, i) => {
      const { next } = places[i];
      const kind = next ? `s${surpriseClass(next)}` : "never s5";
      return html`<span class="token ${kind}" title=${formatPercent(next)} ?data-marked=${i + 1 === this.#at}
        >${character}</span
      >`;
    });
    return html`<span class="written" dir="auto">${first}${spans}<i>${line.replaceAll("\n", "⏎")}</i></span>`;
  }

  summary() {
    if (this.readers.length < 6) return "";
    const shares = this.readers.map((reader) => {
      const { next } = reader.places[this.#at - 1];
      return this.say("share", { name: this.#nameOf(reader), share: next ? formatPercent(next) : this.say("never") });
    });
    return this.say("summary", { next: legible(this.#characters[this.#at]), shares: this.list(shares) });
  }
}

/** Mean surprise; infinite if something came that could not. @param {Place[]} places */
function bitsOf(places) {
  const nevers = places.filter(({ next }) => !next).length;
  if (nevers) return `∞ (${nevers} ✕)`;
  return (places.reduce((sum, { next }) => sum - Math.log2(next), 0) / places.length).toFixed(2);
}

/** The most characters of a token that is a text. @param {Model} model */
function longest({ vocabulary, config }) {
  const decoder = new TextDecoder();
  const special = new Set([...vocabulary.eos, config.bos, 0]);
  const lengths = vocabulary.tokens.map((bytes, id) => (special.has(id) ? 0 : [...decoder.decode(bytes)].length));
  return Math.max(...lengths);
}

/**
 * A recorded reader: what it wrote, and for each place the probability of what came, per myriad; counts also have what they
 * look at, and all have the likeliest.
 * @param {{ order?: number, line: string, next: string, top: string, seen?: string, times?: string }} recordedReader
 * @returns {Reader}
 */
function unpack({ order, line, next, top, seen, times }) {
  const numbers = (/** @type {string | undefined} */ list) => list?.split(" ").map(Number);
  const [nexts = [], seens, all] = [next, seen, times].map(numbers);
  const tops = top.split("\n").map((row) => {
    const found = row.matchAll(/(\S) (\d+)/gu);
    return Array.from(found, ([, name, share]) => /** @type {[string, number]} */ ([name, Number(share) / 100]));
  });
  return {
    order,
    line,
    places: nexts.map((share, i) => ({ next: share / 1e4, top: tops[i], seen: seens?.[i], times: all?.[i] })),
  };
}

define("markov", LastInchMarkov);
