// Languages made wider, with fewer states.
#ifndef LI_OVER_APPROXIMATE_H
#define LI_OVER_APPROXIMATE_H

#include "grammar/core/grammar.h"

// A regular term, not open (assertions.h), that holds the texts of a regular or open one, and more where that lets it
// do without long counts and without assertions.
li_term li_over_approximate(li_grammar *grammar, li_term term);

#endif
