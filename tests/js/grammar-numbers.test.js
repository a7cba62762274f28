// How numbers are spelt and where they end: masks, accept and acceptBytes agree.
import assert from "node:assert/strict";
import test from "node:test";
import { compileGrammar } from "lastinch";
import { randomFrom } from "../bench/grammar-random.js";

const EOS = 256;
const more = [
  "12",
  "00",
  "000",
  "e3",
  "e30",
  "e308",
  "e309",
  ".5",
  ".0",
  "-0",
  "0.",
  "1e",
  "e-",
  "e+2",
  "999",
  "308",
  "1,",
  "2]",
];
const vocabulary = {
  tokens: [
    ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
    new TextEncoder().encode("</s>"),
    ...more.map((text) => new TextEncoder().encode(text)),
  ],
  eos: [EOS],
};
const text = (token) => new TextDecoder().decode(vocabulary.tokens[token]);

const has = (mask, token) => ((mask[token >> 5] >> (token & 31)) & 1) === 1;

/** Whether the grammar takes the text, as acceptBytes and as accept read it; they agree. */
function takes(grammar, written) {
  const [whole, single] = [grammar.matcher(), grammar.matcher()];
  const isWhole = whole.acceptBytes(written) && whole.isAccepting;
  const isSingle = [...new TextEncoder().encode(written)].every((byte) => single.accept(byte)) && single.isAccepting;
  whole.dispose();
  single.dispose();
  assert.equal(isWhole, isSingle, written);
  return isWhole;
}

const schemas = [
  { type: "integer" },
  { type: "number" },
  { type: "integer", minimum: 1 },
  { type: "number", exclusiveMinimum: 0 },
  { type: "number", multipleOf: 0.01 },
  { type: "number", maximum: -1 },
  { type: "integer", not: { enum: [5, 7] } },
];

test("a number that JSON.parse reads as infinity is refused, whatever the schema", async () => {
  for (const jsonSchema of [...schemas, true, {}]) {
    const grammar = await compileGrammar({ vocabulary, jsonSchema });
    const sign = jsonSchema.maximum === -1 ? "-" : "";
    for (const written of ["1e400", "1e6102954", "1e309", "2e308", "1.8e308", "9".repeat(309), "1" + "0".repeat(400)])
      assert.equal(takes(grammar, sign + written), false, `${JSON.stringify(jsonSchema)} ${written}`);
    for (const written of ["1e308", "1.7e308", "9".repeat(308), "1.7976931348623157e+308"])
      if (!jsonSchema.multipleOf || written.length < 8)
        assert.equal(takes(grammar, sign + written), true, `${JSON.stringify(jsonSchema)} ${written}`);
    grammar.dispose();
  }
});

test("digit by digit, a number is accepted exactly if JSON.parse reads a finite number", async () => {
  const grammars = [await compileGrammar({ vocabulary, jsonSchema: { type: "number" } })];
  grammars.push(
    await compileGrammar({ vocabulary, jsonSchema: { type: "number", minimum: -1e300, not: { const: 3 } } }),
  );
  const random = randomFrom(5);
  const digits = (count) => Array.from({ length: count }, () => Math.floor(random() * 10)).join("");
  let finite = 0;
  for (let round = 0; round < 1500; round++) {
    const end = "17976931348623158079372897140530341507993413271003782693617377898044".slice(
      0,
      Math.floor(random() * 40),
    );
    const mantissa = `${1 + Math.floor(random() * 9)}.${digits(1 + Math.floor(random() * 20))}`;
    const near = end.length > 1 ? `${end[0]}.${end.slice(1)}${digits(Math.floor(random() * 3))}` : mantissa;
    const zeros = "0".repeat(Math.floor(random() * 12));
    const free = random() < 0.3 ? `0.${zeros}${mantissa[0]}e${309 + zeros.length - Math.floor(random() * 3)}` : "";
    const written = random() < 0.2 && free ? free : `${near.replace(/\.$/, "")}e${303 + Math.floor(random() * 8)}`;
    const isFinite = Number.isFinite(JSON.parse(written));
    finite += Number(isFinite);
    assert.equal(takes(grammars[0], written), isFinite, written);
    // Within a range a number with an exponent has at most 30 digits.
    if (written !== free && written.length < 30) assert.equal(takes(grammars[1], written), isFinite, written);
  }
  assert.ok(finite > 300 && finite < 1400, `${finite} finite`);
  for (const grammar of grammars) grammar.dispose();
});

test("a schema's own numbers beyond doubles are kept, and its bounds beyond doubles hold", async () => {
  const own = await compileGrammar({ vocabulary, jsonSchema: '{"enum": [1e400, 3]}' });
  assert.ok(takes(own, "1e400") && takes(own, "3"));
  const above = await compileGrammar({ vocabulary, jsonSchema: '{"type": "number", "minimum": 1e400}' });
  assert.ok(takes(above, "1e400") && takes(above, "2e401") && !takes(above, "1e399"));
  const end = 2n ** 1024n - 2n ** 970n; // the least integer that JSON.parse reads as Infinity
  const top = await compileGrammar({ vocabulary, jsonSchema: `{"type": "number", "minimum": ${end}}` });
  assert.ok(takes(top, `${end}`) && takes(top, `${end + 1n}`) && !takes(top, `${end - 1n}`));
  const bottom = await compileGrammar({ vocabulary, jsonSchema: `{"type": "number", "maximum": -${end}}` });
  assert.ok(takes(bottom, `-${end}`) && takes(bottom, `-${end + 1n}`) && !takes(bottom, `-${end - 1n}`));
  const below = await compileGrammar({ vocabulary, jsonSchema: '{"type": "number", "minimum": 0, "maximum": 1e400}' });
  assert.ok(takes(below, "1e308") && !takes(below, "1e309"));
  const small = await compileGrammar({ vocabulary, jsonSchema: { type: "number" } });
  assert.ok(takes(small, "1e-400") && takes(small, "0e400"));
  for (const grammar of [own, above, below, small]) grammar.dispose();
});

