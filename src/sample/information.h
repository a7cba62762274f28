// What a distribution says about one token and about itself.
#ifndef LI_INFORMATION_H
#define LI_INFORMATION_H

#include "sample/funnel.h"

// Fills in `information` for `token` and writes the `top` likeliest survivors, fewer where there are not so many, to
// ids and their natural log-probabilities (top), most probable first. Returns how many.
uint32_t li_information_take(li_funnel *funnel, uint32_t token, uint32_t top, li_information *information,
                             uint32_t *ids, double *log_probabilities);

#endif
