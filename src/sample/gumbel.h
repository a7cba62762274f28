// The Gumbel-max draw.
#ifndef LI_GUMBEL_H
#define LI_GUMBEL_H

#include "sample/funnel.h"

// Index of the survivor that maximises logit / temperature - ln(-ln u), with a uniform u for each id (Gumbel,
// "Statistical theory of extreme values", 1954): a draw from the softmax. u depends on seed, stream, step and id alone,
// so samplers on similar logits choose alike.
uint32_t li_gumbel_draw(const li_funnel *funnel, uint64_t seed, uint32_t stream);

#endif
