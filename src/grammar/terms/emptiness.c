// Emptiness. A state of the search is an interned BOTH, NOT or PATTERN that may be the empty language. Constructors
// never return such a term, so the search makes its states in this file; constructors make only the derivatives of the
// parts, which are ordinary terms. The search visits the state with the shortest estimated text first, so it follows
// long bounded repetitions without detours.
#include "grammar/terms/emptiness.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/terms/assertions.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/first_bytes.h"
#include "grammar/terms/over_approximate.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/term.h"
#include "grammar/terms/term_table.h"

enum { NOTE_EMPTY = 0, NOTE_FULL = 1 };
enum { ESTIMATE_NODES = 64, ESTIMATE_DEPTH = 16, ESTIMATE_MOST = 1 << 28 };

typedef struct visit {
    li_term term;
    uint32_t parent;
    uint8_t byte; // that leads from the parent
} visit;

typedef struct waiting {
    uint32_t estimate, visit;
} waiting;

enum { VISIT_COST = 4 };
enum { WIDE_AFTER = 128, WIDE_LIMIT = 1024 }; // states

typedef struct search {
    li_grammar *grammar;
    li_byte_classes *classes;
    LI_LIST(visit) visits;
    li_table by_term;      // the visits
    LI_LIST(waiting) heap; // the least estimate first, of equal estimates the latest
    uint32_t found;        // a visit that is not empty + 1; 0: none
} search;

static bool may_be_empty(const li_grammar *grammar, li_term term)
{
    li_kind kind = li_term_kind(grammar, term);
    return kind == LI_KIND_BOTH || kind == LI_KIND_NOT || kind == LI_KIND_PATTERN;
}

static bool is_known_full(const li_grammar *grammar, li_term term)
{
    return term != LI_TERM_NOTHING && (!may_be_empty(grammar, term) || li_term_is_nullable(grammar, term) ||
                                       grammar->terms->entries.at[term].note == NOTE_FULL);
}

static uint32_t plus(uint32_t a, uint32_t b)
{
    return a + b < ESTIMATE_MOST ? a + b : ESTIMATE_MOST;
}

// An estimate of the length in bytes of the shortest text.
static uint32_t estimate(const li_grammar *grammar, li_term term, uint32_t depth, uint32_t *nodes)
{
    LI_ASSERT(depth <= ESTIMATE_DEPTH);
    uint32_t sum = 0;
    while (*nodes && depth < ESTIMATE_DEPTH) {
        --*nodes;
        if (li_term_is_nullable(grammar, term)) return sum;
        const uint32_t *words = li_term_words(grammar, term);
        const li_payload *of = li_term_payload(grammar, term);
        switch (li_term_kind(grammar, term)) {
        case LI_KIND_SEQUENCE:
            sum = plus(sum, estimate(grammar, of->sequence.head, depth + 1, nodes));
            term = of->sequence.tail;
            continue;
        case LI_KIND_CHOICE: {
            uint32_t least = ESTIMATE_MOST;
            for (uint32_t i = 0; i < li_term_length(grammar, term) && least; i++) {
                uint32_t of_one = estimate(grammar, words[i], depth + 1, nodes);
                if (of_one < least) least = of_one;
            }
            return plus(sum, least);
        }
        case LI_KIND_BOTH:
            for (uint32_t i = 0; i < li_term_length(grammar, term); i++)
                sum = plus(sum, estimate(grammar, words[i], depth + 1, nodes));
            return sum;
        case LI_KIND_REPEAT: {
            uint64_t of_all = (uint64_t)of->repeat.least * estimate(grammar, of->repeat.body, depth + 1, nodes);
            return of_all < ESTIMATE_MOST ? plus(sum, (uint32_t)of_all) : ESTIMATE_MOST;
        }
        case LI_KIND_PATTERN:
            sum = plus(sum, estimate(grammar, of->pattern.condition, depth + 1, nodes));
            term = of->pattern.open;
            continue;
        case LI_KIND_AHEAD:
        case LI_KIND_EDGE:
        case LI_KIND_NOT:
            return sum;
        default:
            return plus(sum, 1);
        }
    }
    return sum;
}

static bool comes_before(waiting a, waiting b)
{
    return a.estimate != b.estimate ? a.estimate < b.estimate : a.visit > b.visit;
}

