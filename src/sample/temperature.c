// Temperature: a scalar that the weights are computed with, never a pass over the logits. Dynamic temperature
// (Zhu et al., "Hot or cold? Adaptive temperature sampling", 2023, in the form of llama.cpp's dynatemp) picks the
// scalar between temperature - range and temperature + range by the entropy of the survivors.
#include "base/exp.h"
#include "sample/stages.h"

// The entropy as a share of the largest possible, ln(count), to the power of the exponent, from the lowest
// temperature to the highest.
static double dynamic_temperature(li_funnel *funnel, const li_options *options)
{
    if (funnel->count == 1) return options->temperature;
    double share = li_funnel_entropy(funnel) / li_log((double)funnel->count), exponent = options->dynatemp_exponent;
    double power = exponent > 0.0 ? li_exp(exponent * li_log(share)) : 1.0;
    double lowest = options->temperature - options->dynatemp_range;
    if (lowest < 0.0) lowest = 0.0;
    double temperature = lowest + (options->temperature + options->dynatemp_range - lowest) * power;
    return temperature > 1e-30 ? temperature : 1e-30; // 0 is a limit: all to the peak
}

void li_temperature_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    const li_options *options = &settings->options;
    if (options->temperature > 0.0) {
        bool is_dynamic = options->dynatemp_range > 0.0;
        li_funnel_set_temperature(funnel, is_dynamic ? dynamic_temperature(funnel, options) : options->temperature);
        return;
    }
    // Greedy: the lowest id of those with the largest logit.
    li_funnel_cut(funnel, funnel->peak, 1);
}
