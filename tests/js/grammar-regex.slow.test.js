// Regular expressions against the engine's own; refusals; hostile expressions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RegExpParser } from "@eslint-community/regexpp";
import { compileGrammar } from "lastinch";
import { characterSet } from "../../web/grammar/readers/regex-class.js";
import { matchExpression } from "../../web/grammar/readers/regex.js";
import { startProcessorClock } from "../processor-time.js";
import { byteVocabulary as vocabulary } from "./byte-grammar.js";

/**
 * @param {object} source
 * @param {string[]} texts
 */
async function verdicts(source, texts) {
  const grammar = await compileGrammar({ vocabulary, ...source });
  const matcher = grammar.matcher();
  const result = texts.map((text) => {
    matcher.reset();
    return matcher.acceptBytes(new TextEncoder().encode(text)) && matcher.isAccepting;
  });
  grammar.dispose();
  return result;
}

/** Park and Miller's random numbers. @param {number} seed */
function dice(seed) {
  let state = seed;
  /** @param {number} count */
  const below = (count) => (state = (state * 48271) % 2147483647) % count;
  return { below, pick: (/** @type {string[]} */ list) => list[below(list.length)] };
}

const atoms = {
  "": ["a", "b", "k", "é", ".", "\\w", "\\W", "\\s", "\\S", "[ab]", "[^a]", "[k-s]", "[^]", "\\-", "[\\w-.]", "[]"],
  u: ["a", "b", "k", "é", "😀", ".", "\\w", "\\W", "\\D", "[ab]", "[^a]", "\\p{L}", "\\P{Lu}", "[^\\P{Ll}]", "[😀-😂]"],
  v: ["a", "b", "k", "é", "😀", ".", "\\w", "[[a-k]&&[b-z]]", "[\\w--b]", "[\\q{ab|a|}b]", "[^\\p{Lu}]", "[\\p{L}é]"],
};
const assertions = ["\\b", "\\B", "^", "$", "\\b"];
const quantifiers = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{2,}", "{0,2}?"];

/** @param {ReturnType<typeof dice>} random @param {number} depth @param {string[]} letters @returns {string} */
function randomPattern(random, depth, letters) {
  let pattern = "";
  for (let i = random.below(4); i >= 0; i--) {
    const kind = random.below(depth > 0 ? 12 : 6);
    const inner = () => randomPattern(random, depth - 1, letters);
    if (kind === 6 || kind === 7) pattern += `(${inner()})`;
    else if (kind === 8) pattern += `(?${random.pick(["=", "!"])}${inner()})`;
    else if (kind === 9) pattern += random.pick(assertions);
    else pattern += kind === 10 ? `(?:${inner()})` : random.pick(letters);
    if (kind !== 8 && kind !== 9 && random.below(3) === 0) pattern += random.pick(quantifiers);
  }
  return random.below(3) === 0 ? `${pattern}|${random.below(4) ? randomPattern(random, depth, letters) : ""}` : pattern;
}

/** @param {ReturnType<typeof dice>} random @param {boolean} astral */
function randomTexts(random, astral) {
  const letters = ["a", "b", "K", "é", " ", "\n", "ſ", "-", "\u212a", "1", ...(astral ? ["😀"] : [])];
  const texts = new Set(["", ...letters]);
  for (let i = 0; i < 40; i++)
    texts.add(Array.from({ length: random.below(6) }, () => random.pick(i % 2 ? letters : ["a", "b", "K"])).join(""));
  return [...texts];
}

for (const flags of ["", "i", "u", "iu", "su", "v"])
  test(`random patterns match what RegExp matches, flags "${flags}"`, async () => {
    const random = dice(1 + flags.length);
    const letters = atoms[/** @type {"" | "u" | "v"} */ (/[uv]/.exec(flags)?.[0] ?? "")];
    for (let round = 0; round < 250; round++) {
      const pattern = randomPattern(random, random.below(3), letters);
      const expression = new RegExp(`^(?:${pattern})$`, flags);
      // Without u or v, RegExp counts a character beyond the BMP as two.
      const texts = randomTexts(random, /[uv]/.test(flags));
      assert.deepEqual(
        await verdicts({ regex: new RegExp(pattern, flags) }, texts),
        texts.map((text) => expression.test(text)),
        String(expression),
      );
    }
  });

test("the pattern of a JSON Schema may match anywhere in the string", async () => {
  const random = dice(7);
  for (let round = 0; round < 250; round++) {
    const pattern = randomPattern(random, random.below(3), atoms.u);
    const expression = new RegExp(pattern, "u");
    // V8 finds \B between the halves of a character.
    const texts = randomTexts(random, !/\\B/.test(pattern));
    const source = { jsonSchema: { type: "string", pattern } };
    assert.deepEqual(
      await verdicts(
        source,
        texts.map((text) => JSON.stringify(text)),
      ),
      texts.map((text) => expression.test(text)),
      String(expression),
    );
  }
});

