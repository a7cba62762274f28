// Random JSON Schemas, judged by an evaluator that is written from the specification only.
import fc from "fast-check";
import { randomFrom } from "../bench/grammar-random.js";
import { mutate, topicsOf } from "./mutants.js";
import { documentFor, spell } from "./schema-documents.js";
import { inDialect } from "./schema-dialects.js";
import { schemas } from "./schema-arbitrary.js";
import { isInstance } from "./schema-judge.js";

const separators = [
  { item: ",", key: ":" },
  { item: ", ", key: ": " },
  { item: " ,\n ", key: " : " },
];

/** One schema, how it is compiled, and the seed of its documents. */
export const cases = fc.record({
  schema: schemas,
  draft: fc.constantFrom("2020-12", "2020-12", "2020-12", "2019-09", 7, 4),
  propertyOrder: fc.constantFrom("any", "schema"),
  whitespace: fc.constantFrom("flexible", "compact"),
  seed: fc.nat(),
});

/** False where two places may describe the properties of one object: then no order of them is prescribed. */
const isOrderClear = (/** @type {string} */ text) =>
  !/"(?:allOf|anyOf|oneOf|if|not|\$ref|dependentSchemas|dependencies|dependentRequired|propertyNames|contains|patternProperties)":/.test(
    text,
  );

/** Keys in the order of a schema's properties, others after them. */
function inOrder(/** @type {string[]} */ keys, /** @type {any} */ schema) {
  const names = Object.keys(schema?.properties ?? {});
  const place = (/** @type {string} */ key) => (names.includes(key) ? names.indexOf(key) : names.length);
  return [...keys].sort((a, b) => place(a) - place(b));
}

/**
 * @param {import("./reader.js").Bench} bench
 * @param {{ schema: any, draft: any, propertyOrder: string, whitespace: string, seed: number }} chosen
 * @param {{ all?: boolean }} [how] all: one mask is compared for every token
 */
export async function check(bench, { schema, draft, propertyOrder, whitespace, seed }, { all = seed % 64 === 0 } = {}) {
  const translated = inDialect(schema, draft);
  if (!translated) return;
  const text = JSON.stringify(translated);
  const reader = await bench.compile({ jsonSchema: text, propertyOrder, whitespace }, seed);
  if (!reader) return;
  try {
    const random = randomFrom(seed);
    // In draft 4 the spelling decides whether a number is an integer.
    const judged = draft === 4 ? JSON.parse(JSON.stringify(schema).replaceAll('"integer"', '"plain integer"')) : schema;
    const judge = (/** @type {string} */ instance) => isInstance(judged, instance);
    const topics = topicsOf(schema);
    const valid = [];
    const made = Array.from({ length: 6 }, () => documentFor(schema, random));
    const changed = made.slice(0, 5).map((value) => {
      for (let times = Math.floor(random() * 2); times >= 0; times--) value = mutate(value, topics, random);
      return value;
    });
    const isAny = propertyOrder === "any";
    const isClear = isAny || isOrderClear(text);
    const shuffled = (/** @type {string[]} */ keys) =>
      keys.map((key) => /** @type {const} */ ([random(), key])).sort().map(([, key]) => key); // prettier-ignore
    const arrange = isAny ? shuffled : inOrder;
    for (const value of [...made, ...changed]) {
      const spacing = separators[whitespace === "compact" ? 0 : Math.floor(random() * 3)];
      const instance = value === undefined ? "null" : spell(value, schema, arrange, spacing);
      if (instance.length > 4000 || /\\ud[89a-f]/.test(instance)) continue;
      const isValid = judge(instance);
      if (isValid === undefined || (isValid && !isClear)) continue;
      reader.read(instance, isValid);
      if (isValid) valid.push(instance);
    }
    for (const instance of valid.slice(0, 4)) reader.follow(instance);
    for (let time = 0; time < 3; time++)
      await reader.walk(time ? (valid[time - 1] ?? "") : "", (instance) => judge(instance) ?? true);
    if (all && valid.length) reader.compareAll(valid[0]);
  } finally {
    reader.dispose();
  }
}
