// The types of the loop that writes text: its settings, what it writes, and the model that it runs.

/** @typedef {import("../core/wasm.js").DecodeInstance} Instance */

/**
 * @typedef {object} Token
 * @property {number} id
 * @property {number} probability probability of the token among those that the sampler's options left; with beams: in
 *   the softmax of the edited logits before masks, so the score is the sum of its logarithms
 * @property {number} rawLogprob natural logarithm of the model's own probability, before any option
 * @property {Float32Array} [logits] the raw row, with `captureLogits`
 */

/**
 * @typedef {object} Chunk
 * @property {string} text whole characters; empty while a character is incomplete or may become a stop string
 * @property {Token[]} tokens
 * @property {"eos" | "stop" | "loop" | "length" | "context" | "abort"} [finishReason] on the last chunk
 * @property {import("./loop-detector.js").Loop} [loop] with finishReason "loop": tokens and text of this continuation
 * @property {{ tokens: number, characters: number }} [takenBack] with `loops: "redraw"`: what to remove from the end of
 *   this continuation, in tokens and UTF-16 units. Such a chunk has no text
 * @property {number} [index] of the continuation, if there are several; a chunk with "abort" ends all of them and has no index
 * @property {Usage} [usage] on the last chunk
 * @property {TextStats} [stats] on the last chunk
 * @property {number} [score] of a text from beam search, which comes as one chunk: the sum of its tokens'
 *   log-probabilities, less the diversity penalties, divided by their number to the power of lengthPenalty
 * @property {BeamView[]} [beams] with `captureBeams`: the running beams, then the beams that ended at this step
 * @property {DraftView} [draft] with `captureDrafts`, before each pass: what it verifies. Such a chunk has no text
 */

/**
 * Proposals for the next tokens: a tree, a chain, or none. Those that the text takes are the tokens of the next chunks, as far
 * as they follow each other in the tree.
 * @typedef {object} DraftView
 * @property {number[]} tokens
 * @property {number[]} parents of each token, the index of the one that it follows, which comes before it; -1: the text
 */

/**
 * @typedef {object} BeamView
 * @property {number} parent the beam that this one continues: its index in the previous chunk, or 0 for the prompt
 * @property {number} token
 * @property {number} score sum of log-probabilities
 * @property {"eos" | "stop" | "length"} [finishReason] of a beam that ended
 */

/**
 * The tokens and passes of a continuation.
 * @typedef {object} Usage
 * @property {number} promptTokens
 * @property {number} cachedTokens prompt tokens that an earlier text had left in the cache
 * @property {number} completionTokens
 * @property {number} passes of the model that computed a part of the continuation
 * @property {number} draftedTokens tokens that a drafter proposed
 * @property {number} acceptedTokens proposed tokens that the model accepted
 */

/**
 * How fast a text was written.
 * @typedef {object} TextStats
 * @property {number} firstTokenMs from the call to the first token in the page, with all that the text had to wait for
 * @property {number} promptMs in which the model read the prompt and chose the first token
 * @property {number} promptRate tokens of the prompt that were computed, a second; 0: too fast to tell
 * @property {number} textMs in which it wrote the rest. While the reader or another text holds it up, no time passes
 * @property {number} textRate tokens a second after those that came with the prompt's end, of all continuations together,
 *   without those taken back; 0: too fast to tell
 * @property {number} memory bytes of the model's WebAssembly memory, which never shrinks
 */

/**
 * A thought that ends when its budget is used up.
 * @typedef {object} ThoughtSettings
 * @property {string} [begin] opens the thought, which the text may lack. Undefined: the prompt has opened the thought
 * @property {string} end ends the thought
 * @property {number} budget most tokens of the thought, without `begin` and `end`; 1 or more
 * @property {string} message plain text that comes before the closing
 * @property {string} closing has `end`, and the newlines around it
 */

/** @typedef {"auto" | "lookup" | "lookahead" | "mtp"} DraftWord drafters that need no other model */

/**
 * @typedef {object} GenerateSettings
 * @property {number} maxTokens
 * @property {string[]} stop
 * @property {import("./loop-options.js").LoopSettings} [loops] undefined: ignored
 * @property {readonly import("./banned-texts.js").Ban[]} bans
 * @property {boolean} captureLogits
 * @property {boolean} echo
 * @property {boolean} heal the prompt's last token may become a longer one
 * @property {boolean} [reportsPrompt] the caller hears how much of the prompt has been read
 * @property {number} n continuations
 * @property {{ by: number | DraftWord, tokens: number | "auto" }} [draft] by: the number of a model
 *   or of heads
 * @property {import("./beam/beam-options.js").BeamSettings} [beams]
 * @property {boolean} captureDrafts show what is proposed
 * @property {boolean} captureBeams show every step of the search
 * @property {{ scale: number, negative?: string | Uint32Array }} [guidance]
 * @property {{ model: number, weight: number, plausibility: number }} [contrast]
 * @property {number[]} [dola] layers
 * @property {number} [penaltyAlpha]
 * @property {ThoughtSettings} [thought]
 * @property {import("../sampler/options.js").ResolvedOptions} sampler
 * @property {import("../grammar/posted.js").PostedGrammar} [grammar]
 */

