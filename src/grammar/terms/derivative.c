// Derivatives and their caches: a row for each term that is derived often, a small shared table for the other terms.
#include "grammar/terms/derivative.h"

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/kinds.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/term_table.h"

enum { MOST_DEPTH = 200 }; // of recursion through special tokens
enum { REFUSALS = 16 };    // refused bytes per unit of fuel

static uint32_t word(const li_grammar *grammar, li_term term, uint32_t index)
{
    LI_ASSERT(index < li_term_length(grammar, term));
    return li_term_words(grammar, term)[index];
}

li_term li_nothing_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    (void)grammar, (void)term, (void)byte;
    return LI_TERM_NOTHING;
}

li_term li_bytes_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    return li_bytes_refuse(grammar, term, byte) ? LI_TERM_NOTHING : LI_TERM_EMPTY;
}

li_term li_sequence_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_term head = of->sequence.head, tail = of->sequence.tail;
    li_term result = li_derive(grammar, head, byte);
    if (result != LI_TERM_NOTHING) result = li_sequence(grammar, result, tail);
    if (!li_term_is_nullable(grammar, head)) return result;
    return li_either(grammar, result, li_derive(grammar, tail, byte));
}

bool li_refuses(const li_grammar *grammar, li_term term, uint8_t byte)
{
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, term)];
    return kind->refuses && kind->refuses(grammar, term, byte);
}

bool li_bytes_refuse(const li_grammar *grammar, li_term term, uint8_t byte)
{
    LI_ASSERT(li_term_kind(grammar, term) == LI_KIND_BYTES);
    return !(word(grammar, term, byte >> 5) >> (byte & 31) & 1);
}

bool li_sequence_refuses(const li_grammar *grammar, li_term term, uint8_t byte)
{
    li_term head = li_term_payload(grammar, term)->sequence.head;
    return !li_term_is_nullable(grammar, head) && li_refuses(grammar, head, byte);
}

li_term li_choice_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    uint32_t mark = li_scratch_mark(grammar);
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++) {
        li_term part = word(grammar, term, i);
        if (count > REFUSALS && i % REFUSALS == 0) li_grammar_spend(grammar);
        if (li_refuses(grammar, part, byte)) continue;
        part = li_derive(grammar, part, byte);
        if (part != LI_TERM_NOTHING && !li_scratch_push(grammar, part)) return LI_TERM_NOTHING;
    }
    li_term result = LI_TERM_NOTHING;
    if (grammar->scratch.count == mark + 1) result = grammar->scratch.at[mark];
    if (grammar->scratch.count > mark + 1)
        result = li_choice(grammar, grammar->scratch.at + mark, grammar->scratch.count - mark);
    li_scratch_drop(grammar, mark);
    return result;
}

li_term li_not_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    LI_ASSERT(li_term_kind(grammar, term) == LI_KIND_NOT);
    return li_not(grammar, li_derive(grammar, li_term_payload(grammar, term)->complement, byte));
}

// The repetition after its current round, whose rest is `rest`.
static li_term after_round(li_grammar *grammar, li_term repeat, li_term rest)
{
    const li_payload *of = li_term_payload(grammar, repeat);
    LI_ASSERT(li_term_kind(grammar, repeat) == LI_KIND_REPEAT && of->repeat.most);
    li_term body = of->repeat.body;
    uint32_t least = of->repeat.least, most = of->repeat.most;
    if (rest == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    uint32_t most_left = most == LI_NO_LIMIT ? most : most - 1;
    return li_sequence(grammar, rest, li_repeat(grammar, body, least ? least - 1 : 0, most_left));
}

li_term li_repeat_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    return after_round(grammar, term, li_derive(grammar, li_term_payload(grammar, term)->repeat.body, byte));
}

li_term li_expand(li_grammar *grammar, li_term term)
{
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, term)];
    if (!kind->expand) return term;
    li_term known = grammar->terms->entries.at[term].expansion;
    if (known != LI_TERM_UNKNOWN) return known;
    if (!li_depth_enter(grammar)) return LI_TERM_NOTHING;
    li_term expansion = kind->expand(grammar, term);
    li_depth_leave(grammar);
    if (grammar->status != LI_OK) return LI_TERM_NOTHING;
    return grammar->terms->entries.at[term].expansion = expansion;
}

static li_term compute(li_grammar *grammar, li_term term, uint8_t byte)
{
    if (!li_grammar_spend(grammar) || !li_depth_enter(grammar)) return LI_TERM_NOTHING;
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, term)];
    li_term result =
        kind->derive ? kind->derive(grammar, term, byte) : li_derive(grammar, li_expand(grammar, term), byte);
    li_depth_leave(grammar);
    return grammar->status == LI_OK ? result : LI_TERM_NOTHING;
}

// The shared table of terms without a row.
static li_recent *find_recent(li_grammar *grammar, li_term term, uint8_t byte)
{
    li_term_table *table = grammar->terms;
    if (!table->recent) {
        table->recent = li_memory_alloc(LI_RECENT_COUNT * sizeof *table->recent);
        if (!table->recent) {
            li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
            return NULL;
        }
    }
    return &table->recent[(term * 0x9e3779b1u + byte * 0x85ebca77u) >> 20];
}

// Whether the term is derived often enough to have a row. Sequences and choices that are not regular never have a row,
// except wide choices.
static bool earns_row(li_term_entry *entry)
{
    bool has_context =
        !(entry->flags & LI_FLAG_REGULAR) && (entry->kind == LI_KIND_SEQUENCE || entry->kind == LI_KIND_CHOICE);
    if (has_context) return entry->kind == LI_KIND_CHOICE && entry->length >= LI_ROW_WIDTH;
    if (entry->misses < LI_ROW_AFTER) entry->misses++;
    return entry->misses == LI_ROW_AFTER;
}

