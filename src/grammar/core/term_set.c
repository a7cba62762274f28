#include "grammar/core/term_set.h"

#include "base/assert.h"
#include "base/memory.h"

bool li_term_set_add(li_grammar *grammar, li_term_set *set, li_term term)
{
    if (li_table_find(&set->places, term) != LI_TABLE_NONE ||
        !LI_HEAP_RESERVE(grammar, &set->terms, set->terms.count + 1) ||
        !li_table_add(grammar, &set->places, term, set->terms.count))
        return false;
    set->terms.at[set->terms.count++] = term;
    return true;
}

uint32_t li_term_set_find(const li_term_set *set, li_term term)
{
    uint32_t place = li_table_find(&set->places, term);
    LI_ASSERT(place != LI_TABLE_NONE); // the term is in the set
    return place;
}

void li_term_set_clear(li_term_set *set)
{
    li_memory_free(set->terms.at);
    li_table_clear(&set->places);
    *set = (li_term_set){0};
}
