// The final shape of a node, from which values are spelt.
#ifndef LI_NODE_SHAPE_H
#define LI_NODE_SHAPE_H

#include "grammar/nodes/shape.h"

// The shape of a node, made on first use; lives as long as the grammar. NULL: the grammar has failed.
const li_shape *li_node_shape(li_grammar *grammar, li_node node);

#endif
