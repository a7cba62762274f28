// One row of logits: its peak, its errors, and the numbers that turn logits into log-probabilities.
#ifndef LI_LOGITS_H
#define LI_LOGITS_H

#include <stdint.h>

#include "base/assert.h"
#include "base/inline.h"
#include "base/status.h"

// Engines mask with -infinity or with -3.4e38. A logit of LI_MASKED or below counts as masked.
#define LI_MASKED (-1e30f)
// The smallest float that is not masked, and the largest.
#define LI_LOWEST  (-0x1.93e592p+99)
#define LI_HIGHEST 0x1.fffffep+127

// The nearest logit that is neither masked nor infinite.
LI_INLINE float li_logits_clamp(double value)
{
    LI_ASSERT(value == value);
    return value < LI_LOWEST ? (float)LI_LOWEST : value > LI_HIGHEST ? (float)LI_HIGHEST : (float)value;
}

// The largest of values (count). block_peaks (count / 64, rounded up; or NULL) takes the largest of every 64 values.
// *sum becomes NaN if a value is NaN, or if infinities of both signs occur; a masked value makes it lower than any sum
// of ordinary logits.
float li_logits_scan(const float *values, uint32_t count, float *block_peaks, float *sum);
// Whether a sampler may read the row, given `peak` and `sum` of li_logits_scan. LI_ERROR_LOGITS_NAN;
// LI_ERROR_LOGITS_INFINITE: a value is +infinity; LI_ERROR_NOTHING_LEFT: every value is masked.
li_status li_logits_check(const float *values, uint32_t count, float peak, float sum);
// The peak of values (count), and the natural logarithm of the sum of e^(value - peak) over the unmasked values. They
// are two numbers, because a large peak would absorb the logarithm. Errors: those of li_logits_check.
li_status li_logits_normalise(const float *values, uint32_t count, double *peak, double *log_total);

#endif
