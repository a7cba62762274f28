// No regular expression of web/ or the demos takes more than linear time, whatever the text: none backtracks through one
// stretch again and again, and none that searches begins anew at each place of it. scslre looks for attacks that repeat
// one character; repetitions in repetitions, which longer attacks need, are not taken at all.
import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { analyse } from "scslre";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What is put together when it runs, by its argument as it is spelt: an example of what becomes of it. @type {Record<string, string>} */
const madeUp = {
  // Names of tokens, escaped.
  '`(${escaped.join("|") || "[]"})`': "(<a>|<b>)",
  '`(${escaped.join("|")})`': "(<a>|<b>)",
  // Characters of a class.
  '`[${codes.join("")}]`': "[<[]",
  // One property of characters, for texts that are made here.
  "`(?:${source})+`": "(?:\\p{L})+",
  "`^(?:${source})$`": "^(?:\\p{L})$",
  // The parts of a call, with spaces between their words.
  "`(${trigger})(${SPACES}${begin}${SPACES})${input}(${SPACES}${end})${SPACES}${close}`":
    '(<tool_call>)(\\s{0,40}\\{\\s{0,40}"name":\\s{0,40})\\{"a":\\s{0,40}"b"\\}(\\s{0,40}\\}\\s{0,40}<)\\s{0,40}/tool_call>',
  // The same, with arguments one by one.
  "trigger + SPACES + begin + SPACES + value + SPACES + end + close":
    "<tool_call>\\s{0,40}<function=a>\\s{0,40}<parameter=b>\\n[\"']?c[\"']?\\n</parameter>\\s{0,40}</function>\\s{0,40}</tool_call>",
  // The caller's own, which is copied and never run.
  "value.source": "a",
  // One letter.
  "String.fromCodePoint(codePoints[at])": "a",
};

/** @param {string} source @param {string} flags @returns {string[]} */
function faults(source, flags) {
  const literal = { source, flags };
  const backtracking = analyse(literal, { reportTypes: { Move: false }, assumeRejectingSuffix: true }).reports;
  const moving = flags.includes("y") ? [] : analyse(literal, { reportTypes: { Trade: false, Self: false } }).reports;
  const found = [...backtracking, ...moving].map(
    (report) => `${report.type} of ${"quant" in report ? report.quant.raw : report.startQuant.raw}`,
  );
  let depth = 0;
  visitRegExpAST(new RegExpParser().parsePattern(source, 0, source.length, { unicode: /u/.test(flags) }), {
    onQuantifierEnter({ max, raw }) {
      if (max === Infinity && depth++) found.push(`nesting of ${raw}`);
    },
    onQuantifierLeave({ max }) {
      if (max === Infinity) depth--;
    },
  });
  return found;
}

/**
 * @param {string} file
 * @returns {{ line: number, source: string, flags: string }[]}
 */
function expressions(file) {
  const tree = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);
  /** @type {{ line: number, source: string, flags: string }[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      found.push({ line, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    } else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp") {
      const [argument] = node.arguments ?? [];
      const source = ts.isStringLiteralLike(argument) ? argument.text : madeUp[argument.getText()];
      assert.ok(source !== undefined, `${file}:${line}: what ${argument.getText()} can become is not known here`);
      found.push({ line, source, flags: "u" });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

test("no regular expression takes more than linear time", () => {
  const scripts = readdirSync(join(root, "web"), { recursive: true, encoding: "utf8" }).map((name) => `web/${name}`);
  const files = [...scripts, ...readdirSync(join(root, "demos")).map((name) => `demos/${name}`)].filter((name) =>
    name.endsWith(".js"),
  );
  let count = 0;
  for (const file of files)
    for (const { line, source, flags } of expressions(file)) {
      count++;
      assert.deepEqual(faults(source, flags), [], `${file}:${line}: /${source}/${flags}`);
    }
  assert.ok(count > 100, `${count} expressions were found`);
});

test("the check finds expressions that backtrack or restart", () => {
  for (const [source, flags] of [
    ["\\r?\\n(?!\\s*((\\/\\/|#)[^\\n]*\\s*)*\\|)", "y"],
    ["\\{\\s*\\d{1,9}\\s*(,\\s*(\\d{1,9})?\\s*)?\\}", "y"],
    ['"[^"]*(\\\\.[^"]*)*"', "y"],
    ["(?:[^a]b|[^c]d*)*e", ""],
    ["[^.!?]+[.!?]", "g"],
    ["0+$", ""],
    ["(a|a)*b", ""],
    ["^a*a*b", ""],
  ])
    assert.ok(faults(source, flags).length > 0, source);
  for (const [source, flags] of [
    ["\\s+", "g"],
    ["^[a-z]+-\\d+$", ""],
    ["[a-z]+(?:-[a-z]{1,9}){0,3}", "y"],
    ["\\{\\s*\\d{1,9}\\s*(,\\s*(\\d{1,9}\\s*)?)?\\}", "y"],
  ])
    assert.deepEqual(faults(source, flags), [], source);
});
