// Derivatives: what is left of a term after a byte, and what a term stands for.
#ifndef LI_DERIVATIVE_H
#define LI_DERIVATIVE_H

#include "grammar/core/grammar.h"

// What may follow after `byte`. Remembered for terms without a context of their own (every kind but SEQUENCE and
// CHOICE that are not regular).
li_term li_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_derive_bytes(li_grammar *grammar, li_term term, const uint8_t *bytes, uint32_t length);
// Follows VALUE, OBJECT, ARRAY and RULE to the term that they stand for; others are returned as they are.
li_term li_expand(li_grammar *grammar, li_term term);
// What may follow after a special token.
li_term li_derive_special(li_grammar *grammar, li_term term, uint32_t token);
// The only byte that masks would propose; -1 where there are several, or none.
int32_t li_only_byte(li_grammar *grammar, li_term term);

// Behaviours of the kinds that are made of other terms, and of NOTHING, which has no derivatives.
li_term li_nothing_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_bytes_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_sequence_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_choice_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_both_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_not_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_repeat_derive(li_grammar *grammar, li_term term, uint8_t byte);

// Special tokens.
li_term li_special_derive_special(li_grammar *grammar, li_term term, uint32_t token);
li_term li_expanded_derive_special(li_grammar *grammar, li_term term, uint32_t token);
li_term li_sequence_derive_special(li_grammar *grammar, li_term term, uint32_t token);
li_term li_choice_derive_special(li_grammar *grammar, li_term term, uint32_t token);
li_term li_repeat_derive_special(li_grammar *grammar, li_term term, uint32_t token);

#endif
