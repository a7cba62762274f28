// Whitespace and brackets.
#include "grammar/json/json_layout.h"

#include "grammar/terms/constructors.h"
#include "grammar/terms/first_bytes.h"
#include "grammar/terms/term.h"

// Words: how many more bytes of whitespace masks allow; LI_NO_LIMIT: there are too many already.
static li_term space_term(li_grammar *grammar, uint32_t left)
{
    uint32_t flags = LI_FLAG_NULLABLE | (left == LI_NO_LIMIT ? LI_FLAG_OVERRUN : 0);
    return li_term_intern(grammar, LI_KIND_SPACE, flags, &left, 1);
}

li_term li_space(li_grammar *grammar, uint32_t most)
{
    return space_term(grammar, most == LI_NO_LIMIT ? most - 1 : most);
}

li_term li_space_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    if (byte != ' ' && byte != '\t' && byte != '\n' && byte != '\r') return LI_TERM_NOTHING;
    uint32_t left = li_term_payload(grammar, term)->space;
    return space_term(grammar, left == 0 || left == LI_NO_LIMIT ? LI_NO_LIMIT : left - 1);
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
    if (enclosure->closed != LI_TERM_NOTHING) {
        li_term bracket = li_byte_range(grammar, enclosure->bracket, enclosure->bracket);
        closing = li_sequence(grammar, bracket, enclosure->closed);
        if (enclosure->has_items) closing = li_sequence(grammar, line(grammar, enclosure->level), closing);
    }
    if (item != LI_TERM_NOTHING) {
        item = li_sequence(grammar, line(grammar, enclosure->level + 1), item);
        if (enclosure->has_items)
            item = li_sequence(grammar, grammar->spelling.item_separator, li_spaced(grammar, item));
    }
    return li_spaced(grammar, li_either(grammar, closing, item));
}

void li_space_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    (void)grammar, (void)term, (void)depth;
    li_byte_set_add(set, ' ', ' ');
    li_byte_set_add(set, '\t', '\n');
    li_byte_set_add(set, '\r', '\r');
}
