// Reading the expressions of the form.
#ifndef LI_EXPRESSION_H
#define LI_EXPRESSION_H

#include "grammar/core/form_reader.h"
#include "grammar/core/grammar.h"

// The term of an expression and of all that is in it. Where the form is nonsense the grammar has failed.
li_term li_read_expression(li_reader *reader);

#endif
