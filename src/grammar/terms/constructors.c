// The constructors of regular terms. Associativity, idempotence and units keep the number of states finite (Brzozowski
// 1964); further simplifications keep the number small.
#include "grammar/terms/constructors.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/terms/assertions.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/emptiness.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/term.h"
#include "grammar/terms/term_table.h"

// Bounds the recursion of the factoring; deeper common prefixes stay unmerged.
enum { FACTOR_DEPTH = 32 };
// Alternatives per unit of fuel.
enum { CHOICE_COST = 8 };

static uint32_t flags_of(const li_grammar *grammar, li_term term)
{
    return grammar->terms->entries.at[term].flags;
}

static li_kind kind_of(const li_grammar *grammar, li_term term)
{
    return grammar->terms->entries.at[term].kind;
}

static uint32_t word_of(const li_grammar *grammar, li_term term, uint32_t index)
{
    return li_term_words(grammar, term)[index];
}

static bool is_everything(const li_grammar *grammar, li_term term)
{
    return kind_of(grammar, term) == LI_KIND_NOT && li_term_payload(grammar, term)->complement == LI_TERM_NOTHING;
}

li_term li_bytes(li_grammar *grammar, const uint32_t set[8])
{
    uint32_t any = 0, beyond = 0;
    for (int i = 0; i < 8; i++) any |= set[i];
    for (int i = 4; i < 8; i++) beyond |= set[i];
    if (!any) return LI_TERM_NOTHING;
    return li_term_intern(grammar, LI_KIND_BYTES, LI_FLAG_REGULAR | (beyond ? 0 : LI_FLAG_TEXT), set, 8);
}

li_term li_byte_range(li_grammar *grammar, uint8_t low, uint8_t high)
{
    uint32_t set[8] = {0};
    for (uint32_t byte = low; byte <= high; byte++) set[byte >> 5] |= 1u << (byte & 31);
    return li_bytes(grammar, set);
}

li_term li_literal(li_grammar *grammar, const uint8_t *bytes, uint32_t length)
{
    li_term term = LI_TERM_EMPTY;
    while (length--) term = li_sequence(grammar, li_byte_range(grammar, bytes[length], bytes[length]), term);
    return term;
}

static li_term head_of(const li_grammar *grammar, li_term term)
{
    return kind_of(grammar, term) == LI_KIND_SEQUENCE ? li_term_payload(grammar, term)->sequence.head : term;
}

static li_term tail_of(const li_grammar *grammar, li_term term)
{
    return kind_of(grammar, term) == LI_KIND_SEQUENCE ? li_term_payload(grammar, term)->sequence.tail : LI_TERM_EMPTY;
}

