// Supersets of regular languages with fewer states.
#ifndef LI_OVER_APPROXIMATE_H
#define LI_OVER_APPROXIMATE_H

#include "grammar/core/grammar.h"

// A regular term without assertions and long counts that holds all texts of a regular or open term, and perhaps more.
li_term li_over_approximate(li_grammar *grammar, li_term term);

// The rest is for the functions of kinds (kinds.h).
typedef struct li_widening {
    li_grammar *grammar;
    uint32_t nodes; // terms that may still be visited
} li_widening;

// Likewise of a part, at a depth of recursion.
li_term li_widen(li_widening *at, li_term term, uint32_t depth);
li_term li_sequence_widen(li_widening *at, li_term term, uint32_t depth);
li_term li_choice_widen(li_widening *at, li_term term, uint32_t depth);
li_term li_repeat_widen(li_widening *at, li_term term, uint32_t depth);
li_term li_both_widen(li_widening *at, li_term term, uint32_t depth);
li_term li_not_widen(li_widening *at, li_term term, uint32_t depth);
li_term li_pattern_widen(li_widening *at, li_term term, uint32_t depth);
li_term li_assertion_widen(li_widening *at, li_term term, uint32_t depth); // AHEAD, EDGE

#endif
