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
typedef struct obligations {
    li_atom *all; // SOME_PART
    uint32_t count, room;
} obligations;

static bool add(li_tableau *search, obligations *to, const li_atom *a, uint32_t a_count, const li_atom *b,
                uint32_t b_count)
{
    li_grammar *grammar = search->grammar;
    li_atom *parts = li_grammar_alloc(grammar, ((size_t)a_count + b_count + 1) * sizeof *parts);
    if (!parts || to->count == OBLIGATION_LIMIT || a_count + b_count > PART_LIMIT ||
        !li_reserve(grammar, (void **)&to->all, &to->room, to->count + 1, sizeof *to->all))
        return false;
    for (uint32_t i = 0; i < a_count; i++) parts[i] = a[i];
    for (uint32_t i = 0; i < b_count; i++) parts[a_count + i] = b[i];
    to->all[to->count++] = (li_atom){.kind = LI_ATOM_SOME_PART, .key = a_count + b_count, .parts = parts};
    return true;
}

static bool add_key(li_tableau *search, obligations *to, li_atom_kind kind, uint32_t key, li_claim claim)
{
    return add(search, to, &(li_atom){.kind = kind, .key = key, .claim = claim}, 1, NULL, 0);
}

static bool of_fork(li_tableau *search, const li_fork *fork, obligations *result);

// The obligations of everything added since the mark.
static bool of_alternative(li_tableau *search, li_tableau_mark mark, obligations *result)
{
    for (uint32_t i = mark.atoms, count = search->atom_count; i < count; i++) {
        li_atom atom = search->atoms[i];
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
    for (uint32_t i = mark.needed; i < search->needed_count; i++)
        if (!add_key(search, result, LI_ATOM_NEEDED, search->needed[i].key, LI_CLAIM_TRUE)) return false;
    for (uint32_t i = mark.forks, count = search->fork_count; i < count; i++) {
        li_fork fork = search->forks[i];
        obligations of = {0};
        if (!of_fork(search, &fork, &of)) return false;
        for (uint32_t j = 0; j < of.count; j++)
            if (!add(search, result, of.all[j].parts, of.all[j].key, NULL, 0)) return false;
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
                if (!add(search, &both, result->all[j].parts, result->all[j].key, of.all[k].parts, of.all[k].key))
                    return false;
        *result = both;
    }
    return true;
}

bool li_tableau_defer(li_tableau *search, const li_fork *fork)
{
    obligations of = {0};
    if (search->sort != LI_SORT_OBJECT || !of_fork(search, fork, &of) ||
        !li_reserve(search->grammar, (void **)&search->atoms, &search->atom_room, search->atom_count + of.count,
                    sizeof *search->atoms))
        return false;
    for (uint32_t i = 0; i < of.count; i++) search->atoms[search->atom_count++] = of.all[i];
    return true;
}
