// Whether all required places of an array can have different values: a matching of places with values. Only places with
// fewer values than there are places matter; every other place finds a value last.
#include "grammar/distinct/distinct_items.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/distinct/enumerate_values.h"
#include "grammar/distinct/sample_values.h"
#include "grammar/json/array_contains.h"
#include "grammar/json/canonical.h"
#include "grammar/nodes/node_table.h"

// Limits of the search over ways to count for contains, and of recursion.
enum { TRIES = 2000, DEPTH = 200, PLACES = 100000, ENDLESS = INT32_MAX, EXPLORED_DEPTH = 64, NESTED = 64 };

typedef struct choice {
    li_node node;
    bool is_ample; // has more values than there are places
    bool has_spare;
    li_term_set values;
} choice;

// The source of the values of a choice. Exploration uses COUNTED and SAMPLED, which read no terms of values: objects
// and arrays are counted by their parts, or some are composed.
typedef enum mode { LISTED, COUNTED, SAMPLED } mode;

typedef struct plan {
    li_grammar *grammar;
    mode mode;
    bool takes_few;   // as few items as possible count, instead of as many
    bool has_counted; // a choice has values that were only counted
    li_term seen;
    uint32_t most;       // this number of values of a choice is always enough, unless is_long
    bool is_long;        // there are more places than listed values
    li_term_set *needed; // values that some way to fill the places needs; may be NULL
    LI_LIST(choice) choices;
    LI_LIST(uint32_t) places; // the choice of each place whose choice is not ample
    uint32_t tries;
    bool is_unsure; // there may be more values, or other ways to fill the places
} plan;

static bool begin(plan *plan, li_grammar *grammar, const li_array_frame *frame, mode mode)
{
    *plan = (struct plan){.grammar = grammar, .mode = mode, .seen = frame->seen, .tries = TRIES};
    uint64_t places = frame->needed, needs = 0;
    for (uint32_t i = 0; i < frame->shape->contains_count; i++) needs += frame->needs[i];
    places += needs;
    if (needs) places += frame->shape->prefix_count - frame->position;
    plan->is_long = places > PLACES;
    plan->most = (uint32_t)(plan->is_long ? PLACES : places) + 1;
    return grammar->status == LI_OK;
}

static void end(plan *plan)
{
    for (uint32_t i = 0; i < plan->choices.count; i++) li_term_set_clear(&plan->choices.at[i].values);
    li_memory_free(plan->choices.at);
    li_memory_free(plan->places.at);
}

// The index of the choice of a node; LI_NO_LIMIT: the grammar has failed.
static uint32_t choice_of(plan *plan, li_node node)
{
    for (uint32_t i = 0; i < plan->choices.count; i++)
        if (plan->choices.at[i].node == node) return i;
    uint32_t index = plan->choices.count;
    if (!LI_HEAP_PUSH(plan->grammar, &plan->choices, (struct choice){.node = node})) return LI_NO_LIMIT;
    choice *choice = &plan->choices.at[index];
    uint32_t ample = plan->is_long ? ENDLESS : plan->most + li_value_set_count(plan->grammar, plan->seen);
    choice->is_ample = li_values_count(plan->grammar, node, ample, NULL);
    if (!choice->is_ample && plan->mode == SAMPLED) {
        li_values_sample(plan->grammar, node, &choice->values);
    } else if (!choice->is_ample) {
        li_listing listing = {
            .seen = plan->seen, .most = plan->most, .counts_parts = plan->mode == COUNTED, .values = &choice->values};
        li_values_of(plan->grammar, node, &listing);
        plan->is_unsure |= listing.is_unsure;
        // Values that were only counted get numbers that no term has. All choices get the same numbers, the worst
        // case.
        if (listing.counted && plan->has_counted) plan->is_unsure = true;
        plan->has_counted |= listing.counted > 0;
        for (uint32_t i = 0; i < listing.counted && choice->values.terms.count < plan->most; i++)
            li_term_set_add(plan->grammar, &choice->values, UINT32_MAX - i);
        bool is_full = choice->values.terms.count >= plan->most;
        choice->is_ample = is_full && !plan->is_long;
        if (is_full && plan->is_long) plan->is_unsure = true;
    }
    return plan->grammar->status == LI_OK ? index : LI_NO_LIMIT;
}

typedef struct matching {
    plan *plan;
    li_term_set values;
    uint32_t *owners, *rounds; // by value: the place + 1 that has the value; the round of its last trial
    uint32_t round;
} matching;

