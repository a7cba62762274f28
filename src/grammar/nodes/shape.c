// The tables of shapes.
#include "grammar/nodes/shape.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/nodes/node_table.h"

const li_object_shape *li_object_shape_at(const li_grammar *grammar, uint32_t id)
{
    LI_ASSERT(id < grammar->nodes->objects.count);
    return grammar->nodes->objects.at[id];
}

const li_array_shape *li_array_shape_at(const li_grammar *grammar, uint32_t id)
{
    LI_ASSERT(id < grammar->nodes->arrays.count);
    return grammar->nodes->arrays.at[id];
}

static uint32_t hash_object(const li_object_shape *shape)
{
    uint32_t hash = li_mix(li_mix(li_mix(shape->known_count, shape->class_count), shape->least), shape->most);
    hash = li_mix(hash, shape->obligation_count);
    for (uint32_t i = 0; i < shape->witness_count; i++)
        hash = li_mix(li_mix(hash, shape->witnesses[i].property), shape->witnesses[i].node);
    for (uint32_t i = 0; i < shape->known_count; i++)
        hash = li_mix(li_mix(hash, shape->known_nodes[i] * 2 + shape->required[i]),
                      (uint32_t)(uintptr_t)shape->known[i].bytes);
    for (uint32_t i = 0; i < shape->class_count; i++)
        hash = li_mix(li_mix(hash, shape->class_keys[i]), shape->class_nodes[i]);
    return hash;
}

static bool same_words(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

// Texts are interned, so equal texts have the same address.
static bool objects_equal(const li_object_shape *a, const li_object_shape *b)
{
    if (a->known_count != b->known_count || a->class_count != b->class_count || a->least != b->least ||
        a->most != b->most || a->witness_count != b->witness_count)
        return false;
    if (!same_words(a->known_nodes, b->known_nodes, a->known_count) ||
        !same_words(a->class_keys, b->class_keys, a->class_count) ||
        !same_words(a->class_nodes, b->class_nodes, a->class_count))
        return false;
    for (uint32_t i = 0; i < a->known_count; i++)
        if (a->known[i].bytes != b->known[i].bytes || a->required[i] != b->required[i]) return false;
    return a->witness_count == 0 || memcmp(a->witnesses, b->witnesses, a->witness_count * sizeof *a->witnesses) == 0;
}

li_object_shape *li_object_shape_intern(li_grammar *grammar, const li_object_shape *shape, li_refusal blame)
{
    li_nodes *nodes = grammar->nodes;
    uint32_t hash = hash_object(shape), probe = 0, id = nodes->objects.count;
    for (uint32_t known; (known = li_table_next(&nodes->by_object, hash, &probe)) != LI_TABLE_NONE;)
        if (objects_equal(nodes->objects.at[known], shape)) return nodes->objects.at[known];
    li_object_shape *kept = li_grammar_alloc(grammar, sizeof *kept);
    // The place exists before the table names it: a matcher goes on after a failure.
    if (!kept || grammar->status != LI_OK || !LI_ARENA_RESERVE(grammar, &nodes->object_blames, id + 1) ||
        !LI_ARENA_RESERVE(grammar, &nodes->objects, id + 1) || !li_table_add(grammar, &nodes->by_object, hash, id))
        return NULL;
    nodes->object_blames.at[nodes->object_blames.count++] = blame;
    nodes->objects.at[nodes->objects.count++] = kept;
    *kept = *shape;
    kept->id = id;
    return kept;
}

uint32_t li_witnesses_drop(li_witness *witnesses, uint32_t count, uint32_t property)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (witnesses[i].property == property) continue;
        witnesses[kept] = witnesses[i];
        witnesses[kept++].property -= witnesses[i].property > property;
    }
    return kept;
}

static uint32_t hash_array(const li_array_shape *shape)
{
    uint32_t hash =
        li_mix(li_mix(li_mix(shape->prefix_count, shape->rest), shape->least), shape->most) + shape->is_unique;
    for (uint32_t i = 0; i < shape->prefix_count; i++) hash = li_mix(hash, shape->prefix[i]);
    for (uint32_t i = 0; i < shape->contains_count; i++) hash = li_mix(hash, shape->contains[i].node);
    return hash;
}

static bool arrays_equal(const li_array_shape *a, const li_array_shape *b)
{
    return a->prefix_count == b->prefix_count && a->rest == b->rest && a->least == b->least && a->most == b->most &&
           a->is_unique == b->is_unique && a->contains_count == b->contains_count &&
           (a->prefix_count == 0 || memcmp(a->prefix, b->prefix, a->prefix_count * sizeof *a->prefix) == 0) &&
           (a->contains_count == 0 || memcmp(a->contains, b->contains, a->contains_count * sizeof *a->contains) == 0);
}

// Interns the shape and gives its number.
li_array_shape *li_array_shape_intern(li_grammar *grammar, const li_array_shape *shape)
{
    li_nodes *nodes = grammar->nodes;
    uint32_t hash = hash_array(shape), probe = 0, id = nodes->arrays.count;
    for (uint32_t known; (known = li_table_next(&nodes->by_array, hash, &probe)) != LI_TABLE_NONE;)
        if (arrays_equal(nodes->arrays.at[known], shape)) return nodes->arrays.at[known];
    li_array_shape *kept = li_grammar_alloc(grammar, sizeof *kept);
    if (!kept || !LI_ARENA_RESERVE(grammar, &nodes->arrays, id + 1) ||
        !li_table_add(grammar, &nodes->by_array, hash, id))
        return NULL;
    nodes->arrays.at[nodes->arrays.count++] = kept;
    *kept = *shape;
    kept->id = id;
    return kept;
}
