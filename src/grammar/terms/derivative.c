// Derivatives: what is left of a term after a byte.
#include "grammar/compile/rules.h"
#include "grammar/json/json.h"
#include "grammar/terms/assertions.h"
#include "grammar/terms/string_list.h"
#include "grammar/terms/term_table.h"

#include "base/memory.h"

enum { DEPTH_LIMIT = 400 };

bool li_depth_enter(li_grammar *grammar)
{
    if (grammar->terms->depth >= DEPTH_LIMIT) {
        li_grammar_exceed(grammar, LI_LIMIT_DEPTH);
        return false;
    }
    grammar->terms->depth++;
    return true;
}

void li_depth_leave(li_grammar *grammar)
{
    grammar->terms->depth--;
}

static uint32_t word(const li_grammar *grammar, li_term term, uint32_t index)
{
    return li_term_words(grammar, term)[index];
}

static li_term derive_nothing(li_grammar *grammar, li_term term, uint8_t byte)
{
    (void)grammar, (void)term, (void)byte;
    return LI_TERM_NOTHING;
}

static li_term derive_bytes(li_grammar *grammar, li_term term, uint8_t byte)
{
    return word(grammar, term, byte >> 5) >> (byte & 31) & 1 ? LI_TERM_EMPTY : LI_TERM_NOTHING;
}

static li_term derive_sequence(li_grammar *grammar, li_term term, uint8_t byte)
{
    li_term head = word(grammar, term, 0), tail = word(grammar, term, 1);
    li_term result = li_derive(grammar, head, byte);
    if (result != LI_TERM_NOTHING) result = li_sequence(grammar, result, tail);
    if (!li_term_is_nullable(grammar, head)) return result;
    return li_either(grammar, result, li_derive(grammar, tail, byte));
}

static li_term derive_choice(li_grammar *grammar, li_term term, uint8_t byte)
{
    li_term_table *table = grammar->terms;
    uint32_t mark = table->scratch_count;
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++) {
        li_term part = li_derive(grammar, word(grammar, term, i), byte);
        if (part != LI_TERM_NOTHING && !li_scratch_push(grammar, part)) return LI_TERM_NOTHING;
    }
    li_term result = LI_TERM_NOTHING;
    if (table->scratch_count == mark + 1) result = table->scratch[mark];
    if (table->scratch_count > mark + 1)
        result = li_choice(grammar, table->scratch + mark, table->scratch_count - mark);
    table->scratch_count = mark;
    return result;
}

static li_term derive_both(li_grammar *grammar, li_term term, uint8_t byte)
{
    li_term result = li_derive(grammar, word(grammar, term, 0), byte);
    for (uint32_t i = 1, count = li_term_length(grammar, term); i < count && result != LI_TERM_NOTHING; i++)
        result = li_both(grammar, result, li_derive(grammar, word(grammar, term, i), byte));
    return result;
}

static li_term derive_not(li_grammar *grammar, li_term term, uint8_t byte)
{
    return li_not(grammar, li_derive(grammar, word(grammar, term, 0), byte));
}

