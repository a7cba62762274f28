// A conversation with the loaded model: messages, a system message, folded thoughts. The page's options apply.
import { byId, make, setText } from "../dom.js";
import { formatCount, plural } from "../../web/widgets/shared/format.js";

/** @typedef {import("../../dist/index.js").Model} Model */
/** @typedef {Parameters<Model["chat"]>[0][number]} Message */
/** @typedef {NonNullable<Parameters<Model["chat"]>[1]>} ChatOptions */
/** @typedef {import("../../dist/index.js").ChatChunk} Chunk */

const field = (/** @type {string} */ id) => /** @type {HTMLTextAreaElement} */ (byId(id));
const budget = /** @type {HTMLInputElement} */ (byId("thought-budget"));

/** Whether the model thinks, and how long. @returns {ChatOptions["reasoning"]} */
function reasoning() {
  const state = /** @type {"on" | "off" | ""} */ (field("thoughts").value) || "auto";
  // A number that is none is refused like any other.
  const { value, validity } = budget;
  return state !== "off" && (value || validity.badInput) ? { budget: budget.valueAsNumber } : state;
}

/** @type {Record<string, string>} */
const ends = {
  eos: "Answered",
  stop: "Answered",
  length: "The token limit is reached",
  context: "The answer fills the model's context",
  abort: "Stopped",
};

export class Conversation {
  /** Who answers. @type {Model | null} */
  model = null;
  /** What was said, without the system message. @type {Message[]} */
  #messages = [];
  /** For the answer being written. @type {AbortController | null} */
  #abort = null;
  #options;
  #explain;
  #log = byId("messages");
  /** Below the messages that the last prompt left out, if any. */
  #line = make("p", { class: "line" });
  /** Whether the end is in view and should stay there. */
  #isAtEnd = true;
  #message = field("message");
  #send = /** @type {HTMLButtonElement} */ (byId("send"));

