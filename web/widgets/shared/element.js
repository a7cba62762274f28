// The base of every widget: a figure with a title, controls, a status line, and a footer that says which numbers are
// real.
import { LitElement, html, nothing } from "lit";
import { explain, fill, loadWords, sharedWords } from "./words.js";
import { fits, knobs, nearestStop } from "./knobs.js";
import { mediaStyles } from "./media-styles.js";
import { styles } from "./styles.js";
import { exampleChanges, refusal, readTable, sharedExample } from "./data.js";

/** @typedef {import("./data.js").Row} Row */
/** @typedef {import("./words.js").Words} Words */
/** @typedef {import("lit").TemplateResult | typeof nothing | string} Content */

/** A widget begins to work when it is two screens away from view. */
const EARLY = "200%";

/**
 * A property with a knob: knobs.js has its range, and links carry its value.
 * @param {string} name of the knob
 * @param {string} [attribute] if the property has another name
 */
export const knob = (name, attribute = kebab(name)) => ({ type: Number, attribute, knob: name, share: true });

/** @param {string} name */
const kebab = (name) => name.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());

/**
 * Defines the element only once, because a page's bundles may hold it twice. A server has no registry.
 * @param {string} name without "lastinch-"
 * @param {typeof LastInchElement} element
 */
export function define(name, element) {
  element.widget = name;
  if (globalThis.customElements && !customElements.get("lastinch-" + name))
    customElements.define("lastinch-" + name, element);
}

/**
 * Base of the widgets. A widget defines `static words` (English), `view()` and, if it has something to say when a
 * control rests, `summary()`; `prepare()` fetches what its first view needs.
 *
 * @fires lastinch-input - while a control moves; detail: { name, value }
 * @fires lastinch-change - when it rests; detail: { name, value }
 * @csspart title - the widget's name
 * @csspart status - what changed, as said to a screen reader
 * @csspart share - the buttons that copy a link and the code to embed
 * @cssprop [--lastinch-accent] - of what is kept and of controls
 * @cssprop [--lastinch-cut] - of what is cut
 * @cssprop [--lastinch-ink] - of text
 * @cssprop [--lastinch-soft] - of text that matters less
 * @cssprop [--lastinch-paper] - behind everything
 * @cssprop [--lastinch-line] - between parts
 * @cssprop [--lastinch-edge] - around controls
 * @cssprop [--lastinch-on-accent] - of text on the accent
 * @cssprop [--lastinch-font] - all of the type, as the property `font` has it
 */
export class LastInchElement extends LitElement {
  static widget = "";
  static styles = [styles, mediaStyles];
  /** @type {Words} */
  static words = {};
  /** The same in Chinese. @type {(() => Promise<{ words: Words }>) | undefined} */
  static chinese = undefined;
  /** The key of the shared words that say how real the widget's numbers are. */
  static honesty = "exact";
  /** The formula of the widget, in one line. */
  static formula = "";
  /** The widget's own numbers, if the shared example does not show its point. @type {Row | undefined} */
  static example = undefined;
  /** @type {Record<string, any>} */
  static properties = {
    src: {},
    model: { attribute: "model", oneOf: ["trained", null] },
    theme: { reflect: true, oneOf: ["light", "dark", null] },
    data: { attribute: false },
    texts: { attribute: false },
    statusText: { state: true },
    copied: { state: true },
    failure: { state: true },
  };

  /** @type {Words} */
  #words = {};
  /** @type {typeof import("./seldom.js") | undefined} */
  #loaded;
  /** Whether the widget shows a recording. */
  isRecorded = false;
  /** Whether an author may give a model. */
  usesModel = false;
  /** @type {Record<string, string> | undefined} */
  #misspelt;
  #isPrepared = false;
  #isReady = false;
  /** @type {MutationObserver | undefined} */
  #tables;
  /** @type {IntersectionObserver | undefined} */
  #sight;
  /** @type {ResizeObserver | undefined} */
  #size;
  #isSeen = false;
  /** @type {(() => void)[]} */
  #waiting = [];

  constructor() {
    super();
    /** The author's own GGUF model instead of the shipped one. @type {string | undefined} */
    this.src = undefined;
    /** `trained`: the model that learnt in this page, in place of the shipped one. @type {string | undefined} */
    this.model = undefined;
    /** `light` or `dark`, with its own background; without it the widget follows the page. @type {string | undefined} */
    this.theme = undefined;
    /**
     * Tokens and their logits, `{ tokens, logits }`, in place of a table inside the element.
     * @type {Row | undefined}
     */
    this.data = undefined;
    /** Words that replace the widget's own, by key. @type {Words | undefined} */
    this.texts = undefined;
    this.statusText = "";
    /** Text that was copied, or that the reader must copy by hand. @type {string} */
    this.copied = "";
    /** The error that prevents a view. @type {unknown} */
    this.failure = undefined;
  }

