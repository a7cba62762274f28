// Grammars without models: see sampler.js.
export { compileGrammar } from "./grammar/compile.js";
export { prepareVocabulary } from "./grammar/vocabulary.js";

/** @type {typeof import("./grammar/analyze.js").analyzeSchema} */
export const analyzeSchema = async (...given) => (await import("./grammar/analyze.js")).analyzeSchema(...given);

/** @typedef {import("./grammar/grammar.js").Grammar} Grammar */
/** @typedef {import("./grammar/compile.js").GrammarOptions} GrammarOptions */
/** @typedef {import("./grammar/grammar-object-reader.js").GrammarObjectReader} GrammarObjectReader */
/** @typedef {import("./grammar/object-reader.js").Growth} Growth */
/** @typedef {import("./grammar/compile.js").GrammarVocabulary} GrammarVocabulary */
/** @typedef {import("./grammar/compile.js").Matcher} Matcher */
/** @typedef {import("./grammar/compile.js").PreparedVocabulary} PreparedVocabulary */
/** @typedef {import("./grammar/compile.js").Remark} Remark */
/** @typedef {import("./grammar/compile.js").Spelling} Spelling */
/** @typedef {import("./grammar/thought.js").Thought} Thought */
/** @typedef {import("./grammar/readers/schema/findings.js").Finding} Finding */
/** @typedef {import("./grammar/readers/tool-calls.js").ToolCalls} ToolCalls */
/** @typedef {import("./grammar/readers/tool-calls.js").ToolCallStyle} ToolCallStyle */
/** @typedef {import("./grammar/readers/tool-call-styles.js").ToolParameterStyle} ToolParameterStyle */
