// Orders survivors by their logits, most probable first. A radix sort takes linear time and compares nothing.
#ifndef LI_ORDER_H
#define LI_ORDER_H

#include "sample/funnel.h"

// Writes the logits of the survivors that reach `low` (at least LI_LOWEST) to scratch.masses, largest first. Returns
// their number. Overwrites scratch.keys.
uint32_t li_order_logits(li_funnel *funnel, float low);
// Writes the survivors' ids (funnel->count), ties by lower id. Returns their logits in that order, which are in
// scratch.masses. `room` holds two words for each token of the row; scratch.keys is overwritten too.
const float *li_order_tokens(li_funnel *funnel, uint32_t *ids, uint32_t *room);

#endif
