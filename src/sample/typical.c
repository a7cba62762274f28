// Locally typical sampling: takes the tokens in order of the distance between their surprise -ln p and the entropy, and
// keeps the smallest set whose probabilities sum to at least p (Meister et al., "Locally typical sampling", 2022).
// Hugging Face also keeps ties with the last token; llama.cpp continues until the sum exceeds p.
#include "base/assert.h"
#include "sample/stages.h"

// Drops tokens that are farther from the centre than the likeliest token, and than tokens that hold the mass: they
// cannot be among the most typical. Only makes the stage faster.
static void drop_tail(li_funnel *funnel, double centre, double target, double least)
{
    li_cut cut = li_funnel_cut_of_mass(funnel, target);
    if (!cut.ties) return;
    double peak = (double)funnel->peak, low = peak + 2.0 * centre;
    if ((double)cut.value < low) low = (double)cut.value;
    // Bound and keys are rounded to floats, so a token just below the cut may tie with one just above it.
    low -= (peak - low + __builtin_fabs(low)) * 1e-6;
    li_funnel_cut_to(funnel, (li_cut){li_logits_clamp(low), UINT32_MAX}, least, true);
}

void li_typical_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    // Sums group tokens by their place in the list, so masked tokens go first.
    if (funnel->count < funnel->length) li_funnel_list(funnel);
    double entropy = li_funnel_entropy(funnel);
    // The distance from the peak at which the surprise equals the entropy. Differences of logits over the temperature
    // are differences of surprise.
    double centre = li_funnel_distance_of(funnel, -entropy), peak = (double)funnel->peak, total = funnel->total;
    double target = settings->options.typical_p * total, least = settings->options.min_keep;
    if (settings->rules & LI_RULE_TYPICAL_EXCEEDS) target *= 1.0 + 0x1p-50;
    if (!(target > 0.0)) target = 0x1p-1022; // p = 0 keeps the most typical token
    drop_tail(funnel, centre, target, least);
    float *keys = li_funnel_keys(funnel);
    li_funnel_weigh(funnel);
    LI_ASSERT(funnel->ids && funnel->count == funnel->length);
    for (uint32_t i = 0; i < funnel->count; i++) {
        double distance = (double)keys[i] - peak - centre;
        keys[i] = (float)(distance < 0.0 ? distance : -distance);
    }
    li_cut cut = li_select_upper_set(keys, funnel->weights, funnel->count, funnel->total, target, &funnel->scratch);
    if (settings->rules & LI_RULE_KEEP_TIES) cut.ties = UINT32_MAX;
    li_funnel_cut_to(funnel, cut, least, false);
    li_funnel_end_keys(funnel);
}