static void heap_push(search *at, waiting entry)
{
    if (!LI_HEAP_PUSH(at->grammar, &at->heap, entry)) return;
    waiting *heap = at->heap.at;
    uint32_t place = at->heap.count - 1;
    for (; place && comes_before(entry, heap[(place - 1) / 2]); place = (place - 1) / 2)
        heap[place] = heap[(place - 1) / 2];
    heap[place] = entry;
}

static waiting heap_pop(search *at)
{
    LI_ASSERT(at->heap.count);
    waiting *heap = at->heap.at, top = heap[0], last = heap[--at->heap.count];
    uint32_t place = 0;
    for (uint32_t child = 1; child < at->heap.count; child = 2 * place + 1) {
        if (child + 1 < at->heap.count && comes_before(heap[child + 1], heap[child])) child++;
        if (!comes_before(heap[child], last)) break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = last;
    return top;
}

// Adds a state; sets `found` if the state is certainly not empty.
static void reach(search *at, li_term term, uint32_t parent, uint8_t byte)
{
    li_grammar *grammar = at->grammar;
    if (term == LI_TERM_NOTHING || at->found) return;
    uint32_t note = grammar->terms->entries.at[term].note;
    if (note == NOTE_EMPTY) return;
    uint32_t index = at->visits.count, nodes = ESTIMATE_NODES;
    if (li_table_find(&at->by_term, term) != LI_TABLE_NONE || !li_table_add(grammar, &at->by_term, term, index) ||
        !LI_HEAP_PUSH(grammar, &at->visits, (visit){term, parent, byte}))
        return;
    if (is_known_full(grammar, term))
        at->found = index + 1;
    else
        heap_push(at, (waiting){estimate(grammar, term, 0, &nodes), index});
}

static li_term raw_not(li_grammar *grammar, li_term body)
{
    if (li_term_kind(grammar, body) == LI_KIND_NOT) return li_term_payload(grammar, body)->complement;
    uint32_t nullable = li_term_is_nullable(grammar, body) ? 0 : LI_FLAG_NULLABLE;
    return li_term_intern(grammar, LI_KIND_NOT, LI_FLAG_REGULAR | nullable, &body, 1);
}

static bool is_everything(const li_grammar *grammar, li_term term)
{
    return li_term_kind(grammar, term) == LI_KIND_NOT && li_term_payload(grammar, term)->complement == LI_TERM_NOTHING;
}

// Inserts a part into the sorted parts above `mark` on the scratch stack.
static void add_part(li_grammar *grammar, uint32_t mark, li_term term)
{
    LI_ASSERT(mark <= grammar->scratch.count);
    if (is_everything(grammar, term) || !li_scratch_push(grammar, term)) return;
    li_term *parts = grammar->scratch.at + mark;
    uint32_t count = grammar->scratch.count - mark, place = count - 1;
    while (place && parts[place - 1] > term) place--;
    if (place && parts[place - 1] == term) {
        grammar->scratch.count--;
        return;
    }
    memmove(parts + place + 1, parts + place, (count - 1 - place) * sizeof *parts);
    parts[place] = term;
}

bool li_parts_exclude(const li_grammar *grammar, const li_term *parts, uint32_t count)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++) any |= li_term_flags(grammar, parts[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (li_term_kind(grammar, parts[i]) != LI_KIND_NOT) continue;
        li_term body = li_term_payload(grammar, parts[i])->complement;
        if (body == grammar->any_text && any & LI_FLAG_TEXT) return true;
        for (uint32_t k = 0; k < count; k++)
            if (parts[k] == body) return true;
    }
    return false;
}

static li_term intern_both(li_grammar *grammar, const li_term *parts, uint32_t count)
{
    LI_ASSERT(li_is_ascending(parts, count));
    if (count == 0) return raw_not(grammar, LI_TERM_NOTHING);
    if (li_parts_exclude(grammar, parts, count)) return LI_TERM_NOTHING;
    if (count == 1) return parts[0];
    uint32_t all = LI_FLAG_NULLABLE, any = 0;
    for (uint32_t i = 0; i < count; i++) {
        all &= li_term_flags(grammar, parts[i]);
        any |= li_term_flags(grammar, parts[i]);
    }
    return li_term_intern(grammar, LI_KIND_BOTH, LI_FLAG_REGULAR | all | (any & LI_FLAG_TEXT), parts, count);
}

