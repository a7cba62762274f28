// Everything that can be reached from a node.
#ifndef LI_EXPLORE_H
#define LI_EXPLORE_H

#include "grammar/nodes/node.h"

// Visits everything that can be reached from the node, so that refusals come at compile time. For the compiler.
void li_node_explore(li_grammar *grammar, li_node node);

#endif
