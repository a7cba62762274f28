// JSON Schema as the form carries it: a table of subschemas, each a list of keywords. JavaScript has resolved
// references (a subschema with dynamic references comes once per dynamic scope), translated every draft to the keywords
// of 2020-12 and left annotations out: every keyword of the form constrains values. Without a .c file: names only.
//
// The comment of each keyword is its payload. index: of a schema in the table; value, text, expression: form_reader.h.
#ifndef LI_KEYWORDS_H
#define LI_KEYWORDS_H

typedef enum li_keyword {
    LI_KEYWORD_FALSE = 1,              // -  the schema `false`
    LI_KEYWORD_TYPE,                   // bits of li_type
    LI_KEYWORD_ENUM,                   // count, value ... (const: one)
    LI_KEYWORD_MINIMUM,                // text, a decimal
    LI_KEYWORD_MAXIMUM,                // text
    LI_KEYWORD_EXCLUSIVE_MINIMUM,      // text
    LI_KEYWORD_EXCLUSIVE_MAXIMUM,      // text
    LI_KEYWORD_MULTIPLE_OF,            // text
    LI_KEYWORD_MIN_LENGTH,             // number (code points)
    LI_KEYWORD_MAX_LENGTH,             // number
    LI_KEYWORD_PATTERN,                // expression over the decoded text, of the whole string (search is spelt out)
    LI_KEYWORD_FORMAT,                 // expression, likewise
    LI_KEYWORD_PREFIX_ITEMS,           // count, index ...
    LI_KEYWORD_ITEMS,                  // index: of the items after the prefix
    LI_KEYWORD_MIN_ITEMS,              // number
    LI_KEYWORD_MAX_ITEMS,              // number
    LI_KEYWORD_UNIQUE_ITEMS,           // -
    LI_KEYWORD_CONTAINS,               // index, least, most + 1 (0: no limit)
    LI_KEYWORD_PROPERTIES,             // count, (text, index) ...  in the schema's order
    LI_KEYWORD_PATTERN_PROPERTIES,     // count, (expression, index) ...
    LI_KEYWORD_ADDITIONAL_PROPERTIES,  // index
    LI_KEYWORD_REQUIRED,               // count, text ...
    LI_KEYWORD_MIN_PROPERTIES,         // number
    LI_KEYWORD_MAX_PROPERTIES,         // number
    LI_KEYWORD_PROPERTY_NAMES,         // index
    LI_KEYWORD_DEPENDENT_REQUIRED,     // count, (text, count, text ...) ...
    LI_KEYWORD_DEPENDENT_SCHEMAS,      // count, (text, index) ...
    LI_KEYWORD_ALL_OF,                 // count, index ...
    LI_KEYWORD_ANY_OF,                 // count, index ...
    LI_KEYWORD_ONE_OF,                 // count, index ...
    LI_KEYWORD_NOT,                    // index
    LI_KEYWORD_IF,                     // index, then + 1 or 0, else + 1 or 0 (of indexes)
    LI_KEYWORD_REF,                    // index
    LI_KEYWORD_UNEVALUATED_ITEMS,      // index
    LI_KEYWORD_UNEVALUATED_PROPERTIES, // index
    LI_KEYWORD_COUNT,
} li_keyword;

typedef enum li_type {
    LI_TYPE_NULL = 1,
    LI_TYPE_BOOLEAN = 2,
    LI_TYPE_INTEGER = 4, // a number without a fraction, 1.0 too
    LI_TYPE_NUMBER = 8,
    LI_TYPE_STRING = 16,
    LI_TYPE_ARRAY = 32,
    LI_TYPE_OBJECT = 64,
} li_type;

typedef enum li_refusal_reason {
    LI_REFUSAL_TOO_COMPLEX = 1, // more alternatives than the limit
    LI_REFUSAL_NEGATED,         // the keyword cannot be enforced under not, oneOf or if
    LI_REFUSAL_UNDECIDED,       // whether a value exists could not be decided
} li_refusal_reason;

#endif
