// Whether a text may be the beginning of a spelling of a JSON value.
#ifndef LI_VALUE_PREFIX_H
#define LI_VALUE_PREFIX_H

#include "grammar/json/recorded_text.h"

// `text` is the beginning of valid JSON text, `value` a canonical value (canonical.h). False: no text with this
// beginning has the value. True: some text may, and the bytes that may come next are added to `set` (256 bits; NULL:
// not wanted), except for a text that ends within a member with another value, whose key must be repeated. True may be
// wrong, and so may a byte of the set; false is exact.
bool li_value_has_prefix(li_grammar *grammar, li_term value, const li_text_view *text, uint32_t set[8]);
// The values of a set (canonical.h) for which li_value_has_prefix is true, as a set without texts of strings.
li_term li_value_set_narrow(li_grammar *grammar, li_term set, const li_text_view *text);

#endif
