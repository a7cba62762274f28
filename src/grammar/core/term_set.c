#include "grammar/core/term_set.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

// There are twice as many slots as room.
static uint32_t slot_of(const li_term_set *set, li_term term)
{
    LI_ASSERT(set->room && set->count <= set->room); // a slot is free
    uint32_t mask = 2 * set->room - 1, slot = (term * 0x9e3779b1u ^ term >> 7) & mask;
    while (set->slots[slot] && set->terms[set->slots[slot] - 1] != term) slot = (slot + 1) & mask;
    return slot;
}

static bool grow(li_grammar *grammar, li_term_set *set)
{
    uint32_t room = set->room ? 2 * set->room : 32;
    li_term *terms = li_memory_alloc(3 * (size_t)room * sizeof *terms);
    if (!terms) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    if (set->count) memcpy(terms, set->terms, set->count * sizeof *terms);
    li_memory_free(set->terms);
    set->terms = terms;
    set->slots = terms + room;
    set->room = room;
    for (uint32_t i = 0; i < set->count; i++) set->slots[slot_of(set, terms[i])] = i + 1;
    return true;
}

bool li_term_set_add(li_grammar *grammar, li_term_set *set, li_term term)
{
    if (set->count == set->room && !grow(grammar, set)) return false;
    uint32_t slot = slot_of(set, term);
    if (set->slots[slot]) return false;
    set->terms[set->count++] = term;
    set->slots[slot] = set->count;
    return true;
}

uint32_t li_term_set_find(const li_term_set *set, li_term term)
{
    LI_ASSERT(set->count && set->slots[slot_of(set, term)]); // the term is in the set
    return set->slots[slot_of(set, term)] - 1;
}

void li_term_set_clear(li_term_set *set)
{
    li_memory_free(set->terms);
    *set = (li_term_set){0};
}
