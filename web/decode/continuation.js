// One text in progress: turns tokens into text and chunks, and finds the end of the text.
import { LoopDetector } from "./loop-detector.js";
import { StopStrings } from "./stop-strings.js";
import { Past } from "./taking-back.js";
import { ThoughtBudget } from "./thought-budget.js";

/** @typedef {import("./decode-types.js").Chunk} Chunk */
/** @typedef {import("./decode-types.js").Token} Token */
/** @typedef {import("./decode-types.js").Usage} Usage */
/** @typedef {import("./loop.js").Call} Call */
/** @typedef {import("./loop-detector.js").Loop} Loop */
/** @typedef {import("./taking-back.js").Fault} Fault */

const NOTHING = new Uint8Array(0);

export class Continuation {
  #call;
  #index;
  #stops;
  #stream;
  /** Bytes of the text that the prompt has already shown (token healing). */
  #hidden;
  #loops;
  /** What may be taken back, if anything may. @type {Past | undefined} */
  #past;
  /** Tokens written. */
  count = 0;
  isOver = false;
  /** Ends its thought. @type {ThoughtBudget | undefined} */
  thought;
  /** @type {Usage} */
  usage;

  /**
   * @param {Call} call
   * @param {number} [index] its number among several
   */
  constructor(call, index) {
    this.#call = call;
    this.#index = index;
    this.#stops = new StopStrings(call.settings.stop);
    this.#stream = call.engine.tokenizer.stream();
    this.#hidden = call.heal?.length ?? 0;
    // If the prompt ends inside a character, the text completes it.
    for (const id of call.prompt) this.#stream.push(id);
    const { loops, bans, thought } = call.settings;
    if (thought) this.thought = new ThoughtBudget(thought, call.engine.tokenizer, this.#hidden);
    if (loops) this.#loops = new LoopDetector(loops);
    if (bans.length || loops?.action === "redraw") this.#past = new Past(bans, this.#promptEnd());
    const usage = { completionTokens: 0, passes: 0, draftedTokens: 0, acceptedTokens: 0 };
    this.usage = { promptTokens: call.ids.length, cachedTokens: 0, ...usage };
    call.clock.watch(this);
  }

  /** What may be taken back. */
  get past() {
    return /** @type {Past} */ (this.#past);
  }

  /**
   * @param {Token} token
   * @param {number} position of the token in its sequence
   * @param {Uint8Array} [forced] bytes that the grammar forces after the token
   * @returns {Fault | undefined} what must be taken back
   */
  write(token, position, forced = NOTHING) {
    const { settings, source, engine } = this.#call;
    const isEnd = /** @type {number[]} */ (settings.sampler.given.eos).includes(token.id);
    this.count++;
    this.thought?.push(token.id);
    const added = isEnd ? "" : this.#textOf(token.id);
    const text = this.#stops.push(added);
    this.#past?.push(token.id, isEnd ? NOTHING : engine.tokenizer.bytesOf(token.id), added);
    const isOver = isEnd || this.#stops.isStopped;
    // The detector reads every token, because takeBack counts them.
    const found = this.#loops?.push(token.id, added);
    const isStop = settings.loops?.action === "stop";
    // A thought with a budget that repeats itself ends, and the answer follows.
    const loop = isOver || (found && isStop && this.thought?.close()) ? undefined : found;
    const chunk = { text, tokens: [token] };
    if (isEnd) return this.#end(chunk, "eos", forced);
    if (this.#stops.isStopped) return this.#end(chunk, "stop", forced);
    if (loop && isStop) return this.#end({ ...chunk, loop }, "loop", forced);
    // Where a loop is taken back, its last chunk stays here.
    if (loop) return this.past.hold(chunk, this.#beforeStop, forced) ?? { loop };
    if (this.count === settings.maxTokens) return this.#end(chunk, "length", forced);
    if (position === source.contextLength) return this.#end(chunk, "context", forced);
    return this.#give(chunk, forced);
  }

  /**
   * Shows what is proposed.
   * @param {number[]} tokens
   * @param {number[]} parents
   */
  showDraft(tokens, parents) {
    this.#emit({ text: "", tokens: [], draft: { tokens, parents } });
  }

  /**
   * Ends a text, or its thought, with a loop that cannot be taken back.
   * @param {Loop} loop
   */
  endLoop(loop) {
    const chunk = this.past.lastHeld();
    if (this.thought?.close()) return this.#give(chunk, NOTHING);
    return this.#end({ ...chunk, loop }, "loop", NOTHING);
  }

  /**
   * Forgets the tokens from a place of the output on.
   * @param {number} place where a character begins
   */
  takeBack(place) {
    const { engine, heal, prompt } = this.#call;
    const { past } = this;
    this.#loops?.takeBack(this.count - place);
    this.thought?.rewind(this.count - place);
    const takenBack = past.takeBack(place);
    if (past.text) this.#stream.end();
    else {
      this.#stream = engine.tokenizer.stream();
      for (const id of [...prompt, ...past.ids]) this.#stream.push(id);
    }
    this.#hidden = heal?.length ?? 0;
    for (let i = 0; i < place && this.#hidden; i++) this.#hide(past.ids[i]);
    this.#stops = this.#stops.restart(past.text);
    this.count = place;
    this.isOver = false;
    if (takenBack) this.#emit({ text: "", tokens: [], takenBack });
  }

  /** The text that a stop string would leave of what follows. */
  #beforeStop = (/** @type {string} */ text) => this.#stops.restart(this.past.text).push(text);

  /** The last bytes of the prompt. */
  #promptEnd() {
    const { prompt, engine } = this.#call;
    /** @type {number[]} */
    let bytes = [];
    for (let i = prompt.length - 1; i >= 0 && bytes.length < 3; i--)
      bytes = [...engine.tokenizer.bytesOf(prompt[i]).subarray(-3), ...bytes];
    return Uint8Array.from(bytes);
  }

  /** The bytes of a token that are hidden. @param {number} id */
  #hide(id) {
    const skip = Math.min(this.#hidden, this.#call.engine.tokenizer.bytesOf(id).length);
    this.#hidden -= skip;
    return skip;
  }

  /** @param {number} id */
  #textOf(id) {
    return this.#stream.push(id, this.#hide(id));
  }

  /**
   * @param {Chunk} chunk
   * @param {"eos" | "stop" | "length" | "context" | "loop"} finishReason
   * @param {Uint8Array} forced
   */
  #end(chunk, finishReason, forced) {
    this.isOver = true;
    const rest = this.#stops.push(this.#stream.end()) + this.#stops.end();
    this.usage.completionTokens = this.count;
    return this.#give({ ...chunk, text: chunk.text + rest, finishReason, usage: this.usage }, forced);
  }

  /**
   * Emits a chunk, now or when it can no longer be taken back.
   * @param {Chunk} chunk
   * @param {Uint8Array} forced
   */
  #give(chunk, forced) {
    if (!this.#past) return this.#emit(chunk);
    const fault = this.#past.hold(chunk, this.#beforeStop, forced);
    if (!fault) for (const safe of this.#past.release()) this.#emit(safe);
    return fault;
  }

  /** @param {Chunk} chunk @returns {undefined} */
  #emit(chunk) {
    for (let i = 0; i < chunk.tokens.length; i++) this.#call.job.takeRoom();
    this.#call.emit(this.#index === undefined ? chunk : { ...chunk, index: this.#index });
  }
}
