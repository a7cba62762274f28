// The tokens of a model as bytes and as a trie, prepared once and shared by all grammars. lastinch.h describes the
// functions.
//
// A saved vocabulary is a header, the eos tokens, then for each token by rank: the number of bytes in common with the
// token before, the number of further bytes, these bytes, and the id. One pass reads and checks it.
#ifndef LI_VOCABULARY_H
#define LI_VOCABULARY_H

#include "base/assert.h"
#include "base/inline.h"
#include "lastinch.h"

#define LI_TOKEN_LIMIT       4096u      // bytes of a token
#define LI_TOKEN_BYTES_LIMIT (1u << 24) // bytes of all tokens: less than 2^24 nodes
#define LI_TOKEN_COUNT_LIMIT (1u << 20)

// Bytes are copied in pieces of this size, so room for one piece follows the bytes of all tokens.
#define LI_TOKEN_BYTES_SPARE 16

// Classes of bytes that grammars often treat alike, a bit each; the last two are not ASCII. U+2028 and U+2029, line
// breaks that `.` does not match in JavaScript, begin with 0xe2.
#define LI_CLASS_E2      30
#define LI_CLASS_BEYOND  31
#define LI_ASCII_CLASSES (UINT32_MAX >> 2)

// The nodes lie in depth-first order, children by ascending byte, so that a subtree is a run of nodes and its tokens
// are a run of ranks.
typedef struct li_trie_node {
    uint32_t byte : 8;  // that leads to the node
    uint32_t size : 24; // nodes of its subtree, itself included
    uint32_t first;     // rank of the first token of its subtree; the tokens of the node itself come first
} li_trie_node;

// Where the bytes of a token lie. A token without bytes is never in a text.
typedef struct li_token_place {
    uint32_t start, length;
} li_token_place;

struct li_vocabulary {
    uint32_t users;
    uint32_t token_count; // ids, with those of tokens without text
    uint32_t byte_count, eos_count;
    uint8_t *bytes;         // (byte_count) of all tokens, by id or by rank
    li_token_place *places; // (token_count) before li_vocabulary_prepare: the ends of the tokens (li_vocabulary_ends)
    uint32_t *eos;          // (eos_count)
    // Prepared:
    uint32_t ranked_count, node_count, longest; // longest: bytes of a token
    uint32_t *ids;                              // (ranked_count) tokens by bytes, tokens of equal bytes by id
    uint32_t *below;                            // (node_count) classes of the bytes below a node, a bit each
    uint8_t *heights;                           // (node_count) bytes below a node, 255: or more; or NULL
    uint8_t classes[256];                       // of bytes: see LI_CLASS_BEYOND
    uint32_t *repeats;                          // (repeat_count) ranks, found on first use by stopped_tokens.c; or NULL
    uint32_t repeat_count;
    struct li_string_tokens *inside; // string_tokens.h; or NULL
    li_trie_node *nodes;             // (node_count + 1) the root has no byte; the last is a sentinel
};

// Sorts the tokens and builds their trie: li_vocabulary_prepare without the string tokens.
li_status li_vocabulary_arrange(li_vocabulary *vocabulary);
// Frees a vocabulary that has no string tokens and no other users. NULL is allowed.
void li_vocabulary_free(li_vocabulary *vocabulary);

// Finds the heights on first use. False: no memory.
bool li_vocabulary_find_heights(li_vocabulary *vocabulary);

// Whether the tokens that end a text exist and have no bytes.
bool li_vocabulary_has_sound_eos(const li_vocabulary *vocabulary);

// The number of bytes that the token of a rank shares with the token before.
uint32_t li_common_length(const li_vocabulary *vocabulary, uint32_t rank);

LI_INLINE const uint8_t *li_token_bytes(const li_vocabulary *vocabulary, uint32_t token, uint32_t *length)
{
    LI_ASSERT(token < vocabulary->token_count);
    *length = vocabulary->places[token].length;
    return vocabulary->bytes + vocabulary->places[token].start;
}

// Bytes whose beginning leads to a node.
LI_INLINE const uint8_t *li_token_path(const li_vocabulary *vocabulary, uint32_t node)
{
    LI_ASSERT(node < vocabulary->node_count);
    uint32_t length;
    return li_token_bytes(vocabulary, vocabulary->ids[vocabulary->nodes[node].first], &length);
}

// The next node of a visit: a child of the node, the node after its subtree, or none.
typedef enum li_visited { LI_VISITED_DOWN, LI_VISITED_PAST, LI_VISITED_STOP } li_visited;

// Visits the nodes below a node, depth first. `depth`: of the visited node's parent; `node` has depth 0. `ends` is
// scratch memory, (longest + 1). Inlined with `visit`, which must be an inlined function too: walks are hot.
LI_INLINE void li_trie_visit(const li_vocabulary *vocabulary, uint32_t node, uint32_t *ends,
                             li_visited (*visit)(void *context, uint32_t at, uint32_t depth), void *context)
{
    LI_ASSERT(node < vocabulary->node_count);
    const li_trie_node *nodes = vocabulary->nodes;
    uint32_t at = node + 1, end = node + nodes[node].size, depth = 0;
    ends[0] = end;
    while (at < end) {
        while (at == ends[depth]) depth--;
        LI_ASSERT(depth <= vocabulary->longest && nodes[at].size && at + nodes[at].size <= end);
        uint32_t size = nodes[at].size;
        li_visited visited = visit(context, at, depth);
        if (visited == LI_VISITED_STOP) return;
        if (visited == LI_VISITED_DOWN) {
            ends[++depth] = at + size;
            at++;
        } else {
            at += size;
        }
    }
}

#endif
