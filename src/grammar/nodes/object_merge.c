// Merging alternatives of an object: two alternatives that differ in one key, required in one and forbidden in the
// other; and alternatives that another includes. Negation (not, oneOf, if) makes many of both.
#include "grammar/nodes/object_merge.h"

#include <string.h>

#include "grammar/core/arena.h"
#include "grammar/nodes/node_table.h"

enum { WAY_LIMIT = 512 }; // more alternatives are not merged, because all pairs are compared

typedef enum relation {
    APART,
    TAKEN_IN,  // the second includes the first
    MERGEABLE, // the second includes the first if its key at `place` is not required
} relation;

static bool is_there(const li_object_shape *shape, uint32_t known)
{
    return shape->known_nodes[known] != LI_NODE_NONE;
}

static bool same_known(const li_object_shape *a, uint32_t in_a, const li_object_shape *b, uint32_t in_b)
{
    // Texts are interned, so equal texts have the same address.
    return a->known[in_a].bytes == b->known[in_b].bytes && a->known_nodes[in_a] == b->known_nodes[in_b] &&
           (a->obligation_count == 0 || in_a == in_b);
}

static bool same_classes(const li_object_shape *a, const li_object_shape *b)
{
    if (a->class_count != b->class_count || a->least != b->least || a->most != b->most ||
        a->witness_count != b->witness_count || (a->witness_count && a->known_count != b->known_count))
        return false;
    for (uint32_t i = 0; i < a->class_count; i++)
        if (a->class_keys[i] != b->class_keys[i] || a->class_nodes[i] != b->class_nodes[i]) return false;
    return a->witness_count == 0 || memcmp(a->witnesses, b->witnesses, a->witness_count * sizeof *a->witnesses) == 0;
}

// A key that a shape does not mention, or mentions with NONE, may not occur: equal classes lack the same keys.
static relation relate(const li_object_shape *a, const li_object_shape *b, uint32_t *place)
{
    if (!same_classes(a, b)) return APART;
    uint32_t in_a = 0, differences = 0, more_required = 0;
    for (uint32_t in_b = 0; in_b < b->known_count; in_b++) {
        while (in_a < a->known_count && !is_there(a, in_a)) in_a++;
        if (!is_there(b, in_b)) continue;
        bool is_same = in_a < a->known_count && same_known(a, in_a, b, in_b);
        bool is_required = is_same && a->required[in_a];
        differences += !is_same || is_required != b->required[in_b];
        if (b->required[in_b] && !is_required) {
            more_required++;
            *place = in_b;
        }
        in_a += is_same;
    }
    while (in_a < a->known_count && !is_there(a, in_a)) in_a++;
    if (in_a < a->known_count) return APART;
    if (more_required == 0) return TAKEN_IN;
    return more_required == 1 && differences == 1 ? MERGEABLE : APART;
}

static bool without_required(li_grammar *grammar, li_object_shape *shape, uint32_t place)
{
    bool *required = li_grammar_alloc(grammar, shape->known_count);
    if (!required) return false;
    for (uint32_t i = 0; i < shape->known_count; i++) required[i] = shape->required[i] && i != place;
    li_object_shape merged = *shape;
    merged.required = required;
    const li_object_shape *kept = li_object_shape_intern(grammar, &merged, grammar->nodes->object_blames.at[shape->id]);
    if (kept) *shape = *kept;
    return kept;
}

// Merges the two into `a`. False: they cannot be merged.
static bool join(li_grammar *grammar, li_object_shape *a, const li_object_shape *b)
{
    uint32_t place = 0;
    relation relation = relate(b, a, &place);
    if (relation == APART) {
        li_object_shape other = *b;
        relation = relate(a, b, &place);
        if (relation == APART || (relation == MERGEABLE && !without_required(grammar, &other, place))) return false;
        *a = other;
        return true;
    }
    return relation == TAKEN_IN || without_required(grammar, a, place);
}

uint32_t li_object_shapes_merge(li_grammar *grammar, li_object_shape *shapes, uint32_t count)
{
    if (count > WAY_LIMIT) return count;
    for (uint32_t done = 1; done < count;) {
        uint32_t other = 0;
        while (other < done && li_grammar_spend(grammar) && !join(grammar, &shapes[done], &shapes[other])) other++;
        if (grammar->status != LI_OK) break;
        if (other++ == done) {
            done++;
            continue;
        }
        // A merged alternative is compared with all others again.
        for (; other < count; other++) shapes[other - 1] = shapes[other];
        count--;
        done--;
    }
    return count;
}
