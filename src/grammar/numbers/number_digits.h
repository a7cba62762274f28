// The digits of a number of a range, before its exponent.
#ifndef LI_NUMBER_DIGITS_H
#define LI_NUMBER_DIGITS_H

#include "grammar/numbers/number_cursor.h"

// What follows a digit or the point; NOTHING where it cannot be. The cursor is used up.
li_term li_mantissa_first(li_grammar *grammar, li_cursor *cursor, uint8_t digit);
li_term li_mantissa_digit(li_grammar *grammar, li_cursor *cursor, uint8_t digit);
li_term li_mantissa_point(li_grammar *grammar, li_cursor *cursor);
// Gives a scientific cursor whose digits are now complete its exponents and residues; it stays pinned only to a number
// left out that has just these digits. False: no exponent is right.
bool li_mantissa_unpin(li_grammar *grammar, li_cursor *cursor);

#endif
