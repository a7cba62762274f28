// The person's own GGUF file: the page shows what it holds and what memory it takes before loading it.
import { estimateModel, loadModel } from "../../dist/index.js";
import { formatCount, formatSize } from "../../web/widgets/shared/format.js";
import { byId, make, setText } from "../dom.js";
import { offerTrained } from "../trained.js";
import { parseNumber } from "./url-state.js";

/** @typedef {import("../../dist/index.js").Model} Model */
/** @typedef {Awaited<ReturnType<typeof estimateModel>>} Estimate */
/** @typedef {"f32" | "f16" | "q8_0"} CacheType */

const LONGEST_CONTEXT = 2 ** 20;
/** The model that `make models` makes, if the page's server has it. */
const MADE_MODEL = new URL("../../build/models/MiniMind2-Small-Q8_0.gguf", import.meta.url).href;

/** @type {Record<string, string>} by the values of the field; "" leaves the choice to the library */
const cacheTypes = { "": "by size", f32: "f32, exact", f16: "f16, half of that", q8_0: "q8_0, a quarter" };

export class OwnFile {
  #element = byId("file");
  #onLoad;
  /** @type {File | string | null} */
  #source = null;
  #runs = false;
  /** The present work, if any: reading a header, or loading. @type {AbortController | null} */
  #work = null;

  #title = make("h3", { id: "file-name" });
  #facts = make("table", { class: "facts", "aria-labelledby": "file-name" });
  #context = make("input", { type: "number", inputmode: "numeric", id: "context-length", min: 1, step: 1 });
  #contextName = make("span");
  #cacheType = make("select", { id: "cache-type" });
  #load = make("button", { type: "button", class: "primary", id: "load", text: "Load" });
  #cancel = make("button", { type: "button", id: "cancel-load", text: "Cancel", hidden: true });
  #bar = make("progress", { max: 1, "aria-labelledby": "file-status", hidden: true });
  #status = make("p", { class: "status", id: "file-status", role: "status" });
  #problem = make("p", { class: "alert", id: "file-problem", role: "alert", hidden: true });
  #known = make("div", { class: "known", hidden: true });

