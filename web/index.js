// The public API of lastinch.
export { createSampler } from "./sampler/create-sampler.js";
export { LastInchError, isLastInchError } from "./core/errors.js";

// The rest is fetched when it is first called, so pages that only sample stay small. Without import() (a service
// worker), use the entry "lastinch/model", which has all of this in one file.

// Functions, not calls that make them, so esbuild drops those that a page does not use.

/** @type {typeof import("./model/load.js").loadModel} */
export const loadModel = async (...given) => (await import("./model/load.js")).loadModel(...given);

/** @type {typeof import("./model/estimate.js").estimateModel} */
export const estimateModel = async (...given) => (await import("./model/estimate.js")).estimateModel(...given);

/** @type {typeof import("./model/load-tokenizer.js").loadTokenizer} */
export const loadTokenizer = async (...given) => (await import("./model/load-tokenizer.js")).loadTokenizer(...given);

/** @type {typeof import("./model/kept-models.js").models} */
export const models = async () => (await import("./model/kept-models.js")).models();

/** @type {typeof import("./model/kept-models.js").removeModel} */
export const removeModel = async (...given) => (await import("./model/kept-models.js")).removeModel(...given);

/** @type {typeof import("./sampler/sampler-group.js").createGroup} */
export const createGroup = async (...given) => (await import("./sampler/sampler-group.js")).createGroup(...given);

/** @type {typeof import("./decode/steps/decoder.js").createDecoder} */
export const createDecoder = async (...given) => (await import("./decode/steps/decoder.js")).createDecoder(...given);

/** @type {typeof import("./decode/steps/beam-searcher.js").createBeamSearch} */
export const createBeamSearch = async (...given) =>
  (await import("./decode/steps/beam-searcher.js")).createBeamSearch(...given);

/**
 * A detector of loops in one text.
 * @type {(...given: Parameters<typeof import("./decode/loop-options.js").createLoopDetector>) => Promise<LoopDetector>}
 */
export const createLoopDetector = async (...given) =>
  (await import("./decode/loop-options.js")).createLoopDetector(...given);

/** @type {typeof import("./decode/watermark-detector.js").detectWatermark} */
export const detectWatermark = async (...given) =>
  (await import("./decode/watermark-detector.js")).detectWatermark(...given);

/** @type {typeof import("./decode/watermark-detector.js").createWatermarkDetector} */
export const createWatermarkDetector = async (...given) =>
  (await import("./decode/watermark-detector.js")).createWatermarkDetector(...given);

/**
 * Guesses the next tokens of a text: those that followed an earlier occurrence of its last tokens, if there is one.
 * @type {(...given: Parameters<typeof import("./decode/drafters/lookup.js").lookupDraft>) => Promise<number[]>}
 */
export const lookupDraft = async (...given) => (await import("./decode/drafters/lookup.js")).lookupDraft(...given);

/**
 * The answer that most texts give.
 * @type {<Answer = string>(...given: Parameters<typeof import("./decode/steps/majority-vote.js").majorityVote<Answer>>) => Promise<import("./decode/steps/majority-vote.js").Vote<Answer>>}
 */
export const majorityVote = async (...given) =>
  (await import("./decode/steps/majority-vote.js")).majorityVote(...given);

/** @type {typeof import("./grammar/compile.js").compileGrammar} */
export const compileGrammar = async (...given) => (await import("./grammar/compile.js")).compileGrammar(...given);

/** @type {typeof import("./grammar/vocabulary.js").prepareVocabulary} */
export const prepareVocabulary = async (...given) =>
  (await import("./grammar/vocabulary.js")).prepareVocabulary(...given);

/** @type {typeof import("./grammar/analyze.js").analyzeSchema} */
export const analyzeSchema = async (...given) => (await import("./grammar/analyze.js")).analyzeSchema(...given);

