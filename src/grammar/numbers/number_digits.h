// The digits of a number of a range, before its exponent.
#ifndef LI_NUMBER_DIGITS_H
#define LI_NUMBER_DIGITS_H

#include "grammar/numbers/number_cursor.h"

// The term after a digit or the point; NOTHING if the digit or the point may not come. Changes the cursor.
li_term li_digits_first(li_grammar *grammar, li_cursor *cursor, uint8_t digit);
li_term li_digits_next(li_grammar *grammar, li_cursor *cursor, uint8_t digit);
li_term li_digits_point(li_grammar *grammar, li_cursor *cursor);
// Gives a scientific cursor with all its digits its exponents and residues. The cursor stays pinned only to an excluded
// number with these digits. False: no exponent is possible.
bool li_digits_unpin(li_grammar *grammar, li_cursor *cursor);

#endif
