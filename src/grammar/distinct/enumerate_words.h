// Listing the words of regular terms, and spellings of numbers.
#ifndef LI_ENUMERATE_WORDS_H
#define LI_ENUMERATE_WORDS_H

#include "grammar/core/grammar.h"

// A list of words. Zeros: the empty list. li_word_list_clear frees the memory.
typedef struct li_word_list {
    LI_LIST(uint8_t) bytes;
    LI_LIST(uint32_t) ends; // where each word ends
    bool is_cut;            // there may be more
} li_word_list;

void li_word_list_clear(li_word_list *list);
const uint8_t *li_word_at(const li_word_list *list, uint32_t index, uint32_t *length);
bool li_word_list_add(li_grammar *grammar, li_word_list *list, const uint8_t *bytes, uint32_t length);
// Adds different words of the term, all words or `most`. False: the grammar has failed.
bool li_words_list(li_grammar *grammar, li_term term, uint32_t most, li_word_list *list);
// Likewise the rest of a number (LI_KIND_NUMBER, or a choice of such terms) that begins with `before`: different words
// give different numbers, and all numbers unless the list is cut.
bool li_words_of_number(li_grammar *grammar, li_term term, const uint8_t *before, uint32_t before_length, uint32_t most,
                        li_word_list *list);

#endif
