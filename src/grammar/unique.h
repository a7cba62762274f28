// Items of arrays that must differ (uniqueItems).
#ifndef LI_UNIQUE_H
#define LI_UNIQUE_H

#include "grammar/array.h"

// An item that satisfies the node and differs from all in next->seen, then the rest of the array, which is `next` with
// this item seen too.
li_term li_unique_item(li_grammar *grammar, li_node node, const li_array_frame *next);
// Whether enough different items are left.
bool li_unique_can_finish(li_grammar *grammar, const li_array_frame *frame);

#endif
