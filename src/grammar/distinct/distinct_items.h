// Whether enough different items are left for an array (uniqueItems).
#ifndef LI_DISTINCT_ITEMS_H
#define LI_DISTINCT_ITEMS_H

#include "grammar/json/array_frame.h"

// Whether different items are left for all places that must be filled, values in frame->seen aside. Where
// that is not found out the grammar fails. Adds values to the set `avoided` (NULL: none) without any of which there
// would not be enough.
bool li_unique_can_finish(li_grammar *grammar, const li_array_frame *frame, li_term *avoided);
// Likewise while it is being found out what is satisfiable, when no term of a value may be looked into: objects and
// arrays are counted by their parts then. True is sure; where false is not, and that is final, uniqueItems is refused.
bool li_unique_may_finish(li_grammar *grammar, const li_array_frame *frame);

#endif
