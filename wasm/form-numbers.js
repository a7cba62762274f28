// The numbers of the form, the bytes in which C gets grammars from JavaScript, from the headers of src/grammar/.
import { macro } from "./c-headers.js";
import { camel, enumConstants, enumTable, notice } from "./source.js";

const fromHeaders = notice("the headers of src/grammar/");

function formNumbersModule() {
  return `${fromHeaders}
/** Tags of expressions: LI_FORM_… */
export const expressionTags = ${enumTable("LI_FORM_NOTHING", "LI_FORM_")};

// Flags of a form: LI_FORM_…
${enumConstants("LI_FORM_ANY_ORDER", "LI_FORM_", "FLAG_")}

/** Levels of nesting that C reads: LI_FORM_DEPTH. */
export const FORM_DEPTH = ${macro("LI_FORM_DEPTH")};

// The limits of a vocabulary: bytes of a token, bytes of all tokens, tokens.
export const TOKEN_LIMIT = ${macro("LI_TOKEN_LIMIT")};
export const TOKEN_BYTES_LIMIT = ${macro("LI_TOKEN_BYTES_LIMIT")};
export const TOKEN_COUNT_LIMIT = ${macro("LI_TOKEN_COUNT_LIMIT")};

// Why C refuses a keyword: li_refusal_reason.
${enumConstants("LI_REFUSAL_TOO_COMPLEX", "LI_REFUSAL_", "REFUSAL_")}

// The limits of a grammar: li_limit.
${enumConstants("LI_LIMIT_FUEL", "LI_LIMIT_", "LIMIT_")}
`;
}

function schemaNumbersModule() {
  return `${fromHeaders}
/** The keywords of JSON Schema that a form has: li_keyword. */
export const schemaKeywords = ${enumTable("LI_KEYWORD_FALSE", "LI_KEYWORD_", (name) => (name === "REF" ? "$ref" : camel(name)))};

/** The types of JSON Schema, as bits: li_type. */
export const schemaTypes = ${enumTable("LI_TYPE_NULL", "LI_TYPE_")};

// Tags of JSON values: LI_FORM_…
${enumConstants("LI_FORM_NULL", "LI_FORM_", "VALUE_")}
`;
}

export const formNumberFiles = {
  "web/grammar/form-numbers.js": formNumbersModule(),
  "web/grammar/readers/schema/schema-numbers.js": schemaNumbersModule(),
};
