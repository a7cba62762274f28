// Whether an array can be finished: the bounds of its length, against the items that contains needs and accepts.
#include "grammar/json/array_contains.h"

#include <string.h>

#include "grammar/core/term_set.h"
#include "grammar/tableau/satisfiable.h"
#include "grammar/terms/term.h"

bool li_array_is_done(const li_array_frame *frame)
{
    bool is_done = frame->needed == 0;
    for (uint32_t i = 0; i < frame->shape->contains_count; i++) is_done &= frame->needs[i] == 0;
    return is_done;
}

// With at most one contains: finds the fewest items among which enough may count, and checks that not too many must.
static bool one_can_finish(li_grammar *grammar, const li_array_frame *frame)
{
    const li_array_shape *shape = frame->shape;
    const li_contains *contains = shape->contains_count ? shape->contains : NULL;
    uint32_t needs = contains ? frame->needs[0] : 0, takes = contains ? frame->takes[0] : LI_NO_LIMIT;
    uint64_t items = 0, may_count = 0, must_count = 0;
    if (needs > takes) return false;
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

// With several contains: a search through frames, which visits each frame once. Frames are kept as terms.
typedef struct search {
    li_term_set met;
    bool is_found;
} search;

static bool meet(li_grammar *grammar, void *context, li_node node, const li_array_frame *frame)
{
    search *search = context;
    (void)node;
    search->is_found = li_array_is_done(frame);
    if (!search->is_found) li_term_set_add(grammar, &search->met, li_array_rest(grammar, frame));
    return search->is_found;
}

typedef enum verdict { NO, YES, OPEN } verdict;

// Decides two cases after the prefix without a search: each contains has items that count for no other contains with a
// limit, or no item counts for two. `is_lasting`: the answer stays the same after any items.
static verdict glance(li_grammar *grammar, const li_array_frame *frame, bool *is_lasting)
{
    const li_array_shape *shape = frame->shape;
    bool have_own = true, are_apart = true, is_unlimited = frame->room == LI_NO_LIMIT;
    uint64_t sum = 0;
    li_node other = shape->rest;
    if (frame->position < shape->prefix_count) return OPEN;
    for (uint32_t i = 0; i < shape->contains_count; i++) {
        uint32_t needs = frame->needs[i];
        li_node node = li_node_and(grammar, shape->rest, shape->contains[i].node), own = node;
        for (uint32_t j = 0; j < shape->contains_count; j++) {
            if (j < i && are_apart)
                are_apart = !li_node_is_satisfiable(grammar, li_node_and(grammar, node, shape->contains[j].node));
            if (j != i && frame->takes[j] != LI_NO_LIMIT) own = li_node_and(grammar, own, shape->contains[j].other);
        }
        if (frame->takes[i] != LI_NO_LIMIT) {
            other = li_node_and(grammar, other, shape->contains[i].other);
            is_unlimited = false;
        }
        if (needs > frame->takes[i] || (needs && !li_node_is_satisfiable(grammar, node))) return NO;
        have_own = have_own && (!needs || li_node_is_satisfiable(grammar, own));
        sum += needs;
    }
    *is_lasting = are_apart || is_unlimited;
    if (sum > frame->room) return are_apart ? NO : OPEN;
    return have_own && (frame->needed <= sum || li_node_is_satisfiable(grammar, other)) ? YES : OPEN;
}

bool li_contains_are_few(li_grammar *grammar, const li_array_shape *shape)
{
    enum { FEW = 5 };
    li_array_frame frame;
    bool is_lasting = false;
    if (shape->contains_count <= FEW) return true;
    li_array_start(shape, &frame);
    return glance(grammar, &frame, &is_lasting) == YES && is_lasting;
}

static bool several_can_finish(li_grammar *grammar, const li_array_frame *frame)
{
    bool is_lasting;
    verdict verdict = glance(grammar, frame, &is_lasting);
    if (verdict != OPEN) return verdict == YES;
    search search = {0};
    meet(grammar, &search, LI_NODE_ANY, frame);
    for (uint32_t i = 0; i < search.met.terms.count && !search.is_found && li_grammar_spend(grammar); i++) {
        uint32_t words[LI_ARRAY_WORDS];
        li_term term = search.met.terms.at[i];
        memcpy(words, li_term_words(grammar, term), li_term_length(grammar, term) * sizeof *words);
        li_array_frame at;
        if (li_array_load(grammar, words, &at)) li_array_ways(grammar, &at, meet, &search);
    }
    li_term_set_clear(&search.met);
    return search.is_found;
}

bool li_contains_can_finish(li_grammar *grammar, const li_array_frame *frame)
{
    return frame->shape->contains_count > 1 ? several_can_finish(grammar, frame) : one_can_finish(grammar, frame);
}
