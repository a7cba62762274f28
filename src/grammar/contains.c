// Whether an array can be finished: least and most of its items against what contains needs and takes.
#include "grammar/array.h"

#include <string.h>

#include "base/memory.h"

static bool is_done(const li_array_frame *frame)
{
    bool is_done = frame->needed == 0;
    for (uint32_t i = 0; i < frame->shape->contains_count; i++) is_done &= frame->needs[i] == 0;
    return is_done;
}

// Without or with one contains: the fewest items for which enough may count, of which then not too many must.
static bool one_can_finish(li_grammar *grammar, const li_array_frame *frame)
{
    const li_array_shape *shape = frame->shape;
    const li_contains *contains = shape->contains_count ? shape->contains : NULL;
    uint32_t needs = contains ? frame->needs[0] : 0, takes = contains ? frame->takes[0] : LI_NO_LIMIT;
    uint64_t items = 0, may_count = 0, must_count = 0;
    li_array_frame at = *frame;
    while (items < frame->needed || may_count < needs) {
        li_node node = li_array_node(&at);
        if (!li_node_is_satisfiable(grammar, node)) return false;
        bool counts = false, avoids = true;
        if (contains) {
            counts = li_node_is_satisfiable(grammar, li_node_and(grammar, node, contains->node));
            avoids = li_node_is_satisfiable(grammar, li_node_and(grammar, node, contains->other));
        }
        uint64_t times = 1;
        if (at.position < shape->prefix_count) {
            at.position++;
        } else {
            if (may_count < needs && !counts) return false;
            times = items < frame->needed ? frame->needed - items : 0;
            if (may_count < needs && times < needs - may_count) times = needs - may_count;
        }
        items += times;
        may_count += counts ? times : 0;
        must_count += avoids ? 0 : times;
        if (!li_grammar_spend(grammar)) return false;
    }
    return (frame->room == LI_NO_LIMIT || items <= frame->room) && must_count <= takes;
}

// Several: a search through frames, depth first, each looked at once. Frames are kept as terms.
typedef struct search {
    li_term *met;   // open addressing; NOTHING is free
    li_term *stack; // to be looked at
    uint32_t met_room, met_count, stack_count;
    bool is_found;
} search;

static bool grow(li_grammar *grammar, search *search)
{
    uint32_t room = search->met_room ? 2 * search->met_room : 64;
    li_term *met = li_memory_alloc(2 * (size_t)room * sizeof *met);
    if (!met) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    for (uint32_t i = 0; i < search->met_room; i++) {
        if (search->met[i] == LI_TERM_NOTHING) continue;
        uint32_t slot = search->met[i] * 0x9e3779b1u & (room - 1);
        while (met[slot] != LI_TERM_NOTHING) slot = (slot + 1) & (room - 1);
        met[slot] = search->met[i];
    }
    // The stack never holds more than what was met.
    if (search->stack_count) memcpy(met + room, search->stack, search->stack_count * sizeof *met);
    li_memory_free(search->met);
    search->met = met;
    search->stack = met + room;
    search->met_room = room;
    return true;
}

static bool meet(li_grammar *grammar, void *context, li_node node, const li_array_frame *frame)
{
    search *search = context;
    (void)node;
    if (is_done(frame)) return search->is_found = true;
    li_term term = li_array_rest(grammar, frame);
    if (term == LI_TERM_NOTHING) return true;
    if (2 * search->met_count >= search->met_room && !grow(grammar, search)) return true;
    uint32_t slot = term * 0x9e3779b1u & (search->met_room - 1);
    for (; search->met[slot] != LI_TERM_NOTHING; slot = (slot + 1) & (search->met_room - 1))
        if (search->met[slot] == term) return false;
    search->met[slot] = term;
    search->met_count++;
    search->stack[search->stack_count++] = term;
    return false;
}

static bool several_can_finish(li_grammar *grammar, const li_array_frame *frame)
{
    search search = {0};
    meet(grammar, &search, LI_NODE_ANY, frame);
    while (!search.is_found && search.stack_count && li_grammar_spend(grammar)) {
        uint32_t words[LI_ARRAY_WORDS];
        li_term term = search.stack[--search.stack_count];
        memcpy(words, li_term_words(grammar, term), li_term_length(grammar, term) * sizeof *words);
        li_array_frame at;
        if (!li_array_load(grammar, words, &at)) break;
        li_array_ways(grammar, &at, meet, &search);
    }
    li_memory_free(search.met);
    return search.is_found;
}

bool li_contains_can_finish(li_grammar *grammar, const li_array_frame *frame)
{
    return frame->shape->contains_count > 1 ? several_can_finish(grammar, frame) : one_can_finish(grammar, frame);
}
