// The Gumbel-max draw.
#ifndef LI_GUMBEL_H
#define LI_GUMBEL_H

#include "sample/funnel.h"

// Index of the survivor that maximises logit / temperature - ln(-ln u), u uniform and drawn for each id of its own
// (Gumbel, "Statistical theory of extreme values", 1954): a draw from the softmax. Since a token's number depends on
// seed, stream, step and id alone, samplers on similar logits choose alike.
uint32_t li_gumbel_draw(const li_funnel *funnel, uint64_t seed, uint32_t stream);

#endif
