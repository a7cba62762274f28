// Top-p: keeps the smallest set of the likeliest tokens whose probabilities sum to at least p (Holtzman et al., "The
// curious case of neural text degeneration", 2019).
#include "sample/select.h"
#include "sample/stages.h"

void li_top_p_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    li_funnel_weigh(funnel);
    double total = funnel->total, target = settings->options.top_p * total;
    if (!(target > 0.0)) target = 0x1p-1022; // p = 0 keeps the likeliest token
    li_cut cut = li_funnel_cut_of_mass(funnel, target);
    if (!cut.ties)
        cut = li_select_upper_set(funnel->values, funnel->weights, funnel->length, total, target, &funnel->scratch);
    li_funnel_cut_to(funnel, cut, settings->options.min_keep, false);
}
