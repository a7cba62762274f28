// JSON numbers of a range, in exact decimal.
#ifndef LI_NUMBER_TERM_H
#define LI_NUMBER_TERM_H

#include "grammar/numbers/number_range.h"

// Whether no number is in the range.
bool li_number_is_empty(li_grammar *grammar, const li_number_range *range);

// The texts of the numbers in the range; NOTHING if there are none. Every prefix that the term reads can be continued
// to such a number. -0 is 0. A missing bound, or a bound beyond doubles, is the bound of doubles, unless the other
// bound leaves only numbers beyond doubles.
//
// If 0 is the only bound and the only excluded value, numbers and integers have every spelling of JSON, without limit:
// 1, 1.00, 10e-1, 0.1E+1. Other numbers are spelt plainly (12.50), or with one nonzero digit before the point and an
// exponent (1.25e1, 1e+02). At most 30 more digits follow the point than in the range's own numbers. An exponent has at
// most six digits and is at most 350 beyond the exponents of the range's own numbers (30 if the range has required and
// excluded multiples).
//
// Canonical spelling (spelling.canonical_numbers) is plain, without a zero at the end of a fraction, and without -0. A
// number that need not be an integer may have an exponent, as JSON.stringify writes exponents: from e+21 on and from
// e-7 to e-324. At most 22 digits follow the point, or 22 more than in the range's own numbers.
li_term li_number(li_grammar *grammar, const li_number_range *range);
// Behaviour of LI_KIND_NUMBER. The count (length_bounds.h) is how many digits may still come below the upper bound or
// the end of doubles; LI_NO_LIMIT where digits are not limited, or few are left.
li_term li_number_derive(li_grammar *grammar, li_term term, uint8_t byte);
void li_number_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
uint32_t li_number_lowest_count(const li_grammar *grammar, li_term term, uint32_t *nodes);
li_term li_number_without_counts(li_grammar *grammar, li_term term, uint32_t *nodes);
uint32_t li_number_counts_used(const li_grammar *grammar, li_term term, uint32_t *nodes);

// Whether the byte may stand in the spelling of a number.
static inline bool li_is_of_number(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' || (byte | 32) == 'e';
}

#endif
