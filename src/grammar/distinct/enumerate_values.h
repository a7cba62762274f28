// Listing and counting the values of nodes.
#ifndef LI_ENUMERATE_VALUES_H
#define LI_ENUMERATE_VALUES_H

#include "grammar/core/term_set.h"
#include "grammar/nodes/node.h"

// Adds values (canonical.h) of the node that are not in the set `seen`, until *values has `most`. With `counts`,
// objects and arrays are only counted: a lower bound of their number is added to *counts. Sets li_nodes.is_unsure where
// there may be more.
void li_values_of(li_grammar *grammar, li_node node, li_term seen, uint32_t most, li_term_set *values,
                  uint32_t *counts);

// Whether the node has `count` values. False is exact unless the function sets li_nodes.is_unsure. Quick; does not
// expand terms of values.
bool li_values_count(li_grammar *grammar, li_node node, uint32_t count);
// Whether the rest of a value can become `count` different values. False may be wrong. Quick.
bool li_values_abound(li_grammar *grammar, li_term rest, uint32_t count);

// Likewise for a term of each kind (kinds.h).
bool li_quoted_abounds(li_grammar *grammar, li_term term, uint32_t count);
bool li_number_abounds(li_grammar *grammar, li_term term, uint32_t count);
bool li_value_abounds(li_grammar *grammar, li_term term, uint32_t count);
bool li_array_abounds(li_grammar *grammar, li_term term, uint32_t count);
bool li_object_abounds(li_grammar *grammar, li_term term, uint32_t count);
bool li_key_abounds(li_grammar *grammar, li_term term, uint32_t count);
bool li_recorded_abounds(li_grammar *grammar, li_term term, uint32_t count);

#endif
