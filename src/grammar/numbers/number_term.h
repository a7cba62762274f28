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
// Numbers and integers without bounds, or values left out, other than 0 are taken as JSON spells them, without limit:
// 1, 1.00, 10e-1, 0.1E+1. All others are spelt plainly (12.50) or with one digit before the point that is not 0 and an
// exponent (1.25e1, 1e+02), with at most 30 digits behind the point more than the range's own numbers have, exponents
// of at most six digits and 350 beyond theirs (30 where there are both multiples and numbers to avoid the multiples
// of).
//
// Canonical spelling (spelling.canonical_numbers): plain, without a zero at the end of a fraction, and no -0; also,
// where numbers need not be integers, with an exponent as JSON.stringify writes it: from e+21 on and from e-7 to e-324.
// At most 22 digits stand behind the point, or so many more than in the range's own numbers.
li_term li_number(li_grammar *grammar, const li_number_range *range);
// Behaviour of LI_KIND_NUMBER. Counts (length_bounds.h): how many digits may still come before the end of doubles,
// LI_NO_LIMIT where that does not matter or they are few.
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
