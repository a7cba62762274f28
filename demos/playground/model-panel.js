// The model at work: its memory and its speed, the models that the browser keeps, and what a second visit saves.
import { models, removeModel } from "../../dist/index.js";
import { formatCount, formatSize, plural } from "../../web/widgets/shared/format.js";
import { byId, make, setText } from "../dom.js";
import { keptRows } from "./kept-rows.js";

/** @typedef {import("../../dist/index.js").Model} Model */
/** @typedef {import("./kept-rows.js").KeptRow} KeptRow */

const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
const rate = (/** @type {number} */ perSecond) =>
  perSecond ? `${formatCount(Math.round(perSecond))} tokens a second` : "too short to tell a rate";

/** What the statistics say, by the names of rows. @param {Model} model @returns {Record<string, string>} */
function factsOf({ stats, threads }) {
  const { load, last, memory, contextLength, texts, promptTokens, cachedTokens, completionTokens } = stats;
  return {
    Memory: `${formatSize(memory)}, for ${plural(contextLength, "token")} of context; ${plural(threads, "thread")}`,
    Loaded: `${formatSize(load.bytes)} in ${seconds(load.ms)}`,
    Prompt: last ? `first token after ${seconds(last.firstTokenMs)}; ${rate(last.promptRate)}` : "nothing read yet",
    Text: last ? rate(last.textRate) : "nothing written yet",
    Reused: promptTokens
      ? `${formatCount(cachedTokens)} of ${plural(promptTokens, "token")} that prompts had were in the cache`
      : "nothing yet",
    "In all": `${plural(texts, "text")}, ${plural(completionTokens, "token")}`,
  };
}

/** @param {Model} model @param {boolean} isKept */
function secondVisit({ stats: { load } }, isKept) {
  const { bytes, keptBytes, ms } = load;
  if (keptBytes)
    return `This visit took ${formatSize(keptBytes)} from the browser's copy, and loaded in ${seconds(ms)} without that download.`;
  if (isKept) return `A second visit saves the download of ${formatSize(bytes)}: the browser keeps a copy.`;
  return `The browser keeps no copy of this model, so a second visit fetches its ${formatSize(bytes)} again.`;
}

/** @param {KeptRow} row */
function describe({ name, bytes, total, isWhole, date }) {
  const share = isWhole ? "" : `${total ? ` of ${formatSize(total)}` : ""}, unfinished`;
  const since = date ? `, ${date.toLocaleDateString("en", { dateStyle: "medium" })}` : "";
  return `${name}: ${formatSize(bytes)}${share}${since}`;
}

export class ModelPanel {
  #choice;
  #details = /** @type {HTMLDetailsElement} */ (byId("at-work"));
  #facts = make("table", { class: "facts", "aria-label": "The model at work" });
  #visit = make("p");
  #kept = make("ul", { class: "kept-models" });
  #none = make("p", { text: "None.", hidden: true });
  #keptTitle = make("h3", { id: "kept-title", text: "Models that this browser keeps", tabindex: "-1" });
  #status = make("p", { class: "status", role: "status" });
  #refreshes = 0;
  /** The rows as last shown. */
  #shown = "";
  /** What the status says with the next change of the rows. */
  #said = "";

  /** @param {import("./model-choice.js").ModelChoice} choice */
  constructor(choice) {
    this.#choice = choice;
    const parts = [this.#keptTitle, this.#kept, this.#none, this.#status];
    const list = make("section", { "aria-labelledby": "kept-title" }, ...parts);
    byId("model-panel").append(this.#facts, this.#visit, list);
    // The library writes an entry for each load and each text.
    const observer = new PerformanceObserver((entries) => {
      if (entries.getEntries().some(({ name }) => name.startsWith("lastinch "))) void this.refresh();
    });
    observer.observe({ entryTypes: ["measure"] });
  }

  async refresh() {
    if (!this.#details.open) return;
    const number = ++this.#refreshes;
    const [kept, address] = await Promise.all([models(), this.#choice.address()]);
    // A later one may be faster.
    if (number !== this.#refreshes) return;
    const model = this.#choice.loaded;
    const facts = Object.entries(model ? factsOf(model) : { Model: "not loaded: Generate loads it" });
    this.#facts.replaceChildren(
      make(
        "tbody",
        {},
        ...facts.map(([head, text]) => make("tr", {}, make("th", { scope: "row", text: head }), make("td", { text }))),
      ),
    );
    const rows = keptRows(kept);
    const isKept = rows.some(({ isWhole, addresses }) => isWhole && addresses.includes(address ?? ""));
    setText(this.#visit, model && address ? secondVisit(model, isKept) : "");
    const shown = JSON.stringify(rows);
    this.#none.hidden = rows.length > 0;
    // Else the button that has the focus would lose it.
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#kept.replaceChildren(...rows.map((row) => this.#rowOf(row)));
    setText(this.#status, this.#said);
    this.#said = "";
  }

  /** @param {KeptRow} row */
  #rowOf(row) {
    const button = make("button", {
      type: "button",
      "aria-label": `Delete ${row.name}`,
      text: "Delete",
      onclick: () => void this.#remove(row),
    });
    return make("li", { title: row.addresses.join("\n") }, make("span", { text: describe(row) }), button);
  }

  /** @param {KeptRow} row */
  async #remove({ name, addresses, bytes }) {
    const freed = formatSize(bytes);
    if (!confirm(`Delete this browser's copy of ${name}, ${freed}? A later visit would fetch it again.`)) return;
    try {
      for (const address of addresses) await removeModel(address);
    } catch (/** @type {any} */ error) {
      return setText(this.#status, `${name} could not be deleted: ${error?.message ?? error}`);
    }
    this.#said = `${name} is deleted: ${freed} are free. A loaded model goes on.`;
    await this.refresh();
    this.#keptTitle.focus();
  }
}