test("anchors hold in every alternative", async () => {
  const texts = ["a", "b", "ab", "ba", "xa", "bx", "aa", "xx", ""];
  for (const pattern of ["^a|b$", "(^|x)a", "(?:^a|b$)", "^(?:a|b)$", "a$|^$", "^^a$$", "$a", "a^", "(a|^)b?(x|$)"]) {
    const source = { jsonSchema: { type: "string", pattern } };
    const expected = texts.map((text) => new RegExp(pattern, "u").test(text));
    assert.deepEqual(
      await verdicts(
        source,
        texts.map((text) => JSON.stringify(text)),
      ),
      expected,
      pattern,
    );
  }
});

test("patterns that are valid only without the flag u are read, unless u changes their meaning", async () => {
  assert.deepEqual(await verdicts({ regex: "[\\w-.]+\\_\\@\\ \\<" }, ["a-b._@ <", "a_"]), [true, false]);
  assert.deepEqual(await verdicts({ regex: "\\p{Lu}\\_" }, ["É_", "é_", "p{Lu}_"]), [true, false, false]);
  assert.deepEqual(await verdicts({ regex: "[\\-\\_]\\-" }, ["--", "_-", "\\-"]), [true, true, false]);
  assert.throws(() => matchExpression("[\\w-.]\\p{Lu}"), { code: "grammar-syntax" });
});

test("a class that ends where ASCII ends, or one character later, holds whole characters", async () => {
  for (const [source, last] of [
    ["[a-\\u007f]", 0x7f],
    ["[a-\\u0080]", 0x80],
    ["[a-\\u0081]", 0x81],
  ]) {
    const texts = [0x61, 0x7f, 0x80, 0x81, 0x82].map((code) => String.fromCodePoint(code));
    assert.deepEqual(
      await verdicts({ regex: source }, texts),
      texts.map((text) => text.codePointAt(0) <= last),
    );
  }
});