li_term li_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    li_term_entry *entry = &grammar->terms->entries.at[term];
    if (term <= LI_TERM_EMPTY) return LI_TERM_NOTHING;
    if (entry->kind == LI_KIND_BYTES) return li_bytes_derive(grammar, term, byte);
    if (entry->row && entry->row[byte] != LI_TERM_UNKNOWN) return entry->row[byte];
    if (entry->row || earns_row(entry)) {
        li_term result = compute(grammar, term, byte);
        if (grammar->status != LI_OK) return LI_TERM_NOTHING;
        uint32_t *row = li_term_row(grammar, term);
        if (row) row[byte] = result;
        return result;
    }
    const li_recent *recent = find_recent(grammar, term, byte);
    if (!recent) return LI_TERM_NOTHING;
    if (recent->term == term && recent->byte == byte) return recent->derivative;
    li_term result = compute(grammar, term, byte);
    if (grammar->status == LI_OK) *find_recent(grammar, term, byte) = (li_recent){term, byte, result};
    return result;
}

li_term li_derive_bytes(li_grammar *grammar, li_term term, const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length && term != LI_TERM_NOTHING; i++) term = li_derive(grammar, term, bytes[i]);
    return term;
}

li_term li_derive_special(li_grammar *grammar, li_term term, uint32_t token)
{
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, term)];
    if (li_term_flags(grammar, term) & LI_FLAG_REGULAR || !li_depth_enter(grammar)) return LI_TERM_NOTHING;
    li_term result = kind->derive_special ? kind->derive_special(grammar, term, token) : LI_TERM_NOTHING;
    li_depth_leave(grammar);
    return result;
}

li_term li_special_derive_special(li_grammar *grammar, li_term term, uint32_t token)
{
    return li_term_payload(grammar, term)->special == token ? LI_TERM_EMPTY : LI_TERM_NOTHING;
}

li_term li_expanded_derive_special(li_grammar *grammar, li_term term, uint32_t token)
{
    return li_derive_special(grammar, li_expand(grammar, term), token);
}

li_term li_sequence_derive_special(li_grammar *grammar, li_term term, uint32_t token)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_term head = of->sequence.head, tail = of->sequence.tail;
    li_term result = li_sequence(grammar, li_derive_special(grammar, head, token), tail);
    if (!li_term_is_nullable(grammar, head)) return result;
    return li_either(grammar, result, li_derive_special(grammar, tail, token));
}

li_term li_choice_derive_special(li_grammar *grammar, li_term term, uint32_t token)
{
    uint32_t mark = li_scratch_mark(grammar);
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++)
        if (!li_scratch_push(grammar, li_derive_special(grammar, word(grammar, term, i), token))) break;
    return li_scratch_choose(grammar, mark);
}

li_term li_repeat_derive_special(li_grammar *grammar, li_term term, uint32_t token)
{
    return after_round(grammar, term, li_derive_special(grammar, li_term_payload(grammar, term)->repeat.body, token));
}

// Paths deeper than MOST_DEPTH give no token.
static void visit_specials(const li_special_visit *at, li_term term, uint32_t depth)
{
    const li_kind_traits *kind = &li_kinds[li_term_kind(at->grammar, term)];
    if (li_term_flags(at->grammar, term) & LI_FLAG_REGULAR || depth >= MOST_DEPTH || !kind->visit_specials) return;
    // The number of paths may be exponential.
    if (!li_grammar_spend(at->grammar)) return;
    kind->visit_specials(at, term, depth + 1);
}

void li_visit_specials(li_grammar *grammar, li_term term, void (*visit)(void *context, uint32_t token), void *context)
{
    visit_specials(&(li_special_visit){grammar, visit, context}, term, 0);
}

void li_special_visit_specials(const li_special_visit *at, li_term term, uint32_t depth)
{
    (void)depth;
    at->visit(at->context, li_term_payload(at->grammar, term)->special);
}

void li_expanded_visit_specials(const li_special_visit *at, li_term term, uint32_t depth)
{
    visit_specials(at, li_expand(at->grammar, term), depth);
}

void li_sequence_visit_specials(const li_special_visit *at, li_term term, uint32_t depth)
{
    const li_payload *of = li_term_payload(at->grammar, term);
    li_term head = of->sequence.head, tail = of->sequence.tail;
    visit_specials(at, head, depth);
    if (li_term_is_nullable(at->grammar, head)) visit_specials(at, tail, depth);
}

void li_choice_visit_specials(const li_special_visit *at, li_term term, uint32_t depth)
{
    for (uint32_t i = 0, count = li_term_length(at->grammar, term); i < count; i++)
        visit_specials(at, word(at->grammar, term, i), depth);
}

void li_repeat_visit_specials(const li_special_visit *at, li_term term, uint32_t depth)
{
    visit_specials(at, li_term_payload(at->grammar, term)->repeat.body, depth);
}

int32_t li_only_byte(li_grammar *grammar, li_term term)
{
    // If several bytes may follow, one of these is usually among them.
    static const uint8_t likely[] = {'a', 'e', '0', '1', '"', ' '};
    int32_t only = -1;
    for (uint32_t i = 0; i < sizeof likely + 256; i++) {
        uint8_t byte = i < sizeof likely ? likely[i] : (uint8_t)(i - sizeof likely);
        if (byte == only) continue;
        li_term rest = li_derive(grammar, term, byte);
        if (rest == LI_TERM_NOTHING || li_term_flags(grammar, rest) & LI_FLAG_OVERRUN) continue;
        if (only >= 0) return -1;
        only = byte;
    }
    return only;
}