/** @typedef {import("./sampler/sampler.js").Sampler} Sampler */
/** @typedef {import("./sampler/gpu-sampler.js").GpuSampler} GpuSampler */
/** @typedef {import("./sampler/gpu-sampler.js").RowRead} RowRead */
/** @typedef {import("./sampler/sampler-group.js").Group} Group */
/** @typedef {import("./decode/steps/decoder.js").Decoder} Decoder */
/** @typedef {import("./decode/steps/beam-searcher.js").BeamSearch} BeamSearch */
/** @typedef {import("./decode/steps/beam-searcher.js").BeamSearch} BeamSearcher @deprecated Its name is BeamSearch. */
/** @typedef {import("./decode/steps/beam-searcher.js").BeamSearchOptions} BeamSearchOptions */
/** @typedef {import("./decode/steps/beam-searcher.js").FoundText} FoundText */
/** @typedef {import("./decode/loop-detector.js").LoopDetector} LoopDetector */
/** @typedef {import("./decode/loop-options.js").LoopOptions} LoopOptions */
/** @typedef {import("./decode/loop-detector.js").Loop} Loop */
/** @typedef {import("./sampler/watermark-options.js").Watermark} Watermark */
/** @typedef {import("./decode/watermark-detector.js").WatermarkDetector} WatermarkDetector */
/** @typedef {import("./decode/watermark-detector.js").Detection} Detection */
/** @typedef {import("./decode/watermark-detector.js").Splitter} Splitter */
/** @typedef {import("./decode/banned-strings.js").BannedString} BannedString */
/**
 * @template Answer
 * @typedef {import("./decode/steps/majority-vote.js").Vote<Answer>} Vote
 */
/** @typedef {import("./core/error-table.js").ErrorCode} ErrorCode */
/** @typedef {import("./sampler/sampler-types.js").Logits} Logits */
/** @typedef {import("./sampler/gpu/device-types.js").Device} Device */
/** @typedef {import("./sampler/gpu/device-types.js").DeviceBuffer} DeviceBuffer */
/** @typedef {import("./sampler/gpu/device-types.js").RowOnDevice} RowOnDevice */
/** @typedef {import("./decode/decode-types.js").DraftWord} DraftWord */
/** @typedef {import("./sampler/sampler-types.js").Distribution} Distribution */
/** @typedef {import("./sampler/sampler-types.js").Trace} Trace */
/** @typedef {import("./sampler/sampler-types.js").Snapshot} Snapshot */
/** @typedef {import("./sampler/sampler-types.js").Information} Information */
/** @typedef {import("./sampler/grammar-mask.js").MatcherLike} MatcherLike */
/** @typedef {import("./grammar/grammar.js").Grammar} Grammar */
/** @typedef {import("./grammar/compile.js").GrammarOptions} GrammarOptions */
/** @typedef {import("./grammar/readers/schema/findings.js").Finding} Finding */
/** @typedef {import("./grammar/compile.js").Matcher} Matcher */
/** @typedef {import("./grammar/compile.js").Matcher} GrammarMatcher @deprecated Its name is Matcher. */
/** @typedef {import("./grammar/grammar-object-reader.js").GrammarObjectReader} GrammarObjectReader */
/** @typedef {import("./grammar/object-reader.js").Growth} Growth */
/** @typedef {import("./grammar/compile.js").GrammarVocabulary} GrammarVocabulary */
/** @typedef {import("./grammar/compile.js").PreparedVocabulary} PreparedVocabulary */
/** @typedef {import("./sampler/option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("./sampler/option-table.js").SamplerAliases} SamplerAliases */
/** @typedef {import("./model/model.js").Model} Model */
/** @typedef {import("./model/model.js").GenerateOptions} GenerateOptions */
/** @typedef {import("./model/model.js").GenerateAliases} GenerateAliases */
/** @typedef {import("./model/load.js").LoadOptions} LoadOptions */
/** @typedef {import("./model/load-tokenizer.js").Tokenizer} Tokenizer */
/** @typedef {import("./model/load-tokenizer.js").LoadTokenizerOptions} LoadTokenizerOptions */
/** @typedef {import("./model/worker/lone-tokenizer.js").TokenizerConfig} TokenizerConfig */
/** @typedef {import("./model/worker/tokenizer.js").TokenizerTrace} TokenizerTrace */
/** @typedef {import("./model/source.js").ModelSource} ModelSource */
/** @typedef {import("./model/kept-models.js").KeptModel} KeptModel */
/** @typedef {import("./model/kept-models.js").KeptPrefix} KeptPrefix */
/**
 * @template Prompt
 * @typedef {import("./model/saved-prompt.js").SaveOptions<Prompt>} SaveOptions
 */
/**
 * @template Prompt
 * @typedef {import("./model/saved-prompt.js").KeepOptions<Prompt>} KeepOptions
 */
