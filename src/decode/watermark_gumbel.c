// The tail of Aaronson's watermark (S. Aaronson, "My AI safety lecture for UT Effective Altruism", 2022). A draw takes
// the token with the largest u^(1 / probability), so the u of marked tokens are near 1. The score of a token is
// -ln(1 - u): exponential with mean 1 where the text is unmarked, so the sum has a gamma distribution.
#include "base/exp.h"
#include "decode/marks.h"

double li_watermark_tail_gumbel(double total, uint32_t count)
{
    if (!(total > 0.0) || !count) return 1.0;
    // A sum of n exponentials is at least s if a Poisson process of rate 1 has fewer than n points before s.
    double n = (double)count, sum = 0.0, log_total = li_log(total);
    if (total > n) {
        double i = n - 1.0, term = li_exp(i * log_total - total - li_log_factorial(i));
        for (; i >= 0.0 && term > sum * 1e-17; i -= 1.0) {
            sum += term;
            term *= i / total;
        }
        return sum < 1.0 ? sum : 1.0;
    }
    double i = n, term = li_exp(i * log_total - total - li_log_factorial(i));
    for (; term > sum * 1e-17; i += 1.0) {
        sum += term;
        term *= total / (i + 1.0);
    }
    return sum < 1.0 ? 1.0 - sum : 0.0;
}
