// The table of terms: interning, and rows of cached derivatives. The constructors of the regular kinds are in
// constructors.c, derivatives in derivative.c.
#include "grammar/terms/term.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/terms/term_table.h"

enum { FIRST_TERMS = 256, FIRST_WORDS = 2048 };
enum { GROWN_TERMS_OF_UNIT = 64 }; // terms that a larger table takes over for a unit of fuel

static uint32_t hash_words(li_kind kind, const uint32_t *words, uint32_t count)
{
    uint32_t hash = kind * 0x9e3779b9u;
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * 0x85ebca6bu;
        hash ^= hash >> 15;
    }
    return hash * 0xc2b2ae35u ^ hash >> 13;
}

bool li_terms_create(li_grammar *grammar)
{
    li_term_table *table = grammar->terms = li_memory_alloc(sizeof *table);
    if (!table) return false;
    table->slots = li_memory_alloc(2 * FIRST_TERMS * sizeof *table->slots);
    // The scratch stack (scratch.h) has memory while empty: its users add to the pointer.
    if (!table->slots || !LI_HEAP_RESERVE(grammar, &table->entries, FIRST_TERMS) ||
        !LI_HEAP_RESERVE(grammar, &table->words, FIRST_WORDS) || !LI_HEAP_RESERVE(grammar, &grammar->scratch, 1))
        return false;
    table->slot_count = 2 * FIRST_TERMS;
    table->limit = LI_TERM_LIMIT;
    li_term_intern(grammar, LI_KIND_NOTHING, LI_FLAG_REGULAR | LI_FLAG_TEXT, NULL, 0);
    li_term_intern(grammar, LI_KIND_EMPTY, LI_FLAG_NULLABLE | LI_FLAG_REGULAR | LI_FLAG_TEXT, NULL, 0);
    return true;
}

static void free_rows(li_term_table *table)
{
    for (li_row_block *block = table->rows, *next; block; block = next) {
        next = block->next;
        li_memory_free(block);
    }
    table->rows = NULL;
    table->row_count = 0;
}

void li_terms_destroy(li_grammar *grammar)
{
    li_term_table *table = grammar->terms;
    if (!table) return;
    free_rows(table);
    li_memory_free(table->entries.at);
    li_memory_free(table->words.at);
    li_memory_free(table->slots);
    li_memory_free(table->recent);
    li_memory_free(grammar->scratch.at);
    li_memory_free(table);
}

// A slot holds the upper bits of the hash beside the term, so that few unequal terms are compared.
static uint32_t tagged(uint32_t hash, li_term term)
{
    return (hash & ~LI_SLOT_TERM) | (term + 1);
}

static void insert(li_term_table *table, li_term term)
{
    LI_ASSERT(term < table->entries.count && table->entries.count < table->slot_count);
    uint32_t hash = table->entries.at[term].hash, slot = hash & (table->slot_count - 1);
    while (table->slots[slot]) slot = (slot + 1) & (table->slot_count - 1);
    table->slots[slot] = tagged(hash, term);
}

static bool grow_slots(li_grammar *grammar, li_term_table *table)
{
    uint32_t *slots = li_memory_alloc(2 * (size_t)table->slot_count * sizeof *slots);
    if (!slots) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    li_memory_free(table->slots);
    table->slots = slots;
    table->slot_count *= 2;
    for (li_term term = 0; term < table->entries.count; term++) insert(table, term);
    return true;
}

