// Green lists (Kirchenbauer et al., "A watermark for large language models", 2023, algorithm 2, soft). Of the tokens a
// share gamma is green, and delta is added to their logits. The paper colours exactly gamma of the vocabulary by a
// permutation; here each token is green with probability gamma by itself, so that the count of green tokens in an
// unmarked text is exactly binomial. delta is added to logits at the temperature in force, after all truncations.
#include "base/exp.h"
#include "decode/marks.h"

bool li_watermark_is_green(const li_watermark *mark, const uint32_t block[4])
{
    return (double)block[0] * 0x1p-32 < mark->gamma;
}

void li_watermark_weigh_green(const li_watermark *mark, li_funnel *funnel, const uint32_t context[4])
{
    for (uint32_t i = 0; i < funnel->length; i++) {
        uint32_t block[4];
        funnel->value_store[i] = 0.0f;
        if (funnel->weights[i] == 0.0f) continue; // a masked token
        li_watermark_block(mark, context, li_funnel_id(funnel, i), block);
        const double factor = li_watermark_is_green(mark, block) ? mark->boost : 1.0;
        funnel->value_store[i] = (float)((double)funnel->weights[i] * factor);
    }
}

// The binomial tail: at least k of n, each with probability p.
static double binomial_tail(double k, double n, double p)
{
    if (k <= 0.0) return 1.0;
    if (k > n) return 0.0;
    // From the mean on, terms only fall.
    if (k <= n * p) return 1.0 - binomial_tail(n - k + 1.0, n, 1.0 - p);
    double term = li_exp(li_log_factorial(n) - li_log_factorial(k) - li_log_factorial(n - k) + k * li_log(p) +
                         (n - k) * li_log(1.0 - p));
    double sum = 0.0, odds = p / (1.0 - p);
    for (; term > sum * 1e-17; k += 1.0) {
        sum += term;
        term *= (n - k) / (k + 1.0) * odds;
    }
    return sum < 1.0 ? sum : 1.0;
}

double li_watermark_tail_green(const li_watermark *mark, double total, uint32_t count)
{
    // The share of 32-bit numbers below gamma.
    double parts = mark->gamma * 0x1p32, whole = (double)(uint32_t)parts;
    return binomial_tail(total, (double)count, (whole + (whole < parts)) * 0x1p-32);
}
