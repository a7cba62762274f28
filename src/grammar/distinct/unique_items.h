// Items of arrays that must differ (uniqueItems).
#ifndef LI_UNIQUE_ITEMS_H
#define LI_UNIQUE_ITEMS_H

#include "grammar/json/array_frame.h"

// An item that satisfies the node and differs from all items of next->seen, then the rest of the array: `next` with
// this item seen. NOTHING where the array could not be finished.
li_term li_unique_item(li_grammar *grammar, li_node node, const li_array_frame *next);

// The rest after the item of a RECORDED term without this item in `seen`; the arrays and items after it lack the item
// too (li_recorded_lacks). NOTHING: more than the following items depends on the value of the item.
li_term li_recorded_after(li_grammar *grammar, li_term term);
bool li_recorded_lacks(const li_grammar *grammar, li_term term);

// Behaviours of LI_KIND_RECORDED.
li_term li_recorded_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_recorded_propose(li_grammar *grammar, li_term term);
void li_recorded_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);

#endif
