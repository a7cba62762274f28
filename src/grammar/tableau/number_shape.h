// Numbers: the range of an alternative, made of its atoms.
#ifndef LI_NUMBER_SHAPE_H
#define LI_NUMBER_SHAPE_H

#include "grammar/nodes/node_table.h"

// Whether a quick look shows that the atoms contradict each other.
bool li_numbers_clash(li_tableau *search);
// Adds the range of the atoms to the results of the search, unless the range is empty.
void li_numbers_realise(li_tableau *search);

#endif
