// The nodes that can be reached from a node.
#ifndef LI_EXPLORE_H
#define LI_EXPLORE_H

#include "grammar/nodes/node.h"

// Makes the shapes of all nodes that can be reached from the node, so that refusals come at compile time.
void li_node_explore(li_grammar *grammar, li_node node);

#endif
