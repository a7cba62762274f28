// Why temperature 0 can differ between machines: another order of summing changes the last bit, and so the winner of a
// close race. And how to avoid it: a model whose rows have the same bits however they are computed.
import { html, nothing } from "lit";
import { LastInchElement, define, knob } from "./shared/element.js";
import { barTable } from "./shared/bars.js";
import { plot, plotStyles } from "./shared/plot.js";
import { seedField, textField } from "./shared/field.js";
import { formatCount } from "./shared/format.js";
import { Live } from "./shared/live.js";
import { look } from "./shared/look.js";
import { configure, readySampler } from "./shared/sampling.js";

/** As many products as a reader can follow by eye. */
const LONGEST = 64;
const TRIES = 200;
const MODES = ["sums", "rows"];

/**
 * Two logits: the first is a sum of products, added in two orders in single precision; the second lies close to the sum.
 * @tagname lastinch-same-zero
 * @slot - a `<table>` of at most 64 products: a name and a number
 */
export class LastInchSameZero extends LastInchElement {
  static styles = [...LastInchElement.styles, plotStyles];
  static words = {
    title: "Temperature 0, and yet two answers",
    lead: "A logit is a long sum. Computers round after every addition, so another order can end in another last digit. Where two tokens are almost level, the winner can change. Shuffle, and watch.",
    gap: "“{rival}” leads by (ties go to “{rival}”)",
    drift: "How far each machine's sum has drifted from the exact sum, in millionths",
    added: "Products added",
    drifted: "Millionths",
    numbers: "All products and sums",
    order0: "Machine 1: in order",
    order1: "Machine 2: shuffled",
    product: "Product",
    sum: "Sum so far",
    score: "“{own}” {sum} · “{rival}” {level}",
    wins: "Wins at temperature 0: “{token}”",
    own: "yes",
    rival: "no",
    summary:
      "The sums differ by {difference}. Of {tries} shuffles, {own} end in “{a}” and {others} in “{b}”; {sums} different sums came out.",
    fixed:
      "Servers add in whatever order their batch and chip make fastest. lastinch's sampler adds in one fixed order everywhere, so the same logits give the same token on every machine. The model's own logits may still differ in the last bits between its builds.",
    mode: "Look at",
    sums: "one sum",
    rows: "a model's rows",
    prompt: "Text",
    compare: "Compare",
    way: "The same rows, computed",
    passes: "Passes",
    compared: "Bytes compared",
    different: "Different",
    batch: "all in one pass",
    pieces: "three at a time",
    guesses: "beside wrong guesses of drafting",
    tree: "as a tree of guesses",
    threads: "on another number of threads",
    branches: "The tree: a row for each guess of the text that follows",
    guess: "Guessed text",
    alone:
      "The model first reads the text token by token: a row of {size} logits for each of its {rows} tokens, and for each guess of a tree. Then it computes the rows again in other ways. Here the order of every sum is the same in each of them, so drafts and batches change no text.",
    same: "{different} of {bytes} bytes differ from those of the rows computed one by one.",
    tooMany: "The table has {count} products; at most {most} can be followed.",
  };
  static chinese = () => import("./chinese/same-zero.js");
  static properties = {
    gap: { type: Number, share: true, attribute: "gap", knob: "weight" },
    seed: knob("seed"),
    mode: { share: true, attribute: "mode", oneOf: MODES },
    prompt: { share: true, attribute: "prompt" },
  };
  static example = {
    tokens: Array.from({ length: 12 }, (_, i) => `x${i + 1}·w${i + 1}`),
    logits: Float32Array.of(2.71, -0.13, 7.9, 0.017, -6.31, 1.57, 3.33, -0.0041, -8.2, 0.61, 4.44, -1.07),
  };

  #live = new Live(this, { storyteller });
  /** @type {Awaited<ReturnType<typeof import("./shared/same-rows.js").compareRows>> | undefined} */
  #compared;

  constructor() {
    super();
    /** How far the rival's logit lies above the exact sum. */
    this.gap = 0;
    /** Decides the shuffle. */
    this.seed = 1;
    /** What is shown: "sums", or "rows" of a model. */
    this.mode = "sums";
    /** The text whose rows are compared. */
    this.prompt = "Once upon a time there was a little dog";
  }

