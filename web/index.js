// The public API of lastinch.
export { createSampler } from "./sampler.js";
export { LastInchError } from "./errors.js";

// The rest is fetched when it is first called: pages that only sample stay small. Where there is no import() (a service
// worker), use the entry "lastinch/model".

/** @param {() => Promise<any>} load @param {string} name @returns {any} */
const later =
  (load, name) =>
  async (/** @type {any[]} */ ...given) =>
    (await load())[name](...given);
const loadDecoding = () => import("./decoding.js");
const loadGrammar = () => import("./grammar.js");

/** @type {typeof import("./load-model.js").loadModel} */
export const loadModel = later(() => import("./load-model.js"), "loadModel");

/** @type {typeof import("./group.js").createGroup} */
export const createGroup = later(loadDecoding, "createGroup");

/** @type {typeof import("./decoder.js").createDecoder} */
export const createDecoder = later(loadDecoding, "createDecoder");

/** @type {typeof import("./beam-searcher.js").createBeamSearch} */
export const createBeamSearch = later(loadDecoding, "createBeamSearch");

/** @type {(...given: Parameters<typeof import("./decode/lookup.js").lookupDraft>) => Promise<number[]>} */
export const lookupDraft = later(loadDecoding, "lookupDraft");

/** @type {<Answer = string>(...given: Parameters<typeof import("./decode/vote.js").majorityVote<Answer>>) => Promise<import("./decode/vote.js").Vote<Answer>>} */
export const majorityVote = later(loadDecoding, "majorityVote");

/** @type {typeof import("./grammar.js").compileGrammar} */
export const compileGrammar = later(loadGrammar, "compileGrammar");

/** @type {typeof import("./grammar.js").prepareVocabulary} */
export const prepareVocabulary = later(loadGrammar, "prepareVocabulary");

/** @type {typeof import("./schema-analysis.js").analyzeSchema} */
export const analyzeSchema = later(() => import("./schema-analysis.js"), "analyzeSchema");

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
