// Lengths and counts, found from the structure of terms.
#include "grammar/terms/length_bounds.h"

#include "base/assert.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/kinds.h"
#include "grammar/terms/scratch.h"

// Bounds the number of visited terms, and the recursion.
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
    LI_ASSERT(a <= LI_FAR && b <= LI_FAR);
    return least_of(a + b, LI_FAR);
}

static uint32_t times(uint32_t a, uint32_t b)
{
    uint64_t product = (uint64_t)a * b;
    return product < LI_FAR ? (uint32_t)product : LI_FAR;
}

// The extent of `least` to `most` rounds of a body.
static li_extent repeated(li_extent body, uint32_t least, uint32_t most)
{
    LI_ASSERT(least <= most);
    uint32_t again = times(least ? least - 1 : 0, body.shortest);
    bool is_loop = most == LI_NO_LIMIT;
    li_extent all = {.shortest = times(least, body.shortest), .reach = plus(body.reach, again)};
    all.dense = plus(body.dense, again);
    if (is_loop && body.shortest == 1) all.dense = least_of(all.dense, least_of(least, LI_FAR));
    // Where lengths are dense after another round, or within a round.
    uint32_t next = is_loop && body.shortest == 1 ? least_of(least ? least - 1 : 0, LI_FAR) : LI_FAR;
    if (is_loop) next = least_of(next, plus(body.dense, times(least > 1 ? least - 2 : 0, body.shortest)));
    all.after = least_of(plus(body.after, again), plus(body.reach, next));
    return all;
}

bool li_extent_within(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent)
{
    if (*nodes == 0) return false;
    --*nodes;
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, term)];
    return kind->extent && kind->extent(grammar, term, nodes, extent);
}

bool li_empty_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent)
{
    (void)grammar, (void)term, (void)nodes;
    *extent = (li_extent){.dense = LI_FAR};
    return true;
}

bool li_bytes_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent)
{
    (void)nodes;
    const uint32_t *words = li_term_words(grammar, term);
    // Bytes from 0x80 to 0xbf continue a character.
    *extent = (li_extent){.shortest = !(words[4] | words[5]), .dense = LI_FAR, .after = LI_FAR};
    return true;
}

bool li_class_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent)
{
    (void)grammar, (void)term, (void)nodes;
    *extent = (li_extent){.shortest = 1, .dense = LI_FAR, .after = LI_FAR};
    return true;
}

bool li_repeat_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_extent body;
    if (!li_extent_within(grammar, of->repeat.body, nodes, &body)) return false;
    *extent = repeated(body, of->repeat.least, of->repeat.most);
    return true;
}

bool li_sequence_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_extent head, tail;
    if (!li_extent_within(grammar, of->sequence.head, nodes, &head) ||
        !li_extent_within(grammar, of->sequence.tail, nodes, &tail))
        return false;
    uint32_t within = least_of(plus(head.after, tail.shortest), plus(head.reach, tail.dense));
    extent->shortest = plus(head.shortest, tail.shortest);
    extent->reach = most_of(plus(head.reach, tail.shortest), tail.reach);
    extent->dense = least_of(plus(head.dense, tail.shortest), plus(head.shortest, tail.dense));
    extent->after = most_of(within, tail.after);
    return true;
}

bool li_choice_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent)
{
    li_extent other;
    *extent = (li_extent){.shortest = LI_FAR, .dense = LI_FAR};
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++) {
        if (!li_extent_within(grammar, li_term_words(grammar, term)[i], nodes, &other)) return false;
        extent->shortest = least_of(extent->shortest, other.shortest);
        extent->dense = least_of(extent->dense, other.dense);
        extent->reach = most_of(extent->reach, other.reach);
        extent->after = most_of(extent->after, other.after);
    }
    return true;
}

bool li_extent_of(const li_grammar *grammar, li_term term, li_extent *extent)
{
    uint32_t nodes = NODES;
    return li_extent_within(grammar, term, &nodes, extent);
}

// ---- the lowest count ----------------------------------------------------------------------------------------------

