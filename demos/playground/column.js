// One column: a text with its entropy strip, the card at a word, and the tree of its branches.
import { formatCount, formatPercent, plural } from "../../web/widgets/shared/format.js";
import { make, setText } from "../dom.js";
import { Card } from "./card.js";
import { phrasesAt } from "./phrases.js";
import { describeSettings } from "./playground-knobs.js";
import { Story } from "./story.js";
import { Strip } from "./strip.js";
import { Texts, sharedLength } from "./texts.js";

/** @typedef {import("../../dist/index.js").Model} Model */
/** @typedef {import("./texts.js").Text} Text */
/** @typedef {import("./texts.js").Setup} Setup */

/**
 * What a column asks of the page.
 * @typedef {object} Page
 * @property {(signal: AbortSignal) => Promise<Model>} takeModel fetches it if necessary
 * @property {() => Model | undefined} loadedModel
 * @property {() => Setup} setup the present state of the column's controls
 * @property {(text: string) => void} say
 * @property {(error: any) => void} explain
 * @property {() => void} onRunning writing begins or ends
 * @property {(column: Column) => void} onText the text has changed or grown
 * @property {(column: Column) => void} onOpen a step is opened
 * @property {(column: Column) => void} onWholeStep shows the whole step
 * @property {(column: Column, id: number) => void} onBan
 * @property {(column: Column, text: string) => void} onBanPhrase
 */

/** For how many milliseconds a text may grow before the next move of a slider restarts it. */
const LIVE_PAUSE = 60;

/** @type {Record<string, string>} */
const ends = {
  eos: "The story is over",
  stop: "The story is over",
  loop: "The text repeats itself",
  length: "The token limit is reached",
  room: "The page has room for no more steps",
  context: "The model's context is full",
  abort: "Stopped",
};

/** What the numbers of a card leave out, by option. @type {Record<string, string>} */
const beyond = {
  beams: "Beam search does not draw: these are the probabilities of a draw.",
  penaltyAlpha: "Contrastive search does not draw: these are the probabilities of a draw.",
  guidance: "Without the guidance, which needs a second text.",
  contrast: "Without the contrast, which needs a second model.",
  dola: "Without DoLa, which needs an earlier layer.",
};
const grammars = ["jsonSchema", "regex", "choice", "ebnf", "lark"];

export class Column {
  name;
  texts = new Texts();
  element;
  #page;
  #head = make("h3", { class: "column-head", hidden: true });
  #note = make("p", { class: "note", hidden: true });
  #paper = make("div", { class: "story", role: "group", tabindex: "-1", "aria-describedby": "story-hint" });
  #loop = make("button", { type: "button", class: "quiet loop", hidden: true, onclick: () => void this.#leaveLoop() });
  #branches = make("section", { class: "branches", hidden: true });
  #sheet;
  #story;
  #strip;
  #card;
  /** @type {import("./object-panel.js").ObjectPanel | undefined} */
  #object;
  /** @type {import("./branch-map.js").BranchMap | undefined} */
  #map;
  /** @type {AbortController | null} */
  #abort = null;
  /** Resolves when writing has ended. @type {Promise<void>} */
  #writing = Promise.resolve();
  #timer = 0;
  /** The open step; -1: none. */
  #index = -1;

