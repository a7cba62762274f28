// Entropy equilibrium: takes the tokens from the top, and stops before the one with which their entropy, as a share of
// its maximum ln k, is less than their probability (Cai et al., "Entropy equilibrium sampling", 2025).
#include "base/exp.h"
#include "sample/order.h"
#include "sample/stages.h"

// The number of tokens to keep, by those of scratch.masses (count, in falling order); count: they do not tell.
static uint32_t kept_by(const li_funnel *funnel, uint32_t count, double least)
{
    double sum = 0.0, surprise = 0.0; // sums of the weights, and of the weights times their distance
    for (uint32_t i = 0; i < count; i++) {
        double distance = ((double)funnel->peak - (double)funnel->scratch.masses[i]) / funnel->temperature;
        double weight = li_exp(-distance);
        sum += weight;
        if (weight > 0.0) surprise += weight * distance;
        if ((double)i < least) continue;
        if ((li_log(sum) + surprise / sum) * funnel->total < li_log((double)(i + 1)) * sum) return i;
    }
    return count;
}

void li_entropy_equilibrium_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    li_funnel_weigh(funnel);
    // Usually the tokens near the peak tell.
    float low = li_logits_clamp((double)funnel->peak - 8.0 * funnel->temperature);
    if (li_funnel_is_crowded(funnel, low)) low = (float)LI_LOWEST;
    for (;;) {
        uint32_t count = li_order_logits(funnel, low), kept = kept_by(funnel, count, settings->options.min_keep);
        if (kept < count) return li_funnel_keep_likeliest(funnel, kept, false);
        // Sums over the tokens group them alike if they are listed.
        if (count == funnel->count) return li_funnel_list(funnel);
        low = (float)LI_LOWEST;
    }
}
