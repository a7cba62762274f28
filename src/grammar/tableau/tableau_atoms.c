// Atoms, and their claims on needed properties. Most alternatives of real schemas differ in a needed property.
#include "grammar/tableau/tableau_atoms.h"

#include "base/assert.h"
#include "grammar/schema/schema_strings.h"
#include "grammar/schema/string_set.h"
#include "grammar/tableau/key_classes.h"
#include "grammar/tableau/raw_shape.h"

static li_node clause_asks(const li_tableau *search, const li_clause *clause, uint32_t key)
{
    li_grammar *grammar = search->grammar;
    li_node node = LI_NODE_ANY;
    switch (clause->keyword) {
    case LI_KEYWORD_PROPERTIES: {
        uint32_t place = li_clause_find(clause, key);
        return place == UINT32_MAX ? LI_NODE_ANY
                                   : li_node_of_claim(grammar, li_claim_of(clause->items[2 * place + 1], false));
    }
    case LI_KEYWORD_PATTERN_PROPERTIES:
        for (uint32_t i = 0; i < clause->count; i++)
            if (li_text_matches(grammar, clause->items[2 * i], key))
                node =
                    li_node_and(grammar, node, li_node_of_claim(grammar, li_claim_of(clause->items[2 * i + 1], false)));
        return node;
    case LI_KEYWORD_PROPERTY_NAMES:
        return li_string_set_has(grammar, li_claim_strings(grammar, li_claim_of(clause->value, false)), key)
                   ? LI_NODE_ANY
                   : LI_NODE_NONE;
    default:
        return LI_NODE_ANY;
    }
}

li_node li_atom_asks(const li_tableau *search, const li_atom *atom, uint32_t key)
{
    switch (atom->kind) {
    case LI_ATOM_CLAUSE:
        return clause_asks(search, atom->clause, key);
    case LI_ATOM_FORBIDDEN:
        return atom->key == key ? LI_NODE_NONE : LI_NODE_ANY;
    case LI_ATOM_PROPERTY:
        return atom->key == key ? li_node_of_claim(search->grammar, atom->claim) : LI_NODE_ANY;
    case LI_ATOM_REMAINING:
        return li_remainder_has(search, atom, key) ? li_node_of_claim(search->grammar, atom->claim) : LI_NODE_ANY;
    default:
        return LI_NODE_ANY;
    }
}

bool li_atom_has_key(const li_atom *atom)
{
    return atom->kind == LI_ATOM_FORBIDDEN || atom->kind == LI_ATOM_PROPERTY || atom->kind == LI_ATOM_NEEDED;
}

bool li_tableau_needs(const li_tableau *search, uint32_t key)
{
    return key < search->places.room && search->places.at[key];
}

static bool fits(const li_tableau *search, const li_atom *atom)
{
    bool is_limit = atom->kind == LI_ATOM_CLAUSE && atom->clause->keyword == LI_KEYWORD_MAX_PROPERTIES;
    return !is_limit || search->needed.count <= atom->clause->value;
}

bool li_tableau_need(li_tableau *search, uint32_t key)
{
    LI_ASSERT(search->sort == LI_SORT_OBJECT && key < search->grammar->schemas->texts.count);
    li_grammar *grammar = search->grammar;
    if (li_tableau_needs(search, key)) return true;
    if (!LI_ARENA_RESERVE(grammar, &search->places, key + 1) ||
        !LI_ARENA_PUSH(grammar, &search->needed, (li_needed){.key = key, .node = LI_NODE_ANY}))
        return false;
    li_node node = LI_NODE_ANY;
    search->places.at[key] = search->needed.count;
    for (uint32_t i = 0; i < search->atoms.count && node != LI_NODE_NONE; i++) {
        if (!fits(search, &search->atoms.at[i])) return false;
        node = li_node_and(grammar, node, li_atom_asks(search, &search->atoms.at[i], key));
    }
    search->needed.at[search->needed.count - 1].node = node;
    return !li_node_seems_empty(grammar, node, false);
}

static bool is_known(const li_tableau *search, const li_atom *atom)
{
    for (uint32_t i = 0; i < search->atoms.count; i++) {
        const li_atom *other = &search->atoms.at[i];
        if (other->kind == atom->kind && other->clause == atom->clause && other->key == atom->key &&
            other->claim == atom->claim && other->remainder == atom->remainder && other->schema == atom->schema)
            return true;
    }
    return false;
}

bool li_tableau_atom(li_tableau *search, li_atom atom)
{
    LI_ASSERT(atom.schema < search->grammar->schemas->all.count);
    li_grammar *grammar = search->grammar;
    if (is_known(search, &atom)) return true;
    if (!LI_ARENA_RESERVE(grammar, &search->replaced, search->replaced.count + search->needed.count) ||
        !LI_ARENA_PUSH(grammar, &search->atoms, atom))
        return false;
    if (search->sort != LI_SORT_OBJECT) return true;
    if (!fits(search, &atom)) return false;
    for (uint32_t i = 0; i < search->needed.count; i++) {
        li_needed *needed = &search->needed.at[i];
        li_node node = li_node_and(grammar, needed->node, li_atom_asks(search, &atom, needed->key));
        if (node == needed->node) continue;
        search->replaced.at[search->replaced.count++] = (li_needed){.key = i, .node = needed->node};
        needed->node = node;
        if (li_node_seems_empty(grammar, node, false)) return false;
    }
    return true;
}

bool li_tableau_is_plausible(li_tableau *search)
{
    for (uint32_t i = 0; i < search->needed.count; i++)
        if (li_node_seems_empty(search->grammar, search->needed.at[i].node, true)) return false;
    return true;
}
