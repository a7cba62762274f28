// Choices between properties that are left open until an object is read.
#ifndef LI_TABLEAU_DEFER_H
#define LI_TABLEAU_DEFER_H

#include "grammar/tableau/tableau.h"

// Says in obligations what a fork says; false: it has to be split.
bool li_search_defer(li_search *search, const li_fork *fork);

#endif
