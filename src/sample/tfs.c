// Tail-free sampling: cuts the sorted probabilities where the second derivative of their curve reaches the share z of
// its absolute sum (Bricken, "Tail free sampling", 2019, in the form of older llama.cpp).
#include "base/assert.h"
#include "base/exp.h"
#include "sample/order.h"
#include "sample/softmax.h"
#include "sample/stages.h"

#define BLOCK LI_SOFTMAX_BLOCK

// Sums over the likeliest tokens.
typedef struct sums {
    double bends, total; // absolute second differences of the weights; weights
    double last_but_one; // weight
} sums;

// Adds the tokens of scratch.masses (count, in falling order) until the bends exceed `limit` at token `first` or later.
// Returns that token, or count.
static uint32_t walk(const li_funnel *funnel, uint32_t count, double limit, double first, sums *sums)
{
    double weights[BLOCK], one = 0.0, two = 0.0;
    sums->bends = sums->total = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        if (i % BLOCK == 0)
            li_softmax_exact(funnel->scratch.masses + i, BLOCK, (double)funnel->peak, funnel->temperature, weights);
        double three = weights[i % BLOCK], bend = (one - two) - (two - three);
        sums->total += three;
        if (i >= 2) sums->bends += bend < 0.0 ? -bend : bend;
        if (sums->bends > limit && (double)i - 2.0 >= first) return i - 2;
        one = two;
        two = three;
    }
    sums->last_but_one = one;
    return count;
}

// The number of tokens to keep, as the first `count` of them tell, or 0 if it depends on the others.
static double kept_by(const li_funnel *funnel, uint32_t count, double z, double least)
{
    sums sums;
    walk(funnel, count, __builtin_inf(), 0.0, &sums);
    double others = (double)(funnel->count - count), low = sums.bends, high = low;
    if (others > 0.0) {
        // The weights of the others fall from that of the last token, so the bends that they add sum to less than twice
        // the last weight but one. 1e-9 is more than all rounding.
        high = (low + 2.0 * sums.last_but_one) * (1.0 + 1e-9);
        if (!(low > 1e-5 * (sums.total + others * sums.last_but_one))) return 0.0;
    } else if (!(low > 1e-6 * sums.total)) { // nearly flat: every token but two has the same bend
        double last = (double)(count - 2), flat = (double)(uint32_t)(z * last);
        if (flat < least) flat = least;
        return flat < last ? flat : (double)count;
    }
    uint32_t kept = walk(funnel, count, z * high, least, &sums);
    if (others > 0.0 && (kept == count || walk(funnel, count, z * low, least, &sums) < kept)) return 0.0;
    return (double)kept;
}

void li_tfs_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    if (funnel->count <= 2) return;
    double kept = 0.0;
    // Usually the tokens near the peak tell.
    for (double distance = 8.0 * funnel->temperature; kept == 0.0; distance *= 1.25) {
        float low = li_logits_clamp((double)funnel->peak - distance);
        if (li_funnel_is_crowded(funnel, low)) low = (float)LI_LOWEST;
        kept = kept_by(funnel, li_order_logits(funnel, low), settings->options.tfs_z, settings->options.min_keep);
    }
    // Where nothing is cut the tokens are listed nevertheless, so that sums over them group them alike.
    if (kept < (double)funnel->count)
        li_funnel_keep_likeliest(funnel, kept, false);
    else
        li_funnel_list(funnel);
}
