// Whether a term is the empty language: an exact search of its derivatives for a nullable term.
#ifndef LI_EMPTINESS_H
#define LI_EMPTINESS_H

#include "grammar/core/grammar.h"

// For the constructors of BOTH, NOT and PATTERN, which ask about a term that they have interned and not yet returned;
// any other term is empty only if it is NOTHING. Results are cached for all terms that the search decides. True on
// failure too.
bool li_is_empty(li_grammar *grammar, li_term term);
// Records that the term is not empty, which spares the search.
void li_note_full(li_grammar *grammar, li_term term);
// Whether one of the parts plainly excludes another: no text is in both. False may be wrong.
bool li_parts_exclude(const li_grammar *grammar, const li_term *parts, uint32_t count);

#endif
