// Objects: the shape that a way of holding leaves. Whether atoms clash: tableau_atoms.h.
#ifndef LI_OBJECT_SHAPE_H
#define LI_OBJECT_SHAPE_H

#include "grammar/nodes/node_table.h"

// Adds the shape of the atoms to what has been found, unless the shape has no value.
void li_objects_realise(li_search *search);

#endif
