// The drafts of JSON Schema: their keywords, the places of subschemas, and the meaning of keywords that changed.
import { editDistance } from "../../../core/edit-distance.js";
import { isObject, keysOf, member } from "../json-value.js";

/**
 * @typedef {object} Dialect
 * @property {number} draft 4, 6, 7, 2019 or 2020
 * @property {boolean} isDeclared a known $schema names it; if false, the keywords of all drafts count
 * @property {"id" | "$id"} idWord
 * @property {boolean} refStandsAlone $ref switches off the keywords beside it
 * @property {(word: string) => boolean} knows
 */

/** The first and the last draft of each word that constrains, and its vocabulary from 2019 on. @type {Map<string, [from: number, to: number, vocabulary: string]>} */
const words = new Map();
/** @param {number} from @param {number} to @param {string} vocabulary @param {string} list */
const learn = (from, to, vocabulary, list) => {
  for (const word of list.split(" ")) words.set(word, [from, to, vocabulary]);
};
const now = Infinity;
learn(4, now, "core", "$ref");
learn(2020, now, "core", "$dynamicRef");
learn(2019, 2019, "core", "$recursiveRef");
learn(
  4,
  now,
  "validation",
  "type enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength",
);
learn(4, now, "validation", "pattern minItems maxItems uniqueItems required minProperties maxProperties");
learn(6, now, "validation", "const");
learn(2019, now, "validation", "minContains maxContains dependentRequired");
learn(4, now, "applicator", "allOf anyOf oneOf not items properties patternProperties additionalProperties");
learn(4, now, "applicator", "dependencies"); // the meta-schemas of 2019 and 2020 still describe it
learn(4, 2019, "applicator", "additionalItems");
learn(6, now, "applicator", "contains propertyNames");
learn(7, now, "applicator", "if then else");
learn(2019, now, "applicator", "dependentSchemas");
learn(2020, now, "applicator", "prefixItems");
learn(2019, now, "unevaluated", "unevaluatedItems unevaluatedProperties");
learn(4, now, "format", "format");

/** All keywords, in any draft, that constrain a value. */
export const constraints = [...words.keys()];

const silent =
  "$schema $id id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment $defs definitions title description " +
  "default examples deprecated readOnly writeOnly example externalDocs xml";
/** Keywords that constrain nothing. */
export const annotations = new Set(silent.split(" "));

const contents = "it is only a description: the encoded content is not checked.";
/** Words that look like keywords but constrain nothing, and the warning about each. @type {Map<string, string>} */
export const hints = new Map([
  ["contentEncoding", contents],
  ["contentMediaType", contents],
  ["contentSchema", contents],
  ["nullable", 'it belongs to OpenAPI 3.0 and has no effect; give "null" in type, or in anyOf.'],
  ["discriminator", "it is only a description: oneOf or anyOf decides."],
  ["divisibleBy", "it belongs to draft 3 and has no effect; use multipleOf."],
  ["disallow", "it belongs to draft 3 and has no effect; use not."],
  ["extends", "it belongs to draft 3 and has no effect; use allOf."],
]);

/** @type {Map<string, string | undefined>} what nearWord found */
const nearWords = new Map();

/** The keyword that an unknown word was probably meant to be. @param {string} word */
export function nearWord(word) {
  if (!nearWords.has(word)) {
    if (nearWords.size > 10_000) nearWords.clear();
    const near = (/** @type {string} */ known) =>
      Math.abs(word.length - known.length) <= 2 &&
      editDistance(word.toLowerCase(), known.toLowerCase()) <= Math.min(2, known.length >> 2);
    const isOurs = /^[_x$]/.test(word) && !word.startsWith("$r") && !word.startsWith("$d");
    const plain = (/** @type {string} */ text) => text.toLowerCase().replace(/[_-]/g, "");
    const same = constraints.find((known) => plain(known) === plain(word));
    nearWords.set(word, isOurs ? undefined : (same ?? constraints.find(near)));
  }
  return nearWords.get(word);
}

/** How the values of keywords contain subschemas. @type {Map<string, "one" | "list" | "map">} */
export const places = new Map();
for (const [kind, list] of /** @type {["one" | "list" | "map", string][]} */ ([
  ["one", "items additionalItems contains additionalProperties propertyNames not if then else"],
  ["one", "unevaluatedItems unevaluatedProperties"],
  ["list", "allOf anyOf oneOf prefixItems"],
  ["map", "properties patternProperties $defs definitions dependentSchemas dependencies"],
]))
  for (const word of list.split(" ")) places.set(word, kind);

/**
 * @param {number} draft
 * @param {boolean} isDeclared
 * @param {Set<string>} [vocabularies] the vocabularies in use
 * @returns {Dialect}
 */
const dialect = (draft, isDeclared, vocabularies) => ({
  draft,
  isDeclared,
  idWord: draft === 4 ? "id" : "$id",
  refStandsAlone: draft <= 7,
  knows: (word) => {
    const row = words.get(word);
    if (!row || (vocabularies && !vocabularies.has(row[2]))) return false;
    return isDeclared ? row[0] <= draft && draft <= row[1] : word !== "$recursiveRef";
  },
});

/** The dialect of schemas without $schema. */
export const undeclared = dialect(2020, false);

const declared = new Map([
  ["http://json-schema.org/draft-04/schema", dialect(4, true)],
  ["http://json-schema.org/draft-06/schema", dialect(6, true)],
  ["http://json-schema.org/draft-07/schema", dialect(7, true)],
  ["https://json-schema.org/draft/2019-09/schema", dialect(2019, true)],
  ["https://json-schema.org/draft/2020-12/schema", dialect(2020, true)],
]);

/** @param {string} uri of a meta-schema; http or https, also of hyper-schemas, with or without an empty fragment */
export function knownDialect(uri) {
  const plain = uri.replace(/#$/, "").replace(/hyper-schema$/, "schema");
  const known = declared.get(plain) ?? declared.get(plain.replace(/^https:/, "http:"));
  return known ?? declared.get(plain.replace(/^http:/, "https:"));
}

const knownVocabularies = new Set(
  "core applicator unevaluated validation format format-annotation format-assertion meta-data content".split(" "),
);

/**
 * The dialect of a custom meta-schema, by its $vocabulary.
 * @param {object} metaSchema
 * @returns {Dialect | string} or the required vocabulary that is not known
 */
export function ownDialect(metaSchema) {
  const base = knownDialect(String(member(metaSchema, "$schema"))) ?? undeclared;
  const listed = member(metaSchema, "$vocabulary");
  if (base.draft < 2019 || !isObject(listed)) return base;
  /** @type {Set<string>} */
  const inUse = new Set(["core"]);
  for (const uri of keysOf(listed)) {
    const name = /^https:\/\/json-schema\.org\/draft\/20(?:19-09|20-12)\/vocab\/([a-z-]+)$/.exec(uri)?.[1];
    if (name && knownVocabularies.has(name)) inUse.add(name.replace(/^format-.*/, "format"));
    else if (member(listed, uri) !== false) return uri;
  }
  if (base.draft === 2019 && inUse.has("applicator")) inUse.add("unevaluated");
  return dialect(base.draft, true, inUse);
}
