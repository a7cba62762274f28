// Merging the alternatives of an object.
#ifndef LI_OBJECT_MERGE_H
#define LI_OBJECT_MERGE_H

#include "grammar/nodes/shape.h"

// Merges the shapes of a union in place and returns how many are left. The shapes must be final.
uint32_t li_object_shapes_merge(li_grammar *grammar, li_object_shape *shapes, uint32_t count);

#endif
