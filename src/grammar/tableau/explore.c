// Exploration visits all nodes, so that keywords are refused when a grammar is compiled, not in the middle of a text.
#include "grammar/tableau/explore.h"

#include "base/assert.h"
#include "grammar/nodes/node_table.h"
#include "grammar/tableau/node_shape.h"
#include "grammar/tableau/satisfiable.h"

typedef struct li_tour {
    li_grammar *grammar;
    LI_LIST(li_node) nodes; // found so far; nodes before `first` have been visited
    uint32_t first;
    uint32_t ways; // the ways of a value to witness obligations or to count for contains
} li_tour;

enum { WAY_LIMIT = 512, ITEM_WAY_LIMIT = 64 };

static void meet(li_tour *tour, li_node node)
{
    LI_ASSERT(tour->first <= tour->nodes.count);
    LI_ASSERT(node < tour->grammar->nodes->all.count);
    li_grammar *grammar = tour->grammar;
    if (node <= LI_NODE_ANY || grammar->nodes->all.at[node].is_explored || !LI_ARENA_PUSH(grammar, &tour->nodes, node))
        return;
    grammar->nodes->all.at[node].is_explored = true;
}

// Adds the nodes that the value of a property may have to satisfy: its node, with each witness or its complement.
static void meet_witnesses(li_tour *tour, const li_object_shape *object, uint32_t property, uint32_t at, li_node node)
{
    LI_ASSERT(at <= object->witness_count);
    li_grammar *grammar = tour->grammar;
    if (tour->ways > WAY_LIMIT || !li_node_is_satisfiable(grammar, node)) return;
    for (; at < object->witness_count; at++) {
        const li_witness *witness = &object->witnesses[at];
        if (witness->property != property || witness->node <= LI_NODE_ANY) continue;
        meet_witnesses(tour, object, property, at + 1, li_node_and(grammar, node, witness->node));
        meet_witnesses(tour, object, property, at + 1, li_node_and(grammar, node, witness->other));
        return;
    }
    tour->ways++;
    meet(tour, node);
}

// A lenient grammar fails too: the keyword can no longer be ignored.
static void refuse(li_grammar *grammar, uint32_t schema, uint32_t keyword)
{
    li_refuse(grammar, schema, keyword, LI_REFUSAL_TOO_COMPLEX);
    li_grammar_fail(grammar, LI_ERROR_GRAMMAR_UNSUPPORTED);
}

static void meet_property(li_tour *tour, const li_object_shape *object, uint32_t property, li_node node)
{
    li_grammar *grammar = tour->grammar;
    tour->ways = 0;
    if (object->obligation_count)
        meet_witnesses(tour, object, property, 0, node);
    else
        meet(tour, node);
    li_refusal blame = grammar->nodes->object_blames.at[object->id];
    if (tour->ways > WAY_LIMIT) refuse(grammar, blame.schema, blame.keyword);
}

// Adds the nodes of an item, which may count or not for each contains.
static void meet_items(li_tour *tour, const li_array_shape *array, uint32_t contains, li_node node)
{
    LI_ASSERT(contains <= array->contains_count);
    li_grammar *grammar = tour->grammar;
    if (tour->ways > ITEM_WAY_LIMIT || !li_node_is_satisfiable(grammar, node)) return;
    if (contains == array->contains_count) {
        tour->ways++;
        meet(tour, node);
        return;
    }
    meet_items(tour, array, contains + 1, li_node_and(grammar, node, array->contains[contains].node));
    meet_items(tour, array, contains + 1, li_node_and(grammar, node, array->contains[contains].other));
}

static void visit(li_tour *tour, const li_shape *shape)
{
    for (uint32_t i = 0; i < shape->object_count; i++) {
        const li_object_shape *object = &shape->objects[i];
        for (uint32_t j = 0; j < object->known_count; j++) meet_property(tour, object, j, object->known_nodes[j]);
        for (uint32_t j = 0; j < object->class_count; j++)
            meet_property(tour, object, object->known_count + j, object->class_nodes[j]);
    }
    for (uint32_t i = 0; i < shape->array_count; i++) {
        const li_array_shape *array = &shape->arrays[i];
        if (!li_shapes_can.are_few_contains(tour->grammar, array))
            refuse(tour->grammar, array->contains_schema, LI_KEYWORD_CONTAINS);
        for (uint32_t j = 0; j <= array->prefix_count; j++) {
            tour->ways = 0;
            meet_items(tour, array, 0, j < array->prefix_count ? array->prefix[j] : array->rest);
            if (tour->ways > ITEM_WAY_LIMIT) refuse(tour->grammar, array->contains_schema, LI_KEYWORD_CONTAINS);
        }
    }
}

void li_node_explore(li_grammar *grammar, li_node node)
{
    li_tour tour = {.grammar = grammar};
    if (!li_node_is_satisfiable(grammar, node)) return;
    meet(&tour, node);
    while (tour.first < tour.nodes.count && li_grammar_spend(grammar)) {
        const li_shape *shape = li_node_shape(grammar, tour.nodes.at[tour.first++]);
        if (shape) visit(&tour, shape);
    }
}