static bool match(matching *matching, uint32_t place, uint32_t depth)
{
    LI_ASSERT(place < matching->plan->places.count);
    const choice *choice = &matching->plan->choices.at[matching->plan->places.at[place]];
    if (depth == DEPTH) matching->plan->is_unsure = true;
    // Values that no place has are tried first.
    for (uint32_t i = 0; i < 2 * choice->values.terms.count && depth < DEPTH; i++) {
        bool is_first = i < choice->values.terms.count;
        uint32_t at = is_first ? i : i - choice->values.terms.count;
        uint32_t value = li_term_set_find(&matching->values, choice->values.terms.at[at]);
        uint32_t owner = matching->owners[value];
        if (matching->rounds[value] == matching->round || (is_first && owner)) continue;
        matching->rounds[value] = matching->round;
        if (owner && !match(matching, owner - 1, depth + 1)) continue;
        matching->owners[value] = place + 1;
        return true;
    }
    return false;
}

enum { SPARE = UINT32_MAX }; // instead of a round: the value can be spared

static bool has_spare(const matching *matching, const choice *choice)
{
    for (uint32_t i = 0; i < choice->values.terms.count; i++)
        if (matching->rounds[li_term_set_find(&matching->values, choice->values.terms.at[i])] == SPARE) return true;
    return false;
}

// Adds the values that have a place and cannot be spared, because no exchange between places frees them.
static void add_needed(const matching *matching)
{
    LI_ASSERT(matching->plan->needed && matching->owners);
    const plan *plan = matching->plan;
    uint32_t count = matching->values.terms.count, at = 0;
    for (uint32_t i = 0; i < count; i++) matching->rounds[i] = matching->owners[i] ? 0 : SPARE;
    for (uint32_t i = 0; i < plan->places.count; i++) plan->choices.at[plan->places.at[i]].has_spare = false;
    while (at < plan->places.count) {
        choice *choice = &plan->choices.at[plan->places.at[at++]];
        if (choice->has_spare || !has_spare(matching, choice)) continue;
        choice->has_spare = true;
        for (uint32_t i = 0; i < count; i++)
            if (matching->owners[i] && &plan->choices.at[plan->places.at[matching->owners[i] - 1]] == choice)
                matching->rounds[i] = SPARE;
        at = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (matching->rounds[i] != SPARE) li_term_set_add(plan->grammar, plan->needed, matching->values.terms.at[i]);
}

// Whether all places so far can have different values.
static bool matches(plan *plan)
{
    li_grammar *grammar = plan->grammar;
    matching matching = {.plan = plan};
    for (uint32_t i = 0; i < plan->places.count; i++) {
        const choice *choice = &plan->choices.at[plan->places.at[i]];
        if (i && plan->places.at[i] == plan->places.at[i - 1]) continue;
        for (uint32_t value = 0; value < choice->values.terms.count; value++)
            li_term_set_add(grammar, &matching.values, choice->values.terms.at[value]);
    }
    uint32_t count = matching.values.terms.count;
    bool matches = plan->places.count <= count;
    if (matches && count) {
        matching.owners = li_memory_alloc(2 * (size_t)count * sizeof *matching.owners);
        matching.rounds = matching.owners ? matching.owners + count : NULL;
        if (!matching.owners) li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        for (uint32_t place = 0; place < plan->places.count && matches; place++) {
            matching.round = place + 1;
            matches = matching.owners && li_grammar_spend(grammar) && match(&matching, place, 0);
        }
        if (matches && plan->needed) add_needed(&matching);
        li_memory_free(matching.owners);
    }
    li_term_set_clear(&matching.values);
    return matches;
}

// Adds a place if it matters. False: the place can have no value.
static bool add_place(plan *plan, li_node node)
{
    uint32_t index = choice_of(plan, node);
    if (index == LI_NO_LIMIT) return false;
    if (plan->choices.at[index].is_ample) return true;
    if (plan->choices.at[index].values.terms.count == 0) return false;
    return LI_HEAP_PUSH(plan->grammar, &plan->places, index);
}

typedef struct way {
    plan *plan;
    const li_array_frame *from;
    uint32_t depth, below; // only ways with a number (number_of) less than `below` are tried
} way;

static bool fill(plan *plan, const li_array_frame *frame, uint32_t depth, uint32_t below);

// The number of a way: a bit for each contains for which the item counts, the first in the highest bit.
static uint32_t number_of(const li_array_frame *from, const li_array_frame *next)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < next->shape->contains_count; i++)
        number = number << 1 | (next->needs[i] != from->needs[i] || next->takes[i] != from->takes[i]);
    return number;
}

