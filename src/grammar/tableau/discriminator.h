// Alternatives that a property tells apart.
#ifndef LI_DISCRIMINATOR_H
#define LI_DISCRIMINATOR_H

#include "grammar/schema/schema_table.h"

// Whether the values of one property exclude that an object satisfies two alternatives of oneOf.
bool li_objects_are_apart(li_grammar *grammar, li_clause *clause);

#endif