  /**
   * @param {(model: Model) => Promise<ChatOptions>} options of the page's controls
   * @param {(error: unknown) => void} explain shows an error; undefined: hides it
   */
  constructor(options, explain) {
    this.#options = options;
    this.#explain = explain;
    this.#log.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.#log;
      this.#isAtEnd = scrollHeight - scrollTop - clientHeight < 40;
    });
    byId("chat-form").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#abort) this.stop();
      else void this.#say();
    });
    this.#message.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (!this.#abort) void this.#say();
    });
    byId("new-conversation").addEventListener("click", () => this.#beginAnew());
    byId("thoughts").addEventListener("change", () => {
      budget.disabled = field("thoughts").value === "off";
    });
  }

  get isAnswering() {
    return this.#abort !== null;
  }

  stop() {
    this.#abort?.abort();
  }

  focus() {
    this.#message.focus();
  }

  #beginAnew() {
    this.stop();
    this.#messages = [];
    this.#log.replaceChildren();
    setText(byId("chat-status"), "A new conversation.");
    this.#explain(undefined);
    this.focus();
  }

  /** Sends the message and writes the answer as it comes. An error leaves the conversation as it was. */
  async #say() {
    const content = this.#message.value.trim();
    const { model } = this;
    if (!content || !model) return;
    const abort = (this.#abort = new AbortController());
    const conversation = this.#messages;
    this.#explain(undefined);
    this.#message.value = "";
    setText(this.#send, "Stop");
    const question = { role: /** @type {const} */ ("user"), content };
    const shownQuestion = this.#show("You", content).element;
    const answer = new ShownAnswer(this.#show("Model", ""), () => this.#follow());
    /** @type {unknown} */
    let problem;
    try {
      const system = field("system").value.trim();
      const before = system ? [{ role: /** @type {const} */ ("system"), content: system }] : [];
      const given = { signal: abort.signal, reasoning: reasoning(), overflow: /** @type {const} */ ("drop-oldest") };
      const options = { ...(await this.#options(model)), ...given };
      const chunks = model.chat([...before, ...conversation, question], options);
      await answer.write(chunks, (dropped) => this.#markLeftOut(dropped));
    } catch (error) {
      if (!abort.signal.aborted) problem = error;
    }
    answer.end();
    if (this.#abort === abort) this.#abort = null;
    setText(this.#send, "Send");
    if (this.#messages !== conversation) return; // a new one was begun
    setText(byId("chat-status"), problem ? "" : answer.summary);
    if (problem) this.#explain(problem);
    if (answer.text || answer.reasoning) {
      const { text, reasoning } = answer;
      conversation.push(question, { role: "assistant", content: text, ...(reasoning && { reasoning }) });
      return;
    }
    for (const element of [shownQuestion, answer.element]) element.remove();
    this.#message.value ||= content;
  }

  /**
   * Draws a line below the messages that the last prompt left out: they are the first.
   * @param {Chunk["dropped"]} dropped undefined: none
   */
  #markLeftOut(dropped) {
    const { messages = 0, tokens = 0 } = dropped ?? {};
    const said = [...this.#log.querySelectorAll("article")];
    said.forEach((element, i) => element.classList.toggle("left-out", i < messages));
    const turns = said.slice(0, messages).filter((element) => element.classList.contains("mine")).length;
    const text =
      `The model no longer reads what is above this line, ${plural(turns, "turn")} with ${plural(tokens, "token")}: ` +
      "the whole conversation does not fit into its context.";
    if (this.#line.textContent === text) return;
    this.#line.remove();
    if (!messages) return;
    this.#line.textContent = text;
    said[messages].before(this.#line);
    this.#follow();
  }

  /** @param {string} who @param {string} text */
  #show(who, text) {
    const body = make("p", { class: "said", text });
    const element = make("article", { class: who === "You" ? "mine" : "answer" }, make("h3", { text: who }), body);
    this.#log.append(element);
    this.#isAtEnd = true;
    this.#follow();
    return { element, body };
  }

  #follow() {
    if (this.#isAtEnd) this.#log.scrollTop = this.#log.scrollHeight;
  }
}

/** An answer while it is written. */
class ShownAnswer {
  text = "";
  reasoning = "";
  element;
  #said = document.createTextNode("");
  #thought = document.createTextNode("");
  #thoughtName = make("summary", { text: "Thinking …" });
  #onGrow;
  #count = 0;
  #thoughtCount = 0;
  #started = 0;
  /** @type {string | undefined} */
  #reason;
  /** @type {{ promptTokens: number, cachedTokens: number, reasoningTokens: number } | undefined} */
  #usage;

  /** @param {{ element: HTMLElement, body: HTMLElement }} shown @param {() => void} onGrow */
  constructor({ element, body }, onGrow) {
    this.element = element;
    this.#onGrow = onGrow;
    body.append(this.#said);
    // A screen reader reads an answer when it is complete.
    element.setAttribute("aria-busy", "true");
    setText(byId("chat-status"), "Reading the conversation …");
  }

  /**
   * @param {AsyncIterable<Chunk>} chunks
   * @param {(dropped: Chunk["dropped"]) => void} onFirst called at the first chunk with what its prompt leaves out
   */
  async write(chunks, onFirst) {
    let isFirst = true;
    for await (const { text, reasoning, tokens, finishReason, usage, dropped } of chunks) {
      if (isFirst) onFirst(dropped);
      isFirst = false;
      if (!this.#count && tokens.length) {
        setText(byId("chat-status"), "Writing …");
        this.#started = performance.now();
      }
      this.#count += tokens.length;
      if (!this.text && !text) this.#thoughtCount += tokens.length;
      if (reasoning) this.#think(reasoning);
      if (text) this.#speak(text);
      this.#reason = finishReason;
      this.#usage = usage ?? this.#usage;
      this.#onGrow();
    }
  }

  /** @param {string} reasoning */
  #think(reasoning) {
    if (!this.reasoning)
      this.element
        .querySelector(".said")
        ?.before(make("details", { class: "thought" }, this.#thoughtName, make("p", {}, this.#thought)));
    this.reasoning += reasoning;
    this.#thought.appendData(reasoning);
    setText(this.#thoughtName, `Thinking: ${plural(this.#thoughtCount, "token")} …`);
  }

  /** @param {string} text */
  #speak(text) {
    this.text += text;
    // Some templates leave newlines between thought and answer.
    this.#said.appendData(this.#said.data ? text : text.trimStart());
    setText(this.#thoughtName, "Thought");
  }

  end() {
    const { reasoningTokens } = this.#usage ?? {};
    setText(this.#thoughtName, reasoningTokens ? `Thought, ${plural(reasoningTokens, "token")}` : "Thought");
    this.element.removeAttribute("aria-busy");
  }

  /** How the answer ended and what it cost. */
  get summary() {
    // Counts from the first token on: reading the conversation is not writing.
    const rate = (this.#count - 1) / ((performance.now() - this.#started) / 1000);
    const speed = plural(this.#count, "token") + (rate > 0 ? `, ${formatCount(Math.round(rate))} a second` : "");
    const { promptTokens = 0, cachedTokens = 0 } = this.#usage ?? {};
    const kept = promptTokens
      ? `; ${formatCount(cachedTokens)} of ${plural(promptTokens, "token")} before were kept`
      : "";
    const isSilent = !this.text && !this.reasoning && this.#reason === "eos";
    return `${isSilent ? "The model says nothing" : ends[this.#reason ?? "abort"]}: ${speed}${kept}.`;
  }
}