// Keeps small limits, because tokens reach them, and limits near the minimum, where the stand-in would change more than
// the limit.
static bool is_counted(uint32_t least, uint32_t most)
{
    return most != LI_NO_LIMIT && most - least >= LOW_COUNT && least < LI_COUNT_STANDIN / 2;
}

static uint32_t lowest_count(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    if (*nodes == 0) return LI_NO_LIMIT;
    --*nodes;
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, term)];
    return kind->lowest_count ? kind->lowest_count(grammar, term, nodes) : LI_NO_LIMIT;
}

uint32_t li_repeat_lowest_count(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    const li_payload *of = li_term_payload(grammar, term);
    uint32_t own = is_counted(of->repeat.least, of->repeat.most) ? of->repeat.most : LI_NO_LIMIT;
    return least_of(own, lowest_count(grammar, of->repeat.body, nodes));
}

uint32_t li_parts_lowest_count(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    uint32_t lowest = LI_NO_LIMIT;
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++)
        lowest = least_of(lowest, lowest_count(grammar, li_term_words(grammar, term)[i], nodes));
    return lowest;
}

// ---- without counts ------------------------------------------------------------------------------------------------

// Visits the terms that lowest_count visits.
static li_term without_counts(li_grammar *grammar, li_term term, uint32_t *nodes)
{
    if (*nodes == 0) return term;
    --*nodes;
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, term)];
    return kind->without_counts ? kind->without_counts(grammar, term, nodes) : term;
}

li_term li_repeat_without_counts(li_grammar *grammar, li_term term, uint32_t *nodes)
{
    const li_payload *of = li_term_payload(grammar, term);
    uint32_t least = of->repeat.least, most = of->repeat.most;
    li_term body = without_counts(grammar, of->repeat.body, nodes);
    return li_repeat(grammar, body, least, is_counted(least, most) ? LI_COUNT_STANDIN : most);
}

li_term li_sequence_without_counts(li_grammar *grammar, li_term term, uint32_t *nodes)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_term head = of->sequence.head, tail = of->sequence.tail;
    head = without_counts(grammar, head, nodes);
    return li_sequence(grammar, head, without_counts(grammar, tail, nodes));
}

li_term li_choice_without_counts(li_grammar *grammar, li_term term, uint32_t *nodes)
{
    uint32_t mark = li_scratch_mark(grammar);
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++)
        if (!li_scratch_push(grammar, without_counts(grammar, li_term_words(grammar, term)[i], nodes))) break;
    return li_scratch_choose(grammar, mark);
}

li_term li_without_counts(li_grammar *grammar, li_term term, uint32_t *lowest)
{
    uint32_t nodes = NODES, again = NODES;
    *lowest = lowest_count(grammar, term, &nodes);
    return *lowest == LI_NO_LIMIT ? term : without_counts(grammar, term, &again);
}

// ---- counts used ---------------------------------------------------------------------------------------------------

uint32_t li_counts_used_of(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    if (*nodes == 0) return LI_COUNT_MOST_USED;
    --*nodes;
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, term)];
    return kind->counts_used ? least_of(kind->counts_used(grammar, term, nodes), LI_COUNT_MOST_USED) : 0;
}

uint32_t li_repeat_counts_used(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    const li_payload *of = li_term_payload(grammar, term);
    uint32_t most = of->repeat.most;
    bool is_standin = most > LI_COUNT_STANDIN / 2 && most < LI_COUNT_STANDIN;
    return most_of(is_standin ? LI_COUNT_STANDIN - most : 0, li_counts_used_of(grammar, of->repeat.body, nodes));
}

uint32_t li_parts_counts_used(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    uint32_t most = 0;
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++)
        most = most_of(most, li_counts_used_of(grammar, li_term_words(grammar, term)[i], nodes));
    return most;
}

uint32_t li_counts_used(const li_grammar *grammar, li_term term)
{
    // A derivative is larger than its term.
    uint32_t nodes = 4 * NODES;
    return li_counts_used_of(grammar, term, &nodes);
}
