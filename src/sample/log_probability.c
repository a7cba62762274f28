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
    double total = 0.0;
    float weights[LI_SOFTMAX_BLOCK];
    for (uint32_t start = 0; start < count; start += LI_SOFTMAX_BLOCK) {
        uint32_t length = count - start < LI_SOFTMAX_BLOCK ? count - start : LI_SOFTMAX_BLOCK;
        total += li_softmax_weigh(logits + start, length, peak, 1.0, weights);
    }
    return (double)logits[token] - (double)peak - li_log(total);
}
