// Generated from C's headers by wasm/generate.js: edit those, then run `make generate`.

/** The keywords of JSON Schema that a form has: li_keyword. */
export const schemaKeywords = {
  false: 1,
  type: 2,
  enum: 3,
  minimum: 4,
  maximum: 5,
  exclusiveMinimum: 6,
  exclusiveMaximum: 7,
  multipleOf: 8,
  minLength: 9,
  maxLength: 10,
  pattern: 11,
  format: 12,
  prefixItems: 13,
  items: 14,
  minItems: 15,
  maxItems: 16,
  uniqueItems: 17,
  contains: 18,
  properties: 19,
  patternProperties: 20,
  additionalProperties: 21,
  required: 22,
  minProperties: 23,
  maxProperties: 24,
  propertyNames: 25,
  dependentRequired: 26,
  dependentSchemas: 27,
  allOf: 28,
  anyOf: 29,
  oneOf: 30,
  not: 31,
  if: 32,
  $ref: 33,
  unevaluatedItems: 34,
  unevaluatedProperties: 35,
};

/** The types of JSON Schema, as bits: li_type. */
export const schemaTypes = {
  null: 1,
  boolean: 2,
  integer: 4,
  number: 8,
  string: 16,
  array: 32,
  object: 64,
};

// Tags of JSON values: LI_FORM_…
export const VALUE_NULL = 1;
export const VALUE_FALSE = 2;
export const VALUE_TRUE = 3;
export const VALUE_DECIMAL = 4;
export const VALUE_STRING = 5;
export const VALUE_ARRAY = 6;
export const VALUE_OBJECT = 7;
