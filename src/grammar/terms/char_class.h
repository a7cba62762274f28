// Classes of code points.
#ifndef LI_CHAR_CLASS_H
#define LI_CHAR_CLASS_H

#include "grammar/core/grammar.h"

// Ascending, disjoint ranges of code points, both ends included (2 * count words); surrogates are left out.
li_term li_class(li_grammar *grammar, const uint32_t *ranges, uint32_t count);
// Every UTF-8 text: any number of code points.
li_term li_any_text(li_grammar *grammar);

// Behaviour of LI_KIND_CLASS.
li_term li_class_derive(li_grammar *grammar, li_term term, uint8_t byte);

#endif
