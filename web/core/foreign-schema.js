// Refuses objects that callers mistake for JSON Schemas, and that would allow any value.
import { typeError } from "./errors.js";

/** How to turn a library's schema into a JSON Schema, by the library's name in the property "~standard". */
const libraries = /** @type {Record<string, string>} */ ({
  zod: "z.toJSONSchema(schema)",
  valibot: 'toJsonSchema(schema) of the package "@valibot/to-json-schema"',
  arktype: "schema.toJsonSchema()",
});

/**
 * Refuses schemas of validation libraries, and objects in which other systems wrap a JSON Schema.
 * @param {string} name
 * @param {any} value
 * @throws {TypeError} "bad-type", with what to give instead
 */
export function refuseForeignSchema(name, value) {
  const found = typeof value === "function" || (typeof value === "object" && value !== null) ? foreignKind(value) : "";
  if (found) throw typeError("bad-type", `${name} must be a JSON Schema, but is ${found}.`);
}

/** @param {any} value */
function foreignKind(value) {
  const vendor = value["~standard"]?.vendor;
  if (value._def?.typeName)
    return 'a schema of Zod 3: give zodToJsonSchema(schema) of the package "zod-to-json-schema", or use Zod 4';
  // The result of z.toJSONSchema is a JSON Schema, although it has the property "~standard".
  if (vendor && (vendor !== "zod" || value._zod))
    return `a schema of the library ${vendor}: give ${(Object.hasOwn(libraries, vendor) && libraries[vendor]) || "the JSON Schema that the library makes of it"}`;
  const keys = Object.keys(value);
  const hasOnly = (/** @type {string[]} */ ...known) => keys.every((key) => known.includes(key));
  if (value.type === "json_schema" && hasOnly("type", "json_schema", "name", "description", "strict", "schema"))
    return `OpenAI's response_format: give its ${value.json_schema ? "json_schema.schema" : "schema"}`;
  if (isObject(value.schema) && hasOnly("name", "description", "strict", "schema"))
    return "the json_schema of OpenAI's response_format: give its schema";
  if (isObject(value.jsonSchema) && hasOnly("jsonSchema", "validate"))
    return "a schema of the AI SDK: give its jsonSchema";
  return "";
}

/** @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null;
