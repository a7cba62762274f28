// Enumerating texts of a JSON term, to look ahead for different values.
#ifndef LI_ENUMERATE_JSON_H
#define LI_ENUMERATE_JSON_H

#include "grammar/core/grammar.h"

typedef enum li_texts_result {
    LI_TEXTS_STOPPED, // by visit
    LI_TEXTS_ALL,     // there are no other values
    LI_TEXTS_SOME,    // there may be others: the search gave up
} li_texts_result;

// True: stop.
typedef bool (*li_text_visit)(li_grammar *grammar, void *context, const uint8_t *text, uint32_t length);

typedef struct li_texts_query {
    const uint8_t *before; // the text read before the term; visited texts begin with it
    uint32_t before_length;
    uint32_t most; // of different strings or numbers at one place
    li_text_visit visit;
    void *context;
} li_texts_query;

// Visits texts of the term, texts with few parts first. A value may come several times.
li_texts_result li_texts(li_grammar *grammar, li_term term, const li_texts_query *query);

#endif
