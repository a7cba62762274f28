// Whether a term is the empty language, exactly: a search through its derivatives for one that is nullable.
#ifndef LI_EMPTINESS_H
#define LI_EMPTINESS_H

#include "grammar/core/grammar.h"

// For the constructors of BOTH, NOT and PATTERN, of the term that they have interned and not yet handed out; any other
// term is empty only if it is NOTHING. Remembered for all terms that the search has decided. True also on failure.
bool li_is_empty(li_grammar *grammar, li_term term);

#endif
