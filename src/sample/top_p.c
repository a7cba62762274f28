// Top-p: the smallest set of the likeliest tokens whose probabilities sum to at least p (Holtzman et al.,
// "The curious case of neural text degeneration", 2019).
#include "base/exp.h"
#include "sample/select.h"
#include "sample/softmax.h"
#include "sample/stages.h"

void li_top_p_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    double p = settings->options.top_p, least = settings->options.min_keep;
    li_funnel_weigh(funnel);
    double total = funnel->total;
    // Tokens so unlikely that all of them together would hold less than half of 1 - p cannot be in the
    // nucleus: dropping them first leaves few to select from.
    double negligible = (1.0 - p) * total / (2.0 * (double)funnel->count);
    li_funnel_cut_below(funnel, (double)funnel->peak + funnel->temperature * li_log(negligible), least, false);
    double target = p * total;
    if (!(target > 0.0)) target = 0x1p-1022; // p = 0 keeps the likeliest
    li_softmax_sum(funnel->values, funnel->length, funnel->peak, funnel->temperature, NULL, funnel->weights);
    li_cut cut = li_select_upper_set(funnel->values, funnel->weights, funnel->length, target, funnel->key_store,
                                     funnel->mass_store);
    li_funnel_cut_to(funnel, cut, least, false);
}
