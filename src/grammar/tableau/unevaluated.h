// unevaluatedItems and unevaluatedProperties.
#ifndef LI_UNEVALUATED_H
#define LI_UNEVALUATED_H

#include "grammar/nodes/node_table.h"

// Turns atoms UNEVALUATED into plain ones once all forks are made; it may make new ones.
bool li_search_settle(li_search *search);

#endif
