// JSON strings.
#ifndef LI_JSON_STRING_H
#define LI_JSON_STRING_H

#include "grammar/core/grammar.h"

// The rest of a JSON string after its opening quote, with the closing one: any spelling (escapes) of a text
// in `inner`, a regular term over UTF-8. Lone surrogates are not texts.
li_term li_quoted(li_grammar *grammar, li_term inner);
li_term li_quoted_derive(li_grammar *grammar, li_term term, uint8_t byte);

#endif
