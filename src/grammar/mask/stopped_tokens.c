// Tokens that continue after a stop (forget.h), and values that must differ from others: the recorded text of the state
// decides which tokens are allowed.
#include "grammar/mask/stopped_tokens.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/distinct/forget.h"
#include "grammar/mask/masker.h"
#include "grammar/mask/trie_walk.h"
#include "grammar/numbers/number_term.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/proposal.h"

static uint32_t depth_of(const li_trie_node *nodes, uint32_t node)
{
    uint32_t depth = 0;
    for (uint32_t at = 0; at != node; depth++)
        for (at++; at + nodes[at].size <= node;) at += nodes[at].size;
    return depth;
}

// The rest of the state after the string of a crossing.
static li_term behind_crossing(li_masker *masker, uint32_t index)
{
    const li_crossing *crossing = &masker->vocabulary->inside->crossings[index];
    const uint8_t *bytes = li_token_path(masker->vocabulary, crossing->node);
    return li_derive_bytes(masker->grammar, masker->state, bytes, crossing->depth);
}

// Finds entries of inside->rests that can be read after stops that follow one string.
static void sample(li_masker *masker, li_term left, uint32_t first, uint32_t last)
{
    li_walker *walker = &masker->walker;
    const li_vocabulary *rests = masker->vocabulary->inside->rests;
    li_token_set *found = &masker->vocabulary->inside->rests_found;
    for (uint32_t i = first; i < last; i++) {
        uint32_t node = walker->stopped.at[i].node;
        const uint8_t *bytes = li_token_path(rests, node);
        li_term term = li_derive_bytes(masker->grammar, left, bytes, depth_of(rests->nodes, node));
        li_walk(walker, rests, li_state_of(walker, li_forget(masker->grammar, term, true)), node, found);
    }
    // After a second stop all tokens are added, to be checked later.
    for (uint32_t i = last; i < walker->stopped.count; i++) {
        uint32_t node = walker->stopped.at[i].node;
        li_token_set_add_nodes(found, rests, node + 1, node + rests->nodes[node].size);
    }
    walker->stopped.count = last;
}

// The rest of the state hardly depends on the string, so only entries that can be read after one of two sample strings
// are checked: a value that excludes one sample is possible after the other.
void li_mask_stop_at_crossings(li_masker *masker, uint32_t first)
{
    const struct li_string_tokens *inside = masker->vocabulary->inside;
    li_token_set *found = &masker->vocabulary->inside->rests_found;
    uint32_t *valid = masker->scan.valid, last = masker->walker.stopped.count, low = 0, high = inside->crossing_count;
    li_term left = LI_TERM_NOTHING;
    for (; low < high && left == LI_TERM_NOTHING; low++)
        if (valid[low / 32] >> low % 32 & 1) left = behind_crossing(masker, low);
    if (left != LI_TERM_NOTHING) sample(masker, left, first, last);
    for (left = LI_TERM_NOTHING; high > low && left == LI_TERM_NOTHING; high--)
        if (valid[(high - 1) / 32] >> (high - 1) % 32 & 1) left = behind_crossing(masker, high - 1);
    if (left != LI_TERM_NOTHING) sample(masker, left, first, last);
    masker->walker.stopped.count = first;
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t crossing = inside->rest_crossings[found->list[i]];
        found->bits[found->list[i] / 32] = 0;
        if (!(valid[crossing / 32] >> crossing % 32 & 1)) continue;
        valid[crossing / 32] &= ~(1u << crossing % 32); // once
        li_walker_stop(&masker->walker, inside->crossings[crossing].node, LI_STOP_BEGIN);
    }
    found->count = 0;
}

// Whether a token may end a value, then read a whole member and close the object.
static bool may_repeat(const uint8_t *bytes, uint32_t length)
{
    const uint8_t *end = bytes + length;
    for (const char *mark = ",\":}"; *mark; mark++)
        if (!(bytes = memchr(bytes, *mark, (size_t)(end - bytes)))) return false;
    return true;
}

static bool find_repeats(li_vocabulary *vocabulary)
{
    if (vocabulary->repeats) return true;
    for (bool is_counting = true;; is_counting = false) {
        uint32_t count = 0, length;
        for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
            const uint8_t *bytes = li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
            if (!may_repeat(bytes, length)) continue;
            if (!is_counting) vocabulary->repeats[count] = rank;
            count++;
        }
        vocabulary->repeat_count = count;
        if (!is_counting) return true;
        vocabulary->repeats = li_memory_alloc((count + 1) * sizeof *vocabulary->repeats);
        if (!vocabulary->repeats) return false;
    }
}

