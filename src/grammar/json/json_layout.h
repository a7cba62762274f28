// The marks and the space between the parts of objects and arrays, as the grammar spells them.
#ifndef LI_JSON_LAYOUT_H
#define LI_JSON_LAYOUT_H

#include "grammar/core/grammar.h"

typedef struct li_enclosure {
    uint8_t bracket; // the closing one
    bool has_items;  // one was read before
    bool may_close;
    uint32_t level; // of the brackets; items are one deeper
} li_enclosure;

// What follows an opening bracket or an item: the closing bracket where it may, or `item`, which begins with an item
// and goes on to the end; NOTHING where there is none.
li_term li_enclosed(li_grammar *grammar, const li_enclosure *enclosure, li_term item);
// Space, then the rest.
li_term li_spaced(li_grammar *grammar, li_term rest);

// JSON whitespace: any run is read, a mask lets through `most` bytes of it.
li_term li_space(li_grammar *grammar, uint32_t most);
// Behaviour of LI_KIND_SPACE.
li_term li_space_derive(li_grammar *grammar, li_term term, uint8_t byte);
void li_space_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);

#endif