// The sequence of a head, itself no sequence, and a tail.
static li_term join(li_grammar *grammar, li_term head, li_term tail)
{
    LI_ASSERT(kind_of(grammar, head) != LI_KIND_SEQUENCE);
    if (head == LI_TERM_NOTHING || tail == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    if (head == LI_TERM_EMPTY) return tail;
    li_kind kind = kind_of(grammar, head);
    if (tail == LI_TERM_EMPTY) return head;
    // x* x* is x*. Otherwise a repeated rule that ends in itself would become a new term after every byte.
    if (kind == LI_KIND_REPEAT && head_of(grammar, tail) == head) {
        const li_payload *of = li_term_payload(grammar, head);
        if (of->repeat.least == 0 && of->repeat.most == LI_NO_LIMIT) return tail;
    }
    uint32_t a = flags_of(grammar, head), b = flags_of(grammar, tail);
    if (kind == LI_KIND_CHOICE && !(a & LI_FLAG_REGULAR)) {
        // Each alternative gets its own tail, so that equal heads can merge.
        uint32_t mark = li_scratch_mark(grammar), count = li_term_length(grammar, head);
        for (uint32_t i = 0; i < count; i++) {
            li_term part = li_sequence(grammar, word_of(grammar, head, i), tail);
            if (!li_scratch_push(grammar, part)) return LI_TERM_NOTHING;
        }
        li_term result = li_choice(grammar, grammar->scratch.at + mark, count);
        li_scratch_drop(grammar, mark);
        return result;
    }
    uint32_t flags = (a & b & (LI_FLAG_NULLABLE | LI_FLAG_REGULAR | LI_FLAG_TEXT)) |
                     ((a | b) & (LI_FLAG_OPEN | LI_FLAG_EDGE)) | (a & LI_OVERRUN_FLAGS);
    return li_term_intern(grammar, LI_KIND_SEQUENCE, flags, (uint32_t[]){head, tail}, 2);
}

li_term li_sequence(li_grammar *grammar, li_term head, li_term tail)
{
    if (kind_of(grammar, head) != LI_KIND_SEQUENCE) return join(grammar, head, tail);
    if (tail == LI_TERM_EMPTY) return head;
    if (tail == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    uint32_t mark = li_scratch_mark(grammar);
    for (; kind_of(grammar, head) == LI_KIND_SEQUENCE; head = tail_of(grammar, head))
        if (!li_scratch_push(grammar, head_of(grammar, head))) return LI_TERM_NOTHING;
    li_term result = join(grammar, head, tail);
    while (grammar->scratch.count > mark) result = join(grammar, grammar->scratch.at[--grammar->scratch.count], result);
    return result;
}

static void sort_terms(li_term *terms, uint32_t count)
{
    // Shell's sort: alternatives are few and mostly in order.
    for (uint32_t gap = count / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            li_term term = terms[i];
            uint32_t at = i;
            for (; at >= gap && terms[at - gap] > term; at -= gap) terms[at] = terms[at - gap];
            terms[at] = term;
        }
}

static uint32_t sort_distinct(li_term *terms, uint32_t count)
{
    sort_terms(terms, count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || terms[kept - 1] != terms[i]) terms[kept++] = terms[i];
    return kept;
}

// The union of two heads before the same tail if the union is a single head; else NOTHING.
static li_term merge_heads(li_grammar *grammar, li_term a, li_term b)
{
    LI_ASSERT(kind_of(grammar, a) != LI_KIND_SEQUENCE && kind_of(grammar, b) != LI_KIND_SEQUENCE);
    li_kind kind = kind_of(grammar, a);
    if (kind != kind_of(grammar, b)) return LI_TERM_NOTHING;
    if (kind == LI_KIND_BYTES) {
        uint32_t set[8];
        for (uint32_t i = 0; i < 8; i++) set[i] = word_of(grammar, a, i) | word_of(grammar, b, i);
        return li_bytes(grammar, set);
    }
    if (kind != LI_KIND_REPEAT) return LI_TERM_NOTHING;
    const li_payload *of_a = li_term_payload(grammar, a), *of_b = li_term_payload(grammar, b);
    if (of_a->repeat.body == of_b->repeat.body) {
        uint32_t least_a = of_a->repeat.least, most_a = of_a->repeat.most;
        uint32_t least_b = of_b->repeat.least, most_b = of_b->repeat.most;
        bool meets =
            (most_a == LI_NO_LIMIT || least_b <= most_a + 1) && (most_b == LI_NO_LIMIT || least_a <= most_b + 1);
        if (meets)
            return li_repeat(grammar, of_a->repeat.body, least_a < least_b ? least_a : least_b,
                             most_a > most_b ? most_a : most_b);
    }
    return LI_TERM_NOTHING;
}

// Orders alternatives so that alternatives with mergeable heads are neighbours: by tail, then by the body of a
// repetition, then by its least count.
static bool comes_before(const li_grammar *grammar, li_term a, li_term b, bool by_head)
{
    li_term head_a = head_of(grammar, a), head_b = head_of(grammar, b);
    if (by_head) return head_a != head_b ? head_a < head_b : a < b;
    li_term tail_a = tail_of(grammar, a), tail_b = tail_of(grammar, b);
    if (tail_a != tail_b) return tail_a < tail_b;
    li_kind kind_a = kind_of(grammar, head_a), kind_b = kind_of(grammar, head_b);
    if (kind_a != kind_b || kind_a != LI_KIND_REPEAT) return kind_a != kind_b ? kind_a < kind_b : a < b;
    const li_payload *of_a = li_term_payload(grammar, head_a), *of_b = li_term_payload(grammar, head_b);
    if (of_a->repeat.body != of_b->repeat.body) return of_a->repeat.body < of_b->repeat.body;
    return of_a->repeat.least != of_b->repeat.least ? of_a->repeat.least < of_b->repeat.least : a < b;
}

static void sort_alternatives(const li_grammar *grammar, li_term *terms, uint32_t count, bool by_head)
{
    for (uint32_t gap = count / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            li_term term = terms[i];
            uint32_t at = i;
            for (; at >= gap && comes_before(grammar, term, terms[at - gap], by_head); at -= gap)
                terms[at] = terms[at - gap];
            terms[at] = term;
        }
}

// Merges alternatives with equal tails and mergeable heads in place; returns the number left. Each round loads the
// terms again, because the scratch stack may move.
static uint32_t merge_equal_tails(li_grammar *grammar, uint32_t mark, uint32_t count)
{
    LI_ASSERT(count && mark + count <= grammar->scratch.count);
    sort_alternatives(grammar, grammar->scratch.at + mark, count, false);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++) {
        li_term a = grammar->scratch.at[mark + kept - 1], b = grammar->scratch.at[mark + i], tail = tail_of(grammar, a);
        li_term head = LI_TERM_NOTHING;
        if (tail_of(grammar, b) == tail) head = merge_heads(grammar, head_of(grammar, a), head_of(grammar, b));
        if (head != LI_TERM_NOTHING)
            b = li_sequence(grammar, head, tail);
        else
            kept++;
        grammar->scratch.at[mark + kept - 1] = b;
    }
    return kept;
}

// Merges alternatives with equal heads in place: their tails become a choice. Returns the number left.
static uint32_t merge_equal_heads(li_grammar *grammar, uint32_t mark, uint32_t count)
{
    LI_ASSERT(mark + count <= grammar->scratch.count);
    sort_alternatives(grammar, grammar->scratch.at + mark, count, true);
    uint32_t kept = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        li_term term = grammar->scratch.at[mark + i], head = head_of(grammar, term);
        for (end = i + 1; end < count && head_of(grammar, grammar->scratch.at[mark + end]) == head;) end++;
        if (end > i + 1) {
            uint32_t tails = grammar->scratch.count;
            for (uint32_t j = i; j < end; j++)
                if (!li_scratch_push(grammar, tail_of(grammar, grammar->scratch.at[mark + j]))) return 0;
            term = li_choice(grammar, grammar->scratch.at + tails, end - i);
            grammar->scratch.count = tails;
            term = li_sequence(grammar, head, term);
        }
        grammar->scratch.at[mark + kept++] = term;
    }
    return kept;
}

