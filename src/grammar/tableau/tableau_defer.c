// Choices between properties that stay open until an object is read. A choice becomes obligations; some property must
// fulfil each. The number of obligations is a sum, the number of alternatives would be a product.
#include "grammar/tableau/tableau_defer.h"

#include "grammar/core/arena.h"
#include "grammar/tableau/key_classes.h"
#include "grammar/tableau/tableau_atoms.h"
#include "grammar/tableau/tableau_expand.h"
#include "grammar/tableau/tableau_search.h"

enum { OBLIGATION_LIMIT = 256, PART_LIMIT = 4096 };

// A conjunction of obligations (conjunctive normal form).
typedef LI_LIST(li_atom) obligations; // SOME_PART

static bool add(li_tableau *search, obligations *to, const li_atom *a, uint32_t a_count, const li_atom *b,
                uint32_t b_count)
{
    li_grammar *grammar = search->grammar;
    li_atom *parts = li_grammar_alloc(grammar, ((size_t)a_count + b_count + 1) * sizeof *parts);
    if (!parts || to->count == OBLIGATION_LIMIT || a_count + b_count > PART_LIMIT) return false;
    for (uint32_t i = 0; i < a_count; i++) parts[i] = a[i];
    for (uint32_t i = 0; i < b_count; i++) parts[a_count + i] = b[i];
    li_atom atom = {.kind = LI_ATOM_SOME_PART, .key = a_count + b_count, .parts = parts};
    return LI_ARENA_PUSH(grammar, to, atom);
}

static bool add_key(li_tableau *search, obligations *to, li_atom_kind kind, uint32_t key, li_claim claim)
{
    return add(search, to, &(li_atom){.kind = kind, .key = key, .claim = claim}, 1, NULL, 0);
}

static bool of_fork(li_tableau *search, const li_fork *fork, obligations *result);

// The obligations of everything added since the mark.
static bool of_alternative(li_tableau *search, li_tableau_mark mark, obligations *result)
{
    for (uint32_t i = mark.atoms, count = search->atoms.count; i < count; i++) {
        li_atom atom = search->atoms.at[i];
        if (atom.kind == LI_ATOM_CLAUSE && atom.clause->keyword == LI_KEYWORD_PROPERTIES) {
            const uint32_t *items = atom.clause->items;
            for (uint32_t j = 0; j < atom.clause->count; j++)
                if (!add_key(search, result, LI_ATOM_PROPERTY, items[2 * j], li_claim_of(items[2 * j + 1], false)))
                    return false;
        } else if (!(li_atom_has_key(&atom) || li_atom_is_obligation(&atom)) ||
                   !add(search, result, &atom, 1, NULL, 0)) {
            return false;
        }
    }
    for (uint32_t i = mark.needed; i < search->needed.count; i++)
        if (!add_key(search, result, LI_ATOM_NEEDED, search->needed.at[i].key, LI_CLAIM_TRUE)) return false;
    for (uint32_t i = mark.forks, count = search->forks.count; i < count; i++) {
        li_fork fork = search->forks.at[i];
        obligations of = {0};
        if (!of_fork(search, &fork, &of)) return false;
        for (uint32_t j = 0; j < of.count; j++)
            if (!add(search, result, of.at[j].parts, of.at[j].key, NULL, 0)) return false;
    }
    return search->grammar->status == LI_OK;
}

// The obligations of "one of the alternatives holds": for each choice of one obligation per alternative, one of the
// chosen obligations is fulfilled.
static bool of_fork(li_tableau *search, const li_fork *fork, obligations *result)
{
    if (fork->is_observed || !add(search, result, NULL, 0, NULL, 0)) return false;
    for (uint32_t i = 0, width = li_fork_width(search, fork); i < width; i++) {
        li_tableau_mark mark = li_tableau_save(search);
        obligations of = {0}, both = {0};
        bool is_possible = li_tableau_take(search, fork, i, false);
        bool is_plain = !is_possible || of_alternative(search, mark, &of);
        li_tableau_restore(search, mark);
        if (!is_plain || search->is_exhausted || search->grammar->status != LI_OK) return false;
        if (!is_possible) continue;
        for (uint32_t j = 0; j < result->count; j++)
            for (uint32_t k = 0; k < of.count; k++)
                if (!add(search, &both, result->at[j].parts, result->at[j].key, of.at[k].parts, of.at[k].key))
                    return false;
        *result = both;
    }
    return true;
}

bool li_tableau_defer(li_tableau *search, const li_fork *fork)
{
    obligations of = {0};
    if (search->sort != LI_SORT_OBJECT || !of_fork(search, fork, &of) ||
        !LI_ARENA_RESERVE(search->grammar, &search->atoms, search->atoms.count + of.count))
        return false;
    for (uint32_t i = 0; i < of.count; i++) search->atoms.at[search->atoms.count++] = of.at[i];
    return true;
}
