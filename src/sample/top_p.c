// Top-p: keeps the smallest set of the likeliest tokens whose probabilities sum to at least p (Holtzman et al., "The
// curious case of neural text degeneration", 2019). ExLlamaV3 leaves out the token with which the sum exceeds p.
#include "sample/select.h"
#include "sample/stages.h"

// Takes the last token out of a cut, unless it is the likeliest.
static void leave_out_last(const li_funnel *funnel, li_cut *cut)
{
    uint32_t ties = 0;
    for (uint32_t i = 0; i < funnel->length; i++) ties += funnel->values[i] == cut->value;
    if (cut->ties < ties) ties = cut->ties;
    if (ties > 1 || cut->value < funnel->peak) cut->ties = ties - 1;
}

void li_top_p_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    li_funnel_weigh(funnel);
    double total = funnel->total, target = settings->options.top_p * total;
    if (settings->rules & LI_RULE_TOP_P_STAYS_BELOW) target *= 1.0 + 0x1p-50;
    if (!(target > 0.0)) target = 0x1p-1022; // p = 0 keeps the likeliest token
    li_cut cut = li_funnel_cut_of_mass(funnel, target);
    if (!cut.ties)
        cut = li_select_upper_set(funnel->values, funnel->weights, funnel->length, total, target, &funnel->scratch);
    if (settings->rules & LI_RULE_TOP_P_STAYS_BELOW) leave_out_last(funnel, &cut);
    li_funnel_cut_to(funnel, cut, settings->options.min_keep, false);
}
