// Negated schemas: the ways to violate a schema.
#ifndef LI_NEGATION_H
#define LI_NEGATION_H

#include "grammar/tableau/tableau.h"

// The number of ways to violate a schema with a value of the search's sort.
uint32_t li_violation_count(const li_tableau *search, uint32_t schema);
// Takes one of these ways. False: a contradiction.
bool li_violation_take(li_tableau *search, uint32_t schema, uint32_t way, li_blame blame);

#endif