  #compare = async (/** @type {AbortSignal} */ signal, /** @type {import("./shared/models.js").Model} */ model) => {
    const { compareRows } = await import("./shared/same-rows.js");
    const source = this.#live.entry?.file ?? (this.src || (await storyteller()).default);
    this.#compared = await compareRows(model, source, this.prompt, signal);
    this.announce(this.summary());
  };

  get honesty() {
    return this.mode === "rows" ? "live" : super.honesty;
  }

  /** @param {string} name @param {any} value @param {boolean} isFinal */
  turn(name, value, isFinal) {
    super.turn(name, value, isFinal);
    if (name !== "prompt") return;
    this.#live.stop();
    this.#compared = undefined;
  }

  #look() {
    const { tokens, logits: products } = this.row;
    if (products.length > LONGEST) throw new RangeError(this.say("tooMany", { count: products.length, most: LONGEST }));
    const sampler = readySampler(this, products.length);
    const judge = readySampler(this, 2);
    if (!sampler || !judge) return null;
    const rival = Math.fround(products.reduce((a, b) => a + b, 0) + this.gap);
    const flat = new Float32Array(products.length);
    const shuffled = (/** @type {number} */ stream) => {
      // Equal logits, each drawn once: the sampler's draws are a shuffle.
      configure(sampler, { noRepeatNgram: 1, seed: this.seed, stream });
      return Array.from(flat, () => sampler.sample(flat));
    };
    const run = (/** @type {number[]} */ order) => {
      let sum = 0;
      let exact = 0;
      const drifts = [0];
      const sums = order.map((id) => {
        sum = Math.fround(sum + products[id]);
        exact += products[id];
        drifts.push((sum - exact) * 1e6);
        return sum;
      });
      const winner = look(judge, Float32Array.of(rival, sum), { temperature: 0 }).kept[0];
      return { order, sums, drifts, sum, winner };
    };
    const machines = [run([...flat.keys()]), run(shuffled(0))];
    const tries = Array.from({ length: TRIES }, (_, i) => run(shuffled(i)));
    return { tokens, products, rival, machines, tries };
  }

  view() {
    const view = this.mode === "rows" ? this.#rows() : this.#sums();
    const modes = MODES.map((mode) => /** @type {[string, string]} */ ([mode, this.say(mode)]));
    return view === nothing ? nothing : html`${this.choice("mode", this.say("mode"), modes)} ${view}`;
  }

  #rows() {
    const compared = this.#compared;
    return html`${textField(this, "prompt")} ${this.#live.button(this.say("compare"), this.#compare)}
    ${
      compared
        ? html`<p>${this.prompt}<b>${compared.text}</b></p>
            <p class="hint">
              ${this.say("alone", { size: formatCount(compared.vocabSize), rows: formatCount(compared.rows) })}
            </p>
            ${barTable({
              caption: this.say("way"),
              heads: ["way", "passes", "compared", "different"].map((key) => this.say(key)),
              rows: compared.ways.map(({ name, passes, bytes, different }) => ({
                kind: different ? "cut" : "kept",
                cells: [this.say(name), formatCount(passes), formatCount(bytes), formatCount(different)],
              })),
            })}
            <p>${this.summary()}</p>
            ${compared.guesses.length ? this.#tree(compared.guesses) : nothing}`
        : nothing
    }`;
  }

  /** @param {import("./shared/same-rows.js").Guess[]} guesses */
  #tree(guesses) {
    const caption = this.say("branches");
    return html`<details>
      <summary>${caption}</summary>
      ${barTable({
        caption,
        heads: ["guess", "compared", "different"].map((key) => this.say(key)),
        rows: guesses.map(({ text, bytes, different }) => ({
          kind: different ? "cut" : "kept",
          cells: [`…${text}`, formatCount(bytes), formatCount(different)],
        })),
      })}
    </details>`;
  }

  #sums() {
    const looked = this.#look();
    if (!looked) return nothing;
    const { tokens, products, rival, machines } = looked;
    const names = [this.say("rival"), this.say("own")];
    return html`${this.choice(
        "gap",
        this.say("gap", { rival: this.say("rival") }),
        [0, 0.000001, 0.00001, 0.001].map((gap) => [gap, String(gap)]),
      )}
      ${seedField(this)} ${this.#drift(machines.map(({ drifts }) => drifts))}
      <div class="panels">
        ${machines.map(({ sum, winner }, i) => {
          const caption = this.say(`order${i}`);
          return html`<div>
            <p class="name">${caption}</p>
            <p>${this.say("score", { own: names[1], sum: digits(sum), rival: names[0], level: digits(rival) })}</p>
            <p><b>${this.say("wins", { token: names[winner] })}</b></p>
          </div>`;
        })}
      </div>
      <details>
        <summary>${this.say("numbers")}</summary>
        <div class="panels">
          ${machines.map(({ order, sums }, i) =>
            barTable({
              caption: this.say(`order${i}`),
              heads: [this.say("product"), this.say("sum")],
              rows: order.map((id, at) => ({
                cells: [`${tokens[id]} = ${Number(products[id].toPrecision(6))}`, digits(sums[at])],
              })),
            }),
          )}
        </div>
      </details>
      <p>${this.summary()}</p>
      <p class="hint">${this.say("fixed")}</p>`;
  }

  /** The rounding errors of both machines as their sums grow. @param {number[][]} drifts */
  #drift(drifts) {
    const most = Math.max(...drifts.flat().map(Math.abs)) || 1;
    const label = this.say("drift");
    return html`<p>${label}</p>
      ${plot({
        label,
        x: [0, drifts[0].length - 1],
        y: [-most, most],
        xLabel: this.say("added"),
        yLabel: this.say("drifted"),
        formatY: (value) => value.toFixed(2),
        lines: drifts.map((drift, i) => ({
          name: this.say(`order${i}`),
          points: drift.map((y, x) => /** @type {[number, number]} */ ([x, y])),
          kind: i ? "cut" : "kept",
          dash: i ? "dashed" : "solid",
        })),
      })}`;
  }

  summary() {
    if (this.mode === "rows") {
      const { ways } = this.#compared ?? { ways: [] };
      const total = (/** @type {"bytes" | "different"} */ name) =>
        formatCount(ways.reduce((sum, way) => sum + way[name], 0));
      return ways.length ? this.say("same", { different: total("different"), bytes: total("bytes") }) : "";
    }
    const looked = this.#look();
    if (!looked) return "";
    const { machines, tries } = looked;
    const own = tries.filter(({ winner }) => winner === 1).length;
    return this.say("summary", {
      difference: digits(Math.abs(machines[0].sum - machines[1].sum)),
      tries: TRIES,
      own,
      a: this.say("own"),
      others: TRIES - own,
      b: this.say("rival"),
      sums: new Set(tries.map(({ sum }) => sum)).size,
    });
  }
}

/** The model's address. Bundlers copy its file. */
const storyteller = () => import("../models/storyteller.js");

/** As many digits as single precision needs. @param {number} number */
const digits = (number) => number.toLocaleString("en", { maximumSignificantDigits: 9, useGrouping: false });

define("same-zero", LastInchSameZero);
