// The constructors of regular terms, sequences and choices.
#ifndef LI_CONSTRUCTORS_H
#define LI_CONSTRUCTORS_H

#include "grammar/core/grammar.h"

// The constructors simplify: NOTHING and EMPTY are absorbed, equal alternatives merged.
li_term li_bytes(li_grammar *grammar, const uint32_t set[8]);
li_term li_byte_range(li_grammar *grammar, uint8_t low, uint8_t high);
li_term li_literal(li_grammar *grammar, const uint8_t *bytes, uint32_t length);
li_term li_sequence(li_grammar *grammar, li_term head, li_term tail);
li_term li_choice(li_grammar *grammar, const li_term *terms, uint32_t count);
li_term li_either(li_grammar *grammar, li_term a, li_term b);
li_term li_both(li_grammar *grammar, li_term a, li_term b); // a and b regular
li_term li_not(li_grammar *grammar, li_term term);          // regular
li_term li_repeat(li_grammar *grammar, li_term body, uint32_t least, uint32_t most);
// The choice of the terms above the mark (scratch.h), which are taken off the stack.
li_term li_scratch_choose(li_grammar *grammar, uint32_t mark);

#endif
