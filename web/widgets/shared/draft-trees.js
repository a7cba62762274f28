// Trees of guesses: what heads propose at each pass, which of it the text takes, and a race. Fetched with its scene.
import { html, nothing } from "lit";
import { barTable } from "./bars.js";
import { box, picture, words } from "./draw.js";
import { passesOf, timeOf } from "./draft-passes.js";
import { formatCount } from "./format.js";
import { Live } from "./live.js";
import { isRecorded } from "./recording.js";
import { tokenText } from "./tokens.js";
import { drawTree } from "./tree.js";
import { recordings, settings as recorded } from "../recorded/draft-trees.js";

/** @typedef {import("../../index.js").Model} Model */
/** @typedef {import("./draft-passes.js").Pass} Pass */
/** @typedef {import("./draft-passes.js").Run} Run */
/** @typedef {import("./draft-passes.js").Settings} Settings */
/** @typedef {import("./tree.js").Branch} Branch */
/** @typedef {"medusa" | "eagle"} Kind */
/** @typedef {import("./element.js").LastInchElement & { prompt: string, heads: string, settings: Settings }} Host */

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
      passes.push(pass);
      this.#at = passes.length - 1;
      host.requestUpdate();
      await host.onscreen();
    }
    if (signal.aborted) return;
    this.#at = this.#bestOf(passes);
    /** @type {[string, Model | undefined][]} */
    const ways = [
      [host.say("onlyTarget"), undefined],
      ["Medusa", medusa],
      ["EAGLE", eagle],
    ];
    for (const [name, heads] of ways) {
      const run = await timeOf(model, host.settings, heads, signal);
      if (signal.aborted) return;
      this.#race = [...this.#race, [name, run]];
      host.requestUpdate();
    }
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
    if (!labels.length) return host.say("noTree", { token: added.join("") });
    const values = { pass: this.#at + 1, count: labels.length, taken: taken.length, added: host.list(added) };
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
    for (const text of own.slice(0, 1)) last.children.push({ text, kind: "hollow", children: [] });
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
        words(0, lane * LANE + 16, name, "soft"),
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
    return html`<p>${host.say("treeRace", { tokens: alone.tokens })}</p>
      ${picture({ label, width: WIDTH + 4, height: this.#race.length * LANE + 4, content })}
      ${barTable({ caption: host.say("treeRace", { tokens: alone.tokens }), heads, rows })}`;
  }

  summary() {
    return this.#race.map(([name, { ms, passes }]) => `${name}: ${ms.toFixed(1)} ms, ${passes}`).join("; ");
  }
}
