// Top-p: keeps the smallest set of the likeliest tokens whose probabilities sum to at least p (Holtzman et al., "The
// curious case of neural text degeneration", 2019).
#include "base/assert.h"
#include "base/exp.h"
#include "sample/select.h"
#include "sample/stages.h"

// The cut, if it is found among the likeliest tokens: usually few tokens hold more than p. Otherwise ties is 0.
static li_cut cut_near_peak(const li_funnel *funnel, double target)
{
    LI_ASSERT(funnel->is_weighed && target > 0.0);
    li_cut cut = {0};
    for (double tokens = 512.0; !funnel->ids && !cut.ties; tokens *= 16.0) {
        // `tokens` tokens at this logit weigh as much as the mass to cut.
        double low = (double)funnel->peak + funnel->temperature * li_log((funnel->total - target) / tokens);
        if (li_funnel_is_crowded(funnel, (float)low)) break;
        li_bracket bracket = {(float)low, __builtin_inff(), funnel->block_peaks};
        cut = li_select_within(funnel->values, funnel->weights, funnel->length, &bracket, target, &funnel->scratch);
    }
    return cut;
}

void li_top_p_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    li_funnel_weigh(funnel);
    double total = funnel->total, target = settings->options.top_p * total;
    if (!(target > 0.0)) target = 0x1p-1022; // p = 0 keeps the likeliest token
    li_cut cut = cut_near_peak(funnel, target);
    if (!cut.ties)
        cut = li_select_upper_set(funnel->values, funnel->weights, funnel->length, total, target, &funnel->scratch);
    li_funnel_cut_to(funnel, cut, settings->options.min_keep, false);
}
