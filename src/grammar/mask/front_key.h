// The term at the front of a state, and the term that keys its part of a mask in the cache: without bounds of strings
// and without high counts, which matter only near their end.
#ifndef LI_FRONT_KEY_H
#define LI_FRONT_KEY_H

#include "grammar/core/grammar.h"

typedef struct li_front {
    li_term term;             // the key: without a string's bounds, and without counts
    li_term counted;          // with counts
    li_term bounded;          // with counts and bounds
    bool is_string, is_whole; // whole: at the beginning of a character
    uint32_t least, most;     // the bounds of a string: characters
    uint32_t reach;           // with this many characters left, every text that `counted` reads can be finished
    uint32_t lowest_count;    // the lowest count that `term` lacks; LI_NO_LIMIT: none
} li_front;

li_front li_front_of(li_grammar *grammar, li_term head);

#endif
