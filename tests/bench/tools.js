// Sets of many tools: how long a set compiles, and its first masks. Beside it, in the same run, web-xgrammar's structural
// tags and one schema of ours as a yardstick. Least of --runs, on one thread; the first run, in which nothing is
// compiled yet by the engine of JavaScript, by itself.
// node tests/bench/tools.js [--tools 400] [--vocabulary qwen3] [--runs 20] [--peer]
import { parseArgs } from "node:util";
import { compileGrammar, prepareVocabulary } from "lastinch";
import { tagsOf, toolSet } from "../vectors/tool-sets.js";
import { loadXgrammar } from "./grammar-packages.js";
import { line } from "./grammar-tables.js";
import { openVocabulary } from "./grammar-vocabulary.js";

const { values: flags } = parseArgs({
  options: {
    tools: { type: "string", default: "400" },
    vocabulary: { type: "string", default: "qwen3" },
    runs: { type: "string", default: "20" },
    peer: { type: "boolean", default: false },
  },
});
const { tokens, eos, pieces } = openVocabulary(flags.vocabulary);
const special = Object.fromEntries(pieces.flatMap((piece, id) => (piece && !tokens[id].length ? [[piece, id]] : [])));
const vocabulary = await prepareVocabulary({ tokens, eos, special });
const tools = toolSet(Number(flags.tools));
const tags = tagsOf(tools);

/** @type {Record<string, object>} */
const sources = {
  "one of the schemas": { jsonSchema: tools[0].parameters },
  "structural tags": { structuralTags: tags },
  "calls, hermes": { toolCalls: { tools, style: "hermes" } },
  "calls, llama3": { toolCalls: { tools, style: "llama3" } },
  "calls, qwen3Coder": { toolCalls: { tools, style: "qwen3Coder" } },
  "calls, lfm2": { toolCalls: { tools, style: "lfm2" } },
};

console.log(`${tools.length} tools, ${JSON.stringify(tags).length} characters; ${tokens.length} tokens; ms`);
line("", "compile, first", "least", "first mask, first", "least", "next masks, worst");
for (const [name, source] of Object.entries(sources)) {
  const [compile, mask, later] = [[], [], []];
  for (let run = 0; run < Number(flags.runs); run++) {
    let start = performance.now();
    const grammar = await compileGrammar({ vocabulary, ...source });
    compile.push(performance.now() - start);
    const matcher = grammar.matcher();
    const measure = () => {
      start = performance.now();
      matcher.bitmask();
      return performance.now() - start;
    };
    mask.push(measure());
    // The masks after each byte of a beginning of a call.
    let worst = 0;
    for (const byte of `<function=${tools[0].name}>{`) {
      if (!matcher.acceptBytes(byte)) break;
      worst = Math.max(worst, measure());
    }
    later.push(worst);
    matcher.dispose();
    grammar.dispose();
  }
  const least = (/** @type {number[]} */ times) => Math.min(...times).toFixed(2);
  line(`  ${name}`, compile[0].toFixed(1), least(compile), mask[0].toFixed(1), least(mask), least(later));
}

if (flags.peer) {
  const { TokenizerInfo, GrammarCompiler, GrammarMatcher } = loadXgrammar();
  const info = await TokenizerInfo.createTokenizerInfo(pieces, "byte_level", false, tokens.length, eos);
  const compiler = await GrammarCompiler.createGrammarCompiler(info, false);
  let start = performance.now();
  const compiled = await compiler.compileStructuralTag(tags);
  const time = performance.now() - start;
  const matcher = await GrammarMatcher.createGrammarMatcher(compiled);
  start = performance.now();
  await matcher.getNextTokenBitmask();
  line("  web-xgrammar", time.toFixed(1), "", (performance.now() - start).toFixed(1));
}
