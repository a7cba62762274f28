// JSON objects.
#ifndef LI_OBJECT_TERM_H
#define LI_OBJECT_TERM_H

#include "grammar/json/object_frame.h"

// The rest of an object after its opening brace.
li_term li_object(li_grammar *grammar, const li_object_shape *shape, uint32_t level);
li_term li_object_expand(li_grammar *grammar, li_term term);
// Whether an object of this shape exists, given li_node_is_satisfiable of its nodes.
bool li_object_can_finish(li_grammar *grammar, const li_object_shape *shape);

// Whether a known key (class: known_count + its index) may come next. A class may still have no key left.
bool li_object_allows(li_grammar *grammar, const li_object_frame *frame, uint32_t property);
// The text after such a key: separator, value and the rest of the object. `key` is the recorded key as a term, else
// NOTHING.
li_term li_object_property(li_grammar *grammar, const li_object_frame *frame, uint32_t property, li_term key);

#endif
