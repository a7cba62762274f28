// The public API of lastinch.
export { createSampler } from "./sampler.js";
export { LastInchError } from "./errors.js";

/**
 * loadModel of load-model.js, fetched when it is first called: pages that only sample stay small. Where there is no
 * import() (a service worker), use the entry "lastinch/model".
 * @type {typeof import("./load-model.js").loadModel}
 */
export const loadModel = async (source, options) => (await import("./load-model.js")).loadModel(source, options);

/**
 * createGroup of group.js, fetched when it is first called.
 * @type {typeof import("./group.js").createGroup}
 */
export const createGroup = async (count, options) => (await import("./group.js")).createGroup(count, options);

/**
 * createDecoder of decoder.js, likewise.
 * @type {typeof import("./decoder.js").createDecoder}
 */
export const createDecoder = async (options) => (await import("./decoder.js")).createDecoder(options);

/**
 * createBeamSearch of beam-searcher.js, likewise.
 * @type {typeof import("./beam-searcher.js").createBeamSearch}
 */
export const createBeamSearch = async (options) => (await import("./beam-searcher.js")).createBeamSearch(options);

/**
 * lookupDraft of decode/lookup.js, likewise.
 * @type {(...given: Parameters<typeof import("./decode/lookup.js").lookupDraft>) => Promise<number[]>}
 */
export const lookupDraft = async (ids, options) => (await import("./decode/lookup.js")).lookupDraft(ids, options);

/**
 * majorityVote of decode/vote.js, likewise.
 * @type {<Answer = string>(...given: Parameters<typeof import("./decode/vote.js").majorityVote<Answer>>) => Promise<import("./decode/vote.js").Vote<Answer>>}
 */
export const majorityVote = async (texts, extract) => (await import("./decode/vote.js")).majorityVote(texts, extract);

/**
 * compileGrammar of grammar.js, fetched when it is first called.
 * @type {typeof import("./grammar.js").compileGrammar}
 */
export const compileGrammar = async (options) => (await import("./grammar.js")).compileGrammar(options);

/**
 * prepareVocabulary of grammar.js, likewise.
 * @type {typeof import("./grammar.js").prepareVocabulary}
 */
export const prepareVocabulary = async (vocabulary) => (await import("./grammar.js")).prepareVocabulary(vocabulary);

/**
 * analyzeSchema of schema-analysis.js, likewise.
 * @type {typeof import("./schema-analysis.js").analyzeSchema}
 */
export const analyzeSchema = async (schema, options) =>
  (await import("./schema-analysis.js")).analyzeSchema(schema, options);

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