  /** @param {(model: Model, name: string, source: File | string) => void} onLoad takes the model and will dispose of it */
  constructor(onLoad) {
    this.#onLoad = onLoad;
    for (const [value, text] of Object.entries(cacheTypes)) this.#cacheType.append(make("option", { value, text }));
    const context = make("label", {}, this.#contextName, this.#context);
    const cacheType = make("label", {}, "Keys and values", this.#cacheType);
    this.#known.append(this.#facts, make("div", { class: "fit" }, context, cacheType, this.#load));
    const progress = make("div", { class: "progress" }, this.#bar, this.#status, this.#cancel);
    this.#element.append(this.#title, this.#known, progress, this.#problem);
    for (const field of [this.#context, this.#cacheType])
      field.addEventListener("change", () => void this.#estimate(false));
    this.#load.addEventListener("click", () => void this.#loadFile());
    this.#cancel.addEventListener("click", () => this.cancel());
  }

  /** Offers the model that `make models` makes, if the site has it, and the one that learnt on another page. */
  offer() {
    offerTrained((file) => void this.look(file));
    void offerMadeModel((address) => void this.look(address));
  }

  get isBusy() {
    return this.#work !== null;
  }

  cancel() {
    this.#work?.abort();
  }

  /**
   * Shows what a file holds. Stops reading or loading another.
   * @param {File | string} source a file, or an address
   */
  async look(source) {
    this.#source = source;
    this.#runs = false;
    this.#context.value = this.#cacheType.value = "";
    this.#known.hidden = true;
    this.#element.hidden = false;
    byId("models").setAttribute("open", "");
    setText(this.#title, nameOf(source));
    this.#element.scrollIntoView({ block: "nearest" });
    await this.#estimate(true);
  }

  /** @param {boolean} isFirst for this file: then the focus goes to Load */
  async #estimate(isFirst) {
    const source = /** @type {File | string} */ (this.#source);
    await this.#run("Reading the header …", async (signal) => {
      const estimate = await estimateModel(source, { ...this.#how(), signal });
      signal.throwIfAborted();
      this.#show(estimate);
      this.#load.disabled = !this.#runs;
      if (isFirst && this.#runs) this.#load.focus();
    });
  }

  async #loadFile() {
    const source = /** @type {File | string} */ (this.#source);
    await this.#run("Loading …", async (signal) => {
      const onProgress = (/** @type {{ loaded: number, total: number }} */ { loaded, total }) => {
        if (total) this.#bar.value = loaded / total;
        setText(this.#status, `Loading: ${formatSize(loaded)}${total ? ` of ${formatSize(total)}` : ""}`);
      };
      const model = await loadModel(source, { ...this.#how(), signal, onProgress });
      if (signal.aborted) return model.dispose();
      setText(this.#status, "Loaded.");
      byId("models").removeAttribute("open");
      this.#onLoad(model, nameOf(source), source);
    });
  }

  /**
   * Runs one piece of work at a time: each ends the one before.
   * @param {string} text shown meanwhile
   * @param {(signal: AbortSignal) => Promise<void>} work
   */
  async #run(text, work) {
    this.#work?.abort();
    const controller = (this.#work = new AbortController());
    const { signal } = controller;
    this.#problem.hidden = true;
    this.#load.disabled = true;
    this.#bar.removeAttribute("value");
    this.#bar.hidden = this.#cancel.hidden = false;
    setText(this.#status, text);
    try {
      await work(signal);
    } catch (error) {
      if (this.#work !== controller) return;
      setText(this.#status, signal.aborted ? "Cancelled." : "");
      if (!signal.aborted) this.#explain(/** @type {Error} */ (error).message);
    } finally {
      if (this.#work === controller) {
        this.#work = null;
        this.#bar.hidden = this.#cancel.hidden = true;
        this.#load.disabled = !this.#runs;
      }
    }
  }

  /** The choices as options of the library. */
  #how() {
    const contextLength = parseNumber(this.#context.value, 1, LONGEST_CONTEXT, true) ?? undefined;
    const cacheType = /** @type {CacheType | ""} */ (this.#cacheType.value) || undefined;
    return { contextLength, cacheType };
  }

  /** @param {Estimate} estimate */
  #show({ family, name, types, parameters, bytes, contextLength, memory, runs, reason }) {
    const shares = Object.entries(types).sort(([, a], [, b]) => b.bytes - a.bytes);
    const rows = {
      Family: [family, name && `“${name}”`].filter(Boolean).join(", ") || "not named",
      Types: shares.map(([type, share]) => `${type} ${formatSize(share.bytes)}`).join(", "),
      File: `${formatSize(bytes)}, ${countOf(parameters)} parameters`,
      Memory: memory
        ? `${formatSize(memory.total)}: weights ${formatSize(memory.weights)}, keys and values ` +
          `${formatSize(memory.cache)}, scratch ${formatSize(memory.scratch)}`
        : "not known",
    };
    const cells = Object.entries(rows).map(([head, text]) =>
      make("tr", {}, make("th", { scope: "row", text: head }), make("td", { text })),
    );
    this.#facts.replaceChildren(make("tbody", {}, ...cells));
    this.#known.hidden = false;
    this.#context.disabled = this.#cacheType.disabled = !memory;
    if (memory) this.#context.value = String(memory.contextLength);
    this.#context.max = String(contextLength ?? LONGEST_CONTEXT);
    const most = contextLength ? `, at most ${formatCount(contextLength)}` : "";
    setText(this.#contextName, `Context length${most}`);
    if (memory) setText(this.#cacheType.options[0], `${cacheTypes[""]}: ${memory.cacheType}`);
    setText(this.#status, runs && memory ? `Runs here, with ${formatSize(memory.total)} of memory.` : "");
    if (reason) this.#explain(reason.message);
    this.#runs = runs;
  }

  /** @param {string} message why the file does not run */
  #explain(message) {
    setText(this.#problem, message);
    this.#problem.hidden = false;
    this.#problem.scrollIntoView({ block: "nearest" });
  }
}

/** @param {number} count */
const countOf = (count) => (count < 1e6 ? formatCount(count) : `${formatCount(Math.round(count / 1e6))} million`);

/** @param {File | string} source */
function nameOf(source) {
  if (source instanceof File) return source.name;
  const [path] = source.split(/[?#]/);
  return path.slice(path.lastIndexOf("/") + 1) || source;
}

/**
 * Asks this site for the model that `make models` makes, and offers it.
 * @param {(address: string) => void} take
 */
async function offerMadeModel(take) {
  // On a site, which has no build/, the answer would be an error in the console.
  if (!import.meta.url.includes("/demos/playground/")) return;
  const response = await fetch(MADE_MODEL, { method: "HEAD" }).catch(() => null);
  if (!response?.ok || /html/.test(response.headers.get("content-type") ?? "")) return;
  const size = Number(response.headers.get("content-length"));
  const text = `MiniMind2-Small${size ? `, ${formatSize(size)}` : ""}`;
  const button = make("button", { type: "button", class: "quiet", text, onclick: () => take(MADE_MODEL) });
  byId("offered").append("Or from ", make("code", { text: "make models" }), ": ", button);
  byId("offered").hidden = false;
}
