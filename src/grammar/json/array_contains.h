// Whether an array can be finished, apart from items that must differ.
#ifndef LI_ARRAY_CONTAINS_H
#define LI_ARRAY_CONTAINS_H

#include "grammar/json/array_frame.h"

// Whether the array may end after the items read.
bool li_array_is_done(const li_array_frame *frame);
// Whether further items can finish the array.
bool li_contains_can_finish(li_grammar *grammar, const li_array_frame *frame);
// Whether finishing arrays of several contains needs no search, or a short search.
bool li_contains_are_few(li_grammar *grammar, const li_array_shape *shape);

#endif
