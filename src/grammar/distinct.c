// Whether different items are left for all places of an array that must be filled: a matching of places with values.
// Only the places matter that have fewer values than there are places; all others find one last.
#include <string.h>

#include "base/memory.h"
#include "grammar/canonical.h"
#include "grammar/nodes.h"
#include "grammar/unique.h"

// Of ways to count for contains, and of recursion.
enum { TRIES = 2000, DEPTH = 200, PLACES = 100000, EXPLORED_DEPTH = 64, NESTED = 64 };

typedef struct choice {
    li_node node;
    bool is_ample; // as many values as places, and one to spare
    li_term_set values;
} choice;

// What is taken for the values of a choice. The last two look into no term of a value, for exploring: objects and arrays
// are counted by their parts, or some are put together.
typedef enum mode { LISTED, COUNTED, SAMPLED } mode;

typedef struct plan {
    li_grammar *grammar;
    mode mode;
    bool has_counted; // of a choice, values that were only counted
    li_term seen;
    uint32_t most; // values of a choice that are enough, come what may
    choice *choices;
    uint32_t choice_count, choice_room;
    uint32_t *places; // (place_count) a choice each, those that are not ample
    uint32_t place_count, place_room;
    uint32_t tries;
} plan;

static bool make_room(li_grammar *grammar, void **array, uint32_t *room, uint32_t count, size_t size)
{
    if (count <= *room) return true;
    void *moved = li_memory_resize(*array, *room * size, 2 * count * size);
    if (!moved) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    *array = moved;
    *room = 2 * count;
    return true;
}

static bool begin(plan *plan, li_grammar *grammar, const li_array_frame *frame, mode mode)
{
    *plan = (struct plan){.grammar = grammar, .mode = mode, .seen = frame->seen, .tries = TRIES};
    uint64_t places = frame->needed, needs = 0;
    for (uint32_t i = 0; i < frame->shape->contains_count; i++) needs += frame->needs[i];
    places += needs;
    if (needs) places += frame->shape->prefix_count - frame->position;
    plan->most = (uint32_t)(places < PLACES ? places : PLACES) + 1;
    return grammar->status == LI_OK;
}

static void end(plan *plan)
{
    for (uint32_t i = 0; i < plan->choice_count; i++) li_term_set_clear(&plan->choices[i].values);
    li_memory_free(plan->choices);
    li_memory_free(plan->places);
}

// The index of the choice of a node; LI_NO_LIMIT: the grammar has failed.
static uint32_t choice_of(plan *plan, li_node node)
{
    for (uint32_t i = 0; i < plan->choice_count; i++)
        if (plan->choices[i].node == node) return i;
    uint32_t index = plan->choice_count, counts = 0;
    if (!make_room(plan->grammar, (void **)&plan->choices, &plan->choice_room, index + 1, sizeof *plan->choices))
        return LI_NO_LIMIT;
    plan->choice_count++;
    choice *choice = &plan->choices[index];
    *choice = (struct choice){.node = node};
    li_nodes *nodes = plan->grammar->nodes;
    bool was_unsure = nodes->is_unsure;
    choice->is_ample = li_values_count(plan->grammar, node, plan->most + li_value_set_count(plan->grammar, plan->seen));
    nodes->is_unsure = was_unsure;
    if (!choice->is_ample && plan->mode == SAMPLED) {
        li_values_sample(plan->grammar, node, &choice->values);
    } else if (!choice->is_ample) {
        li_values_of(plan->grammar, node, plan->seen, plan->most, &choice->values,
                     plan->mode == COUNTED ? &counts : NULL);
        // Values that were only counted, numbered as terms never are: the same for all choices, which is the worst case.
        if (counts && plan->has_counted) nodes->is_unsure = true;
        plan->has_counted |= counts > 0;
        for (uint32_t i = 0; i < counts && choice->values.count < plan->most; i++)
            li_term_set_add(plan->grammar, &choice->values, UINT32_MAX - i);
        choice->is_ample = choice->values.count >= plan->most;
    }
    return plan->grammar->status == LI_OK ? index : LI_NO_LIMIT;
}

