// Writes each keyword of JSON Schema into the form: src/grammar/schema/keywords.h lists the payloads.
import { isWellFormed } from "../../well-formed.js";
import { FormWriter } from "../form.js";
import { decimalText, isObject, keysOf, member } from "../json-value.js";
import { patternTools } from "./pattern-tools.js";
import {
  VALUE_ARRAY,
  VALUE_DECIMAL,
  VALUE_FALSE,
  VALUE_NULL,
  VALUE_OBJECT,
  VALUE_STRING,
  VALUE_TRUE,
  schemaTypes,
} from "./schema-numbers.js";

/** @typedef {import("./schema.js").SchemaReader} SchemaReader */
/** @typedef {import("../form.js").Expression} Expression */

const deepestValue = 400;
/** The largest count. A higher limit has no effect. */
const largestCount = 0xfffffffe;

/**
 * A keyword's count: an integer, which may be spelt 2.0.
 * @param {SchemaReader} reader
 * @param {any} value
 */
function count(reader, value) {
  const text = decimalText(value);
  const number = Number(text);
  const isWhole =
    number === Infinity || (Number.isInteger(number) && (number !== 0 || !/^[^eE]*[1-9]/.test(text ?? "")));
  if (number < 0 || !isWhole) reader.fail("it must be a whole number, 0 or more.");
  return number;
}

/** @param {string} word */
const atLeast = (word) => (/** @type {SchemaReader} */ reader, /** @type {any} */ value) => {
  const least = count(reader, value);
  if (least > 0) reader.emit(word, [Math.min(least, largestCount)]);
};

/** @param {string} word */
const atMost = (word) => (/** @type {SchemaReader} */ reader, /** @type {any} */ value) => {
  const most = count(reader, value);
  if (most <= largestCount) reader.emit(word, [most]);
};

/** @param {"minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"} word */
const bound = (word) => (/** @type {SchemaReader} */ reader, /** @type {any} */ value) => {
  const text = decimalText(value);
  if (text === undefined) return reader.fail("it must be a number.");
  reader.emit(word);
  reader.writer.text(text);
};

/** Draft 4: `exclusive: true` makes the bound beside it exclusive. @param {"minimum" | "maximum"} word */
const inclusive = (word) => (/** @type {SchemaReader} */ reader, /** @type {any} */ value) => {
  const exclusive = word === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  bound(member(reader.schema, exclusive) === true && reader.takesBooleanBounds ? exclusive : word)(reader, value);
};

/** @param {"exclusiveMinimum" | "exclusiveMaximum"} word */
const exclusive = (word) => (/** @type {SchemaReader} */ reader, /** @type {any} */ value) => {
  const isBoolean = typeof value === "boolean" && reader.takesBooleanBounds;
  if (!isBoolean) return bound(word)(reader, value);
  const beside = word === "exclusiveMinimum" ? "minimum" : "maximum";
  if (value && member(reader.schema, beside) === undefined) reader.fail(`it needs ${beside}.`);
};

/**
 * @param {SchemaReader} reader
 * @param {any} value
 * @returns {string[]} distinct
 */
function names(reader, value) {
  if (!Array.isArray(value)) return reader.fail("it must be an array of strings.");
  for (const name of value) checkText(reader, name);
  return [...new Set(value)];
}

/** @param {SchemaReader} reader @param {any} text */
function checkText(reader, text) {
  if (typeof text !== "string") reader.fail("it must hold only strings.");
  if (!isWellFormed(text))
    reader.fail(`${JSON.stringify(text)} has half of a surrogate pair, which UTF-8 cannot write.`);
}

/** @param {SchemaReader} reader @param {any} value @returns {string[]} */
function keys(reader, value) {
  if (!isObject(value)) return reader.fail("it must be an object.");
  return keysOf(value);
}

/**
 * A JSON value within a schema.
 * @param {SchemaReader} reader
 * @param {any} value
 * @param {number} depth
 */
