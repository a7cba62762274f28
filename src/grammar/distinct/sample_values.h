// Some values of a node.
#ifndef LI_SAMPLE_VALUES_H
#define LI_SAMPLE_VALUES_H

#include "grammar/core/term_set.h"
#include "grammar/nodes/node.h"

// Adds some values of the node; does not expand terms of values.
void li_values_sample(li_grammar *grammar, li_node node, li_term_set *values);

#endif
