// A walk of the trie of a vocabulary: which tokens a state can read.
#ifndef LI_TRIE_WALK_H
#define LI_TRIE_WALK_H

#include "grammar/mask/state_cache.h"
#include "grammar/mask/token_set.h"

// Notes a node at which a walk comes to marks.
void li_walker_mark(li_walker *walker, uint32_t node, uint32_t marks);
// The tokens of a vocabulary, the walker's or one without longer tokens, below a node (not its own) that can be read
// from the state; behind a mark none, but then the node is noted.
void li_walk(li_walker *walker, const li_vocabulary *vocabulary, li_state from, uint32_t node, li_found *found);

#endif