function writeValue(reader, value, depth) {
  const { writer } = reader;
  if (depth > deepestValue) reader.fail(`its value is nested more than ${deepestValue} levels deep.`);
  if (value === null) return writer.number(VALUE_NULL);
  if (typeof value === "boolean") return writer.number(value ? VALUE_TRUE : VALUE_FALSE);
  if (typeof value === "string") {
    checkText(reader, value);
    writer.number(VALUE_STRING);
    return writer.text(value);
  }
  const text = decimalText(value);
  if (text !== undefined) {
    writer.number(VALUE_DECIMAL);
    return writer.text(text);
  }
  if (Array.isArray(value)) {
    writer.number(VALUE_ARRAY);
    writer.number(value.length);
    for (const item of value) writeValue(reader, item, depth + 1);
    return;
  }
  if (!isObject(value)) reader.fail(`${String(value)} is not a JSON value.`);
  const all = keysOf(value);
  writer.number(VALUE_OBJECT);
  writer.number(all.length);
  for (const key of all) {
    checkText(reader, key);
    writer.text(key);
    writeValue(reader, member(value, key), depth + 1);
  }
}

/** @param {SchemaReader} reader @param {any[]} values */
function writeEnum(reader, values) {
  reader.emit("enum", [values.length]);
  for (const value of values) writeValue(reader, value, 1);
}

/** One subschema. @param {string} word @param {boolean} [isInPlace] */
const one = (word, isInPlace) => (/** @type {SchemaReader} */ reader, /** @type {any} */ value) => {
  reader.emit(word, [reader.index(value, word, undefined, isInPlace)]);
};

/** Several subschemas. @param {string} word @param {boolean} [isInPlace] */
const several = (word, isInPlace) => (/** @type {SchemaReader} */ reader, /** @type {any} */ value) => {
  const indexes = subschemas(reader, value, word, isInPlace);
  reader.emit(word, [indexes.length, ...indexes]);
};

/** @param {SchemaReader} reader @param {any} value @param {string} word @param {boolean} [isInPlace] @returns {number[]} */
function subschemas(reader, value, word, isInPlace) {
  if (!Array.isArray(value) || value.length === 0) return reader.fail("it must be an array of at least one schema.");
  return value.map((schema, at) => reader.index(schema, word, at, isInPlace));
}

/** @param {string} word @param {boolean} [isInPlace] */
const byKey = (word, isInPlace) => (/** @type {SchemaReader} */ reader, /** @type {any} */ value) => {
  const all = keys(reader, value);
  for (const key of all) checkText(reader, key);
  const indexes = all.map((key) => reader.index(member(value, key), reader.keyword, key, isInPlace));
  if (all.length === 0) return;
  reader.emit(word, [all.length]);
  all.forEach((key, at) => {
    reader.writer.text(key);
    reader.writer.number(indexes[at]);
  });
};

/** @param {SchemaReader} reader @param {any} value */
function patternProperties(reader, value) {
  const all = keys(reader, value);
  const rows = all.map((key) => {
    const bytes = pattern(reader, key);
    return { bytes, index: reader.index(member(value, key), "patternProperties", key) };
  });
  if (rows.length === 0) return;
  reader.emit("patternProperties", [rows.length]);
  for (const { bytes, index } of rows) {
    reader.writer.raw(bytes);
    reader.writer.number(index);
  }
}

/** Writes an expression as bytes of the form. @param {Expression} expression */
function written(expression) {
  const writer = new FormWriter();
  writer.expression(expression);
  return writer.bytes;
}

/** @param {SchemaReader} reader @param {string} source */
function pattern(reader, source) {
  const known = reader.patterns.get(source);
  if (known) return known;
  const { searchExpression } = patternTools();
  const bytes = reader.attempt(() => written(searchExpression(source, "u")));
  reader.patterns.set(source, bytes);
  return bytes;
}

/** Cached formats: reading a format takes some time. @type {Map<string, Uint8Array>} */
const formats = new Map();

/** @param {string} name */
function format(name) {
  const known = formats.get(name);
  const expression = known ? undefined : patternTools().formatExpression(name);
  if (!expression) return known;
  const bytes = written(expression);
  formats.set(name, bytes);
  return bytes;
}

/** The items after an array of schemas. @param {SchemaReader} reader @param {any} value */
function tuple(reader, value) {
  const indexes = value.length === 0 ? [] : subschemas(reader, value, "items");
  const rest = member(reader.schema, "additionalItems");
  const index =
    rest !== undefined && reader.dialect.knows("additionalItems") ? reader.index(rest, "additionalItems") : -1;
  if (indexes.length > 0) reader.emit("prefixItems", [indexes.length, ...indexes]);
  if (index >= 0) reader.emit("items", [index]);
}

