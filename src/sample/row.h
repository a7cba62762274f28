// What the step functions over logits have in common.
#ifndef LI_ROW_H
#define LI_ROW_H

#include "sample/sampler.h"

// Of a row (count): its largest logit, and the logarithm of the sum of e^(logit - peak) over what is not masked. Apart,
// because beside a large peak that logarithm would be lost. Refuses what a sampler refuses.
li_status li_row_normalise(const float *row, uint32_t count, double *peak, double *log_total);

#endif
