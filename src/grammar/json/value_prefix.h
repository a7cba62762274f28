// Whether a text may be the beginning of a spelling of a JSON value.
#ifndef LI_VALUE_PREFIX_H
#define LI_VALUE_PREFIX_H

#include "grammar/core/grammar.h"

// `text` is the beginning of valid JSON text, `value` a canonical value (canonical.h). False: no text that begins so
// means the value. True: some may, and every byte that may come next is in `set` (256 bits, added to; NULL: not asked
// for), but for a text that ends within a member with another value, whose key must come again. Both are safe on one
// side: an answer of true, or a byte of the set, may be wrong.
bool li_value_has_prefix(li_grammar *grammar, li_term value, const uint8_t *text, uint32_t length, uint32_t set[8]);
// The values of a set (canonical.h) that have such a prefix, as a set without texts of strings.
li_term li_value_set_narrow(li_grammar *grammar, li_term set, const uint8_t *text, uint32_t length);

#endif