/** @typedef {import("./model/worker/load-progress.js").LoadProgress} LoadProgress */
/** @typedef {import("./model/read-options.js").ReadOptions} ReadOptions */
/** @typedef {import("./model/estimate.js").Estimate} Estimate */
/** @typedef {import("./decode/decode-types.js").Chunk} Chunk */
/** @typedef {import("./model/complete.js").Completion} Completion */
/** @typedef {import("./chat/messages.js").Message} Message */
/** @typedef {import("./chat/messages.js").Tool} Tool */
/** @typedef {import("./chat/messages.js").OpenAITool} OpenAITool */
/** @typedef {import("./model/model.js").ChatOptions} ChatOptions */
/** @typedef {import("./model/model.js").ChatAliases} ChatAliases */
/** @typedef {import("./chat/chat.js").ChatChunk} ChatChunk */
/** @typedef {import("./chat/chat.js").ChatAnswer} ChatAnswer */
/** @typedef {import("./chat/chat.js").ToolCall} ToolCall */
/** @typedef {import("./chat/reasoning.js").Reasoning} Reasoning */
/** @typedef {import("./chat/reasoning.js").ReasoningLimit} ReasoningLimit */
/** @typedef {import("./chat/reasoning.js").Effort} Effort */
/** @typedef {import("./decode/decode-types.js").Token} Token */
/** @typedef {import("./decode/decode-types.js").BeamView} BeamView */
/** @typedef {import("./decode/decode-types.js").DraftView} DraftView */
/** @typedef {import("./model/worker/activations.js").Activations} Activations */
/** @typedef {import("./model/worker/activations.js").LayerActivations} LayerActivations */
/** @typedef {import("./model/worker/engine.js").ModelConfig} ModelConfig */
/** @typedef {import("./decode/decode-types.js").Usage} Usage */
/** @typedef {import("./decode/decode-types.js").TextStats} TextStats */
/** @typedef {import("./model/model-stats.js").ModelStats} ModelStats */
/** @typedef {import("./model/model-stats.js").LoadStats} LoadStats */
/** @typedef {import("./model/model.js").Vocabulary} Vocabulary */
/** @typedef {import("./model/model.js").Ids} Ids */
/** @typedef {import("./model/generation.js").Generation} Generation */
/**
 * @template Schema
 * @typedef {import("./model/object-types.js").StreamObjectOptions<Schema>} StreamObjectOptions
 */
/**
 * @template Value
 * @typedef {import("./model/object-types.js").ObjectChunk<Value>} ObjectChunk
 */
/**
 * @template Value
 * @typedef {import("./model/object-types.js").Arriving<Value>} Arriving
 */
/**
 * @template Value
 * @typedef {import("./model/object-types.js").TypedSchema<Value>} TypedSchema
 */
/**
 * @template Schema
 * @typedef {import("./model/object-types.js").ValueOf<Schema>} ValueOf
 */
/**
 * @template Schema, Name
 * @typedef {import("./model/object-types.js").ValueOfType<Schema, Name>} ValueOfType
 */
/** @typedef {import("./model/worker/estimate-header.js").MemoryEstimate} MemoryEstimate */
/** @typedef {import("./chat/prompt.js").ApplyOptions} ApplyOptions */
/** @typedef {import("./chat/chat.js").ChatUsage} ChatUsage */
/** @typedef {import("./sampler/sampler-types.js").TraceStage} TraceStage */
/** @typedef {import("./grammar/compile.js").Remark} Remark */
/** @typedef {import("./grammar/compile.js").Spelling} Spelling */
/** @typedef {import("./grammar/readers/tool-calls.js").ToolCalls} ToolCalls */
/** @typedef {import("./grammar/readers/structural-tags.js").StructuralTag} StructuralTag */
/** @typedef {import("./grammar/readers/structural-tags.js").StructuralTags} StructuralTags */
/** @typedef {import("./decode/steps/logit-rows.js").Rows} Rows */
/** @typedef {import("./decode/beam/scorer.js").Candidate} Candidate */
/** @typedef {import("./decode/steps/beam-searcher.js").RunningBeam} RunningBeam */
/** @typedef {import("./grammar/thought.js").Thought} Thought */
/** @typedef {import("./grammar/readers/tool-calls.js").ToolCallStyle} ToolCallStyle */
/** @typedef {import("./grammar/readers/tool-call-styles.js").ToolParameterStyle} ToolParameterStyle */
/** @typedef {import("./sampler/sampler-types.js").Sampling} Sampling */
/** @typedef {import("./model/worker/gguf.js").CacheType} CacheType */
