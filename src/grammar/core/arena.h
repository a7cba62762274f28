// Memory that lives as long as its grammar: an arena of blocks.
#ifndef LI_ARENA_H
#define LI_ARENA_H

#include "lastinch.h"

// `size` bytes, aligned to 8, zeroed. NULL: no memory, and the grammar has failed.
void *li_grammar_alloc(li_grammar *grammar, size_t size);
// Frees all blocks.
void li_arena_destroy(li_grammar *grammar);

#endif