static li_term derive_repeat(li_grammar *grammar, li_term term, uint8_t byte)
{
    li_term body = word(grammar, term, 0);
    uint32_t least = word(grammar, term, 1), most = word(grammar, term, 2);
    li_term rest = li_derive(grammar, body, byte);
    if (rest == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    uint32_t most_left = most == LI_NO_LIMIT ? most : most - 1;
    return li_sequence(grammar, rest, li_repeat(grammar, body, least ? least - 1 : 0, most_left));
}

// Words: how many more bytes a mask lets through; LI_NO_LIMIT: already too many.
static li_term space_term(li_grammar *grammar, uint32_t left)
{
    uint32_t flags = LI_FLAG_NULLABLE | (left == LI_NO_LIMIT ? LI_FLAG_OVERRUN : 0);
    return li_term_intern(grammar, LI_KIND_SPACE, flags, &left, 1);
}

li_term li_space(li_grammar *grammar, uint32_t most)
{
    return space_term(grammar, most == LI_NO_LIMIT ? most - 1 : most);
}

static li_term derive_space(li_grammar *grammar, li_term term, uint8_t byte)
{
    if (byte != ' ' && byte != '\t' && byte != '\n' && byte != '\r') return LI_TERM_NOTHING;
    uint32_t left = word(grammar, term, 0);
    return space_term(grammar, left == 0 || left == LI_NO_LIMIT ? LI_NO_LIMIT : left - 1);
}

static const li_behaviour behaviours[LI_KIND_COUNT] = {
    [LI_KIND_NOTHING] = {derive_nothing, NULL},
    [LI_KIND_EMPTY] = {derive_nothing, NULL},
    [LI_KIND_BYTES] = {derive_bytes, NULL},
    [LI_KIND_CLASS] = {li_class_derive, NULL},
    [LI_KIND_SEQUENCE] = {derive_sequence, NULL},
    [LI_KIND_CHOICE] = {derive_choice, NULL},
    [LI_KIND_BOTH] = {derive_both, NULL},
    [LI_KIND_NOT] = {derive_not, NULL},
    [LI_KIND_REPEAT] = {derive_repeat, NULL},
    [LI_KIND_STRINGS] = {li_strings_derive, NULL},
    [LI_KIND_AHEAD] = {derive_nothing, NULL},
    [LI_KIND_EDGE] = {derive_nothing, NULL},
    [LI_KIND_PATTERN] = {li_pattern_derive, NULL},
    [LI_KIND_RULE] = {NULL, li_rule_expand},
    [LI_KIND_SPECIAL] = {derive_nothing, NULL},
    [LI_KIND_SPACE] = {derive_space, NULL},
    [LI_KIND_QUOTED] = {li_quoted_derive, NULL},
    [LI_KIND_NUMBER] = {li_number_derive, NULL},
    [LI_KIND_VALUE] = {NULL, li_value_expand},
    [LI_KIND_OBJECT] = {NULL, li_object_expand},
    [LI_KIND_KEY] = {li_key_derive, NULL},
    [LI_KIND_ARRAY] = {NULL, li_array_expand},
    [LI_KIND_RECORDED] = {li_recorded_derive, NULL},
};

li_term li_expand(li_grammar *grammar, li_term term)
{
    const li_behaviour *behaviour = &behaviours[li_term_kind(grammar, term)];
    if (!behaviour->expand) return term;
    li_term known = grammar->terms->entries[term].expansion;
    if (known != LI_TERM_UNKNOWN) return known;
    if (!li_depth_enter(grammar)) return LI_TERM_NOTHING;
    li_term expansion = behaviour->expand(grammar, term);
    li_depth_leave(grammar);
    if (grammar->status != LI_OK) return LI_TERM_NOTHING;
    return grammar->terms->entries[term].expansion = expansion;
}

static li_term compute(li_grammar *grammar, li_term term, uint8_t byte)
{
    if (!li_grammar_spend(grammar) || !li_depth_enter(grammar)) return LI_TERM_NOTHING;
    const li_behaviour *behaviour = &behaviours[li_term_kind(grammar, term)];
    li_term result =
        behaviour->derive ? behaviour->derive(grammar, term, byte) : li_derive(grammar, li_expand(grammar, term), byte);
    li_depth_leave(grammar);
    return grammar->status == LI_OK ? result : LI_TERM_NOTHING;
}

// Derivatives of terms without a row share a small table.
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

// Whether the term is met often enough to have a row: one with a context of its own never is, unless it is a wide choice,
// nor most states of a count.
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
    li_term_entry *entry = &grammar->terms->entries[term];
    if (term <= LI_TERM_EMPTY) return LI_TERM_NOTHING;
    if (entry->kind == LI_KIND_BYTES) return derive_bytes(grammar, term, byte);
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
    if (li_term_flags(grammar, term) & LI_FLAG_REGULAR || !li_depth_enter(grammar)) return LI_TERM_NOTHING;
    li_term_table *table = grammar->terms;
    li_term result = LI_TERM_NOTHING;
    switch (li_term_kind(grammar, term)) {
    case LI_KIND_SPECIAL:
        result = word(grammar, term, 0) == token ? LI_TERM_EMPTY : LI_TERM_NOTHING;
        break;
    case LI_KIND_RULE:
        result = li_derive_special(grammar, li_expand(grammar, term), token);
        break;
    case LI_KIND_SEQUENCE: {
        li_term head = word(grammar, term, 0), tail = word(grammar, term, 1);
        result = li_sequence(grammar, li_derive_special(grammar, head, token), tail);
        if (li_term_is_nullable(grammar, head))
            result = li_either(grammar, result, li_derive_special(grammar, tail, token));
        break;
    }
    case LI_KIND_CHOICE: {
        uint32_t mark = table->scratch_count;
        for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++) {
            li_term part = li_derive_special(grammar, word(grammar, term, i), token);
            if (!li_scratch_push(grammar, part)) break;
        }
        result = li_choice(grammar, table->scratch + mark, table->scratch_count - mark);
        table->scratch_count = mark;
        break;
    }
    case LI_KIND_REPEAT: {
        li_term body = word(grammar, term, 0);
        uint32_t least = word(grammar, term, 1), most = word(grammar, term, 2);
        li_term rest = li_derive_special(grammar, body, token);
        uint32_t most_left = most == LI_NO_LIMIT ? most : most - 1;
        if (rest != LI_TERM_NOTHING)
            result = li_sequence(grammar, rest, li_repeat(grammar, body, least ? least - 1 : 0, most_left));
        break;
    }
    default:
        break;
    }
    li_depth_leave(grammar);
    return result;
}

int32_t li_only_byte(li_grammar *grammar, li_term term)
{
    // Where there is a choice at all, it is mostly between these.
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
