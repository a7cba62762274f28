// A set of terms in the order of insertion.
#ifndef LI_TERM_SET_H
#define LI_TERM_SET_H

#include "grammar/core/grammar.h"
#include "grammar/core/table.h"

// Zeros: the empty set. li_term_set_clear frees the memory.
typedef struct li_term_set {
    LI_LIST(li_term) terms;
    li_table places; // by term
} li_term_set;

// True: the term is new. False: the term is in the set, or the grammar has failed.
bool li_term_set_add(li_grammar *grammar, li_term_set *set, li_term term);
// The index of a term of the set.
uint32_t li_term_set_find(const li_term_set *set, li_term term);
void li_term_set_clear(li_term_set *set);

#endif
