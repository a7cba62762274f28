// The raw shape of a node: a part for each sort, with alternatives that may have no value.
#ifndef LI_RAW_SHAPE_H
#define LI_RAW_SHAPE_H

#include "grammar/nodes/node.h"

// Makes the part of the raw shape for a sort, unless the part is known. False: the grammar has failed, or a caller is
// making the part.
bool li_node_make(li_grammar *grammar, li_node node, uint32_t sort);
// Whether a quick look shows that no value satisfies the node; `is_thorough`: a look at arrays and objects too. False
// may become true later.
bool li_node_seems_empty(li_grammar *grammar, li_node node, bool is_thorough);

#endif
