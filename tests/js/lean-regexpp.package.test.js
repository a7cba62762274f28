// The parser of regular expressions as it is bundled (tools/package/lean-regexpp.js), compared with the original
// package.
import assert from "node:assert/strict";
import test from "node:test";
import { RegExpParser } from "@eslint-community/regexpp";
import { build } from "esbuild";
import { leanRegexpp } from "../../tools/package/lean-regexpp.js";

async function bundled() {
  const { outputFiles } = await build({
    entryPoints: ["@eslint-community/regexpp"],
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
    plugins: [leanRegexpp],
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** The tree of a pattern, or the error. */
function outcome(Parser, pattern, flags) {
  try {
    const tree = new Parser().parsePattern(pattern, 0, pattern.length, flags);
    return JSON.stringify(tree, (key, value) => (/^(parent|resolved|references)$/.test(key) ? undefined : value));
  } catch ({ message, index }) {
    return `${message} at ${index}`;
  }
}

const patterns = [
  "(?<ñ1>a)\\k<ñ1>",
  "(?<a\u0301\u200d>x)",
  "(?<\u{1d49c}>x)",
  "(?<\\u{61}\\u0062>x)|(?<ab>y)",
  "(?<1a>x)",
  "(?<\u0301>x)",
  "(?<a·>x)",
  "(?<a->x)",
  "(?<\u{1f600}>x)",
  "\\p{L}\\P{Lu}[\\p{ASCII}\\P{Any}]",
  "\\p{General_Category=Uppercase_Letter}\\p{gc=Nd}",
  "\\p{Script=Greek}\\p{sc=Grek}\\p{scx=Hira}\\p{Script_Extensions=Han}",
  "\\p{Extended_Pictographic}\\p{EBase}\\p{ID_Start}",
  "\\p{RGI_Emoji}",
  "[\\p{Emoji_Keycap_Sequence}a]",
  "\\P{RGI_Emoji}",
  "[\\p{L}--[a-z]]&&[^\\q{a|bc}]",
  "\\p{Foo}",
  "\\p{l}",
  "\\p{General_Category}",
  "\\p{Script}",
  "\\p{Script=Foo}",
  "\\p{Alphabetic=Lu}",
  "\\p{gc=}",
  "\\p{=Lu}",
  "\\p{}",
  "\\p{L",
  "(?i-s:a.)(?=b)(?<!c)\\b[^\\w-]{2,}?",
  "a{2,1}",
  "(",
  "[b-a]",
];

test("the bundled parser of regular expressions accepts and refuses what the original does", async () => {
  const lean = await bundled();
  for (const flags of [{}, { unicode: true }, { unicodeSets: true }])
    for (const pattern of patterns)
      assert.equal(
        outcome(lean.RegExpParser, pattern, flags),
        outcome(RegExpParser, pattern, flags),
        `/${pattern}/, ${Object.keys(flags)}`,
      );
});
