// Obligations of objects: whether the properties to come can fulfil all open obligations.
#ifndef LI_OBJECT_OBLIGATIONS_H
#define LI_OBJECT_OBLIGATIONS_H

#include "grammar/json/object_frame.h"

// Whether all open obligations can be fulfilled.
bool li_obligations_can_finish(li_grammar *grammar, const li_object_frame *frame);
// Whether all obligations are fulfilled; `is_end`: or are fulfilled if no further property comes.
bool li_obligations_are_met(const li_grammar *grammar, const li_object_frame *frame, bool is_end);

#endif
