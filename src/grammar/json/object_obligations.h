// Obligations of objects: whether the properties to come can fulfil all that are left.
#ifndef LI_OBJECT_OBLIGATIONS_H
#define LI_OBJECT_OBLIGATIONS_H

#include "grammar/json/object_frame.h"

// Whether all open obligations can be fulfilled; whether all are fulfilled, or with `is_end` would be if no further
// property came.
bool li_obligations_can_finish(li_grammar *grammar, const li_object_frame *frame);
bool li_obligations_are_met(const li_grammar *grammar, const li_object_frame *frame, bool is_end);

#endif
