// Whether enough different items are left for an array (uniqueItems).
#ifndef LI_DISTINCT_ITEMS_H
#define LI_DISTINCT_ITEMS_H

#include "grammar/json/array_frame.h"

// Whether different values outside frame->seen are left for all places that must be filled. Where the search gives up,
// the grammar fails. Adds to the set `avoided` (NULL: not wanted) each value without which there would not be enough.
bool li_unique_can_finish(li_grammar *grammar, const li_array_frame *frame, li_term *avoided);
// Likewise during the search for satisfiable nodes, which must not expand terms of values: objects and arrays are
// counted by their parts. True is exact. A false that is not exact sets *is_unsure (NULL: not asked). If no search is
// going on, it also refuses uniqueItems.
bool li_unique_may_finish(li_grammar *grammar, const li_array_frame *frame, bool *is_unsure);

#endif
