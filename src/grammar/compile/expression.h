// Reading the expressions of the form.
#ifndef LI_EXPRESSION_H
#define LI_EXPRESSION_H

#include "grammar/core/form_reader.h"
#include "grammar/core/grammar.h"

// Reads an expression with its parts and returns its term. An invalid form fails the grammar.
li_term li_read_expression(li_reader *reader);

#endif