// The intersection of the derivatives of all parts of a BOTH.
static li_term raw_both_derivative(li_grammar *grammar, li_term term, uint8_t byte)
{
    LI_ASSERT(li_term_kind(grammar, term) == LI_KIND_BOTH);
    uint32_t mark = li_scratch_mark(grammar), length = li_term_length(grammar, term);
    li_term result = LI_TERM_EMPTY;
    for (uint32_t i = 0; i < length && result != LI_TERM_NOTHING; i++) {
        li_term part = li_term_words(grammar, term)[i];
        bool is_not = li_term_kind(grammar, part) == LI_KIND_NOT;
        if (is_not) part = li_term_payload(grammar, part)->complement;
        result = li_derive(grammar, part, byte);
        if (is_not) result = raw_not(grammar, result);
        if (li_term_kind(grammar, result) != LI_KIND_BOTH)
            add_part(grammar, mark, result);
        else
            for (uint32_t k = 0; k < li_term_length(grammar, result); k++)
                add_part(grammar, mark, li_term_words(grammar, result)[k]);
    }
    if (result != LI_TERM_NOTHING)
        result = intern_both(grammar, grammar->scratch.at + mark, grammar->scratch.count - mark);
    li_scratch_drop(grammar, mark);
    return result;
}

// Pushes terms whose union is the derivative of the term. None of them is checked.
static void push_next(li_grammar *grammar, li_term term, uint8_t byte)
{
    switch (li_term_kind(grammar, term)) {
    case LI_KIND_BOTH:
        li_scratch_push(grammar, raw_both_derivative(grammar, term, byte));
        break;
    case LI_KIND_NOT:
        li_scratch_push(grammar,
                        raw_not(grammar, li_derive(grammar, li_term_payload(grammar, term)->complement, byte)));
        break;
    default:
        li_pattern_next(grammar, term, byte, false);
    }
}

static void reach_next(search *at, uint32_t from, uint8_t byte)
{
    LI_ASSERT(from < at->visits.count);
    li_grammar *grammar = at->grammar;
    uint32_t base = li_scratch_mark(grammar);
    push_next(grammar, at->visits.at[from].term, byte);
    for (uint32_t i = base; i < grammar->scratch.count; i++) reach(at, grammar->scratch.at[i], from, byte);
    li_scratch_drop(grammar, base);
}

// Pushes over-approximated parts, whose intersection includes the term; the parts begin at `mark`.
static void push_wide(li_grammar *grammar, uint32_t mark, li_term term)
{
    switch (li_term_kind(grammar, term)) {
    case LI_KIND_BOTH:
        for (uint32_t i = 0; i < li_term_length(grammar, term); i++)
            push_wide(grammar, mark, li_term_words(grammar, term)[i]);
        break;
    case LI_KIND_PATTERN:
        push_wide(grammar, mark, li_term_payload(grammar, term)->pattern.condition);
        add_part(grammar, mark, li_over_approximate(grammar, li_term_payload(grammar, term)->pattern.open));
        break;
    default:
        add_part(grammar, mark, li_over_approximate(grammar, term));
    }
}

typedef enum verdict { EMPTY, FULL, OPEN } verdict;

static verdict decide(li_grammar *grammar, li_term term, uint32_t limit);

// Counts make many states, and most empty terms are also empty without their counts.
static bool is_empty_when_wide(li_grammar *grammar, li_term term)
{
    uint32_t mark = li_scratch_mark(grammar);
    push_wide(grammar, mark, term);
    li_term wide = intern_both(grammar, grammar->scratch.at + mark, grammar->scratch.count - mark);
    li_scratch_drop(grammar, mark);
    return wide != term && decide(grammar, wide, WIDE_LIMIT) == EMPTY;
}

// Whether the bytes lead to a term that is known to have texts.
static bool is_full_along(li_grammar *grammar, li_term term, const uint8_t *bytes, uint32_t count)
{
    bool is_full = is_known_full(grammar, term);
    if (is_full || count == 0 || term == LI_TERM_NOTHING) return is_full;
    uint32_t base = li_scratch_mark(grammar);
    push_next(grammar, term, *bytes);
    for (uint32_t i = base; i < grammar->scratch.count && !is_full; i++)
        is_full = is_full_along(grammar, grammar->scratch.at[i], bytes + 1, count - 1);
    li_scratch_drop(grammar, base);
    if (is_full) grammar->terms->entries.at[term].note = NOTE_FULL;
    return is_full;
}

