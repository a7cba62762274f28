// JSON text of many constant objects.
#ifndef LI_CONSTANT_TERM_H
#define LI_CONSTANT_TERM_H

#include "grammar/nodes/shape.h"

// The rest, after the opening brace, of the objects that are listed as constants; NOTHING: none is.
li_term li_constants(li_grammar *grammar, const li_shape *shape, uint32_t level);

// Behaviour of LI_KIND_CONSTANT.
li_term li_constant_expand(li_grammar *grammar, li_term term);
// Behaviour of LI_KIND_CONSTANT_TEXT.
li_term li_constant_text_derive(li_grammar *grammar, li_term term, uint8_t byte);
// The list whose strings, from here on, the term reads byte by byte, except escapes and quotes; NOTHING: the term is
// within an escape or a number.
li_term li_constant_text_left(const li_grammar *grammar, li_term term);
void li_constant_text_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);

#endif
