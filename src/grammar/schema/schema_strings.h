// The strings that satisfy or violate a schema.
#ifndef LI_SCHEMA_STRINGS_H
#define LI_SCHEMA_STRINGS_H

#include "grammar/schema/schema_table.h"

// The strings that satisfy a claim, cached.
li_string_set *li_claim_strings(li_grammar *grammar, li_claim claim);

#endif
