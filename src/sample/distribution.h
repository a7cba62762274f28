// The survivors in order, with float64 probabilities: what people look at, not what a draw walks.
#ifndef LI_DISTRIBUTION_H
#define LI_DISTRIBUTION_H

#include "sample/funnel.h"

// Orders the survivors of a finished funnel (value descending, id ascending) into ids (count) and
// probabilities (count). Uses up the funnel's stores.
void li_distribution_order(li_funnel *funnel, uint32_t *ids, double *probabilities);

#endif
