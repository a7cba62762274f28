// Taking claims apart into atoms and forks.
#ifndef LI_TABLEAU_EXPAND_H
#define LI_TABLEAU_EXPAND_H

#include "grammar/tableau/tableau.h"

// Adds a claim. False: a contradiction.
bool li_tableau_claim(li_tableau *search, li_claim claim, bool is_observed, li_blame blame);
bool li_tableau_close(li_tableau *search); // takes all new claims apart; false: a contradiction
uint32_t li_fork_width(const li_tableau *search, const li_fork *fork);
// The constant of an alternative of a fork between values.
uint32_t li_fork_constant(const li_tableau *search, const li_fork *fork, uint32_t alternative);
// Takes a branch of a fork; `is_probe`: without the negated branches of oneOf. False: a contradiction.
bool li_fork_take(li_tableau *search, const li_fork *fork, uint32_t alternative, bool is_probe);
bool li_tableau_fork(li_tableau *search, li_fork fork); // true, unless there is no memory

// Takes apart the keywords of a schema that holds, without the unevaluated keyword if `is_rest`.
bool li_tableau_clauses(li_tableau *search, uint32_t schema, bool is_observed, bool is_rest, li_blame blame);
uint32_t li_prefix_length(const li_tableau *search, uint32_t schema); // of its prefixItems

#endif
