// The model at work: its memory and its speed, the models that the browser keeps, and what a second visit saves.
import { models, removeModel } from "../../dist/index.js";
import { formatCount, formatSize, plural } from "../../web/widgets/shared/format.js";
import { byId, make, setText } from "../dom.js";

/** @typedef {import("../../dist/index.js").Model} Model */

const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
const rate = (/** @type {number} */ perSecond) => `${formatCount(Math.round(perSecond))} tokens a second`;

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

export class ModelPanel {
  #loadedModel;
  #details = /** @type {HTMLDetailsElement} */ (byId("at-work"));
  #facts = make("table", { class: "facts", "aria-label": "The model at work" });
  #visit = make("p");
  #kept = make("ul", { class: "kept-models" });
  #keptTitle = make("h3", { id: "kept-title", text: "Models that this browser keeps", tabindex: "-1" });
  #status = make("p", { class: "status", role: "status" });

  /** @param {() => Model | undefined} loadedModel the chosen one, if it is loaded */
  constructor(loadedModel) {
    this.#loadedModel = loadedModel;
    const list = make("section", { "aria-labelledby": "kept-title" }, this.#keptTitle, this.#kept, this.#status);
    byId("model-panel").append(this.#facts, this.#visit, list);
    // The library writes an entry for each load and each text.
    new PerformanceObserver(() => void this.refresh()).observe({ entryTypes: ["measure"] });
  }

  async refresh() {
    if (!this.#details.open) return;
    const kept = await models();
    const model = this.#loadedModel();
    const rows = Object.entries(model ? factsOf(model) : { Model: "not loaded: Generate loads it" });
    this.#facts.replaceChildren(
      make(
        "tbody",
        {},
        ...rows.map(([head, text]) => make("tr", {}, make("th", { scope: "row", text: head }), make("td", { text }))),
      ),
    );
    const isKept = kept.some(({ isWhole, bytes }) => isWhole && bytes === model?.stats.load.bytes);
    setText(this.#visit, model ? secondVisit(model, isKept) : "");
    this.#kept.replaceChildren(...kept.map((one) => this.#rowOf(one)));
    if (!kept.length) setText(this.#status, "None.");
  }

  /** @param {Awaited<ReturnType<typeof models>>[number]} kept */
  #rowOf({ address, bytes, total, isWhole, date }) {
    const name = decodeURIComponent(new URL(address).pathname.split("/").at(-1) || address);
    const share = isWhole || !total ? "" : ` of ${formatSize(total)}, unfinished`;
    const since = date ? `, ${date.toLocaleDateString("en", { dateStyle: "medium" })}` : "";
    const button = make("button", {
      type: "button",
      "aria-label": `Delete ${name}`,
      text: "Delete",
      onclick: () => void this.#remove(address, name, bytes),
    });
    return make(
      "li",
      { title: address },
      make("span", { text: `${name}: ${formatSize(bytes)}${share}${since}` }),
      button,
    );
  }

  /** @param {string} address @param {string} name @param {number} bytes */
  async #remove(address, name, bytes) {
    await removeModel(address);
    await this.refresh();
    setText(this.#status, `${name} is deleted: ${formatSize(bytes)} are free. A loaded model goes on.`);
    this.#keptTitle.focus();
  }
}
