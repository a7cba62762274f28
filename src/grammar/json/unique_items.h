// Items of arrays that must differ (uniqueItems).
#ifndef LI_UNIQUE_ITEMS_H
#define LI_UNIQUE_ITEMS_H

#include "grammar/json/array_term.h"
#include "grammar/terms/term_set.h"

// unique.c. An item that satisfies the node and differs from all in next->seen, then the rest of the array, which is
// `next` with this item seen too. NOTHING where the array could not be finished.
li_term li_unique_item(li_grammar *grammar, li_node node, const li_array_frame *next);

// What follows the item of a RECORDED term, but that the item itself is not among those seen: the array lacks it, and so do
// the items after it (li_recorded_lacks). NOTHING: more than the items that follow depends on which value it is.
li_term li_recorded_after(li_grammar *grammar, li_term term);
bool li_recorded_lacks(const li_grammar *grammar, li_term term);

// distinct.c. Whether different items are left for all places that must be filled, values in frame->seen aside. Where
// that is not found out the grammar fails. Adds values to the set `avoided` (NULL: none) without any of which there would
// not be enough.
bool li_unique_can_finish(li_grammar *grammar, const li_array_frame *frame, li_term *avoided);
// Likewise while it is being found out what is satisfiable, when no term of a value may be looked into: objects and
// arrays are counted by their parts then. True is sure; where false is not, and that is final, uniqueItems is refused.
bool li_unique_may_finish(li_grammar *grammar, const li_array_frame *frame);

// values.c. Adds values (canonical.h) that satisfy the node and are not in the set `seen` until there are `most` in the
// set. With `counts`, objects and arrays are only counted; how many, at least, is added to *counts. Where there may be
// more, li_nodes.is_unsure is set.
void li_values_of(li_grammar *grammar, li_node node, li_term seen, uint32_t most, li_term_set *values,
                  uint32_t *counts);
// samples.c. Adds some values that satisfy the node, without looking into terms of values.
void li_values_sample(li_grammar *grammar, li_node node, li_term_set *values);
// Whether the node has so many values. False is not sure where it sets li_nodes.is_unsure; quick, and without looking
// into terms of values.
bool li_values_count(li_grammar *grammar, li_node node, uint32_t count);
// Whether so many different values may come of the rest of one. False is not sure; quick.
bool li_values_abound(li_grammar *grammar, li_term rest, uint32_t count);

#endif
