// Values of nodes, listed or counted.
#ifndef LI_ENUMERATE_VALUES_H
#define LI_ENUMERATE_VALUES_H

#include "grammar/core/term_set.h"
#include "grammar/nodes/node.h"

// Adds values (canonical.h) that satisfy the node and are not in the set `seen` until there are `most` in the
// set. With `counts`, objects and arrays are only counted; how many, at least, is added to *counts. Where there may be
// more, li_nodes.is_unsure is set.
void li_values_of(li_grammar *grammar, li_node node, li_term seen, uint32_t most, li_term_set *values,
                  uint32_t *counts);

// Whether the node has so many values. False is not sure where it sets li_nodes.is_unsure; quick, and without looking
// into terms of values.
bool li_values_count(li_grammar *grammar, li_node node, uint32_t count);
// Whether so many different values may come of the rest of one. False is not sure; quick.
bool li_values_abound(li_grammar *grammar, li_term rest, uint32_t count);

#endif
