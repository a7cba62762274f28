// Locally typical sampling: takes the tokens in order of the distance between their surprise -ln p and the entropy, and
// keeps the smallest set whose probabilities sum to at least p (Meister et al., "Locally typical sampling", 2022).
// Hugging Face also keeps ties with the last token; llama.cpp continues until the sum exceeds p.
#include "base/assert.h"
#include "sample/stages.h"

void li_typical_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    float *keys = li_funnel_keys(funnel);
    double entropy = li_funnel_entropy(funnel);
    // The distance from the peak at which the surprise equals the entropy. Differences of logits over the temperature
    // are differences of surprise.
    double centre = li_funnel_distance_of(funnel, -entropy), peak = (double)funnel->peak;
    for (uint32_t i = 0; i < funnel->count; i++) {
        double distance = (double)keys[i] - peak - centre;
        keys[i] = (float)(distance < 0.0 ? distance : -distance);
    }
    double target = settings->options.typical_p * funnel->total;
    LI_ASSERT(funnel->ids && funnel->count == funnel->length);
    if (settings->rules & LI_RULE_TYPICAL_EXCEEDS) target *= 1.0 + 0x1p-50;
    if (!(target > 0.0)) target = 0x1p-1022; // p = 0 keeps the most typical token
    li_cut cut = li_select_upper_set(keys, funnel->weights, funnel->count, funnel->total, target, &funnel->scratch);
    if (settings->rules & LI_RULE_KEEP_TIES) cut.ties = UINT32_MAX;
    li_funnel_cut_to(funnel, cut, settings->options.min_keep, false);
    li_funnel_end_keys(funnel);
}
