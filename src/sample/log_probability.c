// Log-probability of a token under the model: log-softmax over the whole row.
#include "base/assert.h"
#include "base/exp.h"
#include "lastinch.h"
#include "sample/logits.h"
#include "sample/softmax.h"

double li_log_probability(const float *logits, uint32_t count, uint32_t token)
{
    LI_ASSERT(token < count);
    float sum, peak = li_logits_scan(logits, count, NULL, &sum);
    li_status status = li_logits_check(logits, count, peak, sum);
    // A row of masked logits still has a softmax.
    if (status && status != LI_ERROR_NOTHING_LEFT) return (double)__builtin_nanf("");
    double total = li_softmax_sum(logits, count, peak, 1.0, NULL, NULL);
    return (double)logits[token] - (double)peak - li_log(total);
}
