// The final shape of a node, without alternatives and parts that have no value.
#include "grammar/tableau/node_shape.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/nodes/node_table.h"
#include "grammar/nodes/object_merge.h"
#include "grammar/schema/string_set.h"
#include "grammar/tableau/raw_shape.h"
#include "grammar/tableau/satisfiable.h"

static li_node cleaned(li_grammar *grammar, li_node node)
{
    LI_ASSERT(node < grammar->nodes->all.count);
    // A call that has failed decides nothing.
    return li_node_is_satisfiable(grammar, node) || grammar->status != LI_OK ? node : LI_NODE_NONE;
}

// This file owns the arrays of a shape; for other files they are constant.
static void clean_object(li_grammar *grammar, li_object_shape *shape)
{
    li_node *known = (li_node *)(uintptr_t)shape->known_nodes, *nodes = (li_node *)(uintptr_t)shape->class_nodes;
    li_term *keys = (li_term *)(uintptr_t)shape->class_keys;
    li_witness *witnesses = (li_witness *)(uintptr_t)shape->witnesses;
    for (uint32_t i = 0; i < shape->known_count; i++) known[i] = cleaned(grammar, known[i]);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < shape->class_count; i++) {
        li_node node = cleaned(grammar, nodes[i]);
        if (node == LI_NODE_NONE) {
            shape->witness_count = li_witnesses_drop(witnesses, shape->witness_count, shape->known_count + kept);
            continue;
        }
        nodes[kept] = node;
        keys[kept] = keys[i];
        kept++;
    }
    shape->class_count = kept;
}

static void clean_array(li_grammar *grammar, li_array_shape *shape)
{
    li_node *prefix = (li_node *)(uintptr_t)shape->prefix;
    for (uint32_t i = 0; i < shape->prefix_count; i++) {
        prefix[i] = cleaned(grammar, prefix[i]);
        if (prefix[i] != LI_NODE_NONE) continue;
        shape->prefix_count = i;
        shape->rest = LI_NODE_NONE;
    }
    shape->rest = cleaned(grammar, shape->rest);
    if (shape->rest == LI_NODE_NONE && shape->most > shape->prefix_count) shape->most = shape->prefix_count;
}

static void take_objects(li_grammar *grammar, li_node node, li_shape *shape)
{
    uint32_t count = grammar->nodes->all.at[node].object_count;
    li_object_shape *objects = li_grammar_alloc(grammar, ((size_t)count + 1) * sizeof *objects);
    if (!objects) return;
    shape->objects = objects;
    for (uint32_t i = 0; i < count; i++) {
        li_object_shape *object = grammar->nodes->all.at[node].objects[i];
        if (!li_shapes_can.finish_object(grammar, object)) continue;
        clean_object(grammar, object);
        objects[shape->object_count++] = *object;
    }
    shape->object_count = li_object_shapes_merge(grammar, objects, shape->object_count);
    shape->constants = li_shapes_can.list_constants(grammar, shape);
}

static void take_arrays(li_grammar *grammar, li_node node, li_shape *shape)
{
    uint32_t count = grammar->nodes->all.at[node].array_count;
    li_array_shape *arrays = li_grammar_alloc(grammar, ((size_t)count + 1) * sizeof *arrays);
    if (!arrays) return;
    shape->arrays = arrays;
    for (uint32_t i = 0; i < count; i++) {
        li_array_shape *array = grammar->nodes->all.at[node].arrays[i];
        if (!li_shapes_can.finish_array(grammar, array)) continue;
        clean_array(grammar, array);
        arrays[shape->array_count++] = *array;
    }
}

const li_shape *li_node_shape(li_grammar *grammar, li_node node)
{
    LI_ASSERT(!grammar->nodes || node < grammar->nodes->all.count);
    li_nodes *nodes = li_nodes_of(grammar);
    if (!nodes || grammar->status != LI_OK) return NULL;
    if (nodes->all.at[node].shape) return nodes->all.at[node].shape;
    // During the search for satisfiable nodes a shape is not final, because a node without a value may get one.
    bool is_final = nodes->current == LI_NODE_NONE;
    for (uint32_t sort = LI_SORT_NUMBER; sort <= LI_SORT_OBJECT; sort *= 2)
        if (!li_node_make(grammar, node, sort)) {
            li_grammar_exceed(grammar, LI_LIMIT_WAYS);
            return NULL;
        }
    li_shape *shape = li_grammar_alloc(grammar, sizeof *shape);
    if (!shape) return NULL;
    const li_node_entry *entry = &nodes->all.at[node];
    shape->has_null = entry->plain & LI_PLAIN_NULL;
    shape->has_false = entry->plain & LI_PLAIN_FALSE;
    shape->has_true = entry->plain & LI_PLAIN_TRUE;
    shape->number_count = entry->number_count;
    shape->numbers = entry->numbers;
    shape->strings = entry->sorts & LI_SORT_STRING ? li_string_set_term(grammar, entry->texts) : LI_TERM_NOTHING;
    if (is_final) {
        // A recursive call gets the unfinished shape.
        nodes->all.at[node].shape = shape;
        const li_explored *explored = nodes->explored;
        nodes->explored = NULL;
        take_objects(grammar, node, shape);
        take_arrays(grammar, node, shape);
        nodes->explored = explored;
        if (grammar->status != LI_OK) nodes->all.at[node].shape = NULL;
        return nodes->all.at[node].shape;
    }
    li_object_shape *objects = li_grammar_alloc(grammar, ((size_t)entry->object_count + 1) * sizeof *objects);
    li_array_shape *arrays = li_grammar_alloc(grammar, ((size_t)entry->array_count + 1) * sizeof *arrays);
    if (!objects || !arrays) return NULL;
    for (uint32_t i = 0; i < entry->object_count; i++) objects[i] = *entry->objects[i];
    for (uint32_t i = 0; i < entry->array_count; i++) arrays[i] = *entry->arrays[i];
    shape->objects = objects;
    shape->arrays = arrays;
    shape->object_count = entry->object_count;
    shape->array_count = entry->array_count;
    return shape;
}
