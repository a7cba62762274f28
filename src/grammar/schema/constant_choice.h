// Choices between constants.
#ifndef LI_CONSTANT_CHOICE_H
#define LI_CONSTANT_CHOICE_H

#include "grammar/core/grammar.h"

// Turns anyOf and oneOf of schemas that have only const or enum into enum, in all schemas of the form.
void li_constant_choices_join(li_grammar *grammar);

#endif
