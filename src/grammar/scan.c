// The scan of a term at the front. A string that is any text but for some is as `inside` says wherever the walk comes to
// where every text may follow.
#include "grammar/scan.h"

#include <string.h>

#include "base/memory.h"

static bool add_crossing(li_scan *scan, li_crossing crossing)
{
    if (scan->crossing_count == scan->crossing_room) {
        uint32_t room = scan->crossing_room ? 2 * scan->crossing_room : 256;
        li_crossing *grown =
            li_memory_resize(scan->crossings, scan->crossing_room * sizeof crossing, room * sizeof crossing);
        if (!grown) {
            li_grammar_fail(scan->walker->grammar, LI_ERROR_OUT_OF_MEMORY);
            return false;
        }
        scan->crossings = grown;
        scan->crossing_room = room;
    }
    scan->crossings[scan->crossing_count++] = crossing;
    return true;
}

// Without the quote that leads to the node.
static uint32_t characters_to(const li_vocabulary *vocabulary, uint32_t node, uint32_t depth)
{
    uint32_t length;
    return li_inside_count(li_token_bytes(vocabulary, vocabulary->ids[vocabulary->nodes[node].first], &length), depth);
}

// The subtree of a node reads as any string does.
static void take_inside(li_scan *scan, uint32_t node, uint32_t end)
{
    const struct li_inside *inside = scan->inside;
    const li_vocabulary *vocabulary = scan->walker->vocabulary;
    uint32_t low = 0, high = inside->crossing_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (inside->crossings[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < inside->crossing_count && inside->crossings[low].node < end; low++)
        if (!add_crossing(scan, inside->crossings[low])) return;
    if (scan->is_relative) return;
    for (uint32_t rank = vocabulary->nodes[node].first, last = vocabulary->nodes[end].first; rank < last; rank++) {
        uint32_t token = vocabulary->ids[rank];
        if (inside->bits[token >> 5] >> (token & 31) & 1) li_found_add(&scan->changes, token);
    }
}

// No token of the subtree can be read.
static void drop(li_scan *scan, uint32_t node, uint32_t end)
{
    const li_vocabulary *vocabulary = scan->walker->vocabulary;
    for (uint32_t rank = vocabulary->nodes[node].first, last = vocabulary->nodes[end].first; rank < last; rank++)
        li_found_drop(&scan->changes, vocabulary->ids[rank]);
}

// Whether most tokens are those of any string, by their first bytes.
static bool is_near(const li_scan *scan, li_state from)
{
    const li_trie_node *nodes = scan->walker->vocabulary->nodes;
    uint32_t same = 0, other = 0, end = nodes[0].byte_and_size >> 8;
    if (scan->any == LI_STATE_DEAD) return false;
    for (uint32_t at = 1, next; at < end; at = next) {
        next = at + (nodes[at].byte_and_size >> 8);
        li_state state = li_state_next(scan->walker, from, (uint8_t)nodes[at].byte_and_size);
        uint32_t count = nodes[next].first - nodes[at].first;
        if (state == scan->any) same += count;
        if (state == LI_STATE_DEAD) other += count;
    }
    return same > other;
}

static void walk(li_scan *scan, li_state from)
{
    li_walker *walker = scan->walker;
    const li_trie_node *nodes = walker->vocabulary->nodes;
    const uint32_t *ids = walker->vocabulary->ids;
    uint32_t at = 1, end = nodes[0].byte_and_size >> 8, depth = 0;
    walker->states[0] = from;
    walker->ends[0] = end;
    while (at < end && walker->grammar->status == LI_OK) {
        while (at == walker->ends[depth]) depth--;
        uint32_t here = nodes[at].byte_and_size, size = here >> 8;
        li_state next = li_state_next(walker, walker->states[depth], (uint8_t)here);
        if (next <= LI_STATE_EMPTY || next == scan->any) {
            if (next == LI_STATE_EMPTY)
                add_crossing(scan, (li_crossing){at, characters_to(walker->vocabulary, at, depth)});
            else if (next != LI_STATE_DEAD)
                take_inside(scan, at, at + size);
            else if (scan->is_relative)
                drop(scan, at, at + size);
            at += size;
            continue;
        }
        if (!scan->is_relative)
            for (uint32_t rank = nodes[at].first, last = nodes[at + 1].first; rank < last; rank++)
                li_found_add(&scan->changes, ids[rank]);
        if (size > 1) {
            if (li_term_is_nullable(walker->grammar, walker->terms[next])) add_crossing(scan, (li_crossing){at, 0});
            walker->states[++depth] = next;
            walker->ends[depth] = at + size;
        }
        at++;
    }
}

bool li_scan_run(li_scan *scan, li_state from)
{
    scan->crossing_count = 0;
    scan->changes.count = 0;
    scan->changes.is_full = false;
    scan->is_relative = is_near(scan, from);
    size_t size = (scan->walker->vocabulary->token_count + 31) / 32 * sizeof *scan->changes.bits;
    if (scan->is_relative)
        memcpy(scan->changes.bits, scan->inside->bits, size);
    else
        memset(scan->changes.bits, 0, size);
    // What may end at once leaves whole tokens to what follows.
    if (li_term_is_nullable(scan->walker->grammar, scan->walker->terms[from])) add_crossing(scan, (li_crossing){0, 0});
    walk(scan, from);
    return scan->walker->grammar->status == LI_OK;
}
