// Generated from src/tables/errors.json by wasm/generate.js: edit that, then run `make generate`.

/** The errors of grammars, as in core/error-table.js. @type {[import("../core/error-table.js").ErrorCode, number, string][]} */
export const grammarErrorTable = [
  ["grammar-form", -40, "The bytes are not the form of a grammar."],
  ["grammar-unsupported", -41, "The grammar contains something that cannot be enforced."],
  ["grammar-fuel", -42, "The grammar needs more work than its limit: simplify it, or raise `fuel` or `stepFuel`."],
  ["vocabulary-corrupt", -43, "The prepared vocabulary is damaged, or was made by another version."],
  ["grammar-schema", 0, "The JSON Schema is not valid."],
  ["grammar-reference", 0, "A $ref of the JSON Schema names a missing schema: pass that schema in `remotes`."],
  ["grammar-syntax", 0, "The grammar has a syntax error."],
];
