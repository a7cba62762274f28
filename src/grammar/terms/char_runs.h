// Sets of characters that a term reads in any order: a walk accepts tokens of such characters without derivatives.
#ifndef LI_CHAR_RUNS_H
#define LI_CHAR_RUNS_H

#include "grammar/core/grammar.h"

enum { LI_RUN_E2 = 1, LI_RUN_BEYOND = 2 };

typedef struct li_run {
    uint32_t ascii[4]; // a bit for each character of ASCII
    uint32_t beyond;   // LI_RUN_E2: all from U+2000 to U+2FFF; LI_RUN_BEYOND: all others beyond ASCII
    uint32_t most;     // how many characters in a row; LI_NO_LIMIT: any number
} li_run;

// The largest set of characters that may come next in any order, found from the form of the term. The set may be empty.
li_run li_run_of(const li_grammar *grammar, li_term term);

#endif
