// Arrays: the shape of an alternative, from its atoms.
#include "grammar/tableau/array_shape.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/tableau/raw_shape.h"
#include "grammar/tableau/tableau.h"

enum { GLANCED_ITEMS = 8 };

typedef struct li_lengths {
    uint32_t prefix; // items before this index may have a schema of their own
    uint32_t least, most;
    bool is_unique, is_clash;
    uint32_t unique_schema; // the schema with uniqueItems
    const li_atom *not_unique;
} li_lengths;

static void at_least(li_lengths *lengths, uint32_t least)
{
    if (least > lengths->least) lengths->least = least;
}

static void at_most(li_lengths *lengths, uint32_t most)
{
    if (most < lengths->most) lengths->most = most;
}

static void take_clause(const li_atom *atom, li_lengths *lengths)
{
    uint32_t value = atom->clause->value;
    bool is_negated = atom->kind == LI_ATOM_NOT_CLAUSE;
    switch (atom->clause->keyword) {
    case LI_KEYWORD_PREFIX_ITEMS:
        if (atom->clause->count > lengths->prefix) lengths->prefix = atom->clause->count;
        break;
    case LI_KEYWORD_MIN_ITEMS:
        if (!is_negated)
            at_least(lengths, value);
        else if (value == 0)
            lengths->is_clash = true;
        else
            at_most(lengths, value - 1);
        break;
    case LI_KEYWORD_MAX_ITEMS:
        if (!is_negated)
            at_most(lengths, value);
        else if (value == LI_NO_LIMIT)
            lengths->is_clash = true;
        else
            at_least(lengths, value + 1);
        break;
    case LI_KEYWORD_UNIQUE_ITEMS:
        if (is_negated) {
            lengths->not_unique = atom;
            break;
        }
        lengths->is_unique = true;
        lengths->unique_schema = atom->schema;
        break;
    default:
        break;
    }
}

static li_lengths lengths_of(const li_tableau *search)
{
    LI_ASSERT(search->sort == LI_SORT_ARRAY);
    li_lengths lengths = {.most = LI_NO_LIMIT};
    for (uint32_t i = 0; i < search->atoms.count; i++) {
        const li_atom *atom = &search->atoms.at[i];
        if (atom->kind == LI_ATOM_ITEM) {
            at_least(&lengths, atom->key + 1);
            if (atom->key >= lengths.prefix) lengths.prefix = atom->key + 1;
        } else if (atom->kind == LI_ATOM_ITEMS) {
            if (atom->key > lengths.prefix) lengths.prefix = atom->key;
        } else if (atom->kind == LI_ATOM_CLAUSE || atom->kind == LI_ATOM_NOT_CLAUSE) {
            take_clause(atom, &lengths);
        }
    }
    lengths.is_clash |= lengths.least > lengths.most;
    lengths.is_clash |= lengths.not_unique && (lengths.most <= 1 || lengths.is_unique);
    return lengths;
}

// The node of the item at an index; LI_NO_LIMIT: of an item after every prefix.
static li_node item_node(const li_tableau *search, uint32_t index)
{
    li_grammar *grammar = search->grammar;
    li_node node = LI_NODE_ANY;
    for (uint32_t i = 0; i < search->atoms.count && node != LI_NODE_NONE; i++) {
        const li_atom *atom = &search->atoms.at[i];
        li_claim claim = LI_CLAIM_TRUE;
        bool is_prefix = atom->kind == LI_ATOM_CLAUSE && atom->clause->keyword == LI_KEYWORD_PREFIX_ITEMS;
        if (is_prefix && index < atom->clause->count)
            claim = li_claim_of(atom->clause->items[index], false);
        else if (atom->kind == LI_ATOM_ITEMS ? index >= atom->key : atom->kind == LI_ATOM_ITEM && index == atom->key)
            claim = atom->claim;
        if (claim != LI_CLAIM_TRUE) node = li_node_and(grammar, node, li_node_of_claim(grammar, claim));
    }
    return node;
}

// Reads an atom about contains. False: the atom is not about contains. Sets *is_clash if the atom is impossible.
static bool contains_of(const li_atom *atom, li_claim *claim, uint32_t *least, uint32_t *most, bool *is_clash)
{
    *least = 0;
    *most = LI_NO_LIMIT;
    if (atom->kind == LI_ATOM_CONTAINS) {
        *claim = atom->claim;
        *least = atom->key;
        return true;
    }
    bool is_negated = atom->kind == LI_ATOM_NOT_CLAUSE;
    if ((atom->kind != LI_ATOM_CLAUSE && !is_negated) || atom->clause->keyword != LI_KEYWORD_CONTAINS) return false;
    const uint32_t *items = atom->clause->items;
    *claim = li_claim_of(atom->clause->value, false);
    if (!is_negated) {
        *least = items[0];
        *most = items[1];
    } else if (atom->key == 0) {
        *is_clash |= items[0] == 0;
        *most = items[0] - 1;
    } else {
        *is_clash |= items[1] == LI_NO_LIMIT;
        *least = items[1] + 1;
    }
    return true;
}

