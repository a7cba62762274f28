// One row of logits: its peak, whether a sampler refuses it, and what turns its logits into log-probabilities.
#ifndef LI_ROW_H
#define LI_ROW_H

#include <stdint.h>

#include "base/inline.h"
#include "base/status.h"

// Engines mask with -infinity or with -3.4e38: anything at or below this counts as masked.
#define LI_MASKED (-1e30f)
// The smallest float that is not masked, and the largest.
#define LI_LOWEST  (-0x1.93e592p+99)
#define LI_HIGHEST 0x1.fffffep+127

// The nearest logit that is neither masked nor infinite.
LI_INLINE float li_row_clamp(double value)
{
    return value < LI_LOWEST ? (float)LI_LOWEST : value > LI_HIGHEST ? (float)LI_HIGHEST : (float)value;
}

// The largest of values (count). block_peaks (count / 64, rounded up), or NULL: takes the largest of every 64 of them.
// *sum becomes NaN if any value is (or if some are infinite), and lower than any sum of ordinary logits if one is
// masked.
float li_row_scan(const float *values, uint32_t count, float *block_peaks, float *sum);
// Of a row of which li_row_scan gave `peak` and `sum`: LI_ERROR_LOGITS_NAN, LI_ERROR_LOGITS_INFINITE (+infinity;
// -infinity is a mask) or LI_ERROR_NOTHING_LEFT (every value is masked).
li_status li_row_check(const float *values, uint32_t count, float peak, float sum);
// The peak of values (count), and the natural logarithm of the sum of e^(value - peak) over those that are not masked.
// The two stay apart, because a large peak would leave no room for the logarithm. Errors: those of li_row_check.
li_status li_row_normalise(const float *values, uint32_t count, double *peak, double *log_total);

#endif
