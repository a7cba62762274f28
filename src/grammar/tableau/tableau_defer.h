// Choices between properties that stay open until an object is read.
#ifndef LI_TABLEAU_DEFER_H
#define LI_TABLEAU_DEFER_H

#include "grammar/tableau/tableau.h"

// Replaces a fork by obligations. False: the fork must be split.
bool li_tableau_defer(li_tableau *search, const li_fork *fork);

#endif