bool li_arrays_clash(li_tableau *search)
{
    li_grammar *grammar = search->grammar;
    li_lengths lengths = lengths_of(search);
    if (lengths.is_clash) return true;
    for (uint32_t i = 0; i < lengths.least && i < GLANCED_ITEMS; i++) {
        bool is_like_before = i > lengths.prefix; // items after the prefix have one node
        if (is_like_before) break;
        if (li_node_seems_empty(grammar, item_node(search, i), false)) return true;
    }
    bool is_clash = false;
    for (uint32_t i = 0; i < search->atoms.count && !is_clash; i++) {
        li_claim claim;
        uint32_t least, most;
        if (!contains_of(&search->atoms.at[i], &claim, &least, &most, &is_clash)) continue;
        is_clash |= least > most || least > lengths.most;
        if (least > 0) is_clash |= li_node_seems_empty(grammar, li_node_of_claim(grammar, claim), false);
    }
    return is_clash;
}

// Adds an atom about contains to the shape, or to its length if every item counts or none does. False: impossible.
static bool take_contains(li_tableau *search, li_array_shape *shape, li_contains *list, const li_atom *atom)
{
    li_grammar *grammar = search->grammar;
    li_claim claim;
    uint32_t least, most;
    bool is_clash = false;
    if (!contains_of(atom, &claim, &least, &most, &is_clash)) return true;
    if (is_clash || least > most) return false;
    if (least == 0 && most == LI_NO_LIMIT) return true;
    li_node node = li_node_of_claim(grammar, claim), other = li_node_of_claim(grammar, li_claim_opposite(claim));
    bool is_uniform = shape->prefix_count == 0;
    if (node == LI_NODE_NONE ||
        (is_uniform && li_node_seems_empty(grammar, li_node_and(grammar, shape->rest, node), false)))
        return least == 0;
    if (other == LI_NODE_NONE ||
        (is_uniform && li_node_seems_empty(grammar, li_node_and(grammar, shape->rest, other), false))) {
        if (least > shape->least) shape->least = least;
        if (most < shape->most) shape->most = most;
        return shape->least <= shape->most;
    }
    uint32_t place = 0;
    while (place < shape->contains_count && list[place].node != node) place++;
    if (place == shape->contains_count) {
        if (place == LI_CONTAINS_LIMIT) {
            li_refuse(grammar, atom->schema, LI_KEYWORD_CONTAINS, LI_REFUSAL_TOO_COMPLEX);
            return grammar->lenient;
        }
        shape->contains_schema = atom->schema;
        list[shape->contains_count++] = (li_contains){.node = node, .other = other, .most = LI_NO_LIMIT};
    }
    if (least > list[place].least) list[place].least = least;
    if (most < list[place].most) list[place].most = most;
    return list[place].least <= list[place].most;
}

void li_arrays_realise(li_tableau *search)
{
    li_grammar *grammar = search->grammar;
    li_lengths lengths = lengths_of(search);
    if (lengths.is_clash) return;
    if (lengths.not_unique) {
        li_refuse(grammar, lengths.not_unique->schema, LI_KEYWORD_UNIQUE_ITEMS, LI_REFUSAL_NEGATED);
        return;
    }
    uint32_t count = lengths.prefix < lengths.most ? lengths.prefix : lengths.most;
    li_node *prefix = li_grammar_alloc(grammar, ((size_t)count + 1) * sizeof *prefix);
    li_contains *contains = li_grammar_alloc(grammar, LI_CONTAINS_LIMIT * sizeof *contains);
    if (!prefix || !contains) return;
    li_array_shape shape = {.prefix = prefix, .contains = contains, .least = lengths.least, .most = lengths.most};
    shape.rest = item_node(search, LI_NO_LIMIT);
    for (; shape.prefix_count < count; shape.prefix_count++) {
        li_node node = item_node(search, shape.prefix_count);
        if (node == LI_NODE_NONE) {
            shape.rest = LI_NODE_NONE;
            break;
        }
        prefix[shape.prefix_count] = node;
    }
    while (shape.rest != LI_NODE_NONE && shape.prefix_count > 0 && prefix[shape.prefix_count - 1] == shape.rest)
        shape.prefix_count--;
    for (uint32_t i = 0; i < search->atoms.count; i++)
        if (!take_contains(search, &shape, contains, &search->atoms.at[i])) return;
    if (shape.prefix_count >= shape.most) shape.rest = LI_NODE_NONE;
    if (shape.prefix_count > shape.most) shape.prefix_count = shape.most;
    if (shape.rest == LI_NODE_NONE && shape.most > shape.prefix_count) shape.most = shape.prefix_count;
    for (uint32_t i = 0; i < shape.contains_count; i++) {
        if (contains[i].most >= shape.most) contains[i].most = LI_NO_LIMIT;
        if (contains[i].least > shape.most) return;
    }
    if (shape.least > shape.most) return;
    shape.is_unique = lengths.is_unique && shape.most > 1;
    shape.unique_schema = lengths.unique_schema;
    li_array_shape *kept = li_array_shape_intern(grammar, &shape);
    if (kept) li_tableau_keep(search, kept, kept->id);
}