// The largest useful number of items that can take the same way. After the prefix all items have one node, and their
// order is free.
static uint32_t longest_run(const li_array_frame *from, const li_array_frame *next)
{
    uint32_t most = from->room, useful = from->needed;
    for (uint32_t i = 0; i < next->shape->contains_count; i++) {
        if (next->needs[i] == from->needs[i] && next->takes[i] == from->takes[i]) continue;
        uint32_t limit = from->takes[i] == LI_NO_LIMIT ? from->needs[i] : from->takes[i];
        if (limit < most) most = limit;
        if (from->needs[i] > useful) useful = from->needs[i];
    }
    return useful < most ? useful : most;
}

static li_array_frame after_run(const li_array_frame *from, const li_array_frame *next, uint32_t run)
{
    LI_ASSERT(run <= from->room); // 0: no item is needed
    li_array_frame after = *next;
    after.needed = from->needed > run ? from->needed - run : 0;
    if (from->room != LI_NO_LIMIT) after.room = from->room - run;
    for (uint32_t i = 0; i < next->shape->contains_count; i++) {
        if (next->needs[i] != from->needs[i]) after.needs[i] = from->needs[i] > run ? from->needs[i] - run : 0;
        if (next->takes[i] != from->takes[i]) after.takes[i] = from->takes[i] - run;
    }
    return after;
}

// Adds a place `run` times and fills the rest.
static bool try_run(const way *way, li_node node, const li_array_frame *next, uint32_t run, uint32_t below)
{
    plan *plan = way->plan;
    li_array_frame after = after_run(way->from, next, run);
    if (plan->tries == 0) plan->is_unsure = true;
    if (plan->tries == 0 || !li_contains_can_finish(plan->grammar, &after)) return false;
    plan->tries--;
    uint32_t places = plan->places.count;
    bool is_found = true;
    for (uint32_t i = 0; i < run && is_found; i++) {
        is_found = add_place(plan, node);
        if (plan->places.count == places) break; // ample
    }
    is_found = is_found && fill(plan, &after, way->depth + 1, below);
    plan->places.count = places;
    return is_found;
}

static bool try_way(li_grammar *grammar, void *context, li_node node, const li_array_frame *next)
{
    const way *way = context;
    if (next->position != way->from->position) return try_run(way, node, next, 1, UINT32_MAX);
    // Ways in descending order: each combination comes once.
    uint32_t number = number_of(way->from, next),
             index = number < way->below ? choice_of(way->plan, node) : LI_NO_LIMIT;
    if (index == LI_NO_LIMIT) return false;
    uint32_t run = longest_run(way->from, next);
    const choice *choice = &way->plan->choices.at[index];
    uint32_t least = number ? 1 : run; // no way follows way 0
    if (!choice->is_ample && run > choice->values.terms.count) run = choice->values.terms.count;
    bool takes_few = way->plan->takes_few;
    for (uint32_t i = least; i <= run && grammar->status == LI_OK; i++)
        if (try_run(way, node, next, takes_few ? i : run + least - i, number)) return true;
    return false;
}

static bool fill(plan *plan, const li_array_frame *frame, uint32_t depth, uint32_t below)
{
    if (li_array_is_done(frame)) return matches(plan);
    if (frame->shape->contains_count) {
        if (depth == DEPTH) plan->is_unsure = true;
        way way = {plan, frame, depth, below};
        return depth < DEPTH && li_array_ways(plan->grammar, frame, try_way, &way);
    }
    li_array_frame at = *frame;
    for (uint32_t i = 0; i < frame->needed; i++) {
        uint32_t places = plan->places.count;
        if (!add_place(plan, li_array_node(&at))) return false;
        if (at.position < at.shape->prefix_count)
            at.position++;
        else if (plan->places.count == places)
            break; // the choice is ample, for later items too
        else if (plan->places.count >
                 plan->choices.at[plan->places.at[places]].values.terms.count + at.shape->prefix_count)
            return false;
    }
    return matches(plan);
}

