// Arrays: the shape of an alternative, made of its atoms.
#ifndef LI_ARRAY_SHAPE_H
#define LI_ARRAY_SHAPE_H

#include "grammar/nodes/node_table.h"

// Whether a quick look shows that the atoms contradict each other.
bool li_arrays_clash(li_tableau *search);
// Adds the shape of the atoms to the results of the search, unless the shape has no value.
void li_arrays_realise(li_tableau *search);

#endif