// Drops alternatives that the alternative "any text" or "everything" includes. Returns the number left.
static uint32_t drop_covered(const li_grammar *grammar, li_term *terms, uint32_t count)
{
    li_term cover = LI_TERM_NOTHING;
    for (uint32_t i = 0; i < count && (cover == LI_TERM_NOTHING || cover == grammar->any_text); i++)
        if (terms[i] == grammar->any_text || is_everything(grammar, terms[i])) cover = terms[i];
    if (cover == LI_TERM_NOTHING) return count;
    uint32_t kept = 0, covered = cover == grammar->any_text ? LI_FLAG_TEXT : LI_FLAG_REGULAR;
    for (uint32_t i = 0; i < count; i++) {
        bool is_covered = (flags_of(grammar, terms[i]) & (covered | LI_FLAG_OPEN)) == covered;
        if (terms[i] == cover || !is_covered) terms[kept++] = terms[i];
    }
    return kept;
}

static li_term choose(li_grammar *grammar, uint32_t mark, bool factors)
{
    LI_ASSERT(mark <= grammar->scratch.count);
    li_term *terms = grammar->scratch.at + mark;
    uint32_t count = sort_distinct(terms, grammar->scratch.count - mark);
    count = drop_covered(grammar, terms, count);
    grammar->scratch.count = mark + count;
    for (uint32_t i = 0; i < count; i += CHOICE_COST) li_grammar_spend(grammar);
    if (factors && count > 1) {
        li_patterns_merge(grammar, mark);
        count = grammar->scratch.count - mark;
        count = merge_equal_heads(grammar, mark, count);
        grammar->scratch.count = mark + count;
        count = merge_equal_tails(grammar, mark, count);
        count = sort_distinct(grammar->scratch.at + mark, count);
    }
    if (grammar->status != LI_OK || count == 0) return LI_TERM_NOTHING;
    terms = grammar->scratch.at + mark;
    if (count == 1) return terms[0];
    // EMPTY is redundant beside a nullable alternative that is not overrun.
    uint32_t all = UINT32_MAX, any = 0;
    bool may_end = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t flags = flags_of(grammar, terms[i]);
        all &= flags;
        any |= flags;
        if (terms[i] != LI_TERM_EMPTY && !(flags & LI_OVERRUN_FLAGS)) may_end |= (flags & LI_FLAG_NULLABLE) != 0;
    }
    if (terms[0] == LI_TERM_EMPTY && may_end) {
        terms++;
        if (--count == 1) return terms[0];
    }
    uint32_t flags = (all & (LI_FLAG_REGULAR | LI_FLAG_TEXT | LI_FLAG_OVERRUN)) |
                     (any & (LI_FLAG_NULLABLE | LI_FLAG_OPEN | LI_FLAG_EDGE));
    if (any & LI_OVERRUN_FLAGS && !(all & LI_FLAG_OVERRUN)) flags |= LI_FLAG_PARTLY_OVERRUN;
    return li_term_intern(grammar, LI_KIND_CHOICE, flags, terms, count);
}

