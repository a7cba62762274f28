// A walk of the trie of a vocabulary: which tokens a state can read.
#ifndef LI_TRIE_WALK_H
#define LI_TRIE_WALK_H

#include "grammar/mask/state_cache.h"
#include "grammar/mask/token_set.h"

// Records a node at which a walk meets stops.
void li_walker_stop(li_walker *walker, uint32_t node, uint32_t stops);
// Adds the tokens below a node that the state reads; the tokens of the node itself are left out. The vocabulary is that
// of the walker, or another without longer tokens. A walk ends at stops and records their nodes.
void li_walk(li_walker *walker, const li_vocabulary *vocabulary, li_state from, uint32_t node, li_token_set *found);

#endif
