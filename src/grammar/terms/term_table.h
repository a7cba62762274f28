// How terms are stored. For term.c, and for derivative.c, emptiness.c and constructors.c, which keep results in
// entries. Without a .c file: term.c has the functions.
#ifndef LI_TERM_TABLE_H
#define LI_TERM_TABLE_H

#include "grammar/core/grammar.h"
#include "grammar/core/table.h"

#define LI_TERM_UNKNOWN   UINT32_MAX
#define LI_TERM_LIMIT     1000000u  // some 70 MB of terms
#define LI_WORD_LIMIT     50000000u // 200 MB of words
#define LI_ROWS_PER_BLOCK 15
#define LI_ROW_LIMIT      20000u // some 20 MB of derivatives
#define LI_ROW_AFTER      6u     // derivatives without a row
#define LI_ROW_WIDTH      32u    // alternatives of a choice that has a row at once
#define LI_RECENT_COUNT   4096u
#define LI_WITNESS_MOST   16u

typedef struct li_term_entry {
    uint32_t *row;           // (256) derivatives, LI_TERM_UNKNOWN where not known; NULL: none
    uint32_t offset, length; // of its words
    li_term expansion;       // see li_expand
    uint32_t note;           // a result of emptiness.c
    uint8_t kind, flags;
    uint8_t misses; // derivatives taken without a row, up to LI_ROW_AFTER
} li_term_entry;

typedef struct li_row_block {
    struct li_row_block *next;
    uint32_t used;
    uint32_t rows[LI_ROWS_PER_BLOCK][256];
} li_row_block;

// A derivative of a term without a row.
typedef struct li_recent {
    li_term term; // 0: no entry
    uint32_t byte;
    li_term derivative;
} li_recent;

struct li_term_table {
    LI_LIST(li_term_entry) entries; // by number of the term
    LI_LIST(uint32_t) words;
    li_table by_words; // terms by the hash of their kind and words
    li_row_block *rows;
    li_recent *recent; // (LI_RECENT_COUNT) direct mapped
    uint32_t row_count, limit;
    uint8_t witness[LI_WITNESS_MOST]; // (witness_length) bytes that led from a term to one that is known to have texts
    uint32_t witness_length;
};

// The row of derivatives of a term, made on first use. NULL: no memory.
uint32_t *li_term_row(li_grammar *grammar, li_term term);

#endif
