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
    uint32_t hash = kind;
    for (uint32_t i = 0; i < count; i++) hash = li_mix(hash, words[i]);
    return hash;
}

bool li_terms_create(li_grammar *grammar)
{
    li_term_table *table = grammar->terms = li_memory_alloc(sizeof *table);
    if (!table) return false;
    // The scratch stack (scratch.h) has memory while empty: its users add to the pointer.
    if (!LI_HEAP_RESERVE(grammar, &table->entries, FIRST_TERMS) ||
        !LI_HEAP_RESERVE(grammar, &table->words, FIRST_WORDS) || !LI_HEAP_RESERVE(grammar, &grammar->scratch, 1) ||
        !li_table_reserve(&table->by_words, FIRST_TERMS))
        return false;
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
    li_table_clear(&table->by_words);
    li_memory_free(table->recent);
    li_memory_free(grammar->scratch.at);
    li_memory_free(table);
}

li_term li_term_intern(li_grammar *grammar, li_kind kind, uint32_t flags, const uint32_t *words, uint32_t count)
{
    LI_ASSERT(kind < LI_KIND_COUNT && (!count || words));
    LI_ASSERT((flags & LI_OVERRUN_FLAGS) != LI_OVERRUN_FLAGS);
    li_term_table *table = grammar->terms;
    uint32_t hash = hash_words(kind, words, count), probe = 0;
    for (li_term known; (known = li_table_next(&table->by_words, hash, &probe)) != LI_TABLE_NONE;) {
        const li_term_entry *entry = &table->entries.at[known];
        if (entry->kind == kind && entry->length == count &&
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
    li_term term = table->entries.count;
    if (li_table_is_full(&table->by_words)) li_grammar_pay(grammar, term / GROWN_TERMS_OF_UNIT);
    if (!li_table_add(grammar, &table->by_words, hash, term)) return LI_TERM_NOTHING;
    table->entries.count++;
    table->entries.at[term] = (li_term_entry){.offset = table->words.count,
                                              .length = count,
                                              .kind = (uint8_t)kind,
                                              .flags = (uint8_t)flags,
                                              .expansion = LI_TERM_UNKNOWN,
                                              .note = LI_TERM_UNKNOWN};
    if (count)
        memcpy(table->words.at + table->words.count, is_inside ? table->words.at + inside : words,
               count * sizeof *words);
    table->words.count += count;
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
