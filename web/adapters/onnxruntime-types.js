// Types of the adapter for onnxruntime: what opens a session, what a call takes, and what it gives.

/** @import { GenerateAliases, Grammar, GrammarVocabulary, SamplerAliases, SamplerOptions } from "../index.js" */
/** @import { Logits } from "./onnx-session.js" */
/** @import { WrittenToken } from "./written-text.js" */

/**
 * @typedef {object} SessionOptions
 * @property {import("./onnx-session.js").TensorClass} Tensor the class Tensor of the session's onnxruntime package
 * @property {GrammarVocabulary} [vocabulary] the bytes of tokens and the eos tokens: vocabularyOf({ tokenizer }). Without a
 *   vocabulary chunks have no text, and there are no stop strings
 * @property {number} [contextLength] positions that the model was trained for. Default: no limit
 * @property {number} [vocabSize] length of a row of logits, if the session does not describe it
 * @property {import("../index.js").Device} [device] of a session on WebGPU: `await env.webgpu.device`. Keys, values and
 *   logits then stay there
 * @property {boolean} [wake] submits nothing to the device again and again while a read is pending, as for sampleFrom
 */

/**
 * @typedef {object} OwnSessionGenerateOptions
 * @property {number} [maxTokens] default: until a text ends by itself
 * @property {string | string[]} [stop] a text ends before the first of these
 * @property {AbortSignal} [signal] ends the text after the current pass, with finishReason "abort"
 * @property {boolean} [captureLogits] every token comes with its raw row of logits
 * @property {boolean} [logprobs] tokens have a rawLogprob. Default: true, but false with a device, from which each row
 *   must then be read whole: there only if captureLogits or beams read it anyway
 * @property {Grammar} [grammar] constrains the text; compiled with the same vocabulary
 * @property {number} [n] number of continuations, in one batch: their chunks have an index. Continuation i draws from the
 *   random stream `stream` + i. With beams: the number of texts that are returned. Default: 1
 * @property {"auto" | "lookup"} [draft] prompt lookup: proposes tokens that followed the same words earlier in the text, and
 *   verifies them in one pass. "auto" is the same here: a session has no block that predicts tokens. The
 *   text is the same only if the engine computes the same bits for a row alone and in a batch; few engines do
 * @property {number | "auto"} [draftTokens] most tokens proposed at a time, from 1 to 32. "auto", the default, means 8
 * @property {"ignore" | "stop" | import("../index.js").LoopOptions & { action?: "ignore" | "stop" }} [loops] as in
 *   model.generate, but without "redraw"
 * @property {number} [beams] beam search of this width, from 1 to 32, as a batch. Each step reorders the cache
 * @property {number} [lengthPenalty] as in model.generate, and so are the next three
 * @property {boolean | "never"} [earlyStopping]
 * @property {number} [beamGroups]
 * @property {number} [diversityPenalty]
 */

/** @typedef {Omit<SamplerAliases, "vocab_size"> & Pick<GenerateAliases, "max_tokens" | "max_new_tokens" | "num_return_sequences" | "num_beams" | "length_penalty" | "early_stopping" | "num_beam_groups" | "diversity_penalty">} SessionGenerateAliases Other systems' names for the options of generate. */
/** @typedef {OwnSessionGenerateOptions & Omit<SamplerOptions, "vocabSize" | "grammar" | "maxTokens">} SessionGenerateOptions */

/** @typedef {WrittenToken & { logits?: Logits }} SessionToken */

/**
 * A chunk like those of model.generate.
 * @typedef {object} SessionChunk
 * @property {string} text empty without a vocabulary
 * @property {SessionToken[]} tokens
 * @property {"eos" | "stop" | "loop" | "length" | "context" | "abort"} [finishReason] on the last chunk
 * @property {import("../index.js").Loop} [loop] with finishReason "loop"
 * @property {number} [index] of the text, if there are several; a chunk with "abort" ends all of them and has no index
 * @property {number} [score] of a text from beam search, which comes as one chunk
 * @property {import("../index.js").Usage} [usage] on the last chunk
 */

export {};
