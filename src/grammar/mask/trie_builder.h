// Builds the trie of a vocabulary.
#ifndef LI_TRIE_BUILDER_H
#define LI_TRIE_BUILDER_H

#include "base/assert.h"
#include "grammar/mask/vocabulary.h"

// A node above the last node, and the classes of the bytes known to be below the node.
typedef struct li_open_node {
    uint32_t node, below;
} li_open_node;

// The trie under construction, token after token in order.
typedef struct li_trie_builder {
    li_vocabulary *vocabulary;
    li_open_node *open; // (LI_TOKEN_LIMIT + 1) by depth
    uint32_t count;
    uint32_t bits[256]; // the class of each byte, as a bit
    li_trie_node *nodes;
    uint32_t *below; // of the vocabulary
} li_trie_builder;

// Makes room for `node_count` nodes, the root included, and classes of bytes. False: no memory; the caller frees
// `open` in any case, and the vocabulary owns the rest.
bool li_trie_builder_init(li_trie_builder *builder, li_vocabulary *vocabulary, uint32_t node_count);

// Adds a token that shares `common` bytes with the token before and `next` bytes with the token after:
// (length - common) bytes are new.
LI_INLINE void li_trie_builder_add(li_trie_builder *builder, uint32_t rank, const uint8_t *bytes, uint32_t common,
                                   uint32_t length, uint32_t next)
{
    LI_ASSERT(common <= length && next <= length && length <= LI_TOKEN_LIMIT);
    li_trie_node *nodes = builder->nodes;
    uint32_t *all_below = builder->below, count = builder->count, depth = length, below = 0;
    uint32_t at = count + length - common, end = at;
    const uint8_t *byte = bytes + length - common;
    // Closes the nodes that get no more children, the last first.
    for (uint32_t stay = next > common ? next : common; depth > stay; depth--) {
        all_below[--at] = below;
        nodes[at] = (li_trie_node){.byte = *--byte, .size = (end - at), .first = rank};
        below |= builder->bits[*byte];
    }
    builder->count = end;
    li_open_node *open = &builder->open[depth];
    if (depth > common) {
        for (open->below = below; depth > common; depth--, open--) {
            nodes[--at] = (li_trie_node){.byte = *--byte, .first = rank};
            open->node = at;
            if (depth > common + 1) open[-1].below = 0;
        }
        return;
    }
    for (open->below |= below; depth > next; depth--, open--) {
        li_trie_node *node = &nodes[open->node];
        all_below[open->node] = open->below;
        open[-1].below |= open->below | builder->bits[node->byte];
        node->size = (end - open->node);
    }
}

// Closes the last nodes and writes the sentinel, after all tokens.
void li_trie_builder_finish(li_trie_builder *builder);

#endif