typedef struct matching {
    const plan *plan;
    li_term_set values;
    uint32_t *owners, *rounds; // by value: the place + 1 that has it; when it was last tried
    uint32_t round;
} matching;

static bool match(matching *matching, uint32_t place, uint32_t depth)
{
    const choice *choice = &matching->plan->choices[matching->plan->places[place]];
    if (depth == DEPTH) matching->plan->grammar->nodes->is_unsure = true;
    for (uint32_t i = 0; i < choice->values.count && depth < DEPTH; i++) {
        uint32_t value = li_term_set_find(&matching->values, choice->values.terms[i]);
        if (matching->rounds[value] == matching->round) continue;
        matching->rounds[value] = matching->round;
        uint32_t owner = matching->owners[value];
        if (owner && !match(matching, owner - 1, depth + 1)) continue;
        matching->owners[value] = place + 1;
        return true;
    }
    return false;
}

// Whether all places so far can have values that differ.
static bool matches(const plan *plan)
{
    li_grammar *grammar = plan->grammar;
    matching matching = {.plan = plan};
    for (uint32_t i = 0; i < plan->place_count; i++) {
        const choice *choice = &plan->choices[plan->places[i]];
        if (i && plan->places[i] == plan->places[i - 1]) continue;
        for (uint32_t value = 0; value < choice->values.count; value++)
            li_term_set_add(grammar, &matching.values, choice->values.terms[value]);
    }
    uint32_t count = matching.values.count;
    bool matches = plan->place_count <= count;
    if (matches && count) {
        matching.owners = li_memory_alloc(2 * (size_t)count * sizeof *matching.owners);
        matching.rounds = matching.owners ? matching.owners + count : NULL;
        if (!matching.owners) li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        for (uint32_t place = 0; place < plan->place_count && matches; place++) {
            matching.round = place + 1;
            matches = matching.owners && li_grammar_spend(grammar) && match(&matching, place, 0);
        }
        li_memory_free(matching.owners);
    }
    li_term_set_clear(&matching.values);
    return matches;
}

// Adds a place, if it matters. False: nothing can stand there.
static bool add_place(plan *plan, li_node node)
{
    uint32_t index = choice_of(plan, node);
    if (index == LI_NO_LIMIT) return false;
    if (plan->choices[index].is_ample) return true;
    if (plan->choices[index].values.count == 0) return false;
    if (!make_room(plan->grammar, (void **)&plan->places, &plan->place_room, plan->place_count + 1,
                   sizeof *plan->places))
        return false;
    plan->places[plan->place_count++] = index;
    return true;
}

typedef struct way {
    plan *plan;
    const li_array_frame *from;
    uint32_t depth;
} way;

static bool fill(plan *plan, const li_array_frame *frame, uint32_t depth);

static bool try_way(li_grammar *grammar, void *context, li_node node, const li_array_frame *next)
{
    way *way = context;
    bool gets_on = next->position != way->from->position || next->needed != way->from->needed;
    for (uint32_t i = 0; i < next->shape->contains_count; i++) gets_on |= next->needs[i] != way->from->needs[i];
    if (!gets_on || !li_contains_can_finish(grammar, next)) return false;
    uint32_t places = way->plan->place_count;
    bool is_found = add_place(way->plan, node) && fill(way->plan, next, way->depth + 1);
    way->plan->place_count = places;
    return is_found;
}

static bool fill(plan *plan, const li_array_frame *frame, uint32_t depth)
{
    if (li_array_is_done(frame) || depth == DEPTH) return matches(plan);
    if (frame->shape->contains_count) {
        if (plan->tries == 0) {
            plan->grammar->nodes->is_unsure = true;
            return false;
        }
        plan->tries--;
        way way = {plan, frame, depth};
        return li_array_ways(plan->grammar, frame, try_way, &way);
    }
    li_array_frame at = *frame;
    for (uint32_t i = 0; i < frame->needed; i++) {
        uint32_t places = plan->place_count;
        if (!add_place(plan, li_array_node(&at))) return false;
        if (at.position < at.shape->prefix_count)
            at.position++;
        else if (plan->place_count == places)
            break; // ample, and so are all that follow
        else if (plan->place_count > plan->choices[plan->places[places]].values.count + at.shape->prefix_count)
            return false;
    }
    return matches(plan);
}

