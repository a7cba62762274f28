// A frame: how far an array has been read. The terms of arrays hold frames as words.
#ifndef LI_ARRAY_FRAME_H
#define LI_ARRAY_FRAME_H

#include "grammar/nodes/shape.h"

enum { LI_ARRAY_WORDS = 6 + 2 * LI_CONTAINS_LIMIT };

typedef struct li_array_frame {
    const li_array_shape *shape;
    uint32_t level;
    bool has_items;
    bool lacks_item;   // the item before is not in `seen`: for walks of the vocabulary (forget.h)
    uint32_t position; // of the next item; no further than the end of the prefix
    uint32_t needed;   // the least number of further items
    uint32_t room;     // the greatest number of further items; LI_NO_LIMIT: no limit can be reached
    li_term seen;      // the set of items that must not be repeated (uniqueItems): see unique_items.h
    // Of each contains: the number of items that it still needs, and still accepts.
    uint32_t needs[LI_CONTAINS_LIMIT], takes[LI_CONTAINS_LIMIT];
} li_array_frame;

// The frame at the start of an array.
void li_array_start(const li_array_shape *shape, li_array_frame *frame);
// Words that name the frame; returns how many.
uint32_t li_array_store(const li_array_frame *frame, uint32_t words[LI_ARRAY_WORDS]);
bool li_array_load(li_grammar *grammar, const uint32_t *words, li_array_frame *frame);
// The rest of the array after an item.
li_term li_array_rest(li_grammar *grammar, const li_array_frame *frame);

// The node of the item at the frame's position, apart from contains.
li_node li_array_node(const li_array_frame *frame);

// Visits the ways in which the next item may match contains: the node of its value and the frame after the item.
// Stops and returns true when `visit` returns true. Some ways may be dead ends.
typedef bool (*li_array_visit)(li_grammar *grammar, void *context, li_node node, const li_array_frame *next);
bool li_array_ways(li_grammar *grammar, const li_array_frame *frame, li_array_visit visit, void *context);

// Items that must differ (uniqueItems). The functions are in distinct/, the table is in compile/kind_table.c.
typedef struct li_unique_items {
    bool (*may_finish)(li_grammar *grammar, const li_array_frame *frame, bool *is_unsure);  // distinct_items.h
    bool (*can_finish)(li_grammar *grammar, const li_array_frame *frame, li_term *avoided); // distinct_items.h
    li_term (*item)(li_grammar *grammar, li_node node, const li_array_frame *next);         // unique_items.h
} li_unique_items;

extern const li_unique_items li_unique;

#endif
