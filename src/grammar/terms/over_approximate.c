// Languages made wider, with fewer states.
#include "grammar/terms/over_approximate.h"

#include "grammar/terms/constructors.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/term.h"

enum { NODES = 1000, DEPTH = 48, FEW = 4 };

typedef struct widener {
    li_grammar *grammar;
    uint32_t nodes; // that may still be looked at
} widener;

static li_term word(const li_grammar *grammar, li_term term, uint32_t index)
{
    return li_term_words(grammar, term)[index];
}

static bool is_long(const li_grammar *grammar, li_term repeat)
{
    uint32_t least = word(grammar, repeat, 1), most = word(grammar, repeat, 2);
    return least > FEW || (most > FEW && most != LI_NO_LIMIT);
}

// Whether there may be a long count in it.
static bool may_count(widener *at, li_term term, uint32_t depth)
{
    li_grammar *grammar = at->grammar;
    for (; at->nodes && depth < DEPTH; term = word(grammar, term, 1)) {
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

static li_term widen(widener *at, li_term term, uint32_t depth)
{
    li_grammar *grammar = at->grammar;
    bool is_open = li_term_flags(grammar, term) & LI_FLAG_OPEN;
    if (!at->nodes || depth == DEPTH) return is_open ? li_not(grammar, LI_TERM_NOTHING) : term;
    at->nodes--;
    uint32_t count = li_term_length(grammar, term);
    switch (li_term_kind(grammar, term)) {
    case LI_KIND_SEQUENCE: {
        li_term head = widen(at, word(grammar, term, 0), depth + 1);
        return li_sequence(grammar, head, widen(at, word(grammar, term, 1), depth + 1));
    }
    case LI_KIND_CHOICE: {
        uint32_t mark = li_scratch_mark(grammar);
        for (uint32_t i = 0; i < count; i++) li_scratch_push(grammar, widen(at, word(grammar, term, i), depth + 1));
        return li_scratch_choose(grammar, mark);
    }
    case LI_KIND_REPEAT: {
        li_term body = widen(at, word(grammar, term, 0), depth + 1);
        uint32_t least = word(grammar, term, 1), most = word(grammar, term, 2);
        return is_long(grammar, term) ? li_repeat(grammar, body, least > 0, LI_NO_LIMIT)
                                      : li_repeat(grammar, body, least, most);
    }
    case LI_KIND_BOTH:
        for (uint32_t i = 0; i < count; i++)
            if (li_term_kind(grammar, word(grammar, term, i)) != LI_KIND_NOT)
                return widen(at, word(grammar, term, i), depth + 1);
        return term;
    case LI_KIND_NOT:
        return may_count(at, word(grammar, term, 0), depth + 1) ? li_not(grammar, LI_TERM_NOTHING) : term;
    case LI_KIND_PATTERN:
        return widen(at, word(grammar, term, 0), depth + 1);
    case LI_KIND_AHEAD:
    case LI_KIND_EDGE:
        return LI_TERM_EMPTY;
    default:
        return term;
    }
}

li_term li_over_approximate(li_grammar *grammar, li_term term)
{
    widener at = {grammar, NODES};
    return widen(&at, term, 0);
}
