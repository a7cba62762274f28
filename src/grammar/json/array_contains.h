// Whether an array can be finished, items that must differ aside.
#ifndef LI_ARRAY_CONTAINS_H
#define LI_ARRAY_CONTAINS_H

#include "grammar/json/array_frame.h"

// Whether the array may end here.
bool li_array_is_done(const li_array_frame *frame);
// Whether the array can be finished.
bool li_contains_can_finish(li_grammar *grammar, const li_array_frame *frame);
// Whether it is known without a search which arrays of several contains can be finished, or the search is short.
bool li_contains_are_few(li_grammar *grammar, const li_array_shape *shape);

#endif