li_term li_term_intern(li_grammar *grammar, li_kind kind, uint32_t flags, const uint32_t *words, uint32_t count)
{
    LI_ASSERT(kind < LI_KIND_COUNT && (!count || words));
    LI_ASSERT((flags & LI_OVERRUN_FLAGS) != LI_OVERRUN_FLAGS);
    li_term_table *table = grammar->terms;
    uint32_t hash = hash_words(kind, words, count);
    uint32_t slot = hash & (table->slot_count - 1);
    for (uint32_t found; (found = table->slots[slot]); slot = (slot + 1) & (table->slot_count - 1)) {
        if ((found ^ hash) & ~LI_SLOT_TERM) continue;
        li_term known = (found & LI_SLOT_TERM) - 1;
        const li_term_entry *entry = &table->entries.at[known];
        if (entry->hash == hash && entry->kind == kind && entry->length == count &&
            (count == 0 || memcmp(table->words.at + entry->offset, words, count * sizeof *words) == 0))
            return known;
    }
    if (!li_grammar_spend(grammar)) return LI_TERM_NOTHING;
    if (table->entries.count >= table->limit || count > LI_WORD_LIMIT - table->words.count) {
        li_grammar_exceed(grammar, LI_LIMIT_MEMORY);
        return LI_TERM_NOTHING;
    }
    // The words may lie in the table, which may move.
    bool is_inside = words >= table->words.at && words < table->words.at + table->words.count;
    uint32_t inside = is_inside ? (uint32_t)(words - table->words.at) : 0;
    if (!LI_HEAP_RESERVE(grammar, &table->entries, table->entries.count + 1) ||
        !LI_HEAP_RESERVE(grammar, &table->words, table->words.count + count))
        return LI_TERM_NOTHING;
    if (table->entries.count * 2 >= table->slot_count) {
        li_grammar_pay(grammar, table->entries.count / GROWN_TERMS_OF_UNIT);
        if (!grow_slots(grammar, table)) return LI_TERM_NOTHING;
        slot = hash & (table->slot_count - 1);
        while (table->slots[slot]) slot = (slot + 1) & (table->slot_count - 1);
    }
    li_term term = table->entries.count++;
    table->entries.at[term] = (li_term_entry){.hash = hash,
                                              .offset = table->words.count,
                                              .length = count,
                                              .kind = (uint8_t)kind,
                                              .flags = (uint8_t)flags,
                                              .expansion = LI_TERM_UNKNOWN,
                                              .note = LI_TERM_UNKNOWN};
    if (count)
        memcpy(table->words.at + table->words.count, is_inside ? table->words.at + inside : words,
               count * sizeof *words);
    table->words.count += count;
    table->slots[slot] = tagged(hash, term);
    return term;
}

uint32_t li_terms_count(const li_grammar *grammar)
{
    return grammar->terms->entries.count;
}

uint32_t *li_term_row(li_grammar *grammar, li_term term)
{
    LI_ASSERT(term < grammar->terms->entries.count);
    li_term_table *table = grammar->terms;
    li_term_entry *entry = &table->entries.at[term];
    if (entry->row) return entry->row;
    if (table->row_count == LI_ROW_LIMIT) {
        // Rows are a cache. A dropped row is made again when it is needed.
        free_rows(table);
        for (li_term other = 0; other < table->entries.count; other++) table->entries.at[other].row = NULL;
    }
    li_row_block *block = table->rows;
    if (!block || block->used == LI_ROWS_PER_BLOCK) {
        block = li_memory_alloc(sizeof *block);
        if (!block) {
            li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
            return NULL;
        }
        block->next = table->rows;
        table->rows = block;
    }
    entry->row = block->rows[block->used++];
    table->row_count++;
    memset(entry->row, 0xff, sizeof block->rows[0]);
    return entry->row;
}

li_kind li_term_kind(const li_grammar *grammar, li_term term)
{
    LI_ASSERT(term < grammar->terms->entries.count);
    return grammar->terms->entries.at[term].kind;
}

uint32_t li_term_flags(const li_grammar *grammar, li_term term)
{
    LI_ASSERT(term < grammar->terms->entries.count);
    return grammar->terms->entries.at[term].flags;
}

const uint32_t *li_term_words(const li_grammar *grammar, li_term term)
{
    LI_ASSERT(term < grammar->terms->entries.count);
    return grammar->terms->words.at + grammar->terms->entries.at[term].offset;
}

uint32_t li_term_length(const li_grammar *grammar, li_term term)
{
    LI_ASSERT(term < grammar->terms->entries.count);
    return grammar->terms->entries.at[term].length;
}

bool li_term_is_nullable(const li_grammar *grammar, li_term term)
{
    LI_ASSERT(term < grammar->terms->entries.count);
    return grammar->terms->entries.at[term].flags & LI_FLAG_NULLABLE;
}
