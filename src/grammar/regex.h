// What regular expressions need of the algebra of terms: see regex.c and empty.c.
#ifndef LI_REGEX_H
#define LI_REGEX_H

#include "grammar/grammar.h"

// AHEAD or EDGE before `tail`: decided where the tail is closed, else left standing.
li_term li_regex_join(li_grammar *grammar, li_term head, li_term tail);
// Decides the edges that a term begins with, after a word byte or not.
li_term li_regex_resolve(li_grammar *grammar, li_term term, bool after_word);
// Behaviour of LI_KIND_CLASS.
li_term li_class_derive(li_grammar *grammar, li_term term, uint8_t byte);
// Whether a regular term has no text at all: exact, by a search for one; remembered.
bool li_language_is_empty(li_grammar *grammar, li_term term);

#endif
