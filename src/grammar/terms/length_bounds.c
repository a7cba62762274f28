// Lengths and counts, by the form of terms.
#include "grammar/terms/length_bounds.h"

#include "grammar/terms/constructors.h"
#include "grammar/terms/kinds.h"
#include "grammar/terms/scratch.h"

// Nodes of terms that are looked at; also bounds the recursion.
enum { NODES = 1024, LOW_COUNT = 16 };

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t plus(uint32_t a, uint32_t b)
{
    return least_of(a + b, LI_FAR);
}

static uint32_t times(uint32_t a, uint32_t b)
{
    uint64_t product = (uint64_t)a * b;
    return product < LI_FAR ? (uint32_t)product : LI_FAR;
}

// Of a body's extent, with `least` rounds or more.
static li_extent repeated(li_extent body, uint32_t least, uint32_t most)
{
    uint32_t again = times(least ? least - 1 : 0, body.shortest);
    bool is_loop = most == LI_NO_LIMIT;
    li_extent all = {.shortest = times(least, body.shortest), .reach = plus(body.reach, again)};
    all.dense = plus(body.dense, again);
    if (is_loop && body.shortest == 1) all.dense = least_of(all.dense, least_of(least, LI_FAR));
    // What is dense after one round more, or within a round.
    uint32_t next = is_loop && body.shortest == 1 ? least_of(least ? least - 1 : 0, LI_FAR) : LI_FAR;
    if (is_loop) next = least_of(next, plus(body.dense, times(least > 1 ? least - 2 : 0, body.shortest)));
    all.after = least_of(plus(body.after, again), plus(body.reach, next));
    return all;
}

static bool find(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent)
{
    const uint32_t *words = li_term_words(grammar, term);
    uint32_t length = li_term_length(grammar, term);
    li_extent other;
    if (*nodes == 0) return false;
    --*nodes;
    switch (li_term_kind(grammar, term)) {
    case LI_KIND_EMPTY:
        *extent = (li_extent){.dense = LI_FAR};
        return true;
    case LI_KIND_BYTES:
        // Bytes from 0x80 to 0xbf go on a character.
        *extent = (li_extent){.shortest = !(words[4] | words[5]), .dense = LI_FAR, .after = LI_FAR};
        return true;
    case LI_KIND_CLASS:
        *extent = (li_extent){.shortest = 1, .dense = LI_FAR, .after = LI_FAR};
        return true;
    case LI_KIND_REPEAT:
        if (!find(grammar, words[0], nodes, &other)) return false;
        *extent = repeated(other, words[1], words[2]);
        return true;
    case LI_KIND_SEQUENCE: {
        li_extent head;
        if (!find(grammar, words[0], nodes, &head) || !find(grammar, words[1], nodes, &other)) return false;
        uint32_t within = least_of(plus(head.after, other.shortest), plus(head.reach, other.dense));
        extent->shortest = plus(head.shortest, other.shortest);
        extent->reach = most_of(plus(head.reach, other.shortest), other.reach);
        extent->dense = least_of(plus(head.dense, other.shortest), plus(head.shortest, other.dense));
        extent->after = most_of(within, other.after);
        return true;
    }
    case LI_KIND_CHOICE:
        *extent = (li_extent){.shortest = LI_FAR, .dense = LI_FAR};
        for (uint32_t i = 0; i < length; i++) {
            if (!find(grammar, words[i], nodes, &other)) return false;
            extent->shortest = least_of(extent->shortest, other.shortest);
            extent->dense = least_of(extent->dense, other.dense);
            extent->reach = most_of(extent->reach, other.reach);
            extent->after = most_of(extent->after, other.after);
        }
        return true;
    default:
        return false;
    }
}

bool li_extent_of(const li_grammar *grammar, li_term term, li_extent *extent)
{
    uint32_t nodes = NODES;
    return find(grammar, term, &nodes, extent);
}

// Few are come to the end of, and where as many are needed as may be, more than the limit changes.
static bool is_counted(uint32_t least, uint32_t most)
{
    return most != LI_NO_LIMIT && most - least >= LOW_COUNT && least < LI_COUNT_STANDIN / 2;
}

