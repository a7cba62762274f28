// JSON values: a node spelt out.
#include "grammar/json/json_layout.h"
#include "grammar/terms/term_table.h"

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

// All ways at once: thousands of them would be sorted thousands of times.
li_term li_value_expand(li_grammar *grammar, li_term term)
{
    uint32_t level = li_term_words(grammar, term)[1], mark = grammar->terms->scratch_count;
    const li_shape *shape = li_node_shape(grammar, li_term_words(grammar, term)[0]);
    if (!shape) return LI_TERM_NOTHING;
    if (shape->has_null) push_word(grammar, "null", 4);
    if (shape->has_false) push_word(grammar, "false", 5);
    if (shape->has_true) push_word(grammar, "true", 4);
    push_after(grammar, '"', li_quoted(grammar, shape->strings));
    for (uint32_t i = 0; i < shape->number_count; i++) li_scratch_push(grammar, li_number(grammar, &shape->numbers[i]));
    for (uint32_t i = 0; i < shape->object_count; i++)
        push_after(grammar, '{', li_object(grammar, &shape->objects[i], level));
    for (uint32_t i = 0; i < shape->array_count; i++)
        push_after(grammar, '[', li_array(grammar, &shape->arrays[i], level));
    li_term sum = li_choice(grammar, grammar->terms->scratch + mark, grammar->terms->scratch_count - mark);
    grammar->terms->scratch_count = mark;
    return sum;
}

static li_term line(li_grammar *grammar, uint32_t level)
{
    if (!grammar->spelling.indents) return LI_TERM_EMPTY;
    li_term indents = li_repeat(grammar, grammar->spelling.indent, level, level);
    return li_sequence(grammar, li_byte_range(grammar, '\n', '\n'), indents);
}

li_term li_spaced(li_grammar *grammar, li_term rest)
{
    return li_sequence(grammar, grammar->spelling.space, rest);
}

li_term li_enclosed(li_grammar *grammar, const li_enclosure *enclosure, li_term item)
{
    li_term closing = LI_TERM_NOTHING;
    if (enclosure->may_close) {
        closing = li_byte_range(grammar, enclosure->bracket, enclosure->bracket);
        if (enclosure->has_items) closing = li_sequence(grammar, line(grammar, enclosure->level), closing);
    }
    if (item != LI_TERM_NOTHING) {
        item = li_sequence(grammar, line(grammar, enclosure->level + 1), item);
        if (enclosure->has_items)
            item = li_sequence(grammar, grammar->spelling.item_separator, li_spaced(grammar, item));
    }
    return li_spaced(grammar, li_either(grammar, closing, item));
}