/** A keyword that is read together with `lead`. @param {string} lead */
const beside = (lead) => (/** @type {SchemaReader} */ reader) => {
  if (member(reader.schema, lead) === undefined) reader.warn(`it has no effect without ${lead}.`);
};

/** @param {SchemaReader} reader @param {any} value */
function dynamicReference(reader, value) {
  reader.need("hasDynamic");
  reader.members.push(reader.reference(value));
}

/** @param {string} word */
const unevaluated = (word) => (/** @type {SchemaReader} */ reader, /** @type {any} */ value) => {
  reader.need("hasUnevaluated");
  one(word)(reader, value);
};

/** @type {Map<string, (reader: SchemaReader, value: any) => void>} */
export const keywords = new Map(
  Object.entries({
    /** @param {SchemaReader} reader @param {any} value */
    type(reader, value) {
      const list = Array.isArray(value) ? value : [value];
      let bits = 0;
      for (const name of list) {
        if (typeof name !== "string" || !Object.hasOwn(schemaTypes, name))
          reader.fail(`${JSON.stringify(name)} is not a type of JSON Schema.`);
        bits |= schemaTypes[/** @type {keyof typeof schemaTypes} */ (name)];
      }
      if (bits === 0) reader.fail("it must name at least one type.");
      reader.hasPlainIntegers ||= reader.dialect.draft === 4 && list.includes("integer") && !list.includes("number");
      reader.emit("type", [bits]);
    },
    /** @param {SchemaReader} reader @param {any} value */
    enum(reader, value) {
      if (!Array.isArray(value)) return reader.fail("it must be an array.");
      writeEnum(reader, value);
    },
    /** @param {SchemaReader} reader @param {any} value */
    const(reader, value) {
      if (member(reader.schema, "enum") !== undefined) return reader.extra("const", value);
      writeEnum(reader, [value]);
    },
    minimum: inclusive("minimum"),
    maximum: inclusive("maximum"),
    exclusiveMinimum: exclusive("exclusiveMinimum"),
    exclusiveMaximum: exclusive("exclusiveMaximum"),
    /** @param {SchemaReader} reader @param {any} value */
    multipleOf(reader, value) {
      if (!/^[^-eE]*[1-9]/.test(decimalText(value) ?? "")) reader.fail("it must be a number above 0.");
      bound(/** @type {any} */ ("multipleOf"))(reader, value);
    },
    minLength: atLeast("minLength"),
    maxLength: atMost("maxLength"),
    /** @param {SchemaReader} reader @param {any} value */
    pattern(reader, value) {
      if (typeof value !== "string") return reader.fail("it must be a string.");
      const bytes = pattern(reader, value);
      reader.emit("pattern");
      reader.writer.raw(bytes);
    },
    /** @param {SchemaReader} reader @param {any} value */
    format(reader, value) {
      if (typeof value !== "string") return reader.fail("it must be a string.");
      if (!reader.asserts) return;
      const bytes = format(value);
      if (!bytes) return reader.warn(`the format ${JSON.stringify(value)} is not known, so it is not checked.`);
      reader.emit("format");
      reader.writer.raw(bytes);
    },
    prefixItems: several("prefixItems"),
    /** @param {SchemaReader} reader @param {any} value */
    items(reader, value) {
      if (!Array.isArray(value)) return one("items")(reader, value);
      if (reader.dialect.isDeclared && reader.dialect.draft >= 2020)
        reader.fail("draft 2020-12 has prefixItems for an array of schemas.");
      if (member(reader.schema, "prefixItems") !== undefined) reader.fail("it must be a schema beside prefixItems.");
      tuple(reader, value);
    },
    /** @param {SchemaReader} reader */
    additionalItems(reader) {
      if (!Array.isArray(member(reader.schema, "items"))) reader.warn("it has no effect without an array of items.");
    },
    minItems: atLeast("minItems"),
    maxItems: atMost("maxItems"),
    /** @param {SchemaReader} reader @param {any} value */
    uniqueItems(reader, value) {
      if (typeof value !== "boolean") reader.fail("it must be true or false.");
      if (value) reader.emit("uniqueItems");
    },
    /** @param {SchemaReader} reader @param {any} value */
    contains(reader, value) {
      const limits = ["minContains", "maxContains"].map((word) =>
        reader.dialect.knows(word) ? member(reader.schema, word) : undefined,
      );
      const least = limits[0] === undefined ? 1 : Math.min(count(reader, limits[0]), largestCount);
      const most = limits[1] === undefined ? Infinity : count(reader, limits[1]);
      // Only since draft 2020-12 does `contains` evaluate items. Under a double negation it evaluates none.
      if (reader.dialect.draft === 2019 && reader.found.hasUnevaluated && !reader.isMade) {
        const words = ["contains", "minContains", "maxContains"].filter(
          (word) => member(reader.schema, word) !== undefined,
        );
        const same = reader.make(new Map(words.map((word) => [word, member(reader.schema, word)])));
        return reader.extra("not", reader.make(new Map([["not", same]])));
      }
      const index = reader.index(value, "contains");
      if (least === 0 && most > largestCount && !reader.found.hasUnevaluated) return;
      reader.emit("contains", [index, least, most > largestCount ? 0 : most + 1]);
    },
    minContains: beside("contains"),
    maxContains: beside("contains"),
    properties: byKey("properties"),
    patternProperties,
    additionalProperties: one("additionalProperties"),
    /** @param {SchemaReader} reader @param {any} value */
    required(reader, value) {
      if (typeof value === "boolean") reader.fail("since draft 4 it is a list of names beside properties.");
      const list = names(reader, value);
      if (list.length === 0) return;
      reader.emit("required", [list.length]);
      for (const name of list) reader.writer.text(name);
    },
    minProperties: atLeast("minProperties"),
    maxProperties: atMost("maxProperties"),
    propertyNames: one("propertyNames"),
    /** @param {SchemaReader} reader @param {any} value */
    dependentRequired(reader, value) {
      const rows = keys(reader, value).map((key) => ({ key, list: names(reader, member(value, key)) }));
      if (rows.length === 0) return;
      reader.emit("dependentRequired", [rows.length]);
      for (const { key, list } of rows) {
        checkText(reader, key);
        reader.writer.text(key);
        reader.writer.number(list.length);
        for (const name of list) reader.writer.text(name);
      }
    },
    dependentSchemas: byKey("dependentSchemas", true),
    /** @param {SchemaReader} reader @param {any} value */
    dependencies(reader, value) {
      const rows = keys(reader, value).map((key) => /** @type {[string, any]} */ ([key, member(value, key)]));
      for (const word of ["dependentRequired", "dependentSchemas"]) {
        const part = new Map(rows.filter((row) => Array.isArray(row[1]) === (word === "dependentRequired")));
        const isAlone = member(reader.schema, word) === undefined || !reader.dialect.knows(word);
        if (part.size > 0 && isAlone) keywords.get(word)?.(reader, part);
        else if (part.size > 0) reader.extra(word, part);
      }
    },
    /** @param {SchemaReader} reader @param {any} value */
    allOf(reader, value) {
      for (const index of subschemas(reader, value, "allOf", true)) reader.members.push(index);
    },
    anyOf: several("anyOf", true),
    oneOf: several("oneOf", true),
    not: one("not", true),
    /** @param {SchemaReader} reader @param {any} value */
    if(reader, value) {
      const [then, otherwise] = ["then", "else"].map((word) => member(reader.schema, word));
      // Without then and else, `if` constrains nothing but evaluates properties and items.
      if (then === undefined && otherwise === undefined && !reader.found.hasUnevaluated) return;
      const condition = reader.index(value, "if", undefined, true);
      const yes = then === undefined ? -1 : reader.index(then, "then", undefined, true);
      const no = otherwise === undefined ? -1 : reader.index(otherwise, "else", undefined, true);
      reader.emit("if", [condition, yes + 1, no + 1]);
    },
    then: beside("if"),
    else: beside("if"),
    /** @param {SchemaReader} reader @param {any} value */
    $ref(reader, value) {
      reader.emit("$ref", [reader.reference(value)]);
    },
    $dynamicRef: dynamicReference,
    $recursiveRef: dynamicReference,
    unevaluatedItems: unevaluated("unevaluatedItems"),
    unevaluatedProperties: unevaluated("unevaluatedProperties"),
  }),
);
