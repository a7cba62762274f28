// The states that walks of the trie meet: terms with short numbers. Each state has its transitions, so a walk
// derives it by each byte only once.
#ifndef LI_STATE_CACHE_H
#define LI_STATE_CACHE_H

#include "base/assert.h"
#include "grammar/core/table.h"
#include "grammar/mask/vocabulary.h"
#include "grammar/terms/length_bounds.h"
#include "grammar/terms/string_list.h"

typedef uint16_t li_state;
enum {
    LI_STATE_DEAD = 0,  // no text follows, or more whitespace than masks allow
    LI_STATE_EMPTY = 1, // nothing more follows
    LI_STATE_UNKNOWN = UINT16_MAX,
    LI_STATE_LIMIT = 40000,
    LI_STATES_KEPT = 8192, // from one mask to the next
    LI_STATES_PER_BLOCK = 64,
    LI_SPAN_COUNTED = 254, // up to a limit of 254 or more
    LI_SPAN_ANY = 255,
    LI_VISITS_OF_UNIT = 16, // nodes that a walk visits for a unit of fuel
    LI_LARGE = 16,          // nodes of a subtree for which loops are worth looking for
};

// Cached facts about a state, as bits.
enum li_state_flag {
    LI_STATE_OPEN = 1,    // a string whose every beginning can be continued: front_scan.c
    LI_STATE_CLOSED = 2,  // a string that is not open
    LI_STATE_LOOPS = 4,   // `loops` and `span` are known
    LI_STATE_RUN = 8,     // `loops` comes from the form of the term (char_runs.h)
    LI_STATE_COUNTED = 16 // `used` is known
};

// What follows each byte in a state.
typedef struct li_transitions {
    li_state state; // whose transitions these are
    li_state next[256];
} li_transitions;

typedef struct li_state_entry {
    li_term term;
    li_transitions *transitions;
    uint32_t loops;   // classes of bytes that may come in any order; until they are known, a count of visited nodes
    li_extent extent; // of the strings that begin with the state: see li_state_extent
    uint8_t flags;    // li_state_flag
    uint8_t span;     // how many bytes of `loops` may come, or LI_SPAN_...
    uint8_t used;     // of counts: li_counts_used
    uint8_t misses;   // unknown bytes met since many were last searched
    uint8_t stops;    // stops at the front of the state: forget.h
} li_state_entry;

// A node at which a walk has met a stop (forget.h).
typedef struct li_stopped {
    uint32_t node, stops;
} li_stopped;

// A step of a walk along a list of strings. The term is made only where the list does not say what follows.
typedef struct li_list_step {
    li_string_range range; // empty: the term is not a list
    li_term term;          // LI_TERM_UNKNOWN: not made
    uint8_t byte;          // that led here
} li_list_step;

typedef struct li_walker {
    li_grammar *grammar;
    const li_vocabulary *vocabulary;
    uint32_t count, room;
    li_state_entry *states;      // (room)
    li_table by_term;            // the states
    uint32_t *ends;              // (longest + 1) where the subtrees above a node end
    li_term *terms_above;        // (longest + 1) the terms on the way to a node, where states are not numbered
    li_list_step *lists_above;   // (longest + 1) the steps along a list on the way to a node
    li_transitions **above;      // (longest + 1) the transitions of the states on the way to a node
    LI_LIST(li_stopped) stopped; // nodes at which walks came to stops
} li_walker;

bool li_walker_init(li_walker *walker, li_grammar *grammar, const li_vocabulary *vocabulary);
void li_walker_clear(li_walker *walker); // frees the memory
// Before a mask: drops all states if there are many.
void li_walker_tidy(li_walker *walker);
// Forgets all states.
void li_walker_forget(li_walker *walker);
// The state of a term without its recorded text (forget.h). DEAD: no text, or the grammar has failed; too many states
// fail with LI_ERROR_GRAMMAR_FUEL.
li_state li_state_of(li_walker *walker, li_term term);
// The state that follows a byte; fills in the transition if it is unknown.
li_state li_state_resolve(li_walker *walker, li_transitions *transitions, uint8_t byte);

LI_INLINE li_state li_transitions_next(li_walker *walker, li_transitions *transitions, uint8_t byte)
{
    return transitions->next[byte] == LI_STATE_UNKNOWN ? li_state_resolve(walker, transitions, byte)
                                                       : transitions->next[byte];
}

LI_INLINE li_state li_state_next(li_walker *walker, li_state state, uint8_t byte)
{
    LI_ASSERT(state != LI_STATE_DEAD && state < walker->count);
    return li_transitions_next(walker, walker->states[state].transitions, byte);
}

// The classes of bytes that may come in any order and number, found by the form of the term, or because they lead back
// to the state. The second search looks at ASCII only, and only after walks have met subtrees of many nodes (`size`) in
// the state.
uint32_t li_state_find_loops(li_walker *walker, li_state state, uint32_t size);

LI_INLINE uint32_t li_state_loops(li_walker *walker, li_state state, uint32_t size)
{
    LI_ASSERT(state < walker->count);
    const li_state_entry *entry = &walker->states[state];
    return entry->flags & LI_STATE_LOOPS ? entry->loops : li_state_find_loops(walker, state, size);
}

// Whether all texts below the node may come in a state with these loops.
LI_INLINE bool li_loops_take(const li_walker *walker, const li_vocabulary *vocabulary, li_state state, uint32_t loops,
                             uint32_t node)
{
    LI_ASSERT(node < vocabulary->node_count && state < walker->count);
    if (vocabulary->below[node] & ~loops) return false;
    uint32_t span = walker->states[state].span;
    return span == LI_SPAN_ANY || (vocabulary->heights && vocabulary->heights[node] <= span);
}

// The extent of a string state at the beginning of a character; cached. False: not known.
bool li_state_extent(li_walker *walker, li_state state, li_extent *extent);

// Whether the term is a list of so many strings that a walk would meet most of its states only once. *range: the
// strings, if the term is within a JSON string and outside of escapes; else empty.
bool li_is_long_list(const li_grammar *grammar, li_term term, li_string_range *range);

#endif