// After most bytes a term reads on as before, so its derivative by such a byte is often known to have texts. And terms
// of one pattern often have a text in common, even where counts keep them apart.
static bool is_full_soon(li_grammar *grammar, li_term term)
{
    static const uint8_t bytes[] = {'a', ' ', '0', 0x80};
    li_term_table *table = grammar->terms;
    for (uint32_t i = 0; i < sizeof bytes; i++)
        if (li_term_kind(grammar, term) == LI_KIND_BOTH && is_full_along(grammar, term, &bytes[i], 1)) return true;
    return is_full_along(grammar, term, table->witness, table->witness_length);
}

// Keeps the bytes that lead to the visit, unless they are many.
static void keep_witness(const search *at, uint32_t found)
{
    li_term_table *table = at->grammar->terms;
    uint32_t length = 0;
    for (uint32_t i = found; at->visits.at[i].parent != UINT32_MAX; i = at->visits.at[i].parent) length++;
    if (length > LI_WITNESS_MOST) return;
    table->witness_length = length;
    for (uint32_t i = found; length > 0; i = at->visits.at[i].parent) table->witness[--length] = at->visits.at[i].byte;
}

// Visits at most `limit` states. Without a limit, calls is_empty_when_wide after WIDE_AFTER states.
static verdict decide(li_grammar *grammar, li_term term, uint32_t limit)
{
    if (!may_be_empty(grammar, term)) return term == LI_TERM_NOTHING ? EMPTY : FULL;
    uint32_t note = grammar->terms->entries.at[term].note;
    if (note != LI_TERM_UNKNOWN) return note == NOTE_EMPTY ? EMPTY : FULL;
    if (li_term_is_nullable(grammar, term) || is_full_soon(grammar, term)) {
        grammar->terms->entries.at[term].note = NOTE_FULL;
        return FULL;
    }
    if (!li_depth_enter(grammar)) return OPEN;
    search at = {.grammar = grammar, .classes = li_memory_alloc(sizeof *at.classes)};
    if (!at.classes) li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
    reach(&at, term, UINT32_MAX, 0);
    uint32_t visited = 0;
    bool is_empty = false;
    while (!at.found && at.heap.count && !is_empty && visited++ < limit && grammar->status == LI_OK) {
        for (int i = 0; i < VISIT_COST; i++) li_grammar_spend(grammar);
        uint32_t from = heap_pop(&at).visit;
        at.classes->grammar = grammar;
        at.classes->derives = true;
        li_find_alike(at.classes, at.visits.at[from].term);
        uint32_t done = 0;
        for (uint32_t byte = 0; byte < 256 && done < at.classes->count && !at.found; byte++)
            if (at.classes->of[byte] == done) {
                reach_next(&at, from, (uint8_t)byte);
                done++;
            }
        if (visited == WIDE_AFTER && limit == LI_NO_LIMIT && !at.found) is_empty = is_empty_when_wide(grammar, term);
    }
    verdict verdict = at.found ? FULL : is_empty || !at.heap.count ? EMPTY : OPEN;
    if (grammar->status) verdict = OPEN;
    if (verdict == FULL) keep_witness(&at, at.found - 1);
    for (uint32_t i = at.found - 1; verdict == FULL && i != UINT32_MAX; i = at.visits.at[i].parent)
        grammar->terms->entries.at[at.visits.at[i].term].note = NOTE_FULL;
    // If the term is empty, all its states are.
    for (uint32_t i = 0; verdict == EMPTY && i < at.visits.count; i++)
        grammar->terms->entries.at[at.visits.at[i].term].note = NOTE_EMPTY;
    li_memory_free(at.classes);
    li_memory_free(at.visits.at);
    li_table_clear(&at.by_term);
    li_memory_free(at.heap.at);
    li_depth_leave(grammar);
    return verdict;
}

bool li_is_empty(li_grammar *grammar, li_term term)
{
    return grammar->status || decide(grammar, term, LI_NO_LIMIT) != FULL;
}

void li_note_full(li_grammar *grammar, li_term term)
{
    if (term != LI_TERM_NOTHING) grammar->terms->entries.at[term].note = NOTE_FULL;
}
