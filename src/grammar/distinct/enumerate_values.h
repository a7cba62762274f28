// Listing and counting the values of nodes.
#ifndef LI_ENUMERATE_VALUES_H
#define LI_ENUMERATE_VALUES_H

#include "grammar/core/term_set.h"
#include "grammar/nodes/node.h"

// A listing of values (canonical.h).
typedef struct li_listing {
    li_term seen;        // the set of values to leave out
    uint32_t most;       // the listing ends with this number of values
    bool counts_parts;   // objects and arrays are only counted
    li_term_set *values; // the result
    uint32_t counted;    // a lower bound of the number of objects and arrays that were only counted
    bool is_cut;         // values may have been left out
    bool is_unsure;      // there may be more values than were listed and counted
} li_listing;

// Adds values of the node until there are enough.
void li_values_of(li_grammar *grammar, li_node node, li_listing *listing);

// Whether the node has `count` values. False is exact unless the function sets *is_unsure, which it never clears (NULL:
// not asked). Quick; does not expand terms of values.
bool li_values_count(li_grammar *grammar, li_node node, uint32_t count, bool *is_unsure);
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
