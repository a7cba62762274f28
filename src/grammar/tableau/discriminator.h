// Alternatives that a property tells apart.
#ifndef LI_DISCRIMINATOR_H
#define LI_DISCRIMINATOR_H

#include "grammar/schema/schema_table.h"

// Whether one property tells all alternatives of oneOf apart, so that no object is in two of them.
bool li_objects_are_apart(li_grammar *grammar, li_clause *clause);

#endif
