// Arrays: the shape that a way of holding leaves.
#ifndef LI_ARRAY_SHAPE_H
#define LI_ARRAY_SHAPE_H

#include "grammar/nodes/node_table.h"

// Whether the atoms clash at a glance.
bool li_arrays_clash(li_search *search);
// Adds the shape of the atoms to what has been found, unless the shape has no value.
void li_arrays_realise(li_search *search);

#endif
