// What may come first in a term, found out without derivatives.
#ifndef LI_FIRST_BYTES_H
#define LI_FIRST_BYTES_H

#include "grammar/core/grammar.h"

// Adds the bytes that may come first, or more, to the set.
void li_first_bytes(li_grammar *grammar, li_term term, uint32_t set[8]);
// Numbers classes of the bytes of ASCII, each below 128: those of one class have the same derivative, so that one is
// enough for all. False: not known.
bool li_find_alike(const li_grammar *grammar, li_term term, uint8_t classes[128]);

#endif
