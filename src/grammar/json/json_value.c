// JSON values: the union of the alternatives of a node.
#include "grammar/json/json_value.h"

#include "grammar/json/array_term.h"
#include "grammar/json/constant_term.h"
#include "grammar/json/json_string.h"
#include "grammar/json/object_term.h"
#include "grammar/numbers/number_term.h"
#include "grammar/tableau/node_shape.h"
#include "grammar/tableau/satisfiable.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/term.h"

li_term li_value(li_grammar *grammar, li_node node, uint32_t level)
{
    if (!li_node_is_satisfiable(grammar, node)) return LI_TERM_NOTHING;
    if (!grammar->spelling.indents) level = 0;
    return li_term_intern(grammar, LI_KIND_VALUE, 0, (uint32_t[]){node, level}, 2);
}

static void push_word(li_grammar *grammar, const char *word, uint32_t length)
{
    li_scratch_push(grammar, li_literal(grammar, (const uint8_t *)word, length));
}

static void push_after(li_grammar *grammar, uint8_t mark, li_term rest)
{
    li_scratch_push(grammar, li_sequence(grammar, li_byte_range(grammar, mark, mark), rest));
}

static void push_objects(li_grammar *grammar, const li_shape *shape, uint32_t level)
{
    li_term constants = li_constants(grammar, shape, level);
    push_after(grammar, '{', constants);
    for (uint32_t i = 0; i < shape->object_count; i++)
        if (constants == LI_TERM_NOTHING || !shape->objects[i].constant)
            push_after(grammar, '{', li_object(grammar, &shape->objects[i], level));
}

li_term li_objects(li_grammar *grammar, const li_shape *shape, uint32_t level)
{
    uint32_t mark = li_scratch_mark(grammar);
    push_objects(grammar, shape, level);
    return li_scratch_choose(grammar, mark);
}

// Joins all alternatives at once: one at a time, thousands would be sorted thousands of times.
li_term li_value_expand(li_grammar *grammar, li_term term)
{
    uint32_t level = li_term_payload(grammar, term)->value.level, mark = li_scratch_mark(grammar);
    const li_shape *shape = li_node_shape(grammar, li_term_payload(grammar, term)->value.node);
    if (!shape) return LI_TERM_NOTHING;
    if (shape->has_null) push_word(grammar, "null", 4);
    if (shape->has_false) push_word(grammar, "false", 5);
    if (shape->has_true) push_word(grammar, "true", 4);
    push_after(grammar, '"', li_quoted(grammar, shape->strings));
    for (uint32_t i = 0; i < shape->number_count; i++) li_scratch_push(grammar, li_number(grammar, &shape->numbers[i]));
    push_objects(grammar, shape, level);
    for (uint32_t i = 0; i < shape->array_count; i++)
        push_after(grammar, '[', li_array(grammar, &shape->arrays[i], level));
    return li_scratch_choose(grammar, mark);
}
