// The bounds that grammars and regular expressions give: exactly where a count, a range or a length begins and ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGrammar } from "lastinch";

const vocabulary = {
  tokens: [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), null],
  eos: [256],
};

/** Which of the texts a grammar takes as a whole. @param {object} source @param {string[]} texts */
async function taken(source, texts) {
  const grammar = await compileGrammar({ vocabulary, ...source });
  const matcher = grammar.matcher();
  const found = texts.filter((text) => {
    matcher.reset();
    return matcher.acceptBytes(new TextEncoder().encode(text)) && matcher.isAccepting;
  });
  grammar.dispose();
  return found;
}

const counts = Array.from({ length: 131 }, (_, count) => "a".repeat(count));
const bounds = /** @type {const} */ ([
  [9, 10],
  [10, 10],
  [10, 12],
  [12, Infinity],
  [99, 101],
  [0, 11],
]);

for (const [name, write] of /** @type {const} */ ([
  ["GBNF", (least, most) => ({ ebnf: `root ::= "a"{${least},${most}}` })],
  ["GBNF with spaces", (least, most) => ({ ebnf: `root ::= "a"{ ${least} , ${most} }` })],
  ["a regular expression", (least, most) => ({ regex: `a{${least},${most}}` })],
]))
  test(`a count of two or three digits is kept to the letter in ${name}`, async () => {
    for (const [least, most] of bounds) {
      const expected = counts.filter(({ length }) => length >= least && length <= most);
      assert.deepEqual(
        await taken(write(least, most === Infinity ? "" : most), counts),
        expected,
        `${least} to ${most}`,
      );
    }
  });

test("a single count of two or three digits is exact in GBNF, Lark and regular expressions", async () => {
  for (const count of [10, 11, 25, 100])
    for (const source of [
      { ebnf: `root ::= "a"{${count}}` },
      { lark: `start: "a"~${count}` },
      { regex: `a{${count}}` },
    ])
      assert.deepEqual(await taken(source, counts), ["a".repeat(count)], JSON.stringify(source));
});

test("a count of two digits with both bounds is exact in Lark", async () => {
  for (const [least, most] of bounds.filter(([, most]) => most !== Infinity)) {
    const expected = counts.filter(({ length }) => length >= least && length <= most);
    assert.deepEqual(await taken({ lark: `start: "a"~${least}..${most}` }, counts), expected, `${least} to ${most}`);
  }
});
