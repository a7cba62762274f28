// Top-a: keeps tokens of probability a * p^2 or more, where p is that of the likeliest token (Peng, RWKV-LM, 2022, as
// in KoboldAI).
#include "base/exp.h"
#include "sample/stages.h"

void li_top_a_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    li_funnel_weigh(funnel);
    // The likeliest token weighs 1, so the bound a * p^2 is the weight a * p.
    double distance = funnel->temperature * li_log(settings->options.top_a / funnel->total);
    li_funnel_cut_below(funnel, distance, settings->options.min_keep, false);
}
