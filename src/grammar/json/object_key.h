// Keys of objects, after their opening quote.
#ifndef LI_OBJECT_KEY_H
#define LI_OBJECT_KEY_H

#include "grammar/json/object_frame.h"

// The known keys that may come next, and what follows each.
li_term li_known_keys(li_grammar *grammar, const li_object_frame *frame);
// A key of the language whose text is recorded, because the rest of the object depends on the key. `property`: as in
// witnesses.
li_term li_recorded_key(li_grammar *grammar, const li_object_frame *frame, uint32_t property, li_term language);

// Behaviour of LI_KIND_KEY.
li_term li_key_derive(li_grammar *grammar, li_term term, uint8_t byte);
void li_key_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);

#endif
