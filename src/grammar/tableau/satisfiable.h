// Which nodes have a value.
#ifndef LI_SATISFIABLE_H
#define LI_SATISFIABLE_H

#include "grammar/nodes/node.h"

// Whether a value satisfies the node: exact even for recursive schemas (least fixed point).
bool li_node_is_satisfiable(li_grammar *grammar, li_node node);

#endif
