// Trees of guesses: what heads propose at each pass, which of it the text takes, and a race. Fetched with its scene.
import { html, nothing } from "lit";
import { barTable } from "./bars.js";
import { box, picture, words as line } from "./draw.js";
import { passesOf, raceOf } from "./draft-passes.js";
import { formatCount } from "./format.js";
import { Live } from "./live.js";
import { isRecorded } from "./recording.js";
import { tokenText } from "./token-text.js";
import { drawTree } from "./tree.js";
import { recordings, settings as recorded } from "../recorded/speculation.js";

/** @typedef {import("../../index.js").Model} Model */
/** @typedef {import("./draft-passes.js").Pass} Pass */
/** @typedef {import("./draft-passes.js").Run} Run */
/** @typedef {import("./draft-passes.js").Settings} Settings */
/** @typedef {import("./tree.js").Branch} Branch */
/** @typedef {"medusa" | "eagle"} Kind */
/** @typedef {import("./element.js").LastInchElement & { prompt: string, heads: string, settings: Settings }} Host */

/** @type {import("./words.js").Words} */
export const words = {
  heads: "Who guesses",
  medusa: "Medusa: a few small heads on the storyteller’s last state guess the tokens after the next, each for itself.",
  eagle: "EAGLE: one more layer reads the storyteller’s states and its own guesses, so a guess knows those before it.",
  runTrees: "Write with trees, and race",
  pick: "Press a token to see the tree of its pass. Framed: chosen by the model.",
  treesRead: "{tokens} tokens from {passes} passes: {rate} a pass.",
  noTree: "Pass {pass} had no guesses. It added “{token}”.",
  treeSaid: "Pass {pass}: {count} guesses in one tree, {taken} of them taken. It added {added}.",
  treeKinds:
    "Filled: guessed, and taken. Empty: guessed in vain. All these were verified together in one pass. Grey: where it began, and what the model added itself.",
  treesFaster:
    "{name} was fastest: {passes} passes in place of {all}, {ms} ms in place of {alone}. A pass that verifies guesses took {each} ms, one without {one} ms.",
  treesSlower:
    "{name} needs {passes} passes in place of {all}, and is not faster here: {ms} ms against {alone} ms. A pass that verifies guesses took {each} ms, one without {one} ms. Guesses pay where loading the weights takes most of a pass, as with large models.",
  treeList: "The tree as a list",
  treeRace:
    "{tokens} tokens, each box a pass, as long as it takes here. Trees adapt to what was right, so runs may differ by a pass or two:",
  textMs: "ms",
  textPasses: "Passes",
  textRate: "Tokens a pass",
  faster: "Speed",
};

const [LANE, NAME, WIDTH] = [34, 100, 600];

