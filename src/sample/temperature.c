// Temperature: a scalar that the weights are computed with, never a pass over the logits.
#include "sample/stages.h"

void li_temperature_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    double temperature = settings->options.temperature;
    if (temperature > 0.0) {
        li_funnel_set_temperature(funnel, temperature);
        return;
    }
    // Greedy: the lowest id of those with the largest logit.
    li_funnel_cut(funnel, funnel->peak, 1);
}
