// Supersets of languages, made from the structure of terms.
#include "grammar/terms/over_approximate.h"

#include "grammar/terms/constructors.h"
#include "grammar/terms/kinds.h"
#include "grammar/terms/scratch.h"

enum { NODES = 1000, DEPTH = 48, FEW = 4 };

static li_term word(const li_grammar *grammar, li_term term, uint32_t index)
{
    return li_term_words(grammar, term)[index];
}

static bool is_long(const li_grammar *grammar, li_term repeat)
{
    const li_payload *of = li_term_payload(grammar, repeat);
    uint32_t least = of->repeat.least, most = of->repeat.most;
    return least > FEW || (most > FEW && most != LI_NO_LIMIT);
}

// Whether the term may contain a long count.
static bool may_count(li_widening *at, li_term term, uint32_t depth)
{
    li_grammar *grammar = at->grammar;
    for (; at->nodes && depth < DEPTH; term = li_term_payload(grammar, term)->sequence.tail) {
        at->nodes--;
        li_kind kind = li_term_kind(grammar, term);
        if (kind == LI_KIND_BYTES || kind == LI_KIND_CLASS || kind == LI_KIND_STRINGS || term <= LI_TERM_EMPTY)
            return false;
        if (kind == LI_KIND_REPEAT && is_long(grammar, term)) return true;
        if (kind == LI_KIND_REPEAT || kind == LI_KIND_NOT) return may_count(at, word(grammar, term, 0), depth + 1);
        if (kind != LI_KIND_SEQUENCE && kind != LI_KIND_CHOICE) return true;
        uint32_t count = kind == LI_KIND_CHOICE ? li_term_length(grammar, term) : 1;
        for (uint32_t i = 0; i < count; i++)
            if (may_count(at, word(grammar, term, i), depth + 1)) return true;
        if (kind == LI_KIND_CHOICE) return false;
    }
    return true;
}

static li_term widen_part(li_widening *at, li_term term, uint32_t index, uint32_t depth)
{
    return li_widen(at, word(at->grammar, term, index), depth + 1);
}

li_term li_widen(li_widening *at, li_term term, uint32_t depth)
{
    li_grammar *grammar = at->grammar;
    bool is_open = li_term_flags(grammar, term) & LI_FLAG_OPEN;
    if (!at->nodes || depth == DEPTH) return is_open ? li_not(grammar, LI_TERM_NOTHING) : term;
    at->nodes--;
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, term)];
    return kind->widen ? kind->widen(at, term, depth) : term;
}

li_term li_sequence_widen(li_widening *at, li_term term, uint32_t depth)
{
    li_term head = widen_part(at, term, 0, depth);
    return li_sequence(at->grammar, head, widen_part(at, term, 1, depth));
}

li_term li_choice_widen(li_widening *at, li_term term, uint32_t depth)
{
    uint32_t mark = li_scratch_mark(at->grammar);
    for (uint32_t i = 0, count = li_term_length(at->grammar, term); i < count; i++)
        li_scratch_push(at->grammar, widen_part(at, term, i, depth));
    return li_scratch_choose(at->grammar, mark);
}

li_term li_repeat_widen(li_widening *at, li_term term, uint32_t depth)
{
    li_grammar *grammar = at->grammar;
    li_term body = widen_part(at, term, 0, depth);
    const li_payload *of = li_term_payload(grammar, term);
    uint32_t least = of->repeat.least, most = of->repeat.most;
    return is_long(grammar, term) ? li_repeat(grammar, body, least > 0, LI_NO_LIMIT)
                                  : li_repeat(grammar, body, least, most);
}

li_term li_both_widen(li_widening *at, li_term term, uint32_t depth)
{
    for (uint32_t i = 0, count = li_term_length(at->grammar, term); i < count; i++)
        if (li_term_kind(at->grammar, word(at->grammar, term, i)) != LI_KIND_NOT) return widen_part(at, term, i, depth);
    return term;
}

li_term li_not_widen(li_widening *at, li_term term, uint32_t depth)
{
    return may_count(at, li_term_payload(at->grammar, term)->complement, depth + 1)
               ? li_not(at->grammar, LI_TERM_NOTHING)
               : term;
}

li_term li_pattern_widen(li_widening *at, li_term term, uint32_t depth)
{
    return widen_part(at, term, 0, depth);
}

li_term li_assertion_widen(li_widening *at, li_term term, uint32_t depth)
{
    (void)at, (void)term, (void)depth;
    return LI_TERM_EMPTY;
}

li_term li_over_approximate(li_grammar *grammar, li_term term)
{
    li_widening at = {grammar, NODES};
    return li_widen(&at, term, 0);
}
