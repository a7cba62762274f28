// The public API of lastinch.
export { createSampler } from "./sampler.js";
export { LastInchError } from "./errors.js";

// The rest is fetched when it is first called: pages that only sample stay small. Where there is no import() (a service
// worker), use the entry "lastinch/model", which is all of this in one file.

// Functions, not calls that make them: esbuild drops those that a page does not use.
const loadDecoding = () => import("./decoding.js");
const loadGrammar = () => import("./grammar.js");

/** @type {typeof import("./load-model.js").loadModel} */
export const loadModel = async (...given) => (await import("./load-model.js")).loadModel(...given);

/** @type {typeof import("./group.js").createGroup} */
export const createGroup = async (...given) => (await loadDecoding()).createGroup(...given);

/** @type {typeof import("./decoder.js").createDecoder} */
export const createDecoder = async (...given) => (await loadDecoding()).createDecoder(...given);

/** @type {typeof import("./beam-searcher.js").createBeamSearch} */
export const createBeamSearch = async (...given) => (await loadDecoding()).createBeamSearch(...given);

/** Guesses what follows a text from what followed its last tokens earlier in it: none where nothing agrees. @type {(...given: Parameters<typeof import("./decode/lookup.js").lookupDraft>) => Promise<number[]>} */
export const lookupDraft = async (...given) => (await loadDecoding()).lookupDraft(...given);

/** The answer that most texts come to. @type {<Answer = string>(...given: Parameters<typeof import("./decode/vote.js").majorityVote<Answer>>) => Promise<import("./decode/vote.js").Vote<Answer>>} */
export const majorityVote = async (...given) => (await loadDecoding()).majorityVote(...given);

/** @type {typeof import("./grammar.js").compileGrammar} */
export const compileGrammar = async (...given) => (await loadGrammar()).compileGrammar(...given);

/** @type {typeof import("./grammar.js").prepareVocabulary} */
export const prepareVocabulary = async (...given) => (await loadGrammar()).prepareVocabulary(...given);

/** @type {typeof import("./schema-analysis.js").analyzeSchema} */
export const analyzeSchema = async (...given) => (await import("./schema-analysis.js")).analyzeSchema(...given);

/** @typedef {import("./sampler.js").Sampler} Sampler */
/** @typedef {import("./group.js").Group} Group */
/** @typedef {import("./decoder.js").Decoder} Decoder */
/** @typedef {import("./beam-searcher.js").BeamSearcher} BeamSearcher */
/** @typedef {import("./beam-searcher.js").BeamSearchOptions} BeamSearchOptions */
/** @typedef {import("./beam-searcher.js").FoundText} FoundText */
/**
 * @template Answer
 * @typedef {import("./decode/vote.js").Vote<Answer>} Vote
 */
/** @typedef {import("./sampler-types.js").Distribution} Distribution */
/** @typedef {import("./sampler-types.js").Trace} Trace */
/** @typedef {import("./sampler-types.js").Snapshot} Snapshot */
/** @typedef {import("./sampler-types.js").Information} Information */
/** @typedef {import("./grammar-mask.js").Matcher} Matcher */
/** @typedef {import("./grammar.js").Grammar} Grammar */
/** @typedef {import("./grammar.js").GrammarOptions} GrammarOptions */
/** @typedef {import("./grammar/analyze.js").Finding} Finding */
/** @typedef {import("./grammar.js").GrammarMatcher} GrammarMatcher */
/** @typedef {import("./grammar.js").GrammarVocabulary} GrammarVocabulary */
/** @typedef {import("./grammar.js").PreparedVocabulary} PreparedVocabulary */
/** @typedef {import("./option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("./loaded-model.js").Model} Model */
/** @typedef {import("./loaded-model.js").GenerateOptions} GenerateOptions */
/** @typedef {import("./load-model.js").LoadOptions} LoadOptions */
/** @typedef {import("./engine.js").Chunk} Chunk */
/** @typedef {import("./engine.js").Token} Token */
/** @typedef {import("./engine.js").BeamView} BeamView */
