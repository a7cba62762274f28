// Objects: the shape of an alternative, made of its atoms. tableau_atoms.h finds contradictions.
#ifndef LI_OBJECT_SHAPE_H
#define LI_OBJECT_SHAPE_H

#include "grammar/nodes/node_table.h"

// Adds the shape of the atoms to the results of the search, unless the shape has no value.
void li_objects_realise(li_tableau *search);

#endif
