// How many words a regular term has.
#ifndef LI_WORD_COUNT_H
#define LI_WORD_COUNT_H

#include "grammar/core/grammar.h"

enum { LI_WORDS_MOST = 65536 };
// How many texts the regular term holds, counted to `most` (at most 2^16 of it).
uint32_t li_words_count(li_grammar *grammar, li_term term, uint32_t most);

#endif
