// unevaluatedItems and unevaluatedProperties.
#ifndef LI_UNEVALUATED_H
#define LI_UNEVALUATED_H

#include "grammar/nodes/node_table.h"

// Replaces atoms UNEVALUATED by plain atoms when all forks are decided; new forks may appear. False: a contradiction.
bool li_tableau_settle(li_tableau *search);

#endif
