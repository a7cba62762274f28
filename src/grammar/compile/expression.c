// Turns expressions of the form into terms.
#include "grammar/compile/expression.h"

#include "grammar/compile/rules.h"
#include "grammar/json/json_value.h"
#include "grammar/tableau/explore.h"
#include "grammar/terms/assertions.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/string_list.h"
#include "grammar/terms/term.h"

enum { EDGE_IS_WORD = 1, EDGE_IGNORES_CASE = 2, EDGE_MARK = 4 };

static li_term read_any(li_reader *reader);

// An expression on its own: its assertions see no other text.
static li_term read_closed(li_reader *reader)
{
    li_term term = read_any(reader);
    uint32_t flags = li_term_flags(reader->grammar, term);
    if (!(flags & LI_FLAG_OPEN)) return term;
    if (flags & LI_FLAG_REGULAR) return li_pattern(reader->grammar, term);
    li_read_fail(reader);
    return LI_TERM_NOTHING;
}

// The same for a regular expression, for BOTH and NOT.
static li_term read_regular(li_reader *reader)
{
    li_term term = read_closed(reader);
    if (li_term_flags(reader->grammar, term) & LI_FLAG_REGULAR) return term;
    li_read_fail(reader);
    return LI_TERM_NOTHING;
}

static li_term read_class(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    uint32_t mark = li_scratch_mark(grammar), count = li_read_count(reader);
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t low = end + li_read_number(reader), high = low + li_read_number(reader);
        if (high > 0x10ffff) {
            li_read_fail(reader);
            break;
        }
        if (!li_scratch_push(grammar, (uint32_t)low) || !li_scratch_push(grammar, (uint32_t)high)) break;
        end = high + 1;
    }
    li_term term = grammar->status ? LI_TERM_NOTHING : li_class(grammar, grammar->scratch.at + mark, count);
    li_scratch_drop(grammar, mark);
    return term;
}

// Parts are folded from the right, so that a sequence is built once.
static li_term read_sequence(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    uint32_t mark = li_scratch_mark(grammar);
    for (uint32_t count = li_read_count(reader); count--;)
        if (!li_scratch_push(grammar, read_any(reader))) return LI_TERM_NOTHING;
    li_term term = LI_TERM_EMPTY;
    while (grammar->scratch.count > mark)
        term = li_sequence(grammar, grammar->scratch.at[--grammar->scratch.count], term);
    return term;
}

static li_term read_choice(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    uint32_t mark = li_scratch_mark(grammar);
    for (uint32_t count = li_read_count(reader); count--;)
        if (!li_scratch_push(grammar, read_any(reader))) return LI_TERM_NOTHING;
    return li_scratch_choose(grammar, mark);
}

static li_term read_both(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    uint32_t count = li_read_count(reader);
    li_term term = li_not(grammar, LI_TERM_NOTHING);
    if (count == 0) li_read_fail(reader);
    while (count--) term = li_both(grammar, term, read_regular(reader));
    return term;
}

static li_term read_repeat(li_reader *reader)
{
    uint32_t least = li_read_number(reader), most = li_read_number(reader);
    most = most == 0 ? LI_NO_LIMIT : most - 1;
    li_term body = read_any(reader);
    return most < least ? LI_TERM_NOTHING : li_repeat(reader->grammar, body, least, most);
}

static li_term read_ahead(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    bool is_negative = li_read_number(reader);
    li_term body = read_any(reader);
    if (!(li_term_flags(grammar, body) & LI_FLAG_REGULAR)) {
        li_read_fail(reader);
        return LI_TERM_NOTHING;
    }
    return li_ahead(grammar, is_negative, li_sequence(grammar, body, li_not(grammar, LI_TERM_NOTHING)));
}

static li_term word_character(li_grammar *grammar, bool ignores_case)
{
    // In ECMAScript, \w with ignored case contains U+017F and U+212A, which are case variants of s and k.
    static const uint32_t ranges[] = {'0', '9', 'A', 'Z', '_', '_', 'a', 'z', 0x17f, 0x17f, 0x212a, 0x212a};
    return li_class(grammar, ranges, ignores_case ? 6 : 4);
}

static li_term read_edge(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    uint32_t which = li_read_number(reader);
    if (which == EDGE_MARK) return li_edge_of(grammar, LI_EDGE_MARK);
    if (which > EDGE_MARK) li_read_fail(reader);
    li_term next = word_character(grammar, which & EDGE_IGNORES_CASE);
    next = li_sequence(grammar, next, li_not(grammar, LI_TERM_NOTHING));
    bool is_edge = which & EDGE_IS_WORD;
    li_term after_word = li_sequence(grammar, li_edge_of(grammar, LI_EDGE_WORD), li_ahead(grammar, is_edge, next));
    li_term after_other =
        li_sequence(grammar, li_edge_of(grammar, LI_EDGE_NOT_WORD), li_ahead(grammar, !is_edge, next));
    return li_either(grammar, after_word, after_other);
}

static li_term read_not(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    return li_both(grammar, li_any_text(grammar), li_not(grammar, read_regular(reader)));
}

static li_term read_tagged(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    uint32_t length, index;
    switch (li_read_number(reader)) {
    case LI_FORM_NOTHING:
        return LI_TERM_NOTHING;
    case LI_FORM_EMPTY:
        return LI_TERM_EMPTY;
    case LI_FORM_TEXT: {
        const uint8_t *text = li_read_text(reader, &length);
        return li_literal(grammar, text, length);
    }
    case LI_FORM_CLASS:
        return read_class(reader);
    case LI_FORM_SEQUENCE:
        return read_sequence(reader);
    case LI_FORM_CHOICE:
        return read_choice(reader);
    case LI_FORM_BOTH:
        return read_both(reader);
    case LI_FORM_NOT:
        return read_not(reader);
    case LI_FORM_REPEAT:
        return read_repeat(reader);
    case LI_FORM_STRINGS:
        return li_strings_read(reader);
    case LI_FORM_AHEAD:
        return read_ahead(reader);
    case LI_FORM_EDGE:
        return read_edge(reader);
    case LI_FORM_START:
        return li_edge_of(grammar, LI_EDGE_START);
    case LI_FORM_END:
        return li_ahead(grammar, false, LI_TERM_EMPTY);
    case LI_FORM_PATTERN:
        return read_closed(reader);
    case LI_FORM_RULE:
        return li_rule_term(grammar, li_read_number(reader));
    case LI_FORM_SPECIAL:
        index = li_read_number(reader);
        return li_term_intern(grammar, LI_KIND_SPECIAL, 0, &index, 1);
    case LI_FORM_JSON:
        index = li_node_of(grammar, li_read_number(reader), false);
        li_node_explore(grammar, index);
        return li_value(grammar, index, 0);
    default:
        li_read_fail(reader);
        return LI_TERM_NOTHING;
    }
}

static li_term read_any(li_reader *reader)
{
    if (!li_grammar_spend(reader->grammar)) return LI_TERM_NOTHING;
    if (++reader->depth > LI_FORM_DEPTH) {
        li_read_fail(reader);
        return LI_TERM_NOTHING;
    }
    li_term term = read_tagged(reader);
    reader->depth--;
    return reader->grammar->status ? LI_TERM_NOTHING : term;
}

li_term li_read_expression(li_reader *reader)
{
    return read_closed(reader);
}
