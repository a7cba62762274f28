// Temperature: a scalar in the computation of the weights, never a pass over the logits. Dynamic temperature (Zhu et
// al., "Hot or cold? Adaptive temperature sampling", 2023, in the form of llama.cpp's dynatemp) takes the scalar
// between temperature - range and temperature + range by the entropy of the survivors.
#include "base/assert.h"
#include "base/exp.h"
#include "sample/stages.h"

// share^exponent goes from the lowest temperature (0) to the highest (1), where share is the entropy divided by its
// maximum, ln(count).
static double dynamic_temperature(li_funnel *funnel, const li_options *options)
{
    LI_ASSERT(funnel->count && options->dynatemp_range > 0.0);
    if (funnel->count == 1) return options->temperature;
    double share = li_funnel_entropy(funnel) / li_log((double)funnel->count), exponent = options->dynatemp_exponent;
    double power = exponent > 0.0 ? li_exp(exponent * li_log(share)) : 1.0;
    double lowest = options->temperature - options->dynatemp_range;
    if (lowest < 0.0) lowest = 0.0;
    double temperature = lowest + (options->temperature + options->dynatemp_range - lowest) * power;
    return temperature > 1e-30 ? temperature : 1e-30; // at the limit 0 the peak has all weight
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
    // Greedy keeps the lowest id of those with the largest logit.
    li_funnel_cut(funnel, funnel->peak, 1);
}