export class DraftTrees {
  #host;
  #live;
  /** @type {Pass[]} */
  #passes = [];
  /** The pass that is shown. */
  #at = 0;
  /** Runs by their names. @type {[name: string, run: Run][]} */
  #race = [];
  /** What the passes were written with. */
  #key = "";
  /** Whether the passes are the recorded ones. */
  isRecorded = false;

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
    this.#live = new Live(host, {
      storyteller: () => import("../../models/storyteller.js"),
      medusa: () => import("../../models/medusa.js"),
      eagle: () => import("../../models/eagle.js"),
    });
  }

  /** Forgets results of other settings, and takes the recording if its settings are back. */
  #refresh() {
    const host = this.#host;
    const key = JSON.stringify([host.heads, host.settings]);
    if (key === this.#key) return;
    this.#key = key;
    this.#live.stop();
    this.#race = [];
    const isSame = isRecorded(host, recorded);
    this.#passes = isSame ? recordings[/** @type {Kind} */ (host.heads)] : [];
    this.isRecorded = isSame;
    this.#at = this.#bestOf(this.#passes);
  }

  /** The pass that gave most tokens. @param {Pass[]} passes */
  #bestOf(passes) {
    return passes.reduce((best, { added }, i) => (added.length > passes[best].added.length ? i : best), 0);
  }

  /** @param {AbortSignal} signal @param {...Model} models */
  #write = async (signal, ...models) => {
    const host = this.#host;
    const [model, medusa, eagle] = models;
    this.isRecorded = false;
    /** @type {Pass[]} */
    const passes = (this.#passes = []);
    this.#race = [];
    for await (const pass of passesOf(model, host.heads === "eagle" ? eagle : medusa, host.settings, signal)) {
      if (signal.aborted) return;
      passes.push(pass);
      this.#at = passes.length - 1;
      host.requestUpdate();
      await host.onscreen();
    }
    if (signal.aborted) return;
    this.#at = this.#bestOf(passes);
    host.requestUpdate();
    const runs = await raceOf(model, [undefined, medusa, eagle], host.settings, signal);
    this.#race = [host.say("onlyTarget"), "Medusa", "EAGLE"].map((name, i) => [name, runs[i]]);
    host.requestUpdate();
    host.announce(this.summary());
  };

  view() {
    this.#refresh();
    const host = this.#host;
    const kinds = /** @type {[string, string][]} */ ([
      ["medusa", "Medusa"],
      ["eagle", "EAGLE"],
    ]);
    return html`${host.choice("heads", host.say("heads"), kinds)}
      <p class="hint">${host.say(host.heads)}</p>
      ${this.#live.button(host.say("runTrees"), this.#write)}
      ${this.isRecorded ? html`<p class="recorded">${host.say("pressLive", { press: host.say("runTrees") })}</p>` : nothing}
      ${this.#passes.length ? this.#result() : nothing} ${this.#race.length ? this.#lanes() : nothing}`;
  }

  #result() {
    const host = this.#host;
    const passes = this.#passes;
    const pieces = passes.flatMap(({ added, taken }, pass) =>
      added.map((text, i) => ({ text: text.replaceAll("␣", " "), isMarked: i >= taken.length, pass })),
    );
    const tokens = pieces.length;
    const selected = pieces.findIndex(({ pass }) => pass === this.#at);
    const pick = (/** @type {number} */ index) => {
      this.#at = pieces[index].pass;
      host.requestUpdate();
      void host.updateComplete.then(() => host.announce(this.#said()));
    };
    return html`<p>${host.say("pick")}</p>
      ${tokenText([{ text: host.prompt }, ...pieces], { selected: selected + 1, onPick: (i) => i && pick(i - 1) })}
      <p>${host.say("treesRead", { tokens, passes: passes.length, rate: (tokens / passes.length).toFixed(2) })}</p>
      <p>${this.#said()}</p>
      ${this.#tree()}`;
  }

  /** What the shown pass did. */
  #said() {
    const { labels, taken, added } = this.#passes[this.#at];
    const host = this.#host;
    if (!labels.length) return host.say("noTree", { pass: this.#at + 1, token: added.join("") });
    const quoted = host.list(added.map((text) => `“${text}”`));
    const values = { pass: this.#at + 1, count: labels.length, taken: taken.length, added: quoted };
    return host.say("treeSaid", values);
  }

  /** The tree of the shown pass, as a picture and as a nested list. */
  #tree() {
    const { labels, parents, taken, added } = this.#passes[this.#at];
    if (!labels.length) return nothing;
    const host = this.#host;
    const before = this.#passes[this.#at - 1]?.added.at(-1) ?? host.prompt.split(/(?= )/).at(-1) ?? "";
    /** @type {Branch} */
    const root = { text: before, kind: "hollow", children: [] };
    const nodes = labels.map(
      (text, i) => /** @type {Branch} */ ({ text, kind: taken.includes(i) ? "kept" : "", children: [] }),
    );
    nodes.forEach((node, i) => (nodes[parents[i]] ?? root).children.push(node));
    // What the model chose itself follows the last guess that it took.
    const own = added.slice(taken.length);
    const last = taken.length ? nodes[taken[taken.length - 1]] : root;
    for (const text of own) last.children.push({ text, kind: "hollow", children: [] });
    /** @type {(branch: Branch) => import("lit").TemplateResult} */
    const item = ({ text, kind, children }) =>
      html`<li>
        ${kind === "kept" ? "✓ " : kind === "hollow" ? "" : "✕ "}${text}
        ${
          children.length
            ? html`<ul>
                ${children.map(item)}
              </ul>`
            : nothing
        }
      </li>`;
    return html`${drawTree({ label: this.#said(), root })}
      <p class="hint">${host.say("treeKinds")}</p>
      <details>
        <summary>${host.say("treeList")}</summary>
        <ul>
          ${item(root)}
        </ul>
      </details>`;
  }

  /** The race: a lane for each way, a box for each pass, as long as it took on average. */
  #lanes() {
    const host = this.#host;
    const longest = Math.max(...this.#race.map(([, { ms }]) => ms));
    const label = this.summary();
    const content = this.#race.flatMap(([name, { ms, passes }], lane) => {
      const width = ((WIDTH - NAME) * ms) / longest / passes;
      const kind = lane ? "kept" : "hollow";
      return [
        line(0, lane * LANE + 16, name, "soft"),
        Array.from({ length: passes }, (_, i) => box(NAME + i * width, lane * LANE + 4, width, 24, kind)),
      ];
    });
    const [[, alone]] = this.#race;
    const rows = this.#race.map(([name, { ms, passes, tokens }]) => ({
      kind: "kept",
      cells: [
        name,
        { bar: ms / longest },
        ms.toFixed(1),
        formatCount(passes),
        (tokens / passes).toFixed(2),
        `${(alone.ms / ms).toFixed(2)} ×`,
      ],
    }));
    const heads = ["way", "", "textMs", "textPasses", "textRate", "faster"].map((key) => key && host.say(key));
    return html`<p>${label}</p>
      <p>${host.say("treeRace", { tokens: alone.tokens })}</p>
      ${picture({ label, width: WIDTH + 4, height: this.#race.length * LANE + 4, content })}
      ${barTable({ caption: host.say("treeRace", { tokens: alone.tokens }), heads, rows })}`;
  }

  /** Which way was fastest, and what that says. */
  summary() {
    if (!this.#race.length) return "";
    const [[, alone], ...others] = this.#race;
    const [name, best] = others.reduce((one, other) => (other[1].ms < one[1].ms ? other : one));
    const values = {
      name,
      passes: best.passes,
      all: alone.passes,
      ms: best.ms.toFixed(1),
      alone: alone.ms.toFixed(1),
      each: (best.ms / best.passes).toFixed(2),
      one: (alone.ms / alone.passes).toFixed(2),
    };
    return this.#host.say(best.ms < alone.ms ? "treesFaster" : "treesSlower", values);
  }
}
