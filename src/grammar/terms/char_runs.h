// Runs of characters that a term reads whatever they are: so that a walk need not look at tokens made of these.
#ifndef LI_CHAR_RUNS_H
#define LI_CHAR_RUNS_H

#include "grammar/core/grammar.h"

enum { LI_RUN_E2 = 1, LI_RUN_BEYOND = 2 };

typedef struct li_run {
    uint32_t ascii[4]; // a bit for each character of ASCII
    uint32_t beyond;   // and LI_RUN_E2: all from U+2000 to U+2FFF, LI_RUN_BEYOND: all others
    uint32_t most;     // so many of them in a row, LI_NO_LIMIT: any number
} li_run;

// Characters of which any row may come next, in any order. By the form of a term: of several such runs the one of most
// characters, of which there may be none.
li_run li_run_of(const li_grammar *grammar, li_term term);

#endif
