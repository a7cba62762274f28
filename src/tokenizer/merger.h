// Merges adjacent symbols by ascending rank: the loop that byte-level BPE and SentencePiece share.
#ifndef LI_MERGER_H
#define LI_MERGER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct li_symbol {
    uint32_t begin, end;     // its bytes in the text; end 0: merged into the symbol before
    uint32_t token;          // or LI_NO_TOKEN
    uint32_t previous, next; // LI_NO_SYMBOL: none
} li_symbol;

#define LI_NO_SYMBOL UINT32_MAX

typedef struct li_merge {
    uint64_t order; // the rank, then the index of the left symbol
    uint32_t end;   // end of the right symbol when the merge was queued
    uint32_t token;
} li_merge;

typedef struct li_merger {
    li_symbol *symbols; // (symbol_room) of which `count` are in use
    li_merge *queue;    // (2 * symbol_room) a heap, of which `queued` are in use
    uint32_t symbol_room, count, queued;
    // ---- the steps of LI_ENCODE_TRACE
    uint32_t *steps; // NULL: they are not written
} li_merger;

// Whether the symbols may be merged, and the rank and the token of the merge.
typedef bool li_find_merge(const void *context, const li_symbol *left, const li_symbol *right, uint32_t *rank,
                           uint32_t *token);

// Removes all symbols, and takes memory for `count` symbols and their merges. False: no memory.
bool li_merger_begin(li_merger *merger, uint32_t count);
// Appends a symbol.
void li_merger_add(li_merger *merger, uint32_t begin, uint32_t end, uint32_t token);
// Merges adjacent symbols until no merge is left: the lowest rank first, of equal ranks the leftmost. Takes O(n log n)
// for n symbols. The first symbol stays first.
void li_merger_run(li_merger *merger, li_find_merge *find, const void *context);
// Writes a step, if steps are written.
void li_merger_note(li_merger *merger, uint32_t begin, uint32_t end, uint32_t token);
// Frees the memory that a long text needed.
void li_merger_trim(li_merger *merger);
void li_merger_close(li_merger *merger);

#endif
