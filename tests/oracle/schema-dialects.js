// A schema of 2020-12 in the words of an older draft that mean the same.

const uris = {
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  7: "http://json-schema.org/draft-07/schema#",
  4: "http://json-schema.org/draft-04/schema#",
};
/** Words that came later than each draft, and that nothing before them says. */
const absent = {
  "2019-09": [],
  7: ["unevaluatedItems", "unevaluatedProperties", "minContains", "maxContains"],
  4: ["contains", "propertyNames", "if", "unevaluatedItems", "unevaluatedProperties"],
};
const lists = ["allOf", "anyOf", "oneOf"];
const maps = ["properties", "patternProperties", "$defs"];
const singles = ["items", "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties"];

class Unspeakable extends Error {}

/** @param {any} schema @param {"2019-09" | 7 | 4} draft @returns {any} */
function translate(schema, draft) {
  if (typeof schema === "boolean") return draft === 4 ? (schema ? {} : { not: {} }) : schema;
  const go = (/** @type {any} */ inner) => translate(inner, draft);
  const each = (/** @type {any} */ map) =>
    Object.fromEntries(Object.entries(map).map(([key, inner]) => [key, go(inner)]));
  const made = /** @type {Record<string, any>} */ ({});
  for (const [key, value] of Object.entries(schema)) {
    if (/** @type {string[]} */ (absent[draft]).includes(key)) throw new Unspeakable(key);
    if (lists.includes(key)) made[key] = value.map(go);
    else if (key === "prefixItems") made.items = value.map(go);
    else if (key === "items" && schema.prefixItems) made.additionalItems = go(value);
    else if (key === "$defs" && draft !== "2019-09") made.definitions = each(value);
    else if (maps.includes(key)) made[key] = each(value);
    else if (singles.includes(key) || key.startsWith("unevaluated")) made[key] = go(value);
    else if (key === "$ref" && draft !== "2019-09") made.$ref = value.replace("/$defs/", "/definitions/");
    else if (key.startsWith("dependent") && draft !== "2019-09") {
      const more = key === "dependentSchemas" ? each(value) : value;
      if (
        Object.keys(more).some(
          (name) => made.dependencies?.[name] || (draft === 4 && !more[name].length && Array.isArray(more[name])),
        )
      )
        throw new Unspeakable(key);
      made.dependencies = { ...made.dependencies, ...more };
    } else if (key === "dependentSchemas") made[key] = each(value);
    else if (key === "const" && draft === 4) {
      if (schema.enum) throw new Unspeakable(key);
      made.enum = [value];
    } else if (/^exclusive/.test(key) && draft === 4) {
      const bound = key === "exclusiveMinimum" ? "minimum" : "maximum";
      if (bound in schema) throw new Unspeakable(key);
      Object.assign(made, { [bound]: value, [key]: true });
    } else made[key] = value;
  }
  if (draft === "2019-09" && "contains" in made && "unevaluatedItems" in made) throw new Unspeakable("contains");
  return made;
}

/**
 * @param {any} schema of 2020-12, in which nothing stands beside a $ref
 * @param {"2020-12" | "2019-09" | 7 | 4} draft
 * @returns {any} undefined: the draft has no words for it
 */
export function inDialect(schema, draft) {
  if (draft === "2020-12") return schema;
  try {
    return { $schema: uris[draft], ...translate(schema, draft) };
  } catch (error) {
    if (error instanceof Unspeakable) return undefined;
    throw error;
  }
}
