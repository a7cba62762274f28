// The walk, by states or along a list of strings.
#include "grammar/mask/trie_walk.h"

#include "base/assert.h"
#include "grammar/distinct/forget.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/proposal.h"
#include "grammar/terms/term_table.h"

void li_walker_stop(li_walker *walker, uint32_t node, uint32_t stops)
{
    LI_ASSERT(stops && node < walker->vocabulary->node_count);
    LI_HEAP_PUSH(walker->grammar, &walker->stopped, (li_stopped){node, stops});
}

typedef struct walk {
    li_walker *walker;
    const li_vocabulary *vocabulary;
    const li_trie_node *nodes;
    li_transitions **above;
    li_token_set *found;
    uint32_t visits;
} walk;

// The term of a step, from the steps above. NOTHING: the grammar has failed.
static li_term term_of_step(li_walker *walker, uint32_t depth)
{
    LI_ASSERT(walker->lists_above[0].term != LI_TERM_UNKNOWN);
    li_list_step *steps = walker->lists_above;
    uint32_t known = depth;
    while (steps[known].term == LI_TERM_UNKNOWN) known--;
    for (; known < depth; known++) {
        steps[known + 1].term = li_derive(walker->grammar, steps[known].term, steps[known + 1].byte);
        if (walker->grammar->status != LI_OK) return LI_TERM_NOTHING;
    }
    return steps[depth].term;
}

// A walk along a list reads the list itself, so that most nodes need no term.
LI_INLINE li_visited visit_by_list(void *context, uint32_t at, uint32_t depth)
{
    const walk *walk = context;
    li_walker *walker = walk->walker;
    li_grammar *grammar = walker->grammar;
    const li_trie_node *node = &walk->nodes[at];
    li_list_step *step = &walker->lists_above[depth], *next = step + 1;
    uint8_t byte = (uint8_t)node->byte;
    next->byte = byte;
    if (step->range.first < step->range.end && byte >= ' ' && byte < 0xf8 && byte != '"' && byte != '\\') {
        next->range = li_strings_narrow(step->range, byte);
        if (next->range.first == next->range.end) return LI_VISITED_PAST;
        if (!li_grammar_spend(grammar)) return LI_VISITED_STOP;
        next->term = LI_TERM_UNKNOWN;
    } else {
        li_term term = term_of_step(walker, depth);
        if (term != LI_TERM_NOTHING) term = li_proposed(grammar, li_derive(grammar, term, byte));
        term = li_forget(grammar, term, false);
        if (grammar->status != LI_OK) return LI_VISITED_STOP;
        uint32_t stops = node->size > 1 ? li_stops_of(grammar, term) : 0;
        if (stops) li_walker_stop(walker, at, stops);
        if (term == LI_TERM_NOTHING) return LI_VISITED_PAST;
        *next = (li_list_step){.term = term, .byte = byte};
    }
    li_token_set_add_nodes(walk->found, walk->vocabulary, at, at + 1);
    return LI_VISITED_DOWN;
}

LI_INLINE li_visited visit_by_state(void *context, uint32_t at, uint32_t depth)
{
    walk *walk = context;
    li_walker *walker = walk->walker;
    const li_vocabulary *vocabulary = walk->vocabulary;
    uint32_t size = walk->nodes[at].size;
    walk->visits++;
    li_state next = li_transitions_next(walker, walk->above[depth], (uint8_t)walk->nodes[at].byte);
    if (next == LI_STATE_DEAD) return walker->grammar->status == LI_OK ? LI_VISITED_PAST : LI_VISITED_STOP;
    bool is_whole = size > 1 && (size >= LI_LARGE || walker->states[next].flags & LI_STATE_LOOPS) &&
                    li_loops_take(walker, vocabulary, next, li_state_loops(walker, next, size) & LI_ASCII_CLASSES, at);
    li_token_set_add_nodes(walk->found, vocabulary, at, is_whole ? at + size : at + 1);
    if (is_whole || size == 1) return LI_VISITED_PAST;
    if (walker->states[next].stops) li_walker_stop(walker, at, walker->states[next].stops);
    walk->above[depth + 1] = walker->states[next].transitions;
    return LI_VISITED_DOWN;
}

void li_walk(li_walker *walker, const li_vocabulary *vocabulary, li_state from, uint32_t node, li_token_set *found)
{
    LI_ASSERT(from < walker->count && node < vocabulary->node_count);
    const li_state_entry *entry = &walker->states[from];
    walk walk = {walker, vocabulary, vocabulary->nodes, walker->above, found, 0};
    li_list_step first = {.term = entry->term};
    if (li_is_long_list(walker->grammar, entry->term, &first.range)) {
        walker->lists_above[0] = first;
        li_trie_visit(vocabulary, node, walker->ends, visit_by_list, &walk);
        return;
    }
    if (entry->stops && vocabulary->nodes[node].size > 1) li_walker_stop(walker, node, entry->stops);
    walk.above[0] = entry->transitions;
    li_trie_visit(vocabulary, node, walker->ends, visit_by_state, &walk);
    li_grammar_pay(walker->grammar, walk.visits / LI_VISITS_OF_UNIT);
}
