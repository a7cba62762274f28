// Random JSON Schemas of 2020-12: realistic and adversarial ones, every keyword.
import fc from "fast-check";
import { patterns } from "./regex-arbitrary.js";
import { formats } from "./schema-judge.js";

const names = fc.constantFrom("name", "id", "email", "tags", "value", "kind", "a", "b", "ab", "é", "", 'x"y', "0");
const small = fc.nat(4);
const length = fc.oneof({ weight: 6, arbitrary: small }, { weight: 1, arbitrary: fc.nat(40) });

/** A record of which each key is there with its chance in ten. @param {Record<string, [number, fc.Arbitrary<any>]>} keys */
const record = (keys) =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(keys).map(([key, [chance, arbitrary]]) => [
          key,
          chance >= 10
            ? arbitrary
            : fc.oneof(
                { withCrossShrink: true },
                { weight: 100 - 10 * chance, arbitrary: fc.constant(undefined) },
                { weight: 10 * chance, arbitrary },
              ),
        ]),
      ),
    )
    .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)));

const words = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "ab", "red", "green", "", "2020-02-29", "é", "😀", 'q"\\', "a b") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
);
const numbers = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -20, max: 120 }) },
  { weight: 1, arbitrary: fc.constantFrom(0.5, -1.25, 1e-3, 1e9, 1e21, 99.99, 2 ** 31, -0.1, 3.14) },
);
const scalars = fc.oneof(fc.constantFrom(null, true, false), numbers, words);
const values = fc.oneof(
  { weight: 6, arbitrary: scalars },
  { weight: 1, arbitrary: fc.array(scalars, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(names, scalars, { maxKeys: 3, noNullPrototype: true }) },
);

/** Two bounds, mostly the lower first. @param {fc.Arbitrary<number>} low */
const between = (low) =>
  fc.tuple(low, fc.oneof({ weight: 9, arbitrary: small }, { weight: 1, arbitrary: fc.constant(-1) }));
const bounded = (/** @type {string} */ least, /** @type {string} */ most, /** @type {fc.Arbitrary<number>} */ low) =>
  between(low).chain(([min, more]) =>
    fc.constantFrom(
      {},
      { [least]: min },
      { [most]: Math.max(0, min + more) },
      { [least]: min, [most]: Math.max(0, min + more) },
    ),
  );
const joined = (/** @type {fc.Arbitrary<any>[]} */ ...parts) =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all));

const strings = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: fc.constant({ type: "string" }) },
  { weight: 3, arbitrary: bounded("minLength", "maxLength", length).map((more) => ({ type: "string", ...more })) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(formats)).map((format) => ({ type: "string", format })) },
  { weight: 3, arbitrary: patterns.map((pattern) => ({ type: "string", pattern })) },
  {
    weight: 2,
    arbitrary: joined(
      fc.constant({ type: "string" }),
      bounded("minLength", "maxLength", length),
      record({ pattern: [5, patterns], format: [4, fc.constantFrom(...Object.keys(formats))] }),
    ),
  },
);

const numeric = fc
  .tuple(
    fc.constantFrom("integer", "number"),
    numbers,
    fc.oneof(fc.nat(30), fc.constantFrom(0, 0.5, 1000)),
    record({
      minimum: [4, fc.constant(0)],
      exclusiveMinimum: [2, fc.constant(0)],
      maximum: [4, fc.constant(0)],
      exclusiveMaximum: [2, fc.constant(0)],
      multipleOf: [3, fc.constantFrom(1, 2, 3, 7, 10, 0.5, 0.01, 25)],
    }),
  )
  .map(([type, low, more, has]) => {
    const bounds = Object.keys(has).map((key) => [
      key,
      /min/i.test(key) ? low : /max/i.test(key) ? low + more : has[key],
    ]);
    return { type, ...Object.fromEntries(bounds) };
  });

const others = fc.oneof(
  fc.constantFrom({ type: "boolean" }, { type: "null" }, {}, true, { type: ["string", "null"] }, { type: "object" }),
  fc.constantFrom({ type: "array" }, { type: ["integer", "boolean"] }, false),
  values.map((value) => ({ const: value })),
  fc.array(values, { minLength: 1, maxLength: 5 }).map((list) => ({ enum: list })),
);

