// JSON arrays. Words: array_frame.c.
#include "grammar/json/array_term.h"

#include <string.h>

#include "grammar/json/array_contains.h"
#include "grammar/json/json_layout.h"
#include "grammar/json/json_value.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/term.h"

bool li_array_can_finish(li_grammar *grammar, const li_array_shape *shape)
{
    li_array_frame frame;
    li_array_start(shape, &frame);
    return li_contains_can_finish(grammar, &frame) &&
           (!shape->is_unique || li_unique.may_finish(grammar, &frame, NULL));
}

static bool add_item(li_grammar *grammar, void *context, li_node node, const li_array_frame *next)
{
    li_term *sum = context, item;
    if (next->shape->is_unique) {
        item = li_unique.item(grammar, node, next);
    } else {
        if (!li_contains_can_finish(grammar, next)) return false;
        item = li_sequence(grammar, li_value(grammar, node, next->level + 1), li_array_rest(grammar, next));
    }
    *sum = li_either(grammar, *sum, item);
    return false;
}

li_term li_array_expand(li_grammar *grammar, li_term term)
{
    uint32_t words[LI_ARRAY_WORDS];
    memcpy(words, li_term_words(grammar, term), li_term_length(grammar, term) * sizeof *words);
    li_array_frame frame;
    if (!li_array_load(grammar, words, &frame)) return LI_TERM_NOTHING;
    li_enclosure enclosure = {.bracket = ']', .has_items = frame.has_items, .level = frame.level};
    if (li_array_is_done(&frame)) enclosure.closed = LI_TERM_EMPTY;
    li_term items = LI_TERM_NOTHING;
    li_array_ways(grammar, &frame, add_item, &items);
    return li_enclosed(grammar, &enclosure, items);
}

li_term li_array(li_grammar *grammar, const li_array_shape *shape, uint32_t level)
{
    li_array_frame frame;
    shape = li_array_shape_at(grammar, shape->id);
    li_array_start(shape, &frame);
    if (!li_contains_can_finish(grammar, &frame)) return LI_TERM_NOTHING;
    if (shape->is_unique && !li_unique.can_finish(grammar, &frame, NULL)) {
        // Shapes without values are dropped, so the array has a value: the search gave up.
        li_grammar_exceed(grammar, LI_LIMIT_VALUES);
        return LI_TERM_NOTHING;
    }
    frame.level = level;
    return li_array_rest(grammar, &frame);
}
