// Whether the digits of a number can be continued within its range.
#ifndef LI_DIGIT_FEASIBILITY_H
#define LI_DIGIT_FEASIBILITY_H

#include "grammar/numbers/number_cursor.h"

// Whether the digits read can be continued to a number of the range; whether they are a number of the range.
bool li_cursor_is_viable(li_grammar *grammar, const li_cursor *cursor);
bool li_cursor_is_complete(li_grammar *grammar, const li_cursor *cursor);

#endif
