// XTC, "exclude top choices": with the given probability per step, removes all tokens that reach the threshold except
// the least likely one (Weidmann, 2024, as in llama.cpp).
#include "base/assert.h"
#include "base/exp.h"
#include "base/random.h"
#include "sample/stages.h"

void li_xtc_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    const li_options *options = &settings->options;
    double u = li_random_uniform((uint64_t)options->seed, (uint32_t)options->stream, funnel->step, LI_RANDOM_XTC, 0);
    if (u >= options->xtc_probability) return;
    double distance = li_funnel_distance_of(funnel, li_log(options->xtc_threshold)), peak = (double)funnel->peak;
    float *values = li_funnel_keys(funnel), lowest = __builtin_inff();
    uint32_t choices = 0, stays = 0;
    for (uint32_t i = 0; i < funnel->count; i++) {
        if ((double)values[i] - peak < distance) continue;
        choices++;
        if (values[i] > lowest) continue;
        lowest = values[i];
        stays = i;
    }
    if (choices > 1 && (double)(funnel->count - choices + 1) >= options->min_keep) {
        LI_ASSERT(stays < funnel->count && choices <= funnel->count);
        for (uint32_t i = 0; i < funnel->count; i++) values[i] = (double)values[i] - peak < distance || i == stays;
        li_funnel_cut(funnel, 0.0f, 0);
    }
    li_funnel_end_keys(funnel);
    funnel->threshold = distance;
}