// Drops the tokens below a node that lead to NOTHING because a key repeats.
static bool drop_repeats(li_masker *masker, li_term term, uint32_t node)
{
    li_vocabulary *vocabulary = masker->vocabulary;
    const li_trie_node *nodes = vocabulary->nodes;
    uint32_t depth = depth_of(nodes, node), length;
    bool has_dropped = false;
    if (!find_repeats(vocabulary)) li_grammar_fail(masker->grammar, LI_ERROR_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < vocabulary->repeat_count && masker->grammar->status == LI_OK; i++) {
        uint32_t rank = vocabulary->repeats[i];
        if (rank < nodes[node + 1].first || rank >= nodes[node + nodes[node].size].first) continue;
        const uint8_t *bytes = li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
        li_term left = li_derive_bytes(masker->grammar, term, bytes + depth, length - depth);
        if (left != LI_TERM_NOTHING || masker->grammar->status != LI_OK) continue;
        li_token_set_drop(&masker->removed, vocabulary->ids[rank]);
        has_dropped = true;
    }
    return has_dropped;
}

typedef uint32_t byte_set[8];

typedef struct dropping {
    li_masker *masker;
    byte_set *sets; // by depth: the bytes by which a value may become an excluded value
    bool has_dropped;
} dropping;

LI_INLINE li_visited visit(void *context, uint32_t at, uint32_t depth)
{
    dropping *dropping = context;
    li_masker *masker = dropping->masker;
    li_walker *walker = &masker->walker;
    li_grammar *grammar = masker->grammar;
    const li_trie_node *node = &masker->vocabulary->nodes[at];
    if (grammar->status != LI_OK) return LI_VISITED_STOP;
    if (!(dropping->sets[depth][node->byte / 32] >> node->byte % 32 & 1)) return LI_VISITED_PAST;
    li_term next = li_proposed(grammar, li_derive(grammar, walker->terms_above[depth], (uint8_t)node->byte));
    if (next == LI_TERM_NOTHING && grammar->status == LI_OK) {
        li_token_set_drop_nodes(&masker->removed, masker->vocabulary, at, at + node->size);
        dropping->has_dropped = true;
    }
    uint32_t *set = dropping->sets[depth + 1];
    memset(set, 0, sizeof(byte_set));
    if (next == LI_TERM_NOTHING || node->size == 1 || !li_differs_from(grammar, next, set)) return LI_VISITED_PAST;
    walker->terms_above[depth + 1] = next;
    return LI_VISITED_DOWN;
}

// Drops the tokens below a node that lead to NOTHING, along the bytes by which a value at the front may become an
// excluded value.
static bool drop(li_masker *masker, li_term term, uint32_t node)
{
    byte_set first = {0};
    if (!li_differs_from(masker->grammar, term, first)) return false;
    dropping dropping = {.masker = masker};
    dropping.has_dropped = masker->grammar->keys_repeat && drop_repeats(masker, term, node);
    dropping.sets = li_memory_alloc((masker->vocabulary->longest + 1) * sizeof *dropping.sets);
    if (!dropping.sets) {
        li_grammar_fail(masker->grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    memcpy(dropping.sets[0], first, sizeof first);
    masker->walker.terms_above[0] = term;
    li_trie_visit(masker->vocabulary, node, masker->walker.ends, visit, &dropping);
    li_memory_free(dropping.sets);
    return dropping.has_dropped;
}

// Continues the walk below a stopped node. Returns whether tokens were dropped.
static bool follow(li_masker *masker, li_stopped stopped)
{
    li_walker *walker = &masker->walker;
    li_grammar *grammar = masker->grammar;
    const li_trie_node *nodes = masker->vocabulary->nodes;
    li_term left = LI_TERM_NOTHING;
    bool has_dropped = false;
    uint32_t end = stopped.node + nodes[stopped.node].size;
    for (uint32_t child = stopped.node + 1; child < end; child += nodes[child].size) {
        uint8_t byte = (uint8_t)nodes[child].byte;
        // Only a number may also continue, and the walk has visited its bytes.
        if (stopped.stops == LI_STOP_END && li_is_of_number(byte)) continue;
        if (left == LI_TERM_NOTHING) {
            const uint8_t *bytes = li_token_path(masker->vocabulary, stopped.node);
            left = li_derive_bytes(grammar, masker->state, bytes, depth_of(nodes, stopped.node));
            if (left == LI_TERM_NOTHING) return has_dropped;
        }
        li_term next = li_proposed(grammar, li_derive(grammar, left, byte));
        if (next == LI_TERM_NOTHING) continue;
        li_token_set_add_nodes(&masker->added, masker->vocabulary, child, child + 1);
        if (nodes[child].size == 1) continue;
        li_state state = li_state_of(walker, li_forget(grammar, next, true));
        li_walk(walker, masker->vocabulary, state, child, &masker->added);
        has_dropped |= drop(masker, next, child);
    }
    return has_dropped;
}

bool li_mask_follow_stops(li_masker *masker)
{
    bool has_dropped = drop(masker, masker->state, 0);
    // A walk may stop at more nodes, below the node where it begins.
    for (uint32_t i = 0; i < masker->walker.stopped.count && masker->grammar->status == LI_OK; i++)
        has_dropped |= follow(masker, masker->walker.stopped.at[i]);
    return has_dropped;
}