static bool can_finish(li_grammar *grammar, const li_array_frame *frame, mode mode)
{
    if (li_array_is_done(frame)) return true;
    // Values of items may be such arrays again, with items that are such arrays.
    li_nodes *nodes = grammar->nodes;
    if (nodes->distinct_depth == NESTED) li_grammar_fail(grammar, LI_ERROR_GRAMMAR_FUEL);
    if (grammar->status != LI_OK) return false;
    nodes->distinct_depth++;
    plan plan;
    bool can_finish = begin(&plan, grammar, frame, mode) && fill(&plan, frame, 0);
    end(&plan);
    nodes->distinct_depth--;
    return can_finish && grammar->status == LI_OK;
}

bool li_unique_can_finish(li_grammar *grammar, const li_array_frame *frame)
{
    li_nodes *nodes = grammar->nodes;
    bool was_unsure = nodes->is_unsure;
    nodes->is_unsure = false;
    bool is_possible = can_finish(grammar, frame, LISTED);
    // Neither an end that is none nor an item that is wrongly not allowed.
    if (!is_possible && nodes->is_unsure) li_grammar_fail(grammar, LI_ERROR_GRAMMAR_FUEL);
    nodes->is_unsure = was_unsure;
    return is_possible;
}

// Items may be such arrays themselves, but the smallest value of a shape needs no other one of it: while a shape is
// explored it counts as one without values.
bool li_unique_may_finish(li_grammar *grammar, const li_array_frame *frame)
{
    li_nodes *nodes = grammar->nodes;
    li_explored explored = {frame->shape->id, nodes->explored, nodes->explored ? nodes->explored->depth + 1 : 1};
    for (const li_explored *outer = nodes->explored; outer; outer = outer->next)
        if (outer->id == frame->shape->id) return false;
    if (explored.depth > EXPLORED_DEPTH) {
        li_grammar_fail(grammar, LI_ERROR_GRAMMAR_FUEL);
        return false;
    }
    bool was_unsure = nodes->is_unsure;
    nodes->explored = &explored;
    nodes->is_unsure = false;
    bool may_finish = can_finish(grammar, frame, COUNTED) || can_finish(grammar, frame, SAMPLED);
    bool is_unsure = !may_finish && nodes->is_unsure;
    nodes->explored = explored.next;
    nodes->is_unsure = was_unsure || is_unsure;
    if (!is_unsure || explored.next || nodes->current != LI_NODE_NONE) return may_finish;
    // It is too late to do without the keyword, so even a lenient grammar fails.
    li_refuse(grammar, frame->shape->unique_schema, LI_KEYWORD_UNIQUE_ITEMS, LI_REFUSAL_UNDECIDED);
    li_grammar_fail(grammar, LI_ERROR_GRAMMAR_UNSUPPORTED);
    return false;
}

typedef struct scarcity {
    plan *plan;
    li_term_set *values;
} scarcity;

static bool add_scarce(li_grammar *grammar, void *context, li_node node, const li_array_frame *next)
{
    scarcity *scarcity = context;
    uint32_t index = choice_of(scarcity->plan, node);
    (void)next;
    if (index == LI_NO_LIMIT) return true;
    const choice *choice = &scarcity->plan->choices[index];
    for (uint32_t i = 0; i < choice->values.count && !choice->is_ample; i++)
        li_term_set_add(grammar, scarcity->values, choice->values.terms[i]);
    return false;
}

void li_unique_scarce(li_grammar *grammar, const li_array_frame *frame, li_term_set *values)
{
    if (li_array_is_done(frame)) return;
    plan plan;
    scarcity scarcity = {&plan, values};
    if (!begin(&plan, grammar, frame, LISTED)) return;
    li_array_frame at = *frame;
    for (uint32_t i = 1; i < plan.most; i++) {
        li_array_ways(grammar, &at, add_scarce, &scarcity);
        if (at.position == at.shape->prefix_count) break;
        at.position++;
    }
    end(&plan);
}