  /** @param {string} name "A" or "B" @param {Page} page */
  constructor(name, page) {
    this.name = name;
    this.#page = page;
    this.#paper.id = name === "A" ? "story" : "story-b";
    this.#paper.setAttribute("aria-label", name === "A" ? "Story" : "Second story");
    this.#story = new Story(this.#paper, (index) => void this.open(index));
    this.#strip = new Strip((index) => void this.open(index));
    this.#sheet = make("div", { class: "sheet" }, this.#paper);
    this.#card = new Card(this.#sheet, {
      choose: (id) => void this.#choose(id),
      ban: (id) => this.#page.onBan(this, id),
      banPhrase: (phrase) => this.#page.onBanPhrase(this, phrase),
      move: (index) => void this.open(index),
      step: () => {
        this.#card.close();
        this.#page.onWholeStep(this);
      },
      close: () => this.leave(),
      dismiss: () => this.mark(-1),
    });
    this.element = make(
      "section",
      { class: "paper", "aria-label": `Column ${name}` },
      this.#head,
      this.#note,
      this.#strip.element,
      this.#loop,
      this.#sheet,
      this.#branches,
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || !this.#card.isOpen) return;
      event.preventDefault();
      this.leave();
    });
  }

  get isRunning() {
    return this.#abort !== null;
  }

  /** The open step, from 0; -1: none. */
  get index() {
    return this.#index;
  }

  /** @param {boolean} isOneOfTwo */
  showName(isOneOfTwo) {
    this.#head.hidden = !isOneOfTwo;
    const { settings, more } = this.texts.current?.setup ?? this.#page.setup();
    const others = Object.entries(more).map(([name, text]) => `${name} ${text}`);
    setText(this.#head, `${this.name}: ${[describeSettings(settings), ...others].join(", ")}`);
  }

  remove() {
    this.stop();
    this.#strip.remove();
    this.element.remove();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#abort?.abort();
  }

  /** Shows a recorded text and its recorded alternatives. @param {Setup} setup @param {Text["steps"]} steps */
  showRecorded(setup, steps) {
    const text = this.texts.begin(setup, steps);
    text.isRecorded = true;
    text.kept = 0;
    this.#show(text);
  }

  /**
   * Writes a story from its beginning.
   * @param {Setup} setup
   * @param {Text["steps"]} [kept] its first steps
   */
  begin(setup, kept = []) {
    this.texts.list = this.texts.list.filter(({ isRecorded }) => !isRecorded);
    return this.write(this.texts.begin(setup, kept));
  }

  /** Writes the current text again soon, while a slider moves. @param {() => Setup} setup */
  rewriteSoon(setup) {
    this.#timer ||= window.setTimeout(() => {
      this.#timer = 0;
      const before = this.texts.current;
      const text = before && this.texts.again({ ...setup(), prompt: before.setup.prompt });
      if (text) void this.write(text);
    }, LIVE_PAUSE);
  }

  /**
   * Writes what a text does not keep. Stops what is being written.
   * @param {Text} text
   * @param {number} [focused] the step whose word gets the focus
   */
  async write(text, focused) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    this.#page.onRunning();
    const before = this.#writing;
    const writing = (async () => {
      await before;
      if (!abort.signal.aborted) await this.#writeNow(text, abort.signal, focused);
      if (this.#abort === abort) this.#abort = null;
      this.#page.onRunning();
    })();
    this.#writing = writing;
    await writing;
  }

  /** @param {Text} text @param {AbortSignal} signal @param {number} [focused] */
  async #writeNow(text, signal, focused) {
    const { explain, say, takeModel } = this.#page;
    this.mark(-1);
    const former = text.steps.slice();
    try {
      const [{ write, mostRows }, model] = await Promise.all([import("./writer.js"), takeModel(signal)]);
      this.texts.trim(mostRows(model) - text.setup.maxTokens);
      const { reason, seconds, usage } = await write(model, text, {
        signal,
        onBegin: () => {
          this.#story.begin(text.setup.prompt, text.steps);
          this.#showAround(text);
          if (focused !== undefined) this.#story.focus(focused);
        },
        onStep: () => {
          text.written = text.setup;
          this.#story.push();
          this.#strip.show(text.steps, text.loop);
          void this.#showObject(text);
          this.#page.onText(this);
        },
      });
      const written = text.steps.length - text.kept;
      const rate = formatCount(Math.round(written / seconds));
      const drafted = usage?.draftedTokens
        ? ` ${usage.acceptedTokens} of ${usage.draftedTokens} drafted tokens kept.`
        : "";
      const shared = sharedLength(former, text.steps);
      const same = shared > text.kept && shared < text.steps.length ? ` The first ${shared} are as before.` : "";
      say(`${ends[reason] ?? "Broken off"}: ${plural(written, "token")}, ${rate} a second.${drafted}${same}`);
      if (former.length > text.kept) this.#story.markDifference(shared);
    } catch (error) {
      if (signal.aborted) say(`${ends.abort}: ${plural(text.steps.length - text.kept, "token")}.`);
      else {
        explain(error);
        if (text.steps.length <= text.kept) this.#takeBack(text, former);
      }
    } finally {
      this.#story.end();
      this.#showAround(this.texts.list.includes(text) ? text : (this.texts.current ?? text));
    }
  }

  /**
   * Nothing was written, so shows what was there before.
   * @param {Text} text
   * @param {Text["steps"]} former its previous steps
   */
  #takeBack(text, former) {
    if (former.length > text.kept) {
      text.steps.splice(0, Infinity, ...former);
      text.setup = text.written ?? text.setup;
    } else this.texts.remove(text);
    const { setup, steps } = this.texts.current ?? text;
    this.#story.begin(setup.prompt, steps);
  }

  /** Shows another text of the tree. @param {Text} text */
  #pick(text) {
    this.stop();
    this.texts.current = text;
    this.#show(text);
    this.#page.say(`Text ${text.number}: ${plural(text.steps.length, "token")}.`);
  }

  /** @param {Text} text */
  #show(text) {
    this.mark(-1);
    this.#story.begin(text.setup.prompt, text.steps);
    this.#story.end();
    this.#showAround(text);
  }

  /** Shows what surrounds the story. @param {Text} text */
  #showAround(text) {
    this.#note.hidden = !text.isRecorded;
    setText(
      this.#note,
      text.isRecorded ? "Recorded from this model. Choose a word, or press Generate to write live." : "",
    );
    this.#strip.show(text.steps, text.loop);
    const { loop } = text;
    this.#loop.hidden = !loop;
    if (loop) setText(this.#loop, `Take the loop back: ${loop.turns} turns of ${plural(loop.period, "token")}`);
    this.showName(!this.#head.hidden);
    void this.#showObject(text);
    this.#page.onText(this);
    if (this.texts.list.length > 1 || this.#map) void this.#showMap();
    // A second text will need the tree, perhaps offline.
    else if (!text.isRecorded) import("./branch-map.js").catch(() => {});
  }

  /** Shows the object that the text writes, if it writes one. @param {Text} text */
  async #showObject(text) {
    if (text.object && !this.#object) {
      const { ObjectPanel } = await import("./object-panel.js");
      if (!this.#object) this.#sheet.after((this.#object = new ObjectPanel()).element);
    }
    if (this.texts.current === text) this.#object?.show(text.object);
  }

  async #showMap() {
    // No pause once the code is loaded, so that the focus stays on its button.
    if (!this.#map) await this.#makeMap();
    this.#branches.hidden = this.texts.list.length < 2;
    this.#map?.show(this.texts);
  }

  async #makeMap() {
    const { BranchMap } = await import("./branch-map.js");
    if (this.#map) return;
    const place = make("div", { class: "map" });
    this.#branches.append(make("h3", { text: "Texts so far" }), place);
    this.#map = new BranchMap(place, (text) => this.#pick(text));
  }

  // ---- The card ----

  /** Opens the card at a word. @param {number} index */
  async open(index) {
    const text = this.texts.current;
    const step = text?.steps[index];
    if (!text || !step) return;
    this.mark(index);
    try {
      const alternatives = step.top ?? (await this.#alternatives(text, index));
      const token = this.#story.place(index);
      if (!token || !alternatives || this.texts.current !== text || text.steps[index] !== step) return;
      const { more } = text.setup;
      this.#card.open({
        token,
        index,
        count: text.steps.length,
        chosen: step.id,
        alternatives,
        note: noteOf(more, step, text.kept > index),
        banned: bannedIn(more),
        phrases: phrasesAt(text.steps, index).map((phrase) => ({
          text: phrase,
          isBanned: (more.bannedStrings ?? "").split("\n").includes(phrase),
        })),
        hasStep: Boolean(step.logits),
      });
      this.#page.onOpen(this);
    } catch (error) {
      this.#page.explain(error);
    }
  }

  /** @param {Text} text @param {number} index */
  async #alternatives(text, index) {
    const model = this.#page.loadedModel();
    if (!model) return undefined;
    const [{ fill, optionsOf }, { alternativesAt }, { samplerFor }] = await Promise.all([
      import("./writer.js"),
      import("./alternatives.js"),
      import("../../dist/widgets-base.js"),
    ]);
    await fill(model, text, index + 1);
    const sampler = await samplerFor(model.config.vocabSize);
    const options = await optionsOf(model, text.setup);
    return alternativesAt(sampler, model, text, index, options.sampler);
  }

  /** Continues with another token at the open step. @param {number} id */
  async #choose(id) {
    const parent = this.texts.current;
    const index = this.#card.index;
    const before = parent?.steps[index];
    if (!parent || !before) return;
    if (id === before.id) return this.leave();
    await this.#goOn(parent, index, id);
  }

  /** Goes on with a token instead of another. @param {Text} parent @param {number} index @param {number} id */
  async #goOn(parent, index, id) {
    const before = parent.steps[index];
    // Its numbers come from the same row. If the row is missing, the writer adds them.
    const { bits, logits } = before;
    const rawLogprob = logits ? before.rawLogprob + logits[id] - logits[before.id] : NaN;
    const step = { id, text: "", probability: Math.exp(rawLogprob), rawLogprob, bits, logits };
    const setup = { ...this.#page.setup(), prompt: parent.setup.prompt };
    await this.write(this.texts.branch(parent, index, step, setup), index);
  }

  /** Goes on with another token where the loop's second turn began. */
  async #leaveLoop() {
    const text = this.texts.current;
    const model = this.#page.loadedModel();
    if (!text?.loop || !model) return;
    const index = text.loop.start + text.loop.period;
    const { fill } = await import("./writer.js");
    await fill(model, text, index + 1);
    const { id, logits } = text.steps[index];
    if (!logits) return;
    let best = id ? 0 : 1;
    logits.forEach((logit, other) => other !== id && logit > logits[best] && (best = other));
    await this.#goOn(text, index, best);
  }

  /** Marks a step as open, without its card. @param {number} index -1: none */
  mark(index) {
    this.#index = index;
    this.#card.close();
    this.#story.markOpen(index);
    this.#strip.markOpen(index);
  }

  /** Closes the card and returns to its word. */
  leave() {
    this.mark(-1);
    this.#story.focusCurrent();
  }

  /** Marks where this column's text begins to differ from another's. @param {Column} other */
  markDifference(other) {
    const [mine, theirs] = [this, other].map(({ texts }) => texts.current?.steps ?? []);
    const length = sharedLength(mine, theirs);
    this.#story.markDifference(length < theirs.length ? length : -1);
    return length;
  }
}

/**
 * What the card's numbers do not count.
 * @param {Record<string, string>} more
 * @param {import("./texts.js").Step} step
 * @param {boolean} isKept
 */
function noteOf(more, { probability, isEnd }, isKept) {
  const names = Object.keys(more);
  const left = names.flatMap((name) => beyond[name] ?? []);
  if (names.some((name) => grammars.includes(name))) left.push("Without the grammar: it may forbid some of these.");
  if (isKept) left.push("This word stays while the rest is written again.");
  else if (!left.length && isEnd) left.push(`The text ended here, with probability ${formatPercent(probability)}.`);
  return left.join(" ");
}

/** The ids among the banned tokens. @param {Record<string, string>} more */
const bannedIn = ({ bannedTokens = "" }) =>
  bannedTokens
    .split(",")
    .map((part) => part.trim())
    .filter((part) => /^\d+$/.test(part))
    .map(Number);
