// JSON arrays.
#ifndef LI_ARRAY_TERM_H
#define LI_ARRAY_TERM_H

#include "grammar/nodes/shape.h"

// The rest of an array after its opening bracket.
li_term li_array(li_grammar *grammar, const li_array_shape *shape, uint32_t level);
li_term li_array_expand(li_grammar *grammar, li_term term);
// Whether an array of this shape exists, given li_node_is_satisfiable of its nodes.
bool li_array_can_finish(li_grammar *grammar, const li_array_shape *shape);

#endif
