// Which nodes have a value: the least fixed point of "a shape of the node can be finished". A node is judged again when
// a node that it depends on is found to have a value. Nodes that remain have no value.
#include "grammar/tableau/satisfiable.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/nodes/node_table.h"
#include "grammar/schema/string_set.h"
#include "grammar/tableau/raw_shape.h"

static void enqueue(li_grammar *grammar, li_node node)
{
    li_nodes *nodes = grammar->nodes;
    if (nodes->all.at[node].is_queued) return;
    if (LI_ARENA_PUSH(grammar, &nodes->queue, node)) nodes->all.at[node].is_queued = true;
}

static void touch(li_grammar *grammar, li_node node)
{
    li_nodes *nodes = grammar->nodes;
    if (nodes->all.at[node].verdict != LI_UNDECIDED) return;
    if (!LI_ARENA_PUSH(grammar, &nodes->touched, node)) return;
    nodes->all.at[node].verdict = LI_WAITING;
    enqueue(grammar, node);
}

// The node being judged depends on this node.
static void depend(li_grammar *grammar, li_node on)
{
    LI_ASSERT(grammar->nodes->current != LI_NODE_NONE && on < grammar->nodes->all.count);
    li_nodes *nodes = grammar->nodes;
    touch(grammar, on);
    li_node_entry *entry = &nodes->all.at[on];
    if (entry->dependent && nodes->dependencies.at[entry->dependent - 1].node == nodes->current) return;
    li_dependency dependency = {.node = nodes->current, .next = entry->dependent};
    if (LI_ARENA_PUSH(grammar, &nodes->dependencies, dependency)) entry->dependent = nodes->dependencies.count;
}

// All required properties are queued at once, before the object is judged again.
static void look_ahead(li_grammar *grammar, const li_object_shape *shape)
{
    for (uint32_t i = 0; i < shape->known_count; i++) {
        uint32_t verdict = grammar->nodes->all.at[shape->known_nodes[i]].verdict;
        if (shape->required[i] && (verdict == LI_UNDECIDED || verdict == LI_WAITING))
            depend(grammar, shape->known_nodes[i]);
    }
}

static bool judge(li_grammar *grammar, li_node node)
{
    LI_ASSERT(grammar->nodes->current == node);
    li_nodes *nodes = grammar->nodes;
    if (nodes->all.at[node].plain) return true;
    for (uint32_t sort = LI_SORT_NUMBER; sort <= LI_SORT_OBJECT; sort *= 2)
        if (!li_node_make(grammar, node, sort)) return false;
    if (nodes->all.at[node].number_count > 0) return true;
    if (nodes->all.at[node].sorts & LI_SORT_STRING && !li_string_set_is_empty(grammar, nodes->all.at[node].texts))
        return true;
    for (uint32_t i = 0; i < nodes->all.at[node].array_count; i++)
        if (li_shapes_can.finish_array(grammar, nodes->all.at[node].arrays[i])) return true;
    for (uint32_t i = 0; i < nodes->all.at[node].object_count; i++) look_ahead(grammar, nodes->all.at[node].objects[i]);
    for (uint32_t i = 0; i < nodes->all.at[node].object_count; i++)
        if (li_shapes_can.finish_object(grammar, nodes->all.at[node].objects[i])) return true;
    return false;
}

static void run(li_grammar *grammar, li_node root)
{
    li_nodes *nodes = grammar->nodes;
    // Verdicts are final, so they must not depend on arrays that exploration assumes to be empty.
    const li_explored *explored = nodes->explored;
    nodes->explored = NULL;
    touch(grammar, root);
    while (nodes->queue_first < nodes->queue.count && li_grammar_spend(grammar)) {
        li_node node = nodes->queue.at[nodes->queue_first++];
        nodes->all.at[node].is_queued = false;
        if (nodes->all.at[node].verdict == LI_SATISFIABLE) continue;
        nodes->current = node;
        bool is_satisfiable = judge(grammar, node);
        nodes->current = LI_NODE_NONE;
        if (!is_satisfiable || grammar->status != LI_OK) continue;
        nodes->all.at[node].verdict = LI_SATISFIABLE;
        for (uint32_t i = nodes->all.at[node].dependent; i; i = nodes->dependencies.at[i - 1].next)
            if (nodes->all.at[nodes->dependencies.at[i - 1].node].verdict == LI_WAITING)
                enqueue(grammar, nodes->dependencies.at[i - 1].node);
        nodes->all.at[node].dependent = 0;
    }
    li_verdict rest = grammar->status == LI_OK ? LI_UNSATISFIABLE : LI_UNDECIDED;
    for (uint32_t i = 0; i < nodes->touched.count; i++) {
        li_node_entry *entry = &nodes->all.at[nodes->touched.at[i]];
        if (entry->verdict == LI_WAITING) entry->verdict = (uint8_t)rest;
        entry->dependent = 0;
        entry->is_queued = false;
    }
    // With final verdicts, refuses arrays whose verdict is not exact.
    for (uint32_t i = 0; i < nodes->touched.count && grammar->status == LI_OK; i++) {
        const li_node_entry *entry = &nodes->all.at[nodes->touched.at[i]];
        for (uint32_t k = 0; entry->verdict == LI_UNSATISFIABLE && k < entry->array_count; k++)
            if (entry->arrays[k]->is_unique) li_shapes_can.finish_array(grammar, entry->arrays[k]);
    }
    nodes->queue_first = nodes->queue.count = nodes->touched.count = nodes->dependencies.count = 0;
    nodes->explored = explored;
}

bool li_node_is_satisfiable(li_grammar *grammar, li_node node)
{
    li_nodes *nodes = li_nodes_of(grammar);
    if (!nodes || grammar->status != LI_OK) return false;
    uint32_t verdict = nodes->all.at[node].verdict;
    if (verdict == LI_SATISFIABLE || verdict == LI_UNSATISFIABLE) return verdict == LI_SATISFIABLE;
    if (nodes->current != LI_NODE_NONE) {
        depend(grammar, node);
        return false;
    }
    run(grammar, node);
    return nodes->all.at[node].verdict == LI_SATISFIABLE;
}