// False is exact unless *is_unsure gets set.
static bool can_finish(li_grammar *grammar, const li_array_frame *frame, mode mode, bool takes_few, li_term_set *needed,
                       bool *is_unsure)
{
    if (li_array_is_done(frame)) return true;
    // The items may be arrays with unique items themselves.
    li_nodes *nodes = grammar->nodes;
    if (nodes->distinct_depth == NESTED) li_grammar_exceed(grammar, LI_LIMIT_VALUES);
    if (grammar->status != LI_OK) return false;
    nodes->distinct_depth++;
    plan plan;
    bool is_begun = begin(&plan, grammar, frame, mode);
    plan.needed = needed;
    plan.takes_few = takes_few;
    bool can_finish = is_begun && fill(&plan, frame, 0, UINT32_MAX);
    *is_unsure |= plan.is_unsure;
    end(&plan);
    nodes->distinct_depth--;
    return can_finish && grammar->status == LI_OK;
}

// Adds the values that the found way needs. *is_sure: every other way needs them too.
static bool ask(li_grammar *grammar, const li_array_frame *frame, bool takes_few, li_term_set *needed, bool *is_sure)
{
    bool is_unsure = false, is_possible = can_finish(grammar, frame, LISTED, takes_few, needed, &is_unsure);
    // Undecided: `true` could lead to a dead end, `false` could refuse a valid item.
    if (!is_possible && is_unsure && !takes_few) li_grammar_exceed(grammar, LI_LIMIT_VALUES);
    // With contains items may count in other ways, and unsure counts may have missed values.
    *is_sure = frame->shape->contains_count == 0 && !is_unsure;
    return is_possible && grammar->status == LI_OK;
}

// Drops the values that the other way does not need.
static void keep_common(li_term_set *needed, const li_term_set *others)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < needed->terms.count; i++)
        for (uint32_t k = 0; k < others->terms.count; k++)
            if (needed->terms.at[i] == others->terms.at[k]) needed->terms.at[kept++] = needed->terms.at[i];
    needed->terms.count = kept;
}

bool li_unique_can_finish(li_grammar *grammar, const li_array_frame *frame, li_term *avoided)
{
    li_term_set needed = {0}, others = {0};
    bool is_sure, is_asked, is_possible = ask(grammar, frame, false, avoided ? &needed : NULL, &is_sure);
    if (needed.terms.count && !is_sure && ask(grammar, frame, true, &others, &is_asked)) keep_common(&needed, &others);
    while (needed.terms.count && is_possible && grammar->status == LI_OK) {
        li_array_frame after = *frame;
        li_term value = needed.terms.at[--needed.terms.count];
        li_term_set_clear(&others);
        after.seen = li_value_set_add(grammar, frame->seen, value);
        if (is_sure || !ask(grammar, &after, false, &others, &is_asked))
            *avoided = li_value_set_add(grammar, *avoided, value);
        else
            keep_common(&needed, &others);
    }
    li_term_set_clear(&others);
    li_term_set_clear(&needed);
    return is_possible && grammar->status == LI_OK;
}

// Items may be arrays of the same shape. The smallest value of a shape contains no value of that shape, so while a
// shape is explored it counts as one without values.
bool li_unique_may_finish(li_grammar *grammar, const li_array_frame *frame, bool *is_unsure)
{
    LI_ASSERT(frame->shape->is_unique);
    li_nodes *nodes = grammar->nodes;
    li_explored explored = {frame->shape->id, nodes->explored, nodes->explored ? nodes->explored->depth + 1 : 1};
    for (const li_explored *outer = nodes->explored; outer; outer = outer->next)
        if (outer->id == frame->shape->id) return false;
    if (explored.depth > EXPLORED_DEPTH) {
        li_grammar_exceed(grammar, LI_LIMIT_VALUES);
        return false;
    }
    bool may_have_more = false;
    nodes->explored = &explored;
    bool may_finish = can_finish(grammar, frame, COUNTED, false, NULL, &may_have_more) ||
                      can_finish(grammar, frame, SAMPLED, false, NULL, &may_have_more);
    nodes->explored = explored.next;
    if (may_finish || !may_have_more) return may_finish;
    if (is_unsure) *is_unsure = true;
    if (explored.next || nodes->current != LI_NODE_NONE) return false;
    // A lenient grammar fails too: the keyword can no longer be ignored.
    li_refuse(grammar, frame->shape->unique_schema, LI_KEYWORD_UNIQUE_ITEMS, LI_REFUSAL_UNDECIDED);
    li_grammar_fail(grammar, LI_ERROR_GRAMMAR_UNSUPPORTED);
    return false;
}
