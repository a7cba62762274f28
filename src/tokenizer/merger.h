// Joins neighbours in the order of a rank: the loop that byte-level BPE and SentencePiece share.
#ifndef LI_MERGER_H
#define LI_MERGER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct li_symbol {
    uint32_t begin, end;     // the bytes of the text that it stands for; end 0: joined to another
    uint32_t token;          // or LI_NO_TOKEN
    uint32_t previous, next; // LI_NO_SYMBOL: none
} li_symbol;

#define LI_NO_SYMBOL UINT32_MAX

typedef struct li_merge {
    uint64_t order; // the rank, then the place of the left symbol
    uint32_t end;   // of the right symbol, when it was found
    uint32_t token;
} li_merge;

typedef struct li_merger {
    li_symbol *symbols; // (symbol_room) of which `count` are in use
    li_merge *queue;    // (2 * symbol_room) a heap, of which `queued` are in use
    uint32_t symbol_room, count, queued;
} li_merger;

// Whether the neighbours may be joined, at which rank, and to which token.
typedef bool li_find_merge(const void *context, const li_symbol *left, const li_symbol *right, uint32_t *rank,
                           uint32_t *token);

// Room for `count` symbols and what joins them; no symbol is there afterwards. False: no memory.
bool li_merger_begin(li_merger *merger, uint32_t count);
// Appends a symbol.
void li_merger_add(li_merger *merger, uint32_t begin, uint32_t end, uint32_t token);
// Joins neighbours until none may be joined: the lowest rank first, of equal ranks the leftmost. In n symbols this
// takes O(n log n). The first symbol stays the first.
void li_merger_run(li_merger *merger, li_find_merge *find, const void *context);
// Gives back the room of a long text.
void li_merger_trim(li_merger *merger);
void li_merger_close(li_merger *merger);

#endif
