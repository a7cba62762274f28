// JSON values.
#ifndef LI_JSON_VALUE_H
#define LI_JSON_VALUE_H

#include "grammar/nodes/shape.h"

// A JSON value that satisfies the node, without whitespace around it, at `level` of nesting (0 unless
// spelling.indents). NOTHING if there is none.
li_term li_value(li_grammar *grammar, li_node node, uint32_t level);
// The objects of a shape.
li_term li_objects(li_grammar *grammar, const li_shape *shape, uint32_t level);
li_term li_value_expand(li_grammar *grammar, li_term term);

#endif