li_term li_choice(li_grammar *grammar, const li_term *terms, uint32_t count)
{
    uint32_t mark = li_scratch_mark(grammar);
    // A push may move the scratch stack, where the terms may lie.
    bool is_scratch = terms >= grammar->scratch.at && terms < grammar->scratch.at + grammar->scratch.room;
    uint32_t offset = is_scratch ? (uint32_t)(terms - grammar->scratch.at) : 0;
    for (uint32_t i = 0; i < count; i++) {
        li_term term = is_scratch ? grammar->scratch.at[offset + i] : terms[i];
        if (term == LI_TERM_NOTHING) continue;
        bool nests = kind_of(grammar, term) == LI_KIND_CHOICE;
        uint32_t parts = nests ? li_term_length(grammar, term) : 1;
        for (uint32_t part = 0; part < parts; part++)
            if (!li_scratch_push(grammar, nests ? word_of(grammar, term, part) : term)) return LI_TERM_NOTHING;
    }
    if (!li_depth_enter(grammar)) return LI_TERM_NOTHING;
    li_term result = choose(grammar, mark, grammar->depth < FACTOR_DEPTH);
    li_depth_leave(grammar);
    li_scratch_drop(grammar, mark);
    return result;
}

li_term li_either(li_grammar *grammar, li_term a, li_term b)
{
    if (a == b || b == LI_TERM_NOTHING) return a;
    if (a == LI_TERM_NOTHING) return b;
    return li_choice(grammar, (li_term[]){a, b}, 2);
}

static bool push_parts_of_both(li_grammar *grammar, li_term term)
{
    if (kind_of(grammar, term) != LI_KIND_BOTH) return li_scratch_push(grammar, term);
    for (uint32_t i = 0; i < li_term_length(grammar, term); i++)
        if (!li_scratch_push(grammar, word_of(grammar, term, i))) return false;
    return true;
}

// Intersects the single bytes among the parts, and drops parts that other parts imply. Returns the number left.
static uint32_t simplify_parts(li_grammar *grammar, uint32_t mark, uint32_t count)
{
    uint32_t kept = 0, bytes = LI_NO_LIMIT, any = 0;
    for (uint32_t i = 0; i < count; i++)
        if (grammar->scratch.at[mark + i] != grammar->any_text) any |= flags_of(grammar, grammar->scratch.at[mark + i]);
    for (uint32_t i = 0; i < count; i++) {
        li_term part = grammar->scratch.at[mark + i];
        if (is_everything(grammar, part) || (part == grammar->any_text && any & LI_FLAG_TEXT)) continue;
        if (kind_of(grammar, part) == LI_KIND_BYTES && bytes != LI_NO_LIMIT) {
            uint32_t set[8];
            for (uint32_t k = 0; k < 8; k++)
                set[k] = word_of(grammar, grammar->scratch.at[mark + bytes], k) & word_of(grammar, part, k);
            grammar->scratch.at[mark + bytes] = li_bytes(grammar, set);
            continue;
        }
        if (kind_of(grammar, part) == LI_KIND_BYTES) bytes = kept;
        grammar->scratch.at[mark + kept++] = part;
    }
    return kept;
}

