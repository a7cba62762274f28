// Numbers without bounds other than zero and the end of doubles, in any spelling.
#ifndef LI_UNBOUNDED_NUMBER_H
#define LI_UNBOUNDED_NUMBER_H

#include "grammar/core/grammar.h"

enum { LI_SIGN_NEGATIVE = 1, LI_SIGN_ZERO = 2, LI_SIGN_POSITIVE = 4 };

li_term li_unbounded_number(li_grammar *grammar, uint32_t signs, bool is_integer);
li_term li_unbounded_number_derive(li_grammar *grammar, li_term term, uint8_t byte);
// Whether the rest of a number (LI_KIND_NUMBER) can become more numbers than any text holds. False may be wrong.
bool li_unbounded_number_is_endless(const li_grammar *grammar, li_term term);
// The same numbers without an exponent, and integers without a point too.
li_term li_unbounded_number_easy(li_grammar *grammar, li_term term);
// As li_number_lowest_count, li_number_without_counts and li_number_counts_used.
uint32_t li_unbounded_number_room(const li_grammar *grammar, li_term term);
li_term li_unbounded_number_far(li_grammar *grammar, li_term term);
uint32_t li_unbounded_number_used(const li_grammar *grammar, li_term term);

#endif
