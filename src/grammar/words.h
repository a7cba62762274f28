// The words of regular terms, counted and listed.
#ifndef LI_WORDS_H
#define LI_WORDS_H

#include "grammar/grammar.h"

// How many texts the regular term holds, counted to `most` (at most 2^16 of it).
uint32_t li_words_count(li_grammar *grammar, li_term term, uint32_t most);

#endif
