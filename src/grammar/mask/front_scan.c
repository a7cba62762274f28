// The scan of a term at the front. A string that excludes some texts reads as any string does below each node after
// which every text may follow, or after which every text can be continued.
#include "grammar/mask/front_scan.h"

#include <string.h>

#include "grammar/terms/char_class.h"
#include "grammar/terms/term.h"

// The first crossing at the node or after it, by its index.
static uint32_t first_crossing(const struct li_string_tokens *inside, uint32_t node)
{
    uint32_t low = 0, high = inside->crossing_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (inside->crossings[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_crossing(li_front_scan *scan, uint32_t node, uint32_t depth)
{
    if (scan->inside) {
        uint32_t index = first_crossing(scan->inside, node);
        scan->valid[index / 32] |= 1u << index % 32;
        return;
    }
    LI_HEAP_PUSH(scan->walker->grammar, &scan->crossings, (li_crossing){node, depth});
}

static bool is_finite(const li_grammar *grammar, li_term term, uint32_t depth)
{
    const uint32_t *words = li_term_words(grammar, term);
    const li_payload *of = li_term_payload(grammar, term);
    switch (depth < 64 ? li_term_kind(grammar, term) : LI_KIND_COUNT) {
    case LI_KIND_EMPTY:
    case LI_KIND_BYTES:
    case LI_KIND_CLASS:
    case LI_KIND_STRINGS:
        return true;
    case LI_KIND_REPEAT:
        return of->repeat.most != LI_NO_LIMIT && is_finite(grammar, of->repeat.body, depth + 1);
    case LI_KIND_SEQUENCE:
    case LI_KIND_CHOICE:
        for (uint32_t i = 0; i < li_term_length(grammar, term); i++)
            if (!is_finite(grammar, words[i], depth + 1)) return false;
        return true;
    default:
        return false;
    }
}

// Whether the structure of the term shows that every text can be continued to a text of the term: the term begins with
// any text, or excludes only finitely many texts.
static bool is_open(li_grammar *grammar, li_term inner)
{
    li_term any = li_any_text(grammar);
    const uint32_t *words = li_term_words(grammar, inner);
    const li_payload *of = li_term_payload(grammar, inner);
    uint32_t count = li_term_length(grammar, inner);
    switch (li_term_kind(grammar, inner)) {
    case LI_KIND_REPEAT:
        return of->repeat.body == li_term_payload(grammar, any)->repeat.body && of->repeat.most == LI_NO_LIMIT;
    case LI_KIND_SEQUENCE:
        return of->sequence.head == any;
    case LI_KIND_CHOICE:
        for (uint32_t i = 0; i < count; i++)
            if (is_open(grammar, words[i])) return true;
        return false;
    case LI_KIND_BOTH:
        for (uint32_t i = 0; i < count; i++) {
            bool lacks_few = li_term_kind(grammar, words[i]) == LI_KIND_NOT &&
                             is_finite(grammar, li_term_payload(grammar, words[i])->complement, 0);
            if (words[i] != any && !lacks_few) return false;
        }
        return true;
    default:
        return false;
    }
}

static bool is_open_state(li_walker *walker, li_state state)
{
    li_state_entry *entry = &walker->states[state];
    if (!(entry->flags & (LI_STATE_OPEN | LI_STATE_CLOSED))) {
        li_term term = entry->term;
        const li_payload *of = li_term_payload(walker->grammar, term);
        bool is_string = li_term_kind(walker->grammar, term) == LI_KIND_QUOTED && of->quoted.escape == 0;
        entry->flags |= is_string && is_open(walker->grammar, of->quoted.text) ? LI_STATE_OPEN : LI_STATE_CLOSED;
    }
    return entry->flags & LI_STATE_OPEN;
}

static void note_used(li_front_scan *scan, li_state state)
{
    li_walker *walker = scan->walker;
    li_state_entry *entry = &walker->states[state];
    if (!(entry->flags & LI_STATE_COUNTED)) {
        entry->used = (uint8_t)li_counts_used(walker->grammar, entry->term);
        entry->flags |= LI_STATE_COUNTED;
    }
    if (entry->used > scan->used) scan->used = entry->used;
}

// For a subtree that is not walked: if a count bounds the run, each byte may begin a round.
static void note_below(li_front_scan *scan, li_state state, uint32_t node)
{
    uint32_t used = scan->walker->states[state].used;
    if (scan->walker->states[state].span == LI_SPAN_COUNTED) used += scan->walker->vocabulary->heights[node];
    if (used > scan->used) scan->used = used;
}

// Whether the string ends at a crossing, from its state at a depth on.
static bool ends_at(li_front_scan *scan, li_state state, uint32_t depth, const li_crossing *crossing)
{
    const li_vocabulary *vocabulary = scan->walker->vocabulary;
    uint32_t length;
    const uint8_t *bytes =
        li_token_bytes(vocabulary, vocabulary->ids[vocabulary->nodes[crossing->node].first], &length);
    for (; depth < crossing->depth && state != scan->any && state != LI_STATE_DEAD; depth++) {
        state = li_state_next(scan->walker, state, bytes[depth]);
        if (scan->has_standins) note_used(scan, state);
    }
    return state == scan->any || state == LI_STATE_EMPTY;
}

// Every token of the subtree reads as in any string, and no token ends the string.
static void take_all(li_front_scan *scan, uint32_t node, uint32_t end)
{
    const li_vocabulary *vocabulary = scan->walker->vocabulary;
    if (scan->is_relative) return;
    for (uint32_t rank = vocabulary->nodes[node].first, last = vocabulary->nodes[end].first; rank < last; rank++) {
        uint32_t token = vocabulary->ids[rank];
        if (!scan->inside || scan->inside->bits[token >> 5] >> (token & 31) & 1)
            li_token_set_add(&scan->changes, token);
    }
}

// The subtree of a node reads as any string does. The ends of the string may differ, unless the state is that of any
// string.
static void take_inside(li_front_scan *scan, li_state state, uint32_t node, uint32_t depth)
{
    const struct li_string_tokens *inside = scan->inside;
    const li_vocabulary *vocabulary = scan->walker->vocabulary;
    uint32_t end = node + vocabulary->nodes[node].size;
    for (uint32_t i = first_crossing(inside, node); i < inside->crossing_count; i++) {
        if (inside->crossings[i].node >= end) break;
        if (ends_at(scan, state, depth, &inside->crossings[i])) scan->valid[i / 32] |= 1u << i % 32;
    }
    take_all(scan, node, end);
}

static bool is_like_any(const li_front_scan *scan, li_state state)
{
    return scan->inside && (state == scan->any || is_open_state(scan->walker, state));
}

// Whether the state returns to itself after the same bytes as the state of any string, for characters whose next byte
// is in the range.
static bool loops_beyond(li_front_scan *scan, li_state state, li_state at, li_state any_at, uint32_t low, uint32_t high)
{
    li_walker *walker = scan->walker;
    li_state former = LI_STATE_DEAD, any_former = LI_STATE_DEAD;
    for (uint32_t byte = low; byte <= high; byte++) {
        li_state any_next = li_state_next(walker, any_at, (uint8_t)byte);
        if (any_next == LI_STATE_DEAD) continue;
        li_state next = li_state_next(walker, at, (uint8_t)byte);
        if (next == LI_STATE_DEAD || (any_next == scan->any) != (next == state)) return false;
        if (next == state || (next == former && any_next == any_former)) continue;
        if (!loops_beyond(scan, state, next, any_next, 0x80, 0xbf)) return false;
        former = next;
        any_former = any_next;
    }
    return true;
}

// The classes of bytes after which the state returns to itself and reads as any string does.
static uint32_t loops_of(li_front_scan *scan, li_state state, uint32_t size)
{
    li_walker *walker = scan->walker;
    bool is_known = walker->states[state].flags & LI_STATE_LOOPS;
    uint32_t loops = li_state_loops(walker, state, size);
    if (!scan->inside) return loops & LI_ASCII_CLASSES;
    if (is_known || loops == 0 || walker->states[state].flags & LI_STATE_RUN) return loops;
    bool is_loop = loops_beyond(scan, state, state, scan->any, 0xc2, 0xe1) &&
                   loops_beyond(scan, state, state, scan->any, 0xe3, 0xf4);
    if (is_loop) loops |= 1u << LI_CLASS_BEYOND;
    if (is_loop && loops_beyond(scan, state, state, scan->any, 0xe2, 0xe2)) loops |= 1u << LI_CLASS_E2;
    return walker->states[state].loops = loops;
}

// Whether most tokens may read as in any string, by their first bytes.
static bool is_near(const li_front_scan *scan, li_state from)
{
    const li_trie_node *nodes = scan->walker->vocabulary->nodes;
    uint32_t dead = 0, end = nodes[0].size;
    if (!scan->inside || is_like_any(scan, from)) return scan->inside;
    for (uint32_t at = 1, next; at < end; at = next) {
        next = at + nodes[at].size;
        li_state state = li_state_next(scan->walker, from, (uint8_t)nodes[at].byte);
        if (state == LI_STATE_DEAD) dead += nodes[next].first - nodes[at].first;
    }
    return 2 * dead < nodes[end].first;
}

// Fields that a walk reads for every node, copied so that they stay in registers.
typedef struct walk {
    li_front_scan *scan;
    li_walker *walker;
    const li_vocabulary *vocabulary;
    const li_trie_node *nodes;
    li_transitions **above;
    bool has_inside, is_relative, has_standins;
    uint32_t visits;
} walk;

LI_INLINE li_visited visit(void *context, uint32_t at, uint32_t depth)
{
    walk *walk = context;
    li_front_scan *scan = walk->scan;
    li_walker *walker = walk->walker;
    uint32_t size = walk->nodes[at].size;
    li_state next = li_transitions_next(walker, walk->above[depth], (uint8_t)walk->nodes[at].byte);
    walk->visits++;
    if (next == LI_STATE_DEAD) {
        if (walker->grammar->status != LI_OK) return LI_VISITED_STOP;
        if (walk->is_relative) li_token_set_drop_nodes(&scan->changes, walk->vocabulary, at, at + size);
        return LI_VISITED_PAST;
    }
    if (walk->has_standins) note_used(scan, next);
    if (size == 1 && walk->has_inside && next != LI_STATE_EMPTY) { // the usual case
        if (!walk->is_relative) li_token_set_add_nodes(&scan->changes, walk->vocabulary, at, at + 1);
        return LI_VISITED_PAST;
    }
    if (next == LI_STATE_EMPTY) {
        if (walk->has_standins && !walk->has_inside)
            li_token_set_add_nodes(&scan->changes, walk->vocabulary, at, at + 1);
        add_crossing(scan, at, depth + 1);
        return LI_VISITED_PAST;
    }
    if (is_like_any(scan, next)) {
        take_inside(scan, next, at, depth + 1);
        return LI_VISITED_PAST;
    }
    if ((size >= LI_LARGE || (size > 1 && walker->states[next].flags & LI_STATE_LOOPS)) &&
        li_loops_take(walker, walk->vocabulary, next, loops_of(scan, next, size), at)) {
        if (walk->has_standins) note_below(scan, next, at);
        take_all(scan, at, at + size);
        return LI_VISITED_PAST;
    }
    if (!walk->is_relative) li_token_set_add_nodes(&scan->changes, walk->vocabulary, at, at + 1);
    if (size == 1) return LI_VISITED_PAST;
    if (!walk->has_inside && li_term_is_nullable(walker->grammar, walker->states[next].term))
        add_crossing(scan, at, depth + 1);
    walk->above[depth + 1] = walker->states[next].transitions;
    return LI_VISITED_DOWN;
}

static void walk_from(li_front_scan *scan, li_state from)
{
    li_walker *walker = scan->walker;
    walk walk = {.scan = scan,
                 .walker = walker,
                 .vocabulary = walker->vocabulary,
                 .nodes = walker->vocabulary->nodes,
                 .above = walker->above,
                 .has_inside = scan->inside,
                 .is_relative = scan->is_relative,
                 .has_standins = scan->has_standins};
    walk.above[0] = walker->states[from].transitions;
    li_trie_visit(walk.vocabulary, 0, walker->ends, visit, &walk);
    li_grammar_pay(walker->grammar, walk.visits / LI_VISITS_OF_UNIT);
}

bool li_front_scan_run(li_front_scan *scan, li_state from)
{
    const struct li_string_tokens *inside = scan->inside;
    scan->crossings.count = scan->used = 0;
    scan->changes.count = 0;
    scan->changes.is_full = false;
    if (inside) memset(scan->valid, 0, (inside->crossing_count + 31) / 32 * sizeof *scan->valid);
    scan->is_relative = is_near(scan, from);
    size_t size = (scan->walker->vocabulary->token_count + 31) / 32 * sizeof *scan->changes.bits;
    if (scan->is_relative)
        memcpy(scan->changes.bits, inside->bits, size);
    else
        memset(scan->changes.bits, 0, size);
    if (is_like_any(scan, from)) {
        take_inside(scan, from, 0, 0);
    } else {
        // A term that may end at once leaves whole tokens to the rest of the state.
        if (!inside && li_term_is_nullable(scan->walker->grammar, scan->walker->states[from].term))
            add_crossing(scan, 0, 0);
        walk_from(scan, from);
    }
    return scan->walker->grammar->status == LI_OK;
}