/**
 * One call as its caller wants it: whether the reader takes more tokens. An engine knows whether it is cancelled.
 * @typedef {object} Job
 * @property {boolean} isCancelled
 * @property {boolean} hasRoom
 * @property {() => void} takeRoom
 * @property {() => Promise<void>} waitForRoom resolves when the reader takes more tokens or has left
 * @property {(sequences: Sequences, position: number) => void} [onPass] called after each pass with the length of
 *   what has been read of the last text that takes part
 */

/** @typedef {{ tokens: number[] }} Sequence the tokens of one text, whose keys and values the model keeps */

/**
 * Tokens to run after those of a sequence.
 * @typedef {object} Run
 * @property {Sequence} sequence
 * @property {ArrayLike<number>} ids
 * @property {number} wanted number of last rows that need logits
 */

/**
 * Called with each wanted row: the index of its run, its index among the run's wanted rows, the address of its logits
 * (valid until the next pass), its index in the pass, and, if a logit source combined the logits, the address of the
 * model's own.
 * @typedef {(run: number, row: number, logits: number, place: number, raw?: number) => void} ReadRow
 */

/**
 * What a run keeps of its rows, and gives them.
 * @typedef {object} Taps
 * @property {number[]} layers whose output to keep of every row; the number of layers means the state after the final norm
 * @property {(run: number, position: number, place: number) => void} [see] called after its pass with every row of which no logits are wanted
 *   that is not wanted
 * @property {(run: number, position: number, place: number) => void} [give] called with every row before its
 *   pass, to write what the row reads besides its token
 */

// Methods, not properties: a model's own sequences have more than `tokens`.

/**
 * The sequences of a model, as model/worker/sequences.js explains them.
 * @typedef {{
 *   readonly contextLength: number,
 *   open(ids: ArrayLike<number>): Sequence,
 *   covered(ids: ArrayLike<number>): number,
 *   least(sequence: Sequence): number,
 *   fork(sequence: Sequence, length?: number): Sequence,
 *   readonly branches: number,
 *   branch(from: Sequence, length: number): Sequence,
 *   adopt(sequence: Sequence, branch: Sequence, length: number): void,
 *   checkpoint(sequence: Sequence, job: Job): Promise<void>,
 *   truncate(sequence: Sequence, length: number): void,
 *   drop(sequence: Sequence): void,
 *   run(runs: Run[], job: Job, read?: ReadRow, taps?: Taps): Promise<void>,
 *   reserve(sequence: Sequence, count: number): boolean,
 *   state(place: number, tap?: number): number,
 *   earlyLogits(states: number, count: number, into: number): void,
 *   contextError(length: number): Error,
 * }} Sequences
 */

/**
 * The block that predicts later tokens, as model/worker/ahead.js explains it.
 * @typedef {{
 *   read(sequence: Sequence, count: number, job: Job): Promise<boolean>,
 *   guess(sequence: Sequence, token: number, count: number): number[],
 * }} Ahead
 */

/**
 * Loaded heads that guess later tokens, as model/worker/heads.js explains them.
 * @typedef {{ readonly config: { heads: number | "medusa" | "eagle" } }} Heads
 *
 * Medusa's in the memory of their model.
 * @typedef {{
 *   readonly kind: "medusa",
 *   readonly count: number,
 *   keepState(place: number, into: number): void,
 *   guess(state: number, count: number, width: number): number[][],
 * }} AttachedMedusa
 *
 * EAGLE's layer in the memory of its model, as model/worker/eagle-layer.js explains it.
 * @typedef {{
 *   readonly kind: "eagle",
 *   readonly sequences: Sequences,
 *   readonly stateSize: number,
 *   readonly size: number,
 *   keepState(place: number, into: number): void,
 *   read(sequence: Sequence, tokens: number[], states: number, job: Job, wants?: Wanted): number[],
 *   step(rows: EagleRow[], job: Job, wants: Wanted): number[][],
 * }} AttachedEagle
 *
 * A token that follows a sequence of the layer, and the address of the output that stands for the state before it.
 * @typedef {{ sequence: Sequence, token: number, state: number }} EagleRow
 *
 * How many guesses are wanted of each row, and where the outputs go: an address (rows, size).
 * @typedef {{ width: number, into: number }} Wanted
 *
 * @typedef {AttachedMedusa | AttachedEagle} AttachedHeads
 */

/**
 * A model that the loop runs.
 * @typedef {{
 *   readonly number: number,
 *   readonly instance: Instance,
 *   readonly config: { vocabSize: number, contextLength: number, dim: number, layers: number, predictsAhead: boolean,
 *     heads: number | "medusa" | "eagle", bos: number | null },
 *   readonly tokenizer: import("./constraint.js").Tokenizer & {
 *     readonly tokens: Uint8Array[],
 *     stream(): import("./text-stream.js").TextStream,
 *   },
 *   readonly turns: { take(): Promise<void>, leave(): void },
 *   readonly sequences: Sequences,
 *   readonly ahead: Ahead,
 *   attach(heads: Heads): AttachedHeads,
 *   readonly texts: import("./drafters/text-memory.js").TextMemory,
 *   idsOf(input: string | Uint32Array): Uint32Array,
 *   openConstraint(grammar: import("../grammar/posted.js").PostedGrammar, heal?: Uint8Array):
 *     Promise<import("./constraint.js").TextConstraint>,
 *   checkWanted(job: Job): void,
 *   recall(ids: Uint32Array, job: Job): Promise<void>,
 *   token(id: number, logits: number, probability: number, withLogits?: boolean): Token,
 * }} Engine
 */

export {};
