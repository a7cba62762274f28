// The information of li_sampler_inform about a distribution and one token.
#ifndef LI_INFORMATION_H
#define LI_INFORMATION_H

#include "sample/funnel.h"

// Fills in `information` for `token`, and writes the `top` likeliest survivors, or all if there are fewer: ids and
// natural log-probabilities (top), most probable first. Returns the number written.
uint32_t li_information_take(li_funnel *funnel, uint32_t token, uint32_t top, li_information *information,
                             uint32_t *ids, double *log_probabilities);

#endif
