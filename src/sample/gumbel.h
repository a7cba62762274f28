// The Gumbel-max draw.
#ifndef LI_GUMBEL_H
#define LI_GUMBEL_H

#include "sample/funnel.h"

// Index of the survivor that maximises logit / temperature - ln(-ln u), with a uniform u for each id (Gumbel,
// "Statistical theory of extreme values", 1954): a draw from the softmax. u is the number of Philox's block under `key`
// at `counter`, whose last word is xored with the id. So samplers with the same counter choose alike on similar logits.
// Overwrites the counter.
uint32_t li_gumbel_draw(const li_funnel *funnel, uint32_t counter[4], const uint32_t key[2]);

#endif
