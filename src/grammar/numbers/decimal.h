// Exact decimal numbers.
#ifndef LI_DECIMAL_H
#define LI_DECIMAL_H

#include "lastinch.h"

// digits * 10^exponent, exactly. Canonical: no leading or trailing zero digits, zero is sign 0 and no digits.
typedef struct li_decimal {
    int32_t sign;     // -1, 0, 1
    int32_t exponent; // of the last digit
    uint32_t length;
    const uint8_t *digits; // 0 to 9 each; lives as long as the grammar
} li_decimal;

// Reads a JSON number. False: the text is not a number, or has more digits or a greater exponent than LI_DECIMAL_LIMIT.
// Nothing underflows or overflows: 1e400 is 1e400.
#define LI_DECIMAL_LIMIT 1100
#define LI_DOUBLE_DIGITS 309
// The digits of 2^1024 - 2^970, the end of doubles: this number and larger numbers become infinity.
extern const char li_double_end[LI_DOUBLE_DIGITS + 1];
bool li_decimal_read(li_grammar *grammar, const uint8_t *text, uint32_t length, li_decimal *decimal);
int li_decimal_compare(const li_decimal *a, const li_decimal *b); // -1, 0, 1
bool li_decimal_is_integer(const li_decimal *a);
bool li_decimal_is_multiple(li_grammar *grammar, const li_decimal *a, const li_decimal *of); // of > 0

#endif
