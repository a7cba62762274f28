// JSON values as terms: equal values are equal terms. 1, 1.0 and 1e0 are equal; escapes of strings and the order of
// properties do not count; of a repeated key the last value counts.
#ifndef LI_CANONICAL_H
#define LI_CANONICAL_H

#include "grammar/core/grammar.h"
#include "grammar/numbers/decimal.h"

// The value of a valid JSON text; NOTHING: the grammar has failed.
li_term li_canonical(li_grammar *grammar, const uint8_t *text, uint32_t length);

// The value of a string, by its decoded text.
li_term li_canonical_string(li_grammar *grammar, const uint8_t *text, uint32_t length);

typedef enum li_canonical_kind {
    LI_CANONICAL_NULL = 'n',
    LI_CANONICAL_FALSE = 'f',
    LI_CANONICAL_TRUE = 't',
    LI_CANONICAL_STRING = 's',
    LI_CANONICAL_NUMBER = 'd',
    LI_CANONICAL_ARRAY = '[',
    LI_CANONICAL_OBJECT = '{',
} li_canonical_kind;

li_canonical_kind li_canonical_kind_of(const li_grammar *grammar, li_term value);
// A string's text as a literal term.
li_term li_canonical_text(li_grammar *grammar, li_term value);
// The value of a number; its digits live as long as the grammar. False: the number is beyond the limits of ranges, or
// the grammar has failed.
bool li_canonical_decimal(li_grammar *grammar, li_term value, li_decimal *decimal);

// Where the parts of the bytes of a value begin; byte 0 is the kind. A count takes four bytes.
enum {
    // A string, an array or an object: the text, the items, or ascending keys, each with its value.
    LI_VALUE_COUNT = 1,
    LI_VALUE_PARTS = 5,
    // A number. The exponent is the place of the last digit; its parts count from the end of the digits.
    LI_VALUE_SIGN = 1, // + 1
    LI_VALUE_DIGIT_COUNT = 2,
    LI_VALUE_DIGITS = 6,
    LI_VALUE_EXPONENT_SIGN = 4, // '+' or '-', after the length
    LI_VALUE_EXPONENT_DIGITS = 5,
};

// The bytes of a value, valid until the next term is made.
const uint8_t *li_canonical_bytes(const li_grammar *grammar, li_term value);
// A number of four of these bytes, and the place after the bytes of a value.
uint32_t li_canonical_number_at(const uint8_t *bytes);
const uint8_t *li_canonical_skip(const uint8_t *value);
// Whether a valid JSON text means the value of these bytes.
bool li_canonical_is(li_grammar *grammar, const uint8_t *text, uint32_t length, const uint8_t *bytes, uint32_t count);

// Sets of values as terms; NOTHING is the empty set.
li_term li_value_set_add(li_grammar *grammar, li_term set, li_term value);
bool li_value_set_has(const li_grammar *grammar, li_term set, li_term value);
uint32_t li_value_set_count(const li_grammar *grammar, li_term set);
li_term li_value_set_at(const li_grammar *grammar, li_term set, uint32_t index);
// The set of ascending values, without the texts of strings.
li_term li_value_set_of(li_grammar *grammar, const li_term *values, uint32_t count);
// The texts of the strings in a set, as a choice.
li_term li_value_set_strings(const li_grammar *grammar, li_term set);

#endif