test("errors are short, and deep patterns are syntax errors", async () => {
  const deep = `${"(".repeat(2000)}a${")".repeat(2000)}`;
  const row = Array.from({ length: 300 }).reduce((/** @type {string} */ inner) => `b(${inner})*`, "a");
  for (const source of [
    { regex: deep },
    { regex: row },
    { regex: `${"a".repeat(5000)}(` },
    { jsonSchema: { pattern: deep } },
  ])
    await assert.rejects(
      compileGrammar({ vocabulary, .../** @type {any} */ (source) }),
      (/** @type {any} */ error) => error.code === "grammar-syntax" && error.message.length < 250,
    );
  assert.throws(() => matchExpression(`${"a".repeat(100)}(b`), { message: /position 102, in \/…a+\(b\/\.$/ });
});

test("unsupported syntax is refused with its position", () => {
  for (const [pattern, flags, position] of /** @type {[string, string, number | undefined][]} */ ([
    ["a(b)\\1", "u", 4],
    ["(?<x>b)\\k<x>", "u", 7],
    ["\\_\\_(b)\\1", "u", 7],
    ["ab(?<=b)", "u", 2],
    ["(?<!b)", "u", 0],
    ["a", "m", undefined],
    ["a", "y", undefined],
    ["x\\p{RGI_Emoji}", "v", 1],
    ["x[\\ud83d-\\udfff]", "", 2],
    ["x(\\ud83d)", "", 2],
  ]))
    assert.throws(
      () => matchExpression(pattern, flags),
      (/** @type {any} */ error) =>
        error.code === "grammar-unsupported" &&
        (position === undefined
          ? !error.message.includes("position")
          : error.message.includes(`position ${position},`)),
      pattern,
    );
  assert.throws(() => matchExpression("a(b"), { code: "grammar-syntax", message: /position 3/ });
});

test("a regular expression of more than 50,000 characters is refused with the reason, in every reader", async () => {
  const [longest, tooLong] = [50_000, 50_001].map((length) => "a".repeat(length));
  assert.deepEqual(await verdicts({ regex: longest }, [longest, tooLong]), [true, false]);
  const expected = { code: "grammar-fuel", message: /50001.*50000/ };
  for (const source of [
    { regex: tooLong },
    { regex: new RegExp(tooLong) },
    { jsonSchema: { pattern: tooLong } },
    { jsonSchema: { patternProperties: { [tooLong]: {} } } },
    { lark: `start: /${tooLong}/` },
  ])
    await assert.rejects(compileGrammar({ vocabulary, ...source }), expected);
});

test("a regular expression with too many classes or names is refused with the reason", () => {
  const classes = Array.from({ length: 1000 }, (_, i) => `[^\\p{Ll}${i}]`).join("");
  assert.throws(() => matchExpression(classes), { code: "grammar-fuel", message: /262144/ });
  const names = Array.from({ length: 1001 }, (_, i) => `(?<a${i}>b)`).join("");
  assert.throws(() => matchExpression(names), { code: "grammar-fuel", message: /1000/ });
});

test("a chain of subtractions or intersections has no limit of length", async () => {
  const others = [..."bcdefghijklmnopqrstuvwxyz0123456789_"].join("--");
  assert.deepEqual(await verdicts({ regex: new RegExp(`[\\w--${others}]`, "v") }, ["a", "A", "b", "_"]), [
    true,
    true,
    false,
    false,
  ]);
  const [removed, kept] = ["--b", "&&[a-c]"].map((part) =>
    matchExpression(`[\\w${part.repeat(10_000 / part.length)}]`, "v"),
  );
  assert.equal(removed.kind, "class");
  assert.deepEqual(kept, { kind: "class", ranges: [[0x61, 0x63]] });
});

test("letters match their other cases as in RegExp", () => {
  for (const unicode of [true, false]) {
    const flags = { unicode, sets: false, ignoreCase: true, dotAll: false };
    const letters = unicode ? "iu" : "i";
    /** @type {number[]} */
    const cased = [];
    const alone = [];
    for (let point = 0x80; point <= (unicode ? 0x10ffff : 0xffff); point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const { ranges } = characterSet([point, point], flags);
      if (ranges.length > 1 || ranges[0][0] < ranges[0][1]) cased.push(point);
      else alone.push(String.fromCodePoint(point));
    }
    assert.ok(cased.length > 2000, String(cased.length));
    const none = new RegExp(`[${alone.join("").replace(/[\\\]^-]/g, "")}]`, letters);
    for (const point of cased) assert.ok(!none.test(String.fromCodePoint(point)), point.toString(16));
    for (let i = 0; i < cased.length; i += 37) {
      const { ranges } = characterSet([cased[i], cased[i]], flags);
      const one = new RegExp(`^${String.fromCodePoint(cased[i])}$`, letters);
      for (const other of [...cased, ...Array.from({ length: 0x80 }, (_, ascii) => ascii)])
        assert.equal(
          ranges.some(([low, high]) => low <= other && other <= high),
          one.test(String.fromCodePoint(other)),
          `${cased[i].toString(16)} ${other.toString(16)}`,
        );
    }
  }
});

test("properties hold for the characters for which RegExp has them, in every plane", () => {
  const flags = { unicode: true, sets: false, ignoreCase: false, dotAll: false };
  for (const [source, ignoreCase] of /** @type {[string, boolean][]} */ ([
    ["\\p{L}", false],
    ["\\P{Cn}", false],
    ["\\p{Cn}", false],
    ["\\p{NChar}", false],
    ["\\p{Script=Han}", false],
    ["\\p{DI}", false],
    ["\\p{Lu}", true],
  ])) {
    const { alternatives } = new RegExpParser().parsePattern(source, 0, source.length, { unicode: true });
    const set = characterSet(alternatives[0].elements[0], { ...flags, ignoreCase });
    const expression = new RegExp(`^${source}$`, ignoreCase ? "iu" : "u");
    let range = 0;
    let wrong = 0;
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
      while (set.ranges[range]?.[1] < codePoint) range++;
      if (expression.test(String.fromCodePoint(codePoint)) !== set.ranges[range]?.[0] <= codePoint) wrong++;
    }
    assert.equal(wrong, 0, source);
  }
});

test("hostile patterns compile or fail in bounded time", async () => {
  for (const regex of [
    "(a|a)*b",
    "(a*)*b",
    "((a{1,1000}){1,1000}){1,1000}",
    "(a?){5000}",
    "[^]*a[^]{5000}",
    "(?=.*a)(?=.*b)(?!.*aa).{1000}",
    "(?:(?!foo).)*",
    "a{100000}",
    "(?:a{1,100000}b){1,100000}",
  ]) {
    const elapsed = startProcessorClock();
    try {
      const grammar = await compileGrammar({ vocabulary, regex, fuel: 2_000_000 });
      const matcher = grammar.matcher();
      const into = new Uint32Array(9);
      for (let i = 0; i < 200 && matcher.accept(0x61 + (i % 9 === 8 ? 1 : 0)); i++) matcher.bitmask(into);
      grammar.dispose();
    } catch (error) {
      assert.equal(/** @type {any} */ (error).code, "grammar-fuel", regex);
    }
    assert.ok(elapsed() < 10_000, regex);
  }
});