// The lowest count to take away.
static uint32_t lowest_count(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    const uint32_t *words = li_term_words(grammar, term);
    uint32_t lowest = LI_NO_LIMIT, length = li_term_length(grammar, term);
    if (*nodes == 0) return lowest;
    --*nodes;
    switch (li_term_kind(grammar, term)) {
    case LI_KIND_REPEAT:
        if (is_counted(words[1], words[2])) lowest = words[2];
        return least_of(lowest, lowest_count(grammar, words[0], nodes));
    case LI_KIND_NUMBER:
        return li_kinds[LI_KIND_NUMBER].digits_left(grammar, term);
    case LI_KIND_SEQUENCE:
    case LI_KIND_CHOICE:
        for (uint32_t i = 0; i < length; i++) lowest = least_of(lowest, lowest_count(grammar, words[i], nodes));
        return lowest;
    default:
        return lowest;
    }
}

// As far as lowest_count looks.
static li_term without(li_grammar *grammar, li_term term, uint32_t *nodes)
{
    const uint32_t *words = li_term_words(grammar, term);
    if (*nodes == 0) return term;
    --*nodes;
    switch (li_term_kind(grammar, term)) {
    case LI_KIND_REPEAT: {
        uint32_t least = words[1], most = words[2];
        li_term body = without(grammar, words[0], nodes);
        return li_repeat(grammar, body, least, is_counted(least, most) ? LI_COUNT_STANDIN : most);
    }
    case LI_KIND_NUMBER:
        return li_kinds[LI_KIND_NUMBER].digits_left(grammar, term) == LI_NO_LIMIT
                   ? term
                   : li_kinds[LI_KIND_NUMBER].without_digits(grammar, term);
    case LI_KIND_SEQUENCE: {
        li_term head = words[0], tail = words[1];
        head = without(grammar, head, nodes);
        return li_sequence(grammar, head, without(grammar, tail, nodes));
    }
    case LI_KIND_CHOICE: {
        uint32_t mark = li_scratch_mark(grammar), length = li_term_length(grammar, term);
        for (uint32_t i = 0; i < length; i++)
            if (!li_scratch_push(grammar, without(grammar, li_term_words(grammar, term)[i], nodes))) break;
        return li_scratch_choose(grammar, mark);
    }
    default:
        return term;
    }
}

li_term li_without_counts(li_grammar *grammar, li_term term, uint32_t *lowest)
{
    uint32_t nodes = NODES, again = NODES;
    *lowest = lowest_count(grammar, term, &nodes);
    return *lowest == LI_NO_LIMIT ? term : without(grammar, term, &again);
}

static uint32_t used(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    const uint32_t *words = li_term_words(grammar, term);
    uint32_t most = 0, length = li_term_length(grammar, term);
    if (*nodes == 0) return LI_COUNT_MOST_USED;
    --*nodes;
    switch (li_term_kind(grammar, term)) {
    case LI_KIND_QUOTED:
        return used(grammar, words[0], nodes);
    case LI_KIND_NUMBER:
        return least_of(li_kinds[LI_KIND_NUMBER].digits_used(grammar, term), LI_COUNT_MOST_USED);
    case LI_KIND_REPEAT:
        if (words[2] > LI_COUNT_STANDIN / 2 && words[2] < LI_COUNT_STANDIN) most = LI_COUNT_STANDIN - words[2];
        return most_of(least_of(most, LI_COUNT_MOST_USED), used(grammar, words[0], nodes));
    case LI_KIND_SEQUENCE:
    case LI_KIND_CHOICE:
        for (uint32_t i = 0; i < length; i++) most = most_of(most, used(grammar, words[i], nodes));
        return most;
    default:
        return 0;
    }
}

uint32_t li_counts_used(const li_grammar *grammar, li_term term)
{
    // A term has more to it than the one that it comes from.
    uint32_t nodes = 4 * NODES;
    return used(grammar, term, &nodes);
}
