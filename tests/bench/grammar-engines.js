// lastinch and its peers behind one interface, so that all of them run through the same walks.
import { loadHuggingFace, loadXgrammar } from "./grammar-packages.js";

/** @typedef {import("./grammar-vocabulary.js").BenchVocabulary} BenchVocabulary */
/**
 * @typedef {object} EngineMatcher
 * @property {() => ArrayLike<number> | Promise<ArrayLike<number>>} mask a bit for each token, lowest first
 * @property {(token: number) => boolean} accept
 * @property {() => void} [dispose]
 * @property {() => void} [reset]
 */
/**
 * @typedef {object} Engine
 * @property {(schema: string, options?: object) => Promise<{ matcher: () => Promise<EngineMatcher>, dispose: () => void, warnings?: string[] }>} compile
 * @property {number} setUpMs what preparing the vocabulary took
 * @property {number} [loadMs] from what it had saved
 * @property {number} [savedBytes]
 * @property {boolean} isFragile an error leaves it unusable
 * @property {(error: unknown) => Refusal} refusal
 */
/**
 * @typedef {object} Refusal
 * @property {"refused" | "error"} kind refused: it says that it cannot do this schema
 * @property {string} keyword what is in the way
 * @property {string} message
 */

/** @param {unknown} error @returns {string} */
const messageOf = (error) => (error instanceof Error ? error.message : String(error)).split("\n")[0].slice(0, 300);

/** @param {BenchVocabulary} vocabulary @param {object} [always] options of every grammar @returns {Promise<Engine>} */
async function openLastinch({ tokens, eos }, always = {}) {
  const { compileGrammar, prepareVocabulary } = await import("lastinch");
  await prepareVocabulary({ tokens: tokens.slice(0, 32), eos: [] }); // fetches the module
  let start = performance.now();
  const prepared = await prepareVocabulary({ tokens, eos });
  const setUpMs = performance.now() - start;
  const saved = prepared.save();
  prepared.dispose?.();
  start = performance.now();
  const vocabulary = await prepareVocabulary(saved);
  const loadMs = performance.now() - start;
  return {
    setUpMs,
    loadMs,
    savedBytes: saved.length,
    isFragile: false,
    async compile(schema, options) {
      const grammar = await compileGrammar({ vocabulary, jsonSchema: schema, ...always, ...options });
      return {
        async matcher() {
          const matcher = grammar.matcher();
          const into = new Uint32Array(Math.ceil(tokens.length / 32));
          return {
            mask: () => matcher.bitmask(into) ?? into,
            accept: (token) => matcher.accept(token),
            dispose: () => matcher.dispose(),
          };
        },
        dispose: () => grammar.dispose(),
      };
    },
    refusal(error) {
      const { code = "", keyword, pointer } = /** @type {any} */ (error) ?? {};
      const kind = code.startsWith("grammar-") ? "refused" : "error";
      const message = messageOf(error) + (pointer === undefined ? "" : ` [${pointer}]`);
      return { kind, keyword: keyword ?? code, message };
    },
  };
}

/** In open mode, as JSON Schema says: keys that are not named are allowed. @returns {Promise<Engine>} */
async function openXgrammar({ pieces, eos }) {
  const xgrammar = loadXgrammar();
  const start = performance.now();
  const info = await xgrammar.TokenizerInfo.createTokenizerInfo(pieces, "byte_level", false, pieces.length, eos);
  const setUpMs = performance.now() - start;
  return {
    setUpMs,
    isFragile: true,
    async compile(schema) {
      const compiler = await xgrammar.GrammarCompiler.createGrammarCompiler(info, false);
      const compiled = await compiler.compileJSONSchema(schema, true, undefined, undefined, false);
      return {
        async matcher() {
          const matcher = await xgrammar.GrammarMatcher.createGrammarMatcher(compiled);
          return {
            mask: () => matcher.getNextTokenBitmask(),
            accept: (token) => matcher.acceptToken(token),
            dispose: () => matcher.dispose(),
          };
        },
        dispose() {
          compiled.dispose();
          compiler.dispose();
        },
      };
    },
    refusal: (error) => ({ kind: "error", keyword: "abort", message: messageOf(error) }),
  };
}

/** @returns {Promise<Engine>} */
async function openHuggingFace({ tokens, eos, pieces }) {
  const { createTokenConstraint, prepareTokenizer } = await loadHuggingFace();
  const special = pieces.flatMap((_, id) => (tokens[id].length ? [] : [id]));
  const source = { tokens, eos_token_id: eos[0], special_token_ids: special };
  const start = performance.now();
  prepareTokenizer(source);
  const setUpMs = performance.now() - start;
  const into = new Uint32Array(Math.ceil(tokens.length / 32));
  return {
    setUpMs,
    isFragile: false,
    async compile(schema) {
      // Its caches hang on the schema's object, so every walk of a compilation shares them.
      const format = { type: "json_schema", json_schema: JSON.parse(schema) };
      let first = createTokenConstraint(source, format);
      return {
        async matcher() {
          const constraint = first ?? createTokenConstraint(source, format);
          first = undefined;
          return {
            mask: () => (constraint.fillMask(into), into),
            accept(token) {
              try {
                constraint.commit(token);
                return true;
              } catch {
                return false;
              }
            },
          };
        },
        dispose() {},
      };
    },
    refusal(error) {
      const message = messageOf(error);
      const keyword = /keyword "([^"]+)"|\.(\w+) (?:cannot|contains|must|is)|reference/.exec(message);
      return { kind: "refused", keyword: keyword?.[1] ?? keyword?.[2] ?? (keyword ? "$ref" : "?"), message };
    },
  };
}

export const engines = { lastinch: openLastinch, "web-xgrammar": openXgrammar, huggingface: openHuggingFace };
