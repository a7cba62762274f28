// The survivors in descending order, with exact probabilities.
#ifndef LI_DISTRIBUTION_H
#define LI_DISTRIBUTION_H

#include "sample/funnel.h"

// Writes the survivors' ids (funnel->count), most probable first, ties by lower id, and their probabilities (as many),
// computed in float64. `probabilities` has room for a whole row in blocks of LI_SOFTMAX_BLOCK: what follows the
// survivors is overwritten.
void li_distribution_order(li_funnel *funnel, uint32_t *ids, double *probabilities);

#endif
