// How many words a regular term has.
#ifndef LI_WORD_COUNT_H
#define LI_WORD_COUNT_H

#include "grammar/core/grammar.h"

enum { LI_WORDS_MOST = 65536 };
// The number of words of a regular term, at most `most`. Where `most` is above LI_WORDS_MOST, counting further fails
// the grammar.
uint32_t li_words_count(li_grammar *grammar, li_term term, uint32_t most);

#endif