  /** The class of this element. @returns {typeof LastInchElement} */
  get kind() {
    return /** @type {typeof LastInchElement} */ (this.constructor);
  }

  connectedCallback() {
    super.connectedCallback();
    this.#tables = new MutationObserver(() => this.requestUpdate());
    this.#tables.observe(this, { subtree: true, childList: true, characterData: true });
    this.#sight = new IntersectionObserver((entries) => this.#see(entries[entries.length - 1].isIntersecting), {
      rootMargin: EARLY,
    });
    this.#sight.observe(this);
    this.#size = new ResizeObserver(this.#openScrolls);
    this.#size.observe(this);
    exampleChanges.addEventListener("change", this.#exampleChanged);
    addEventListener("beforeprint", this.#print);
    if (!this.#isReady) void this.#makeReady();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#tables?.disconnect();
    this.#sight?.disconnect();
    this.#size?.disconnect();
    this.#see(false);
    exampleChanges.removeEventListener("change", this.#exampleChanged);
    removeEventListener("beforeprint", this.#print);
  }

  #exampleChanged = () => this.requestUpdate();
  #print = () => this.#see(true);

  /** A box that is too wide joins the tab order, so every browser can scroll it by keyboard. Other boxes do not. */
  #openScrolls = () => {
    for (const box of this.renderRoot.querySelectorAll(".scroll"))
      /** @type {HTMLElement} */ (box).tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1;
  };

  async #makeReady() {
    this.#words = { ...sharedWords, ...this.kind.words, ...(await loadWords(this)) };
    // Frameworks and authors add their own attributes. One that looks like a widget's is misspelt.
    const others = this.getAttributeNames().filter((name) => !this.kind.observedAttributes.includes(name));
    if (others.length) this.#misspelt = (await this.loadSeldom()).misspelt(this, others);
    if (location.hash.includes("w=")) {
      const left = (await this.loadSeldom()).applyLink(this);
      if (left.length) this.announce(this.say("badLink", { names: this.list(left) }));
    }
    this.#isReady = true;
    this.requestUpdate();
    await this.onscreen();
    try {
      await this.prepare();
    } catch (error) {
      this.failure = error;
    }
    this.#isPrepared = true;
    this.requestUpdate();
  }

  /** @param {boolean} isSeen */
  #see(isSeen) {
    this.#isSeen = isSeen;
    if (isSeen) for (const go of this.#waiting.splice(0)) go();
  }

  /** Settles when the widget is near the screen. Endless work waits for it at every step. */
  async onscreen() {
    if (!this.#isSeen) await new Promise((go) => this.#waiting.push(() => go(undefined)));
  }

  /** Fetches what the first view needs. @returns {Promise<void> | void} */
  prepare() {}

  /** The content of the widget. @returns {Content} */
  view() {
    return nothing;
  }

  /** One sentence about the view, for screen readers, when a control rests. */
  summary() {
    return "";
  }

  /** The key of the words that say how real the numbers are; for widgets in which that changes. */
  get honesty() {
    return this.isRecorded ? "recorded" : this.kind.honesty;
  }

  /**
   * A text in the reader's language; values replace `{name}` in it.
   * @param {string} key
   * @param {Record<string, string | number>} [values]
   */
  say(key, values = {}) {
    const text = this.texts?.[key] ?? this.#words[key];
    if (text === undefined) throw new Error(`${this.localName} has no text called ${key}`);
    return fill(text, values);
  }

  /** Adds the words of a part that was fetched late. @param {Words} words */
  learn(words) {
    this.#words = { ...words, ...this.#words };
  }

  /** Joins items into a list in the reader's language. @param {ArrayLike<unknown>} items */
  list(items) {
    return Array.from(items).join(this.say("comma"));
  }

  /** The author's row (property, or table inside the element), or the row that the page shares. @returns {Row} */
  get row() {
    return this.data ?? readTable(this) ?? this.kind.example ?? sharedExample();
  }

  /**
   * A control has moved.
   * @param {string} name of the property
   * @param {any} value
   * @param {boolean} isFinal
   */
  turn(name, value, isFinal) {
    /** @type {any} */ (this)[name] = value;
    const detail = { name, value };
    this.dispatchEvent(
      new CustomEvent(isFinal ? "lastinch-change" : "lastinch-input", { detail, bubbles: true, composed: true }),
    );
    if (isFinal) void this.updateComplete.then(() => this.announce(this.summary()));
  }

  /** @param {string} text announced to screen readers, and shown if the view does not say the same */
  announce(text) {
    this.statusText = text;
  }

  /**
   * A slider of a knob.
   * @param {string} name of the property
   * @param {{ max?: number, label?: string, remark?: string }} [how] max: the largest value, if it depends on the data
   */
  slider(name, { max, label = this.say(name), remark = "" } = {}) {
    const { stops: all, ...range } = knobs[/** @type {any} */ (this.kind).elementProperties.get(name).knob];
    const value = /** @type {any} */ (this)[name];
    const limit = max ?? range.max;
    const stops = all?.filter((stop) => stop <= limit);
    const shown = remark ? `${value} · ${remark}` : String(value);
    const move = (/** @type {Event} */ { target, type }) => {
      const number = Number(/** @type {HTMLInputElement} */ (target).value);
      this.turn(name, stops ? stops[number] : number, type === "change");
    };
    // A slider with stops has the number of a stop as its value. A screen reader should say the stop's value instead.
    return html`<div class="knob">
      <label for=${name}>${label}<span class="range">${this.say("range", { min: range.min, max: limit })}</span></label>
      <output aria-hidden="true">${shown}</output>
      <input
        type="range"
        id=${name}
        min=${stops ? 0 : range.min}
        max=${stops ? stops.length - 1 : limit}
        step=${stops ? 1 : range.step}
        .value=${String(stops ? nearestStop(stops, value) : value)}
        aria-valuetext=${stops || remark ? shown.replace("·", ",") : nothing}
        @input=${move}
        @change=${move}
      />
    </div>`;
  }

  /**
   * A choice of a few, as radio buttons that look like a switch.
   * @param {string} name of the property
   * @param {string} label
   * @param {[value: any, text: string][]} options
   */
  choice(name, label, options) {
    return html`<fieldset class="choice">
      <legend>${label}</legend>
      ${options.map(
        ([value, text]) =>
          html`<label
            ><input
              type="radio"
              name=${name}
              .checked=${/** @type {any} */ (this)[name] === value}
              @change=${() => this.turn(name, value, true)}
            /><span>${text}</span></label
          >`,
      )}
    </fieldset>`;
  }

  shouldUpdate() {
    return this.#isReady;
  }

  /** If the view already says it, the status is only for screen readers. @param {any} changed */
  update(changed) {
    super.update(changed);
    const status = this.renderRoot.querySelector("[part=status] span");
    const said = this.renderRoot.querySelector(".view")?.textContent?.includes(this.statusText);
    if (status) status.className = said ? "unseen" : "";
  }

  render() {
    if (!this.#isPrepared) return html`<slot></slot>`;
    return html`<figure aria-labelledby="title">
      <figcaption>
        <p id="title" part="title">${this.say("title")}</p>
        <p class="lead">${this.say("lead")}</p>
        ${this.kind.formula ? html`<p class="formula">${this.kind.formula}</p>` : nothing}
      </figcaption>
      ${this.body()}
      <p role="status" part="status"><span>${this.statusText}</span></p>
      ${
        this.querySelector("table")
          ? html`<details>
              <summary>${this.say("table")}</summary>
              <slot></slot>
            </details>`
          : nothing
      }
      <footer>
        <span>${this.say(this.honesty)}</span>
        <div>
          <button class="quiet" part="share" @click=${() => this.#copy("linkTo")}>${this.say("copyLink")}</button>
          <button class="quiet" part="share" @click=${() => this.#copy("embedCode")}>${this.say("copyCode")}</button>
        </div>
        ${this.copied ? html`<textarea readonly rows="3" aria-label=${this.say("copyByHand")} .value=${this.copied}></textarea>` : nothing}
      </footer>
    </figure>`;
  }

  /** Loads what few readers need, with its words. */
  async loadSeldom() {
    const loaded = await import("./seldom.js");
    this.learn(loaded.words);
    this.requestUpdate();
    return (this.#loaded = loaded);
  }

  /** @param {"linkTo" | "embedCode"} what */
  async #copy(what) {
    await (await this.loadSeldom()).copy(this, what);
  }

  /** Refuses values that the widget cannot use. */
  #check() {
    const { data, texts } = this;
    if (this.#misspelt) throw refusal("badAttribute", this.#misspelt);
    for (const [name, limits] of /** @type {any} */ (this.kind).elementProperties)
      if (!fits(limits, /** @type {any} */ (this)[name])) throw refusal("", { property: name });
    for (const key in texts) if (!(key in this.#words)) throw refusal("badText", { key });
    if (data && !(data.logits?.length && data.logits.length === data.tokens?.length)) throw refusal("badData");
    for (const name of ["src", "model"])
      if (/** @type {any} */ (this)[name] && !this.usesModel) throw refusal("badSource", { name });
  }

  /** The view, or the reason why there is none. @returns {Content} */
  body() {
    try {
      if (this.failure) throw this.failure;
      this.#check();
      return html`<div class="view">${this.view()}</div>`;
    } catch (/** @type {any} */ error) {
      const isRefusal = error.values;
      if (isRefusal && !this.#loaded) {
        this.loadSeldom().catch((failure) => (this.failure = failure));
        return nothing;
      }
      const text = isRefusal ? this.#loaded?.explainRefusal(this, error) : explain(error);
      return html`<p class="problem" role="alert">${text}</p>`;
    }
  }
}