// The intersection of the parts above `mark` on the scratch stack, which are dropped.
static li_term intersect(li_grammar *grammar, uint32_t mark)
{
    uint32_t count = simplify_parts(grammar, mark, grammar->scratch.count - mark);
    li_term *parts = grammar->scratch.at + mark;
    count = sort_distinct(parts, count);
    uint32_t all = LI_FLAG_NULLABLE | LI_FLAG_REGULAR, any = 0;
    for (uint32_t i = 0; i < count; i++) {
        all &= flags_of(grammar, parts[i]);
        any |= flags_of(grammar, parts[i]);
    }
    li_term result;
    if (count == 0)
        result = li_not(grammar, LI_TERM_NOTHING);
    else if (li_parts_exclude(grammar, parts, count))
        result = LI_TERM_NOTHING;
    else if (count == 1 || parts[0] == LI_TERM_NOTHING)
        result = parts[0];
    else if (parts[0] == LI_TERM_EMPTY)
        result = all & LI_FLAG_NULLABLE ? LI_TERM_EMPTY : LI_TERM_NOTHING;
    else
        result = li_term_intern(grammar, LI_KIND_BOTH, all | (any & LI_FLAG_TEXT), parts, count);
    li_scratch_drop(grammar, mark);
    return li_is_empty(grammar, result) ? LI_TERM_NOTHING : result;
}

li_term li_both(li_grammar *grammar, li_term a, li_term b)
{
    LI_ASSERT(grammar->status || flags_of(grammar, a) & flags_of(grammar, b) & LI_FLAG_REGULAR);
    if (a == b || is_everything(grammar, b)) return a;
    if (is_everything(grammar, a)) return b;
    if (a == LI_TERM_NOTHING || b == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    uint32_t mark = li_scratch_mark(grammar);
    if (!push_parts_of_both(grammar, a) || !push_parts_of_both(grammar, b)) return LI_TERM_NOTHING;
    return intersect(grammar, mark);
}

// The parts are intersected at once: whether the intersection of some of them is empty is a search of its own.
li_term li_both_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    uint32_t mark = li_scratch_mark(grammar);
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++) {
        li_term part = li_derive(grammar, word_of(grammar, term, i), byte);
        if (part != LI_TERM_NOTHING && push_parts_of_both(grammar, part)) continue;
        li_scratch_drop(grammar, mark);
        return LI_TERM_NOTHING;
    }
    return intersect(grammar, mark);
}

li_term li_not(li_grammar *grammar, li_term term)
{
    LI_ASSERT(grammar->status || flags_of(grammar, term) & LI_FLAG_REGULAR);
    if (kind_of(grammar, term) == LI_KIND_NOT) return li_term_payload(grammar, term)->complement;
    uint32_t flags = (~flags_of(grammar, term) & LI_FLAG_NULLABLE) | LI_FLAG_REGULAR;
    li_term result = li_term_intern(grammar, LI_KIND_NOT, flags, &term, 1);
    return li_is_empty(grammar, result) ? LI_TERM_NOTHING : result;
}

li_term li_repeat(li_grammar *grammar, li_term body, uint32_t least, uint32_t most)
{
    LI_ASSERT(least <= most);
    if (most == 0 || body == LI_TERM_EMPTY) return LI_TERM_EMPTY;
    if (body == LI_TERM_NOTHING) return least == 0 ? LI_TERM_EMPTY : LI_TERM_NOTHING;
    uint32_t flags = flags_of(grammar, body);
    if (flags & LI_FLAG_NULLABLE) least = 0;
    if (least == 1 && most == 1) return body;
    const li_payload *of = kind_of(grammar, body) == LI_KIND_REPEAT ? li_term_payload(grammar, body) : NULL;
    if (of && of->repeat.most == LI_NO_LIMIT && of->repeat.least <= 1 && most == LI_NO_LIMIT && least <= 1)
        return li_repeat(grammar, of->repeat.body, of->repeat.least && least ? 1 : 0, LI_NO_LIMIT);
    return li_term_intern(grammar, LI_KIND_REPEAT,
                          (flags & (LI_FLAG_REGULAR | LI_FLAG_TEXT | LI_FLAG_OPEN | LI_FLAG_EDGE)) |
                              (least == 0 || flags & LI_FLAG_NULLABLE ? LI_FLAG_NULLABLE : 0),
                          (uint32_t[]){body, least, most}, 3);
}

li_term li_scratch_choose(li_grammar *grammar, uint32_t mark)
{
    LI_ASSERT(mark <= grammar->scratch.count);
    li_term choice = li_choice(grammar, grammar->scratch.at + mark, grammar->scratch.count - mark);
    li_scratch_drop(grammar, mark);
    return choice;
}