test("canonical numbers have no spare zeros, and integers have neither point nor exponent", async () => {
  const options = { vocabulary, numbers: /** @type {const} */ ("canonical") };
  const integer = await compileGrammar({ ...options, jsonSchema: { type: "integer" } });
  for (const written of ["0", "7", "-7", "20", "9007199254740993"]) assert.ok(takes(integer, written), written);
  for (const written of ["2e1", "24.0", "-0", "1.5", "1E2", "00"]) assert.ok(!takes(integer, written), written);
  const number = await compileGrammar({ ...options, jsonSchema: { type: "number" } });
  const random = randomFrom(3);
  for (let round = 0; round < 400; round++) {
    const value = (random() - 0.5) * 10 ** Math.floor(random() * 80 - 40);
    assert.ok(takes(number, JSON.stringify(value)), JSON.stringify(value));
  }
  for (const written of ["1.50", "2e1", "1.0", "-0", "-0.0", "1e5", "1e21", "1e+05", "1E+21", "0.1e-9"])
    assert.ok(!takes(number, written), written);
  for (const [jsonSchema, written] of [
    [{ type: "integer", minimum: 1e30 }, "1" + "0".repeat(30)],
    ['{"const": 1.50}', "1.5"],
    ['{"enum": [1e2]}', "100"],
    ['{"type": "number", "exclusiveMinimum": 0, "maximum": 1e-300}', "1e-300"],
    [{ type: "array", items: { type: "integer" }, uniqueItems: true }, "[1,0,2]"],
  ]) {
    const grammar = await compileGrammar({ ...options, jsonSchema: /** @type {any} */ (jsonSchema) });
    assert.ok(!grammar.isEmpty && takes(grammar, written), written);
    grammar.dispose();
  }
  await assert.rejects(compileGrammar({ ...options, regex: "a" }), { code: "conflict" });
  await assert.rejects(compileGrammar({ vocabulary, anyJson: true, numbers: /** @type {any} */ ("all") }), {
    code: "bad-type",
  });
});

test("in draft 4 an integer has neither fraction nor exponent; in later drafts 1.0 is one", async () => {
  for (const [$schema, isTaken] of [
    ["http://json-schema.org/draft-04/schema#", false],
    ["http://json-schema.org/draft-06/schema#", true],
    ["http://json-schema.org/draft-07/schema#", true],
    ["https://json-schema.org/draft/2020-12/schema", true],
    [undefined, true],
  ])
    for (const more of [{}, { minimum: 5 }, { multipleOf: 5 }]) {
      const grammar = await compileGrammar({ vocabulary, jsonSchema: { $schema, type: "integer", ...more } });
      assert.ok(takes(grammar, "12345"));
      for (const written of ["12345.0", "1.2345e4"])
        assert.equal(takes(grammar, written), isTaken, `${$schema} ${written}`);
      grammar.dispose();
      const number = await compileGrammar({ vocabulary, jsonSchema: { $schema, type: "number", ...more } });
      assert.ok(takes(number, "12345.0") && takes(number, "1.2345e4"));
      number.dispose();
    }
});

test("tokens of a mask are accepted and never lead to a dead end, in both spellings", async () => {
  const unique = (items) => ({ type: "array", items, uniqueItems: true, minItems: 3 });
  const all = [
    ...schemas,
    { enum: [1.5, 100, 2e21] },
    unique({ type: "integer" }),
    unique({ type: "number" }),
    unique({ enum: [0, 1, 2.5] }),
  ];
  for (const numbers of /** @type {const} */ (["any", "canonical"]))
    for (const jsonSchema of all) {
      const grammar = await compileGrammar({ vocabulary, jsonSchema, numbers, whitespace: "compact" });
      for (let seed = 0; seed < 12; seed++) {
        const random = randomFrom(seed);
        const matcher = grammar.matcher();
        let written = "";
        for (let step = 0; step < 60 && !matcher.isTerminated; step++) {
          const mask = matcher.bitmask().slice(); // later calls may move the view
          const allowed = vocabulary.tokens.flatMap((_, token) => (has(mask, token) ? [token] : []));
          assert.ok(allowed.length, `${JSON.stringify(jsonSchema)} ${numbers}: ${written}`);
          for (let token = 0; token < vocabulary.tokens.length; token++) {
            // Some texts are read though no mask proposes them: spare digits, and exponents of items that must differ.
            if (!has(mask, token) && (numbers === "any" || jsonSchema.uniqueItems)) continue;
            const isTaken = matcher.accept(token);
            assert.equal(
              isTaken,
              has(mask, token),
              `${JSON.stringify(jsonSchema)} ${numbers}: ${written}|${text(token)}`,
            );
            if (isTaken) matcher.rollback(1);
          }
          const token = allowed[Math.floor(random() * allowed.length)];
          assert.ok(matcher.accept(token));
          if (token !== EOS) written += text(token);
        }
        if (matcher.isTerminated)
          for (const value of [JSON.parse(written)].flat()) assert.ok(Number.isFinite(value), written);
        matcher.dispose();
      }
      grammar.dispose();
    }
});
