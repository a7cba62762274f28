// Smoothing, also "quadratic sampling": bends the logits around the largest, so that near ones come nearer and far ones
// go farther (kalomaze, 2024, with the cubic term of KoboldCpp and text-generation-webui).
#include "sample/stages.h"

void li_smoothing_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    const li_options *options = &settings->options;
    funnel->bend = (li_bend){
        .peak = (double)funnel->peak,
        .temperature = funnel->temperature,
        .square = options->smoothing_factor * (3.0 - options->smoothing_curve) / 2.0,
        .cube = options->smoothing_factor * (options->smoothing_curve - 1.0) / 2.0,
    };
    float *values = li_funnel_keys(funnel);
    for (uint32_t i = 0; i < funnel->count; i++) values[i] = li_funnel_bent(funnel, values[i]);
    funnel->peak = 0.0f;
    li_funnel_set_temperature(funnel, 1.0);
}
