// Log-probability of a token as the model believes it: log-softmax over the whole row.
#include "base/exp.h"
#include "lastinch.h"
#include "sample/softmax.h"

double li_log_probability(const float *logits, uint32_t count, uint32_t token)
{
    float peak = logits[0];
    for (uint32_t i = 0; i < count; i++) {
        if (logits[i] != logits[i] || logits[i] == __builtin_inff()) return (double)__builtin_nanf("");
        if (logits[i] > peak) peak = logits[i];
    }
    double total = li_softmax_sum(logits, count, peak, 1.0, NULL, NULL);
    return (double)logits[token] - (double)peak - li_log(total);
}
