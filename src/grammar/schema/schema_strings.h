// The strings that satisfy a schema, or do not.
#ifndef LI_SCHEMA_STRINGS_H
#define LI_SCHEMA_STRINGS_H

#include "grammar/schema/schema_table.h"

// The strings that satisfy a claim; remembered.
li_string_set *li_claim_strings(li_grammar *grammar, li_claim claim);

#endif
