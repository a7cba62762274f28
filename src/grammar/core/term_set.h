// A set of terms that keeps the order in which they came.
#ifndef LI_TERM_SET_H
#define LI_TERM_SET_H

#include "grammar/core/grammar.h"

// Zeros: empty. Give it back with li_term_set_clear.
typedef struct li_term_set {
    li_term *terms;  // (count)
    uint32_t *slots; // index + 1
    uint32_t count, room;
} li_term_set;

// True: it is new. False also when the grammar has failed.
bool li_term_set_add(li_grammar *grammar, li_term_set *set, li_term term);
// Its index, which must be there.
uint32_t li_term_set_find(const li_term_set *set, li_term term);
void li_term_set_clear(li_term_set *set);

#endif