const { schema, top } = fc.letrec((tie) => {
  const inner = tie("schema");
  const few = fc.array(inner, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(names, inner, { maxKeys: 4, noNullPrototype: true });
  const keys = fc.uniqueArray(names, { maxLength: 3 });
  const size = { withCrossShrink: true, maxDepth: 4, depthIdentifier: "schema" };

  const arrays = joined(
    fc.constant({ type: "array" }),
    record({
      items: [7, inner],
      uniqueItems: [4, fc.constant(true)],
      prefixItems: [1, few],
      contains: [1, inner],
      unevaluatedItems: [0.5, fc.oneof(fc.boolean(), inner)],
    }),
    fc.oneof(fc.constant({}), bounded("minItems", "maxItems", small)),
  ).chain((made) =>
    made.contains === undefined
      ? fc.constant(made)
      : bounded("minContains", "maxContains", fc.nat(2)).map((more) => ({ ...made, ...more })),
  );

  const objects = joined(
    fc.constant({ type: "object" }),
    map.chain((properties) =>
      fc.subarray(Object.keys(properties)).map((required) => ({
        ...(Object.keys(properties).length ? { properties } : {}),
        ...(required.length ? { required } : {}),
      })),
    ),
    record({
      additionalProperties: [
        6,
        fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: inner }),
      ],
      patternProperties: [1, fc.dictionary(patterns, inner, { minKeys: 1, maxKeys: 2, noNullPrototype: true })],
      propertyNames: [0.5, fc.oneof(strings, inner)],
      minProperties: [0.7, fc.nat(3)],
      maxProperties: [0.7, fc.nat(4)],
      dependentRequired: [0.5, fc.dictionary(names, keys, { minKeys: 1, maxKeys: 2, noNullPrototype: true })],
      dependentSchemas: [0.5, fc.dictionary(names, inner, { minKeys: 1, maxKeys: 2, noNullPrototype: true })],
      unevaluatedProperties: [0.5, fc.oneof(fc.constant(false), inner)],
    }),
  );

  const combined = joined(
    fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.oneof(strings, objects, numeric) }),
    fc.oneof(
      few.map((anyOf) => ({ anyOf })),
      few.map((oneOf) => ({ oneOf })),
      few.map((allOf) => ({ allOf })),
      inner.map((not) => ({ not })),
      fc.tuple(inner, inner, inner).map(([test, then, otherwise]) => ({ if: test, then, else: otherwise })),
    ),
  );

  const references = fc.constantFrom({ $ref: "#/$defs/one" }, { $ref: "#/$defs/two" }, { $ref: "#" });
  // What real schemas often are: lists of closed objects without repetition.
  const tables = fc.tuple(objects, bounded("minItems", "maxItems", small)).map(([items, more]) => ({
    type: "array",
    uniqueItems: true,
    items: { ...items, additionalProperties: false },
    ...more,
  }));

  return {
    schema: fc.oneof(
      size,
      { weight: 5, arbitrary: strings },
      { weight: 3, arbitrary: numeric },
      { weight: 3, arbitrary: others },
      { weight: 6, arbitrary: objects },
      { weight: 4, arbitrary: arrays },
      { weight: 1, arbitrary: tables },
      { weight: 2, arbitrary: combined },
      { weight: 1, arbitrary: references },
    ),
    top: fc.oneof(
      size,
      { weight: 2, arbitrary: strings },
      { weight: 1, arbitrary: numeric },
      { weight: 8, arbitrary: objects },
      { weight: 5, arbitrary: arrays },
      { weight: 2, arbitrary: tables },
      { weight: 3, arbitrary: combined },
    ),
  };
});

/** Whole schemas, with what their references name. @type {fc.Arbitrary<any>} */
export const schemas = fc.tuple(top, schema, schema).map(([root, one, two]) => {
  const text = JSON.stringify([root, one, two]);
  const $defs = /** @type {Record<string, any>} */ ({});
  if (text.includes('"#/$defs/one"')) $defs.one = one;
  if (text.includes('"#/$defs/two"')) $defs.two = two;
  return Object.keys($defs).length ? { ...root, $defs } : root;
});
