// The marks and the whitespace between the parts of objects and arrays.
#ifndef LI_JSON_LAYOUT_H
#define LI_JSON_LAYOUT_H

#include "grammar/core/grammar.h"

typedef struct li_enclosure {
    uint8_t bracket; // the closing bracket
    bool has_items;  // an item was read before
    li_term closed;  // what follows the closing bracket; NOTHING: the bracket may not come
    uint32_t level;  // of the brackets; items are one level deeper
} li_enclosure;

// What follows an opening bracket or an item: the closing bracket and `closed`, or `item`, the next item and the rest
// after it; NOTHING if neither is possible.
li_term li_enclosed(li_grammar *grammar, const li_enclosure *enclosure, li_term item);
// Whitespace, then the rest.
li_term li_spaced(li_grammar *grammar, li_term rest);

// JSON whitespace: a matcher reads any run of it; masks allow the first `most` bytes of a run.
li_term li_space(li_grammar *grammar, uint32_t most);
// Behaviour of LI_KIND_SPACE.
li_term li_space_derive(li_grammar *grammar, li_term term, uint8_t byte);
void li_space_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);

#endif
