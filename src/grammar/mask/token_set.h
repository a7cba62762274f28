// Sets of tokens that walks of the vocabulary find. Without a .c file: all functions are inlined.
#ifndef LI_TOKEN_SET_H
#define LI_TOKEN_SET_H

#include "base/assert.h"
#include "grammar/mask/vocabulary.h"

// The tokens that a walk finds: a bit for each, and a list while there is room.
typedef struct li_token_set {
    uint32_t *bits; // (token_count / 32, rounded up)
    uint32_t *list; // (room)
    uint32_t count, room;
    bool is_full; // the list is full and lacks tokens
} li_token_set;

LI_INLINE void li_token_set_note(li_token_set *found, uint32_t token)
{
    LI_ASSERT(found->count <= found->room);
    if (found->count < found->room)
        found->list[found->count++] = token;
    else
        found->is_full = true;
}

// Lists only new tokens.
LI_INLINE void li_token_set_add(li_token_set *found, uint32_t token)
{
    uint32_t bit = 1u << (token & 31);
    if (found->bits[token >> 5] & bit) return;
    found->bits[token >> 5] |= bit;
    li_token_set_note(found, token);
}

// Adds the tokens of the nodes from `first` to before `last`.
LI_INLINE void li_token_set_add_nodes(li_token_set *found, const li_vocabulary *vocabulary, uint32_t first,
                                      uint32_t last)
{
    LI_ASSERT(first <= last && last <= vocabulary->node_count);
    for (uint32_t rank = vocabulary->nodes[first].first, end = vocabulary->nodes[last].first; rank < end; rank++)
        li_token_set_add(found, vocabulary->ids[rank]);
}

// Lists only tokens of the set.
LI_INLINE void li_token_set_drop(li_token_set *found, uint32_t token)
{
    uint32_t bit = 1u << (token & 31);
    if (!(found->bits[token >> 5] & bit)) return;
    found->bits[token >> 5] &= ~bit;
    li_token_set_note(found, token);
}

LI_INLINE void li_token_set_drop_nodes(li_token_set *found, const li_vocabulary *vocabulary, uint32_t first,
                                       uint32_t last)
{
    LI_ASSERT(first <= last && last <= vocabulary->node_count);
    for (uint32_t rank = vocabulary->nodes[first].first, end = vocabulary->nodes[last].first; rank < end; rank++)
        li_token_set_drop(found, vocabulary->ids[rank]);
}

#endif
