// Top-p: keeps the smallest set of the likeliest tokens whose probabilities sum to at least p (Holtzman et al., "The
// curious case of neural text degeneration", 2019).
#include "base/assert.h"
#include "base/exp.h"
#include "sample/select.h"
#include "sample/stages.h"

// Looks for the cut among the likeliest tokens only: usually few tokens hold more than p.
static bool is_near_peak(const li_funnel *funnel, double target, li_cut *cut)
{
    LI_ASSERT(funnel->is_weighed && target > 0.0);
    const li_selection of = {funnel->values, funnel->weights, funnel->length, funnel->key_store, funnel->mass_store};
    for (double tokens = 512.0; !funnel->ids; tokens *= 16.0) {
        // `tokens` tokens at this logit weigh as much as the mass to cut.
        double low = (double)funnel->peak + funnel->temperature * li_log((funnel->total - target) / tokens);
        if (li_funnel_is_crowded(funnel, (float)low)) return false;
        if (li_select_between(&of, funnel->block_peaks, (float)low, __builtin_inff(), target, cut)) return true;
    }
    return false;
}

void li_top_p_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    li_funnel_weigh(funnel);
    double total = funnel->total, target = settings->options.top_p * total;
    if (!(target > 0.0)) target = 0x1p-1022; // p = 0 keeps the likeliest token
    li_cut cut;
    if (!is_near_peak(funnel, target, &cut))
        cut = li_funnel_select(funnel, funnel->values, funnel->weights, funnel->length, total, target);
    li_funnel_cut_to(funnel, cut, settings->options.min_keep, false);
}
