// Adaptive-p: new weights favour tokens whose probability is near a target. The target moves so that the probabilities
// of the chosen tokens average the option's value (llama.cpp, 2026).
#include "base/assert.h"
#include "sample/stages.h"

// Shape of the curve of the new logits over the distance to the target, from llama.cpp.
#define HIGHEST   5.0
#define SHARPNESS 10.0
#define WIDTH     0.3

static double clamp(double value)
{
    return value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;
}

void li_adaptive_p_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    const li_feedback *feedback = &history->feedback;
    double target = settings->options.adaptive_target;
    if (feedback->adaptive_weight > 0.0) // a loaded state may hold 0
        target = clamp(2.0 * target - feedback->adaptive_sum / feedback->adaptive_weight);
    li_funnel_weigh(funnel);
    LI_ASSERT(target >= 0.0 && target <= 1.0);
    double total = funnel->total;
    float *keys = li_funnel_keys(funnel), *undistorted = funnel->scratch.masses, highest = -__builtin_inff();
    for (uint32_t i = 0; i < funnel->count; i++) {
        double probability = li_funnel_weight_of(funnel, keys[i]) / total;
        double distance = (probability - target) / WIDTH;
        if (distance < 0.0) distance = -distance;
        undistorted[i] = (float)probability;
        keys[i] = (float)(HIGHEST - SHARPNESS * distance * distance / (1.0 + distance));
        if (keys[i] > highest) highest = keys[i];
    }
    funnel->undistorted = undistorted;
    funnel->peak = highest;
    li_funnel_set_temperature(funnel, 1.0);
}

void li_adaptive_p_begin(li_feedback *feedback, const li_options *options)
{
    LI_ASSERT(options->adaptive_decay < 1.0 && options->adaptive_target >= 0.0);
    feedback->adaptive_weight = 1.0 / (1.0 - options->adaptive_decay);
    feedback->adaptive_sum = options->adaptive_target * feedback->adaptive_weight;
}

void li_adaptive_p_accept(li_feedback *feedback, const li_options *options, double probability)
{
    LI_ASSERT(probability >= 0.0 && probability <= 1.0 + 1e-6);
    feedback->adaptive_sum = probability + options->adaptive_decay * feedback->adaptive_sum;
    feedback->adaptive_weight = 1.0 + options->adaptive_decay * feedback->adaptive_weight;
}
