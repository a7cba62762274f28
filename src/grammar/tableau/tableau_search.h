// The search for the alternatives of a node.
#ifndef LI_TABLEAU_SEARCH_H
#define LI_TABLEAU_SEARCH_H

#include "grammar/tableau/tableau.h"

// Finds all alternatives and puts their shapes into the node. False: the grammar has failed.
bool li_tableau_shapes(li_grammar *grammar, li_node node, uint32_t sort);
// Whether an alternative may exist; true if the search gives up.
bool li_tableau_any(li_grammar *grammar, li_node node, uint32_t sort);
// Takes an alternative of a fork (li_fork_take) and counts the step.
bool li_tableau_take(li_tableau *search, const li_fork *fork, uint32_t alternative, bool is_probe);

#endif
