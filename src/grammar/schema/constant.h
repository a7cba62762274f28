// Constant JSON values within schemas.
#ifndef LI_CONSTANT_H
#define LI_CONSTANT_H

#include "grammar/core/form_reader.h"
#include "grammar/schema/schema_table.h"

// Reads a value of the form; UINT32_MAX: there is none, and the grammar has failed.
uint32_t li_constant_read(li_reader *reader);
// A schema without const that is equal to a constant array or object, expanded one level deep.
uint32_t li_constant_schema(li_grammar *grammar, uint32_t constant, uint32_t origin);
// Orders the values of ENUM by sort.
void li_enum_arrange(li_grammar *grammar, li_clause *clause);

#endif
