// Top-n-sigma: keeps tokens whose logit is at most n standard deviations below the largest (Tang et al., "Top-n-sigma:
// not all logits are you need", 2024). The deviation is the population's, over the unmasked survivors. The temperature
// does not change the kept set.
#include "base/assert.h"
#include "base/exp.h"
#include "base/simd.h"
#include "sample/stages.h"

// The variance of the survivors' logits, in one pass: the mean square of the distances from the peak less the square of
// the mean distance. The peak is at most sqrt(count) deviations from the mean, so the difference loses no more digits
// than `count` has.
static double variance_of(const li_funnel *funnel)
{
    const float *values = funnel->values;
    const li_f32x4 top = li_f32x4_splat(funnel->peak), lowest = li_f32x4_splat((float)LI_LOWEST);
    const li_f64x2 peak = li_f64x2_splat((double)funnel->peak), zero = li_f64x2_splat(0.0);
    li_f64x2 low_sum = zero, high_sum = zero, low_squares = zero, high_squares = zero;
    uint32_t i = 0;
    for (; i + 4 <= funnel->length; i += 4) {
        li_f32x4 four = li_f32x4_load(values + i);
        four = li_f32x4_select_ge(four, top, four, lowest); // a masked logit adds 0
        li_f64x2 low = li_f64x2_sub(li_f64x2_from_low(four), peak), high = li_f64x2_sub(li_f64x2_from_high(four), peak);
        low_sum = li_f64x2_add(low_sum, low);
        high_sum = li_f64x2_add(high_sum, high);
        low_squares = li_f64x2_add(low_squares, li_f64x2_mul(low, low));
        high_squares = li_f64x2_add(high_squares, li_f64x2_mul(high, high));
    }
    li_f64x2 sums = li_f64x2_add(low_sum, high_sum), both = li_f64x2_add(low_squares, high_squares);
    double sum = li_f64x2_lane(sums, 0) + li_f64x2_lane(sums, 1);
    double squares = li_f64x2_lane(both, 0) + li_f64x2_lane(both, 1), count = (double)funnel->count;
    for (; i < funnel->length; i++) {
        double distance = (double)values[i] - (double)funnel->peak;
        if (values[i] <= LI_MASKED) continue;
        sum += distance;
        squares += distance * distance;
    }
    double variance = (squares - sum / count * sum) / count;
    return variance > 0.0 ? variance : 0.0;
}

void li_top_n_sigma_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    LI_ASSERT(funnel->count && settings->options.top_n_sigma >= 0.0);
    (void)history;
    double sigma = li_exp(0.5 * li_log(variance_of(funnel))); // the square root, the same everywhere
    li_funnel_cut_below(funnel, -settings->options.top_n_sigma * sigma, 1.0, false);
}
